"""Scrubbed logs and run folders name nobody, and read as before; what names somebody is a rule of a table."""

import os
import re
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from parsers.runs.reading import known_format, read, survey
from parsers.runs.runfile import describes, run_file, sha256_of
from parsers.scrubbing.copies import ScrubError, rewrite, scrubbed, text_blocks
from parsers.scrubbing.identities import RULES, Identity, Placeholders, identities
from tachograph.cli import secrets
from tests.commandline import files, run
from tests.parsers.corpus_logs import RealLog, every_real_log
from tests.parsers.golden_logs import LOGS, every_golden_format
from tests.parsers.run_folders import (
    assert_reads_the_same,
    make_run,
    put_clock,
    put_gpu,
    scrub,
    scrub_one,
    scrubbed_text,
)
from tests.parsers.toy_logs import PACKERS, step, steps, write

NAMED = [
    b"jdoe@c1-n01:/data$ python train.py\n",
    b"c1-n01:4242:4243 [0] NCCL INFO Bootstrap : Using eth0:10.1.2.3<0>\n",
    b"Loading /home/jdoe/imagenet/train.txt\n",
    b"MASTER_ADDR=zeus.example.edu\n",
    b"SLURM_JOB_NODELIST=nid[005033-005035,005100]\n",
    b"mail j.roe@example.edu when done\n",
    b"api_key=0123456789abcdefSECRET\n",
    b"C:\\Users\\Jos\xe9\\data\n",
    b"nodes nid005034 and c1-n01 wait for zeus, says jdoe\n",
]
NAMES = (b"jdoe", b"c1-n01", b"10.1.2.3", b"zeus", b"nid005", b"roe@", b"SECRET", b"Jos\xe9")


@every_golden_format
@pytest.mark.slow
def test_scrubbed_golden_logs_read_as_before(tmp_path: Path, folder: Path) -> None:
    for log in folder.glob("*.log"):
        assert_reads_the_same(log, scrub_one(tmp_path / log.stem, log))


@pytest.mark.slow
@every_real_log
def test_a_scrubbed_real_log_reads_as_before_and_to_scrub_it_again_changes_nothing(
    tmp_path: Path, log: RealLog
) -> None:
    once = scrub_one(tmp_path / "once", log.path)
    assert_reads_the_same(log.path, once, survey)
    assert scrub_one(tmp_path / "twice", once).read_bytes() == once.read_bytes()


# A name amid a record of several lines would break it.
OF_LINES = st.deferred(
    lambda: st.sampled_from(
        [log for log in LOGS if not any(variant.spans for variant in known_format(log.parent.name).variants)]
    )
)


@pytest.mark.slow
@settings(max_examples=30)
@given(OF_LINES, st.lists(st.integers(0, 1 << 16), min_size=len(NAMED), max_size=len(NAMED)))
def test_names_put_anywhere_in_a_golden_log_go_and_the_rest_reads_as_before(log: Path, places: list[int]) -> None:
    lines = log.read_bytes().splitlines(keepends=True)
    for place, line in zip(places, NAMED, strict=True):
        lines.insert(place % len(lines), line)
    with TemporaryDirectory() as folder:
        # The name of a log tells facts.
        written = write(Path(folder), *lines, name=log.name)
        copy = scrub_one(Path(folder) / "once", written)
        assert_reads_the_same(written, copy)
        assert [told for told in NAMES if told in copy.read_bytes()] == []
        assert scrub_one(Path(folder) / "twice", copy).read_bytes() == copy.read_bytes()


@pytest.mark.parametrize(
    ("text", "public"),
    {
        b"zeus said so\nHostname: zeus\n{'node': 'zeus', 'at': 'zeus_0'} zeus-eth0 (ZEUS) zeuss azeus\n": (
            b"host1 said so\nHostname: host1\n{'node': 'host1', 'at': 'host1_0'} host1-eth0 (host1) zeuss azeus\n"
        ),
        b"MASTER_ADDR=zeus.example.edu\nzeus is up\n": b"MASTER_ADDR=host1.example.com\nhost1 is up\n",
        b"eth0:10.0.0.4<0> [fd12::7]:29500 a.b@example.edu /home/jdoe/x C:\\Users\\jroe\\y\n": (
            b"eth0:198.18.0.1<0> [2001:db8::2]:29500 user3@example.com /home/user1/x C:\\Users\\user2\\y\n"
        ),
        b"SLURM_JOB_NODELIST=nid[005033-005034,005100]\nnid005034 is down\n": (
            b"SLURM_JOB_NODELIST=host[1,2,3]\nhost2 is down\n"
        ),
        # Hosts in base64.
        b"zeus: --world_info=eyJ6ZXVzIjogWzAsIDFdfQ== --node_rank=0\n": b"host1: --world_info=e30= --node_rank=0\n",
        b"host1 and 198.18.0.1 and user1 wait\nhostname: zeus\n10.0.0.1 /home/jdoe/\n": (
            b"host1 and 198.18.0.1 and user1 wait\nhostname: host2\n198.18.0.2 /home/user2/\n"
        ),
        # One who is called like a word of formats.
        b"/data/home/loss/imagenet\ntrain loss 1.5\n": b"/data/home/user1/imagenet\ntrain loss 1.5\n",
        b"t\xe9\xff\n\0\0 host: zeus\n\xe9": b"t\xe9\xff\n\0\0 host: host1\n\xe9",
    }.items(),
    ids=lambda text: text.decode("latin-1")[:30],
)
def test_each_name_is_replaced_as_a_word_by_what_has_its_shape_and_the_rest_stays(
    tmp_path: Path, text: bytes, public: bytes
) -> None:
    assert scrubbed_text(tmp_path, text) == public


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("mark", ["\ufeff", ""])
@pytest.mark.parametrize("rest", [b"", b"\0"])
def test_utf_16_becomes_utf_8(tmp_path: Path, codec: str, mark: str, rest: bytes) -> None:
    text = mark + "host: zeus\r\n" + "".join(line.decode() for line in steps(9)) + "zeus \n"
    log = write(tmp_path, text.encode(codec) + rest)
    copy = scrub_one(tmp_path / "public", log)
    assert_reads_the_same(log, copy)
    assert copy.read_bytes().removesuffix(b"\n") == text.replace("zeus", "host1").encode().removesuffix(b"\n")


def test_the_same_name_has_the_same_placeholder_in_all_logs(tmp_path: Path) -> None:
    one = write(tmp_path, b"host: zeus\n", name="a.log")
    other = write(tmp_path, b"host: hera\nzeus said so\n", name="b.log")
    copies = scrub(tmp_path / "public", one, other).copies
    assert (tmp_path / "public" / copies[1]).read_bytes() == b"host: host2\nhost1 said so\n"


def test_a_log_that_would_read_otherwise_is_refused(tmp_path: Path) -> None:
    log = write(tmp_path, *steps(3), step(3, ips="77.5"))
    placeholders = Placeholders([Identity("host", b"77.5")])
    with pytest.raises(ScrubError, match=r"train\.log: line 4 would be read differently"):
        scrubbed(log, tmp_path / "copy.log", placeholders, secrets())
    assert not (tmp_path / "copy.log").exists()


def placed(folder: Path, *names: str, text: bytes) -> list[Path]:
    """Logs of one text, each in a folder of its own."""
    for name in names:
        (folder / name).parent.mkdir()
    return [write((folder / name).parent, text, name=Path(name).name) for name in names]


LOG = b"Hostname: zeus\n" + b"".join(steps(3))


def test_a_run_folder_is_copied_whole(tmp_path: Path) -> None:
    make_run(tmp_path / "runs" / "2", LOG)
    log = make_run(tmp_path / "runs" / "1", LOG, case={"batch_size": 8}, environment={"node": "zeus"})
    put_clock(log, "1,1935619200.000")
    put_gpu(log, "1935619200.000,0,1,2,3,4,5,6")
    log.with_name("cpu.csv").write_text("1935619200.000\n")
    copy, other = (tmp_path / "public" / copy for copy in scrub(tmp_path / "public", tmp_path / "runs").copies)
    assert str(other.relative_to(tmp_path)) == "public/runs/2/train.log"
    names = ["clock.csv", "cpu.csv", "gpu.csv", "run.json", "train.log"]
    assert sorted(path.name for path in copy.parent.iterdir()) == names
    assert_reads_the_same(log, copy)


def test_the_run_file_of_a_copy_describes_the_copy_and_keeps_the_sum_of_the_log(tmp_path: Path) -> None:
    log = make_run(tmp_path / "run", LOG, source={"commit": "abc"})
    once = scrub_one(tmp_path / "once", log)
    twice = scrub_one(tmp_path / "twice", once)
    run = run_file(once)
    assert describes(run, once, sha256_of(once)) is True
    log.write_bytes(LOG + LOG)
    other = scrub_one(tmp_path / "other", log)
    assert describes(run_file(other), other, sha256_of(other)) is False
    assert (run["log"]["bytes"], read(once).warnings) == (once.stat().st_size, ())
    assert run["source"] == {"commit": "abc", "sha256": sha256_of(make_run(tmp_path / "run", LOG))}
    assert twice.with_name("run.json").read_bytes() == once.with_name("run.json").read_bytes()


def test_the_run_file_names_nobody_and_who_is_named_in_it_is_replaced_in_the_log(tmp_path: Path) -> None:
    said = {"hostname": "hera", "home": "/home/jdoe/x", "variables": {"API_KEY": "0123456789abcdef"}}
    copy = scrub_one(tmp_path / "public", make_run(tmp_path / "run", b"hera is up\n" + LOG, **said))
    assert copy.read_bytes().startswith(b"host2 is up\n")
    text = copy.with_name("run.json").read_text(encoding="utf-8")
    assert [name for name in ("hera", "jdoe", "0123456789abcdef") if name in text] == []


def test_names_of_folders_are_scrubbed_and_what_they_tell_is_not_lost(tmp_path: Path) -> None:
    logs = placed(tmp_path, "zeus/train.log", "2n8g/rn50_b64_fp32_1.log", text=LOG)
    copies = scrub(tmp_path / "public", *logs).copies
    assert [str(copy) for copy in copies] == ["host1/train.log", "2n8g/rn50_b64_fp32_1.log"]
    assert_reads_the_same(logs[1], tmp_path / "public" / copies[1])


def test_no_copy_takes_the_place_of_a_log_or_of_another_copy(tmp_path: Path) -> None:
    zeus, host = placed(tmp_path, "zeus/train.log", "host1/train.log", text=LOG)
    for logs, out, said in (
        ([zeus], zeus.parent, "would overwrite a log"),
        ([zeus, write(host.parent, step(1))], tmp_path / "public", "would be the copy of several logs"),
        ([tmp_path / "none"], tmp_path / "public", "does not contain run folders"),
    ):
        (tmp_path / "none").mkdir(exist_ok=True)
        with pytest.raises(ScrubError, match=said):
            scrub(out, *logs)
    assert zeus.read_bytes() == LOG


EXAMPLES = {
    rule["line"].encode(): {name.encode() for name in rule["finds"]}
    for rule in tomllib.loads(RULES.read_text(encoding="utf-8"))["rule"]
}


def found(line: bytes) -> list[bytes]:
    return [identity.text for identity in identities(line)]


@pytest.mark.parametrize("line", EXAMPLES, ids=lambda line: line.decode()[:40])
def test_a_rule_finds_in_its_example_what_it_says(line: bytes) -> None:
    assert set(found(line)) == EXAMPLES[line]


NAMED_BY = {
    # A name as clusters give them is a host where only a host can stand.
    **{
        line % name: [name]
        for name in (b"gpu001", b"gpu-01", b"node117", b"zeus01")
        for line in (b"%s:1234:1300 [0] NCCL INFO Channel 00/32", b"SLURM_JOB_NODELIST=%s", b"[%s:4242:0:4242] Caught")
    },
    b"SLURM_JOB_NODELIST=gpu[001-004]": [b"gpu[001-004]"],
    b"host: \x1b[32mzeus\x1b[0m": [b"zeus"],
    b"\x1b[01;32mjdoe@zeus\x1b[00m:\x1b[01;34m~/exp\x1b[00m$ python train.py": [b"jdoe", b"zeus"],
    b"/home/loss/data": [b"/home/loss"],
    **{
        line: []
        for line in (
            b"gpu0:1234:1300 [0] NCCL INFO Channel 00/32",
            b"device: gpu001, node117 loss 0.1",
            b"NODELIST=gpu[0-3]",
            b"user=loss",
            b"step 10 loss 10.5 time 10.25",
            b"10.1.2.3.4 and 10.1.2.300",
            b"8.8.8.8 172.15.0.1 172.32.0.1 192.169.0.1 100.63.0.1 127.0.0.1 0.0.0.0",
            b"Acc@1 76.1 Acc@5 92.9 logging.git@6.0.0-rc5",
            b"git clone git@github.com:owner/name.git",
            b"see https://github.com/owner/name, https://api.github.com/a and https://example.com/home/page",
            b"root@localhost:/root# ls",
            b"/home/ubuntu/a /home/work/b /home/disk1/c /root/d",
            b"host: None, master: localhost, hostname=worker-0, user=root, host: node-3, user: Ubuntu",
            b"[engine.py:123:45] [12:30:45] [launch.py:508:12]",
            b"error on host: connection refused by peer",
            b"rank0: [2031-05-17 09:30:00] started",
            b"checkpoint: open-mmlab://resnet50_v1c s3://bucket/key env://",
            b"std::allocator<int> fc::name fd:12:34:56:78:9a",
            b"user 0m5.3s sys 0m1.0s user: 0.5s",
        )
    },
}


@pytest.mark.parametrize("line", NAMED_BY, ids=lambda line: line.decode()[:40])
def test_a_line_names_whom_it_names_and_nobody_else(line: bytes) -> None:
    assert found(line) == NAMED_BY[line]


@pytest.mark.parametrize(
    "line",
    [
        b"nvidia-curand-cu12        10.3.2.106",
        b"cuBLAS version: 10.2.2.89",
        b"tensorrt==10.0.1.6",
        b"CUDA 10.1.243, cuDNN 7.6.5, GCC 10.2.1",
        b"libcublas10_10.2.2.89-1_amd64.deb",
        b"nvidia_curand_cu12-10.3.2.106-py3-none-any.whl",
    ],
)
def test_the_version_of_a_program_stays(line: bytes) -> None:
    assert public(line) == line


@pytest.mark.parametrize("nodes", [b"a1[0-999999999]", b"a1" + b"[0-9]" * 1000, b"a1[" + b"9" * 3000 + b"]"])
def test_a_list_of_more_nodes_than_there_are_costs_nothing(nodes: bytes) -> None:
    placeholders = Placeholders(identities(b"SLURM_JOB_NODELIST=" + nodes))
    assert placeholders.replaced(b"a10 is up") in {b"host1 is up", b"a10 is up"}


FRAGMENTS = sorted(
    {part for line in EXAMPLES for part in re.findall(rb"\w+|\W", line)} | set(b"\n\x1b[1m\0\xe9".split())
)
pieces = st.one_of(st.sampled_from([*EXAMPLES]), st.sampled_from(FRAGMENTS), st.binary(max_size=4))
texts = st.lists(pieces, max_size=30).map(b"".join)


def public(text: bytes) -> bytes:
    """A text as it is published: names are sought in what holds no credentials."""
    before, after = secrets().stream(), secrets().stream()
    placeholders = Placeholders(identities(before.feed(text) + before.finish()))
    made: bytes = after.feed(placeholders.replaced(text)) + after.finish()
    return made


@given(texts)
@example(b"Hostname: gpu-node-07NCCLeth0:10.0.0.4<0>")
@example(b"Hostname: NCCL0\nNCCL0:10.0.0.4\ncuda 10.2.89.1")
@example(b"USER=NCCL0:10.0.0.4")
def test_to_scrub_what_is_scrubbed_changes_nothing_and_lines_stay_lines(text: bytes) -> None:
    once = public(text)
    assert (public(once), once.count(b"\n")) == (once, text.count(b"\n"))


@given(texts)
def test_what_was_found_as_a_word_is_gone(text: bytes) -> None:
    def named(text: bytes) -> set[bytes]:
        # A number that begins with 10 is a version where it stands behind the name of a program.
        return {one.text for one in identities(text) if one.kind != "taken" and not one.text.startswith(b"10.")}

    assert named(text) & named(Placeholders(identities(text)).replaced(text)) == set()


@given(st.binary())
@example(b"\xff\xfeh\0\n\0\0")
def test_a_rewritten_log_has_the_same_bytes_where_nothing_changes(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        log, copy = Path(folder) / "log", Path(folder) / "copy"
        # What begins like a packed file is one, and UTF-16 has a NUL in every other place.
        log.write_bytes(b"a line of a log\n" + data.replace(b"\0", b"\1"))
        rewrite(log, copy, bytes)
        assert copy.read_bytes() == log.read_bytes()


@given(st.binary())
def test_any_bytes_after_a_mark_of_utf_16_come_in_whole_lines(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        log.write_bytes(b"\xff\xfe" + data)
        assert all(block.endswith(b"\n") for block in [*text_blocks(log)][:-1])


TEXT = b"jdoe@zeus:~$ python train.py --token hf_abcdefghijklmnopqrstuvwxyz012345\n" + step(1)


@pytest.mark.parametrize(
    ("text", "options", "public"),
    [
        (
            b"/mnt/data/jroe/imagenet on hera\n",
            ("--user", "jroe", "--host", "hera"),
            b"/mnt/data/user1/imagenet on host1\n",
        ),
        (TEXT, ("--keep", "zeus"), b"user1@zeus:~$"),
    ],
)
def test_names_are_given_that_nothing_marks_and_kept_that_are_none(
    tmp_path: Path, text: bytes, options: tuple[str, ...], public: bytes
) -> None:
    run("scrub", write(tmp_path, text + step(1)), "--out", tmp_path / "public", *options)
    assert (tmp_path / "public" / "train.log").read_bytes().startswith(public)


@pytest.mark.parametrize("suffix", ["", *PACKERS])
def test_the_summary_counts_what_was_replaced_and_names_nobody_and_a_log_stays_packed(
    tmp_path: Path, suffix: str
) -> None:
    log = write(tmp_path, PACKERS.get(suffix, bytes)(TEXT), name=f"train.log.{suffix}".rstrip("."))
    empty = write(tmp_path, b"", name="empty.log")
    done = run("scrub", log, empty, tmp_path / "absent.log", "--out", tmp_path / "public")
    assert re.findall(r"Replaced (\d+) (\w+)", done.stdout) == [("1", "host"), ("1", "user"), ("1", "credential")]
    assert [name for name in ("jdoe", "zeus", "hf_") if name in done.stdout + done.stderr] == []
    assert (done.returncode, done.stderr.count("\n")) == (2, 2)  # of what cannot be read a sentence each, and no copy
    (copy,) = (tmp_path / "public").iterdir()
    assert copy.read_bytes()[:3] == log.read_bytes()[:3] or not suffix
    assert_reads_the_same(log, copy)


def test_a_name_that_is_no_utf_8_is_copied(tmp_path: Path) -> None:
    log = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.log"))
    log.write_bytes(TEXT)
    assert run("scrub", log, "--out", tmp_path / "public").returncode == 0
    assert (tmp_path / "public" / log.name).is_file()


SECRET = b"what nobody is to publish\n"


@pytest.mark.parametrize("name", ["train.log", "gpu.csv", "clock.csv", "run.json"])
def test_nothing_is_copied_from_behind_a_link(name: str, tmp_path: Path) -> None:
    log, secret = make_run(tmp_path / "logs/case/1", step(1)), write(tmp_path, step(1), SECRET, name="secret")
    log.with_name(name).unlink(missing_ok=True)
    log.with_name(name).symlink_to(secret)
    done = run("scrub", log if name == "run.json" else tmp_path / "logs", "--out", tmp_path / "public")
    assert (done.returncode, done.stderr.count("\n"), "link" in done.stderr) == (2, 1, True)
    assert [path for path, text in files(tmp_path / "public").items() if SECRET in text] == []


def test_a_link_that_is_named_itself_is_read(tmp_path: Path) -> None:
    (tmp_path / "links").mkdir()
    (tmp_path / "links/b.log").symlink_to(write(tmp_path, step(1)))
    assert run("scrub", tmp_path / "links/b.log", "--out", tmp_path / "public").returncode == 0
    assert (tmp_path / "public/b.log").read_bytes() == step(1)


@pytest.mark.parametrize("name", ["..", "/", "a\0b", ""])
@pytest.mark.parametrize("command", [("show",), ("scrub", "--out", "public")], ids=["show", "scrub"])
def test_a_run_json_that_names_no_file_as_its_log_is_one_sentence(
    command: tuple[str, ...], name: str, tmp_path: Path
) -> None:
    make_run(tmp_path / "run", step(1), log={"file": name})
    done = run(*command, "run", cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n"), "Traceback" in done.stderr) == (2, 1, False)
