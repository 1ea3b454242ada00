"""Reading a log as a whole: which format, the proof of its bytes, and that nothing can make it fail otherwise."""

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from parsers.grammar.format import load
from parsers.io.errors import FormatError, ParserError, WrappedError
from parsers.runs.reading import read, survey
from parsers.scanning.detection import detect, formats
from parsers.scanning.source import is_text
from tests.parsers.golden_logs import FORMATS, LOGS
from tests.parsers.toy_logs import FORMAT, OTHER_NOISE, step, write, write_grammar

# Pieces of real lines, so that arbitrary bytes come near to lines that formats know.
PIECES = st.deferred(
    lambda: st.sampled_from(sorted({piece for log in LOGS for piece in re.split(rb"(?<=[:\[\]\n])", log.read_bytes())}))
)


def test_a_text_of_no_known_format_can_be_surveyed(tmp_path: Path) -> None:
    account = survey(write(tmp_path, OTHER_NOISE, OTHER_NOISE)).account
    assert (account.total, account.unrecognised) == (2, 2)


def test_a_format_is_found_behind_a_long_beginning_without_metric_lines(tmp_path: Path) -> None:
    found = detect(write(tmp_path, OTHER_NOISE * 200_000, step(1)), formats())
    assert found is not None
    assert found.name == FORMAT


def test_two_formats_that_fit_equally_well_are_an_error_that_names_both(tmp_path: Path) -> None:
    known = [load(write_grammar(tmp_path, "first")), load(write_grammar(tmp_path, "second"))]
    with pytest.raises(FormatError, match=r"matches first and second equally well \(1 line\)"):
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
    assert account.matched + account.ignored + account.unrecognised == account.total
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
    assert account.matched + account.ignored + account.unrecognised == account.total


def test_a_log_of_an_evaluation_alone_is_of_no_format(tmp_path: Path) -> None:
    head = '{"timestamp": "1700000000.5", "datetime": "2031-05-17 09:30:00.5", "elapsedtime": "0.5", "type": "LOG", '
    rows = ('"step": [0, 10, 1], "data": {"val.top1": 70.5}}', '"step": [0], "data": {"val.top1": 71.5}}')
    reading = survey(write(tmp_path, *(f"{head}{row}\n".encode() for row in rows)))
    assert (reading.format, len(reading.records), reading.account.matched) == (None, 0, 0)
