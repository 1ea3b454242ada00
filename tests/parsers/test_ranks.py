"""Ranks: in the prefixes of lines, in files of their own, and in lines that were run together."""

import re
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from parsers.grammar.format import METRICS, Format
from parsers.io.errors import LogError
from parsers.runs.ranks import NO_RANKS, OF_SEVERAL, rank_files
from parsers.runs.reading import known_format, read, survey
from parsers.scanning.judging import LineJudge, VariantSieve
from parsers.scanning.prefix import without_prefix
from tests.parsers.golden_logs import GOLDEN, every_golden_format
from tests.parsers.judging import agree, compiled
from tests.parsers.toy_logs import GRAMMAR, step, steps, write

PREFIXES = {
    b"[1,3]<stdout>:": 3,
    b"[1,3]<stderr>:": 3,
    b"[12,30]<stddiag>:": 30,
    b"Thu Jun  7 10:00:00 2035[1,2]<stdout>:": 2,
    b"Thu Jun 17 10:00:00 2035[1,2]<stdout>:": 2,
    b"5: ": 5,
    b"task 6: ": 6,
    b"[default7]:": 7,
    b"[rank8]: ": 8,
    b"[9] ": 9,
}


@pytest.mark.parametrize(("prefix", "rank"), PREFIXES.items(), ids=[prefix.decode() for prefix in PREFIXES])
def test_the_prefix_of_a_job_launcher_becomes_the_rank(tmp_path: Path, prefix: bytes, rank: int) -> None:
    records = read(write(tmp_path, prefix + step(7))).records
    assert records[["rank", "step"]].values.tolist() == [[rank, 7]]


def test_prefixes_are_taken_off_and_other_brackets_are_not() -> None:
    lines = (b"0: [1,3]<stdout>:text", b"[2031/05/17] text")
    assert [*map(without_prefix, lines)] == [b"text", b"[2031/05/17] text"]


def test_whole_records_in_lines_that_ran_together_are_kept_in_a_log_of_any_length(tmp_path: Path) -> None:
    broken = b"[1,1]<stdout>:half a li[1,3]<stdout>:" + step(1)
    joined = b"[1,0]<stdout>:" + step(2).rstrip() + b"[1,2]<stdout>:" + step(3)
    records = read(write(tmp_path, *steps(40_000), broken, joined, step(4))).records
    rows = records[["line", "step", "rank"]].fillna(-1).values.tolist()
    assert rows[40_000:] == [[40_001, 1, 3], [40_002, 2, 0], [40_002, 3, 2], [40_003, 4, -1]]


def test_numbers_between_mere_signs_are_not_looked_for_amid_other_output(tmp_path: Path) -> None:
    grammar = tmp_path / "signs.lark"
    grammar.write_text(GRAMMAR.format(word=",").replace('"speed"', '","'), encoding="utf-8")
    log = write(tmp_path, b", 1 , 2.5\n", b"half a line, 3 , 4.5\n")
    assert read(log, format=grammar).records["step"].tolist() == [1]


HEAD = b"iteration 1/2 | elapsed time per iteration (ms): 1.0 | "


@pytest.mark.parametrize(
    ("whole", "torn"),
    [
        (step(1), step(2, ips="1234").removesuffix(b" images/s\n") + b"\xff"),
        (HEAD + b"samples per second: 8.0 |\n", HEAD + b"a seq_length .. 8b | samples per second: 8.0 |"),
        (
            HEAD + b"samples per second: 8.0 |\n",
            HEAD + b"samples per second: 20[default3]: Loading extension",
        ),
    ],
)
def test_a_number_into_which_other_output_runs_is_not_used(tmp_path: Path, whole: bytes, torn: bytes) -> None:
    assert len(survey(write(tmp_path, whole, torn, b"\n")).records["throughput"].dropna()) == 1


def test_no_number_with_a_decimal_comma_is_read_up_to_its_comma(tmp_path: Path) -> None:
    log = GOLDEN / "mlperf_mllog/of_the_run.log"
    comma = write(tmp_path, log.read_bytes().replace(b'"value": 12.5,', b'"value": 12,5,'))
    whole, torn = (survey(path).records["throughput"].dropna().tolist() for path in (log, comma))
    assert (whole.count(12.5), torn) == (1, [rate for rate in whole if rate != 12.5])


HEADS = """start: step_line

step_line: time{STAMP}? _BEFORE? ("lr" learning_rate)? "loss" loss "at" step{"1"}

_BEFORE: /[a-z ]+?(?=(?:lr|loss) )/

%import .vocabulary (time, learning_rate, loss, step, STAMP, INTEGER, NUMBER, BLANK)
%ignore BLANK
"""


def test_amid_other_output_a_line_keeps_the_first_numbers_that_it_may_lack(tmp_path: Path) -> None:
    grammar = tmp_path / "heads.lark"
    grammar.write_text(HEADS, encoding="utf-8")
    log = write(
        tmp_path, b"2031-05-17 09:30:01 here lr 0.5 loss 2.5 at 1\n", b"half a [ here lr 0.25 loss 1.5 at 2 [\n"
    )
    records = read(log, format=grammar).records
    assert records[["learning_rate", "loss", "step"]].values.tolist() == [[0.5, 2.5, 1], [0.25, 1.5, 2]]


def folder(tmp_path: Path, names: Sequence[str], text: str = "text\n") -> Path:
    """A folder with files of these names."""
    (tmp_path / "run").mkdir()
    for path in (tmp_path / "run" / name for name in names):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "run"


@pytest.mark.parametrize(
    ("names", "counts"),
    [
        (["rank_0.log", "rank_1.log"], "job"),
        (["rank0.log", "rank1.log"], "job"),
        (["20350101_rank_0.log", "20350101_rank_1.log"], "job"),
        (["train.rank-0.out.gz", "train.rank-1.out.gz"], "job"),
        (["log.txt.rank0", "log.txt.rank1"], "job"),
        (["workerlog.0", "workerlog.1"], "node"),
        (["default.abcdef.workerlog.0", "default.abcdef.workerlog.1"], "node"),
        (["worker_0.log", "worker_1.log"], "job"),
        (["1/rank.0/stdout", "1/rank.1/stdout"], "job"),
        (["id_x/attempt_0/0/stdout.log", "id_x/attempt_0/1/stdout.log"], "node"),
        (["0/stderr.log", "1/stderr.log"], "node"),
        (["rank_0/info.log", "rank_1/info.log"], "job"),
    ],
)
def test_launchers_call_the_logs_of_ranks_in_these_ways(tmp_path: Path, names: list[str], counts: str) -> None:
    found = rank_files(folder(tmp_path, names))
    assert [(file.rank, file.path.relative_to(found.folder).as_posix()) for file in found.files] == [*enumerate(names)]
    assert found.counts == counts


def test_two_streams_of_a_rank_stand_side_by_side_and_empty_logs_are_not_read(tmp_path: Path) -> None:
    names = [f"attempt_0/{rank}/{stream}.log" for rank in (10, 9, 0, 2, 1) for stream in ("stderr", "stdout")]
    path = folder(tmp_path, names)
    (path / "attempt_0/9/stdout.log").write_text("")
    streams = rank_files(path).streams
    assert {stream: [file.rank for file in files] for stream, files in streams.items()} == {
        "stderr": [0, 1, 2, 9, 10],
        "stdout": [0, 1, 2, 10],
    }


REFUSED = {
    (): NO_RANKS,
    ("train.log",): NO_RANKS,
    ("rank_0.log",): NO_RANKS,
    ("a/rank_0.log", "a/rank_1.log", "b/rank_0.log", "b/rank_1.log"): OF_SEVERAL,
    ("rank_1.log", "rank_01.log", "rank_2.log"): OF_SEVERAL,
}


@pytest.mark.parametrize(
    ("names", "told", "text"),
    [*((names, told, "text\n") for names, told in REFUSED.items()), (("rank_0.log", "rank_1.log"), NO_RANKS, "")],
)
def test_a_folder_that_is_not_of_the_ranks_of_one_run_or_of_empty_logs_is_refused(
    tmp_path: Path, names: Sequence[str], told: str, text: str
) -> None:
    with pytest.raises(LogError, match=told.partition(",")[0]):
        rank_files(folder(tmp_path, [*names, "readme"], text))


def test_a_link_that_leads_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    path = folder(tmp_path, ["rank_0.log", "rank_1.log", ".rank_3.log"])
    (tmp_path / "secret").touch()
    (path / "rank_2.log").symlink_to(tmp_path / "secret")
    assert [file.rank for file in rank_files(path).files] == [0, 1]


SHAPES = 3
GLUED = 2  # of these, at every place of both
OTHERS = (
    b"[rank3]: UserWarning: late",
    b"[default3]:Loading extension module",
    b"[1,3]<stdout>:Loading",
    b"2035-06-04 10:00:02 Loading",
    b"[2031-02-03 04:05:06] INFO saved",
    b"WARNING:root:late",
    b"Loading extension",
)
NUMBERS = {"throughput", "mean_throughput", "step_time", "mean_step_time", "throughput_time", "step_rate", "duration"}


def lines(fmt: Format) -> list[bytes]:
    """A golden metric line of each shape of a format, by the fields that it has, without prefix."""
    found: dict[object, bytes] = {}
    for log in sorted((GOLDEN / fmt.name).glob("*.log")):
        for line in dict.fromkeys(log.read_bytes().splitlines()):
            said = compiled(fmt, line)
            if said and said.kind in METRICS:
                found.setdefault((said.kind, *said.fields), without_prefix(line))
    return list(found.values())[:SHAPES]


@pytest.mark.slow
@every_golden_format
def test_lark_judges_lines_glued_at_every_place_as_the_compiled_form_does(folder: Path) -> None:
    fmt = known_format(folder.name)
    pairs = list(product(lines(fmt)[:GLUED], repeat=2))
    glued = [first[:end] + second for first, second in pairs for end in range(1, len(first) + 1)]
    glued += [first + second[start:] for first, second in pairs for start in range(1, len(second))]
    assert not [line for line in dict.fromkeys(glued) if not agree(fmt, line)]


def read_in(fmt: Format, line: bytes) -> Iterator[tuple[str, str]]:
    """The numbers that the scanner reads in a line, which may be torn, by name."""
    metrics = tuple(variant for variant in fmt.variants if variant.record in METRICS)
    judge = LineJudge(line + b"\n", np.zeros(1, np.int64))
    for hit in (hit for hits in judge.hits(VariantSieve(metrics)).values() for hit in hits):
        for field, (start, end) in zip(hit.variant.groups, hit.groups[1:], strict=True):
            if start < end:
                yield field.name, judge.text[start:end].decode()


def whole_numbers(fmt: Format, *lines: bytes) -> set[tuple[str, str]]:
    """The numbers of whole lines, by name."""
    said = filter(None, (compiled(fmt, line) for line in lines))
    return {(name, text) for verdict in said for name, texts in verdict.fields.items() for text in texts}


def is_cut(name: str, text: str, whole: set[tuple[str, str]]) -> bool:
    """Whether a number is the beginning of one that stands in a whole line, and none of these itself."""
    return (name, text) not in whole and any(n == name and known.startswith(text) for n, known in whole)


@every_golden_format
def test_no_number_is_read_that_the_whole_line_of_another_process_cut(folder: Path) -> None:
    fmt, cut = known_format(folder.name), []
    for first, second in product(lines(fmt), (*lines(fmt), *OTHERS)):
        whole = whole_numbers(fmt, first, second)
        for line in (first[: half.end()] + second for half in re.finditer(rb"[0-9](?=[0-9.])", first)):
            cut += [(line, *number) for number in read_in(fmt, line) if number[0] in NUMBERS and is_cut(*number, whole)]
    assert not cut
