"""Scrubbed logs name nobody, and read as before."""

import base64
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.runs.reading import known_format, survey
from parsers.scrubbing.copies import ScrubError, scrubbed
from parsers.scrubbing.identities import Identity
from parsers.scrubbing.placeholders import Placeholders
from tachograph.cli import secrets
from tests.parsers.corpus_logs import RealLog, every_real_log
from tests.parsers.golden_logs import LOGS, every_golden_format
from tests.parsers.scrubbing import assert_reads_the_same, scrub, scrub_one, scrubbed_text
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


def test_a_name_is_replaced_wherever_it_stands_as_a_word(tmp_path: Path) -> None:
    text = b"zeus said so\nHostname: zeus\n{'node': 'zeus', 'at': 'zeus_0'} zeus-eth0 (ZEUS) zeuss azeus\n"
    assert scrubbed_text(tmp_path, text) == (
        b"host1 said so\nHostname: host1\n{'node': 'host1', 'at': 'host1_0'} host1-eth0 (host1) zeuss azeus\n"
    )


def test_a_host_with_its_domain_is_the_same_host(tmp_path: Path) -> None:
    text = b"MASTER_ADDR=zeus.example.edu\nzeus is up\n"
    assert scrubbed_text(tmp_path, text) == b"MASTER_ADDR=host1.example.com\nhost1 is up\n"


def test_placeholders_keep_the_shape_of_what_they_stand_for(tmp_path: Path) -> None:
    text = b"eth0:10.0.0.4<0> [fd12::7]:29500 a.b@example.edu /home/jdoe/x C:\\Users\\jroe\\y\n"
    assert scrubbed_text(tmp_path, text) == (
        b"eth0:192.0.2.1<0> [2001:db8::2]:29500 user3@example.com /home/user1/x C:\\Users\\user2\\y\n"
    )


def test_the_hosts_of_slurm_stay_a_list_of_ranges(tmp_path: Path) -> None:
    text = b"SLURM_JOB_NODELIST=nid[005033-005035,005100]\nnid005034 is down\n"
    assert scrubbed_text(tmp_path, text) == b"SLURM_JOB_NODELIST=host[1-4]\nhost2 is down\n"


def test_hosts_that_are_handed_on_in_base64_are_replaced_in_it(tmp_path: Path) -> None:
    hosts = base64.b64encode(b'{"zeus": [0, 1], "hera": [0, 1]}')
    copy = scrubbed_text(tmp_path, b"--world_info=" + hosts + b" --node_rank=0\n")
    assert base64.b64decode(copy.split(b"=", 1)[1].split()[0]) == b'{"host1": [0, 1], "host2": [0, 1]}'


def test_a_placeholder_that_stands_there_already_is_given_to_nobody(tmp_path: Path) -> None:
    text = b"host1 and 192.0.2.1 and user1 wait\nhostname: zeus\n10.0.0.1 /home/jdoe/\n"
    assert scrubbed_text(tmp_path, text) == (
        b"host1 and 192.0.2.1 and user1 wait\nhostname: host2\n192.0.2.2 /home/user2/\n"
    )


def test_one_who_is_called_like_a_word_of_formats_is_replaced_at_home_only(tmp_path: Path) -> None:
    text = b"/data/home/loss/imagenet\ntrain loss 1.5\n"
    assert scrubbed_text(tmp_path, text) == b"/data/home/user1/imagenet\ntrain loss 1.5\n"


def test_a_name_before_metric_lines_is_replaced_there_too(tmp_path: Path) -> None:
    lines = [b"c1-n01: [2031-05-17 09:30:00] starting\n", *(b"c1-n01: " + line for line in steps(3))]
    copy = scrub_one(tmp_path / "public", write(tmp_path, *lines))
    assert_reads_the_same(tmp_path / "train.log", copy)
    assert copy.read_bytes().count(b"host1: ") == 4


def test_bytes_that_are_no_utf_8_stay(tmp_path: Path) -> None:
    text = b"t\xe9\xff\n" + b"".join(steps(2)) + b"\0\0 host: zeus\n\xe9"
    assert scrubbed_text(tmp_path, text) == text.replace(b"zeus", b"host1")


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("mark", ["\ufeff", ""])
@pytest.mark.parametrize("rest", [b"", b"\n", b"\0"])
def test_utf_16_stays_utf_16(tmp_path: Path, codec: str, mark: str, rest: bytes) -> None:
    text = mark + "host: zeus\r\n" + "".join(line.decode() for line in steps(9)) + "zeus \ud83d\ude00\n"
    wide = text.encode(codec, "surrogatepass") + rest
    expected = text.replace("zeus", "host1").encode(codec, "surrogatepass") + rest
    assert scrubbed_text(tmp_path, wide) == expected


@pytest.mark.parametrize("suffix", PACKERS)
def test_a_packed_log_stays_packed(tmp_path: Path, suffix: str) -> None:
    log = write(tmp_path, PACKERS[suffix](b"host: zeus\n" + step(1)), name=f"train.log.{suffix}")
    copy = scrub_one(tmp_path / "public", log)
    assert copy.read_bytes()[:3] == log.read_bytes()[:3]
    assert_reads_the_same(log, copy)


def test_lines_of_several_blocks_are_scrubbed_alike(tmp_path: Path) -> None:
    filling = b"zeus " + b"x" * 100 + b"\n"
    text = filling * 25_000 + b"Hostname: zeus\n" + filling
    assert scrubbed_text(tmp_path, text) == text.replace(b"zeus", b"host1")


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
