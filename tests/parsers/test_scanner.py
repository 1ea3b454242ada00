"""The scanner: blocks of any size, hostile bytes, and what cannot be read at all."""

import bz2
import gzip
import lzma
import random
import re
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from parsers.grammar.expression import masked, telling_places, tells_digits
from parsers.grammar.format import METRICS, Format, load
from parsers.io import files
from parsers.io.errors import FormatError, LogError, ParserError, WrappedError
from parsers.runs.reading import known_format, read, survey
from parsers.scanning.detection import detect, formats
from parsers.scanning.judging import VariantSieve
from parsers.scanning.prefix import line_pattern, without_prefix
from parsers.scanning.source import clean, is_text
from report.results.measured_log import measured_log
from tests.bench.adversarial import Hostile, hostile, known_lines
from tests.parsers.golden_logs import FORMATS, LOGS, SOME_LOGS
from tests.parsers.judging import found_in, judge, told
from tests.parsers.toy_logs import FORMAT, OTHER_NOISE, PACKERS, step, steps, write, write_grammar

DIGIT = re.compile(rb"[0-9]")


# Records of several lines have tests of their own.
def of_lines() -> list[Format]:
    return [fmt for fmt in formats() if not any(variant.spans for variant in fmt.variants)]


SOME_FORMAT = st.deferred(lambda: st.sampled_from(of_lines()))


def is_torn(fmt: Format, line: bytes) -> bool:
    return any(hit.is_torn for hits in judge(line + b"\n").hits(VariantSieve(fmt.variants)).values() for hit in hits)


@cache
def pool(fmt: Format) -> list[bytes]:
    """The golden lines of a format, also with a prefix; lines that ran together are a matter of their own."""
    logs = [log for log in LOGS if log.parent.name == fmt.name]
    lines = [
        line for log in logs for line in log.read_bytes().split(b"\n") if not is_torn(fmt, line) and b"\r" not in line
    ]
    return [*lines, *(b"[1,3]<stdout>:" + line for line in lines)]


def line_by_line(fmt: Format, lines: list[bytes]) -> set[tuple[int, int]]:
    """Physical number, and place among the variants, of each line that the compiled form matches."""
    patterns = [line_pattern(variant) for variant in fmt.variants]
    screen = [(n, without_prefix(part)) for n, line in enumerate(lines, 1) for part in clean(line).split(b"\r")]
    return {(number, i) for number, part in screen for i, pattern in enumerate(patterns) if pattern.fullmatch(part)}


def some_blocks(fmt: Format) -> st.SearchStrategy[list[list[bytes]]]:
    return st.lists(st.lists(st.sampled_from(pool(fmt)), min_size=1, max_size=40), min_size=1, max_size=6)


def in_blocks(fmt: Format, blocks: list[list[bytes]]) -> list[tuple[int, int]]:
    places = {id(variant): i for i, variant in enumerate(fmt.variants)}
    found = found_in(fmt, *(b"\n".join(block) + b"\n" for block in blocks))
    return [(number, places[id(variant)]) for number, variant in found]


@settings(max_examples=200)
@given(data=st.data())
def test_blocks_hold_what_their_lines_hold(data: st.DataObject) -> None:
    fmt = data.draw(SOME_FORMAT)
    blocks = data.draw(some_blocks(fmt))
    assert set(in_blocks(fmt, blocks)) == line_by_line(fmt, [line for block in blocks for line in block])


def telling(fmt: Format, line: bytes) -> list[int]:
    return [place for variant in fmt.variants if tells_digits(variant) for place in telling_places(variant, line)]


@settings(max_examples=200)
@given(data=st.data())
def test_digits_that_no_variant_tells_apart_change_nothing(data: st.DataObject) -> None:
    fmt = data.draw(SOME_FORMAT)
    line = data.draw(st.sampled_from(pool(fmt)))
    kept = set(telling(fmt, masked(line)))
    digits = data.draw(st.lists(st.sampled_from(b"0123456789"), min_size=len(line), max_size=len(line)))
    other = bytes(
        new if DIGIT.match(bytes([old])) and i not in kept else old
        for i, (old, new) in enumerate(zip(line, digits, strict=True))
    )
    hits, others = (told(judge(text + b"\n").hits(VariantSieve(fmt.variants)).get(0, [])) for text in (line, other))
    assert hits == others


# Pieces of real lines, so that arbitrary bytes come near to lines that formats know.
PIECES = st.deferred(
    lambda: st.sampled_from(sorted({piece for log in LOGS for piece in re.split(rb"(?<=[:\[\]\n])", log.read_bytes())}))
)


def test_a_format_is_found_behind_a_long_beginning_without_metric_lines(tmp_path: Path) -> None:
    found = detect(write(tmp_path, OTHER_NOISE * 200_000, step(1)), formats())
    assert found is not None
    assert found.name == FORMAT


def test_two_formats_that_fit_equally_well_are_an_error_that_names_both(tmp_path: Path) -> None:
    known = [load(write_grammar(tmp_path, "first")), load(write_grammar(tmp_path, "second"))]
    with pytest.raises(FormatError, match="matches first and second equally well"):
        detect(write(tmp_path, b"toy 1 speed 2.5\n"), known)


def test_the_format_of_most_metric_lines_is_the_format_of_a_log(tmp_path: Path) -> None:
    known = [load(write_grammar(tmp_path, "toy")), load(write_grammar(tmp_path, "game", word="game"))]
    found = detect(write(tmp_path, b"toy 1 speed 2.5\ngame 1 speed 2\ngame 2 speed 2\n"), known)
    assert found is known[1]


def test_a_new_format_is_one_grammar(tmp_path: Path) -> None:
    grammar = write_grammar(tmp_path, "mine")
    log = write(tmp_path, b"banner\n", b"toy 7 speed 2.5\n", b"  toy  8  speed  3e2  \n")
    records = read(log, format=grammar).records
    assert records.to_dict("list") == {
        "line": [2, 3],
        "record": ["step", "step"],
        "step": [7, 8],
        "throughput": [2.5, 300.0],
    }


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.one_of(st.binary(max_size=40), PIECES), max_size=40).map(b"".join))
def test_arbitrary_bytes_give_an_account_that_adds_up_or_one_of_our_errors(tmp_path: Path, data: bytes) -> None:
    path = write(tmp_path, data)
    try:
        account = survey(path).account
    except ParserError:
        return
    assert account.matched + account.ignored + account.unmatched == account.total
    assert account.total in {data.count(b"\n"), data.count(b"\n") + 1}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    log=st.sampled_from(LOGS),
    cut=st.floats(0, 1),
    junk=st.binary(min_size=1, max_size=9),
    format=st.sampled_from([folder.name for folder in FORMATS]),
)
def test_a_damaged_log_gives_an_account_that_adds_up_unless_it_seems_to_be_wrapped(
    tmp_path: Path, log: Path, cut: float, junk: bytes, format: str
) -> None:
    whole = log.read_bytes()
    at = 1 + int(cut * (len(whole) - 1))
    assume(is_text(whole[:at] + junk + whole[at:]))
    try:
        account = survey(write(tmp_path, whole[:at], junk, whole[at:]), format=format).account
    except WrappedError:
        return
    assert account.matched + account.ignored + account.unmatched == account.total


def test_a_log_of_an_evaluation_alone_is_of_no_format(tmp_path: Path) -> None:
    head = '{"timestamp": "1700000000.5", "datetime": "2031-05-17 09:30:00.5", "elapsedtime": "0.5", "type": "LOG", '
    rows = ('"step": [0, 10, 1], "data": {"val.top1": 70.5}}', '"step": [0], "data": {"val.top1": 71.5}}')
    reading = survey(write(tmp_path, *(f"{head}{row}\n".encode() for row in rows)))
    assert (reading.format, len(reading.records), reading.account.matched) == (None, 0, 0)


TEXT = b"".join(steps(500))
BOMB = b"\n" * (5 << 20)
BROKEN_GZIP = gzip.compress(TEXT)[:100] + b"\xff" * 50 + gzip.compress(TEXT)[150:]
CASES: dict[str, Callable[[Path], Path]] = {
    "missing": lambda folder: folder / "absent.log",
    "folder": lambda folder: folder,
    "empty": write,
    "empty gz": lambda folder: write(folder, gzip.compress(b"")),
    "laid out": lambda folder: write(folder, b"\0" * 9999),
    "binary": lambda folder: write(folder, random.Random(1).randbytes(9999)),  # noqa: S311
    "cut gz": lambda folder: write(folder, gzip.compress(TEXT)[:-20]),
    "cut xz": lambda folder: write(folder, lzma.compress(TEXT)[:-20]),
    "cut zst": lambda folder: write(folder, zstandard.compress(TEXT)[:-20]),
    "cut bz2": lambda folder: write(folder, bz2.compress(TEXT)[:-20]),
    "bomb gz": lambda folder: write(folder, gzip.compress(BOMB)),
    "bomb bz2": lambda folder: write(folder, bz2.compress(BOMB)),
    "bomb zst": lambda folder: write(folder, zstandard.compress(BOMB)),
    "broken gz": lambda folder: write(folder, BROKEN_GZIP),
    "broken xz": lambda folder: write(folder, lzma.compress(TEXT)[:60] + b"\xff" * 99),
    "broken zst": lambda folder: write(folder, zstandard.compress(TEXT) + b"\xff" * 99),
}


@pytest.mark.parametrize("make", CASES.values(), ids=CASES)
def test_an_unreadable_log_is_an_error_of_one_line_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], Path]
) -> None:
    monkeypatch.setattr(files, "LEAST", 4 * files.MIB)
    path = make(tmp_path)
    with pytest.raises(LogError) as raised:
        survey(path)
    assert str(raised.value).startswith(f"{path}: ")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("rest", [b"", b"\n"])
def test_a_long_line_is_no_reason_to_refuse_a_log_but_an_overlong_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rest: bytes
) -> None:
    path = write(tmp_path, *steps(3), b"x" * (5 << 20), rest)
    assert len(read(path).records) == 3
    monkeypatch.setattr("parsers.scanning.text.LONGEST_LINE", 2 << 20)
    with pytest.raises(LogError, match=r"has a line longer than 2 MiB"):
        read(path)


BAR = b"\r 10%|#  |\r100%|###|\r" + step(2)


@pytest.mark.parametrize(
    ("text", "rows"),
    {
        # Each update of a bar is a line on screen.
        step(1) + BAR + step(3): [[1, 1], [2, 2], [3, 3]],
        f"\ufeff{step(1).decode()}".encode("utf-16-le"): [[1, 1]],
        # Across the border of two blocks.
        **{b"x" * (size - 1) + b"\n" + b"".join(steps(3)): [[2, 0], [3, 1], [4, 2]] for size in (1, 1 << 20, 1048536)},
        **{pack(step(1)) + pack(step(2)): [[1, 1], [2, 2]] for pack in PACKERS.values()},
        # Packed, it is less than what is unpacked at a time.
        zstandard.compress(OTHER_NOISE * 200_000 + step(1)): [[200_001, 1]],
    }.items(),
    ids=["bar", "UTF-16", "one block", "at the border", "across it", *PACKERS, "much of little"],
)
def test_each_line_is_read_once_with_its_number(tmp_path: Path, text: bytes, rows: list[list[int]]) -> None:
    reading = read(write(tmp_path, text))
    assert reading.records[["line", "step"]].values.tolist() == rows
    assert (reading.account.total, reading.warnings) == (rows[-1][0], ())


def test_updates_of_a_progress_bar_stay_in_their_order(tmp_path: Path) -> None:
    bars = [b"\r".join(line.rstrip() for line in steps(100)) + b"\n"] * 2
    summary = b"DLL 2031-05-17 09:30:00.000001 - () train_throughput : 1.5 images/s\n"
    records = read(write(tmp_path, bars[0], summary, bars[1])).records
    assert records["step"].dropna().tolist() == [*range(100), *range(100)]


def test_a_step_number_is_whole_only_where_it_is_exact_and_a_day_that_does_not_exist_is_no_time(tmp_path: Path) -> None:
    old, none = step(2**53 - 1).replace(b"2031", b"1000"), step(1).replace(b"2031-05-17", b"2031-02-30")
    exact = read(write(tmp_path, old, none, step(2).replace(b"2031-05", b"2031-13"))).records
    assert exact["step"].tolist() == [2**53 - 1, 1, 2]
    assert exact["time"].isna().tolist() == [False, True, True]
    assert exact["time"].iloc[0].year == 1000
    assert read(write(tmp_path, step(2**53 + 1))).records["step"].dtype == "float64"


@pytest.mark.parametrize("number", ["1e308", "1e999", "9" * 400, "nan", "0", "1e-320"])
def test_a_hostile_number_is_reported_in_sentences_and_in_no_warning_of_python(tmp_path: Path, number: str) -> None:
    for log in SOME_LOGS:
        hostile = re.sub(rb"(?<![0-9.])[0-9]+(?:\.[0-9]+)?", number.encode(), log.read_bytes())
        try:
            found = measured_log(write(tmp_path, hostile), format=log.parent.name)
        except WrappedError as error:  # with equal numbers, lines are of one length, as those that a terminal cut
            assert "its lines were cut at" in str(error)
        else:
            assert found.reason or found.measurement


SIZE = 2 << 10
SHORT = 32 << 10


@pytest.mark.slow
def test_repeated_texts_without_a_number_are_no_metric_line() -> None:
    for fmt in formats():
        lines = b"".join(line for one in hostile(fmt) if not DIGIT.search(line := one.line(SIZE)))
        assert [variant for _, variant in found_in(fmt, lines) if variant.record in METRICS] == [], fmt.name


@pytest.mark.slow
def test_a_long_line_of_one_fragment_is_one_line(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_bytes(Hostile(b"loss: ").line(1 << 20))
    assert survey(log).account.total == 1


@pytest.mark.slow
@pytest.mark.parametrize("fragment", [b"7", b"7:", b"2030-01-02 ", b"[1", b" "])
def test_what_stands_before_a_torn_line_is_looked_through_once(fragment: bytes) -> None:
    torn = b"Epoch: [0][10/100]  Time 0.100 (0.200)  Data 0.001 (0.002)  Loss 6.9 (6.9)"
    few, many = (Hostile(fragment, after=torn).line(size) for size in (SHORT, 8 * SHORT))
    variants = known_format("pytorch_imagenet").variants

    def seconds(line: bytes) -> float:
        start = time.process_time()
        judge(line).hits(VariantSieve(variants))
        return time.process_time() - start

    # The least of a few, which other programs disturb least.
    assert min(seconds(many) for _ in range(3)) < 24 * min(seconds(few) for _ in range(3))


@pytest.mark.slow
def test_a_time_with_thousands_of_digits_is_none() -> None:
    fmt = known_format("bigdl")
    line = next(line for line in known_lines(fmt) if line.startswith(b"20"))
    stamp, rest = line[:19], line[19:]
    (hits,) = judge(Hostile(b"7", stamp + b".", rest).line(SIZE)).hits(VariantSieve(fmt.variants)).values()
    assert sum(width for _, _, spans in told(hits) for _, width in spans) < SIZE // 2
