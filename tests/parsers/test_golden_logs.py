"""Golden logs: a log dropped in ``golden/<format>/`` is a test; its JSON is what reading it must give.

Lark is the judge: the compiled form of a grammar says of every line what Lark's own parser says of it. All kinds of
line are compared, lines of facts as well: their terminals have priorities, so Lark's lexer decides them.
"""

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.lark import from_lark

from parsers.grammar.format import METRICS, Format
from parsers.grammar.loading import LINE_KINDS
from parsers.runs.reading import Reading, known_format, read, survey
from parsers.scanning.detection import detect, formats
from parsers.scanning.source import clean
from tests.conftest import Compare
from tests.parsers.golden_logs import FORMATS, GOLDEN, LOGS, as_json, columns_as_json, every_golden_format
from tests.parsers.judging import agree, compiled, judged, kinds, lines_of


@every_golden_format
def test_golden_logs_of_a_format_read_as_their_json_says(folder: Path, compare: Compare) -> None:
    readings = {log.stem: read(log) for log in sorted(folder.glob("*.log"))}
    for stem, reading in readings.items():
        compare(folder / f"{stem}.json", as_json(reading))
    compare(folder / "columns.json", columns_as_json(readings))
    assert any(len(reading.records) for reading in readings.values())


def test_every_format_has_golden_logs_and_every_golden_json_its_log() -> None:
    assert {fmt.name for fmt in formats()} == {folder.name for folder in FORMATS}
    golden = {log.with_suffix(".json") for log in LOGS} | {folder / "columns.json" for folder in FORMATS}
    assert set(GOLDEN.glob("*/*.json")) == golden


@every_golden_format
def test_golden_logs_are_of_their_format_alone_and_each_line_is_counted_once(folder: Path) -> None:
    fmt = known_format(folder.name)
    wrong = {log.name: list(_wrong(log, fmt, read(log))) for log in folder.glob("*.log")}
    assert {name: found for name, found in wrong.items() if found} == {}


def _wrong(log: Path, fmt: Format, reading: Reading) -> Iterator[object]:
    """What is wrong with the reading of a golden log, beside what its JSON would show."""
    data, account = log.read_bytes(), reading.account
    if not (found := detect(log, formats())) or found.name != fmt.name:
        yield "detected as", found and found.name
    if reading.sha256 != hashlib.sha256(data).hexdigest():
        yield "sha256"
    whole = data.count(b"\n") + (not data.endswith(b"\n"))
    if not account.matched + account.ignored + account.unmatched == account.total == whole:
        yield "lines", whole, account
    others = [other for other in formats() if other.name != fmt.name and _may_read(other, clean(data))]
    counts = {other.name: len(survey(log, format=other.name).records) for other in others}
    if claimed := {name: count for name, count in counts.items() if count >= len(reading.records)}:
        yield "claimed by", claimed
    if torn := [line for line in lines_of(log) if len(kinds(fmt, line)) > 1]:
        yield "of two kinds", torn


def _may_read(fmt: Format, text: bytes) -> bool:
    return any(variant.record in METRICS and variant.may_stand_in(text) for variant in fmt.variants)


@pytest.mark.slow
def test_golden_logs_are_read_alike_without_a_compiler() -> None:
    asked = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-k", "json_says", __file__]
    environment = {**os.environ, "TACHOGRAPH_KERNEL": "numpy"}
    done = subprocess.run(asked, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout  # that no test was found is another code


@pytest.mark.slow
@every_golden_format
def test_lark_judges_every_golden_line_as_the_compiled_form_does(folder: Path) -> None:
    lines = [line for log in folder.glob("*.log") for line in lines_of(log)]
    assert [line for line in dict.fromkeys(lines) if not agree(known_format(folder.name), line)] == []


# It looks ahead for keys in any order, which lines made by chance do not have; golden lines are judged all the same.
NOT_MADE = {"wandb_summary"}
# Text of a line: no line ends, and no letters beyond ASCII, which are letters to a str but not to bytes.
TEXT = st.characters(codec="ascii", exclude_characters="\n\r")


@pytest.mark.slow
@every_golden_format
def test_lark_judges_lines_made_from_its_grammar_as_the_compiled_form_does(folder: Path) -> None:
    fmt = known_format(folder.name)
    records = {variant.record for variant in fmt.variants if not variant.spans}
    made = [
        from_lark(fmt.judge, start=kind, alphabet=TEXT)
        for kind in LINE_KINDS
        if kind.split("_")[0] in records and fmt.name not in NOT_MADE
    ]

    @settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
    @given(st.one_of(made))
    def says_the_same(line: str) -> None:
        assert agree(fmt, line.encode()), (compiled(fmt, line.encode()), judged(fmt, line.encode()))

    if made:
        says_the_same()


ONCE_DIFFERED = [
    ("ultralytics", b"0/0 0G0:0%||0/0 0it/s"),
    ("torchtitan", b"0000/00/00T00:00:00 step: 0 loss:0,000tps:0,000"),
    ("torchtitan", b"step:0loss:0,000tps:0mfu:0,000 %"),
    ("torchtitan", b"step:0loss:0,000tps:0mfu:.0\t%"),
    (
        "flagperf",
        b'[PerfLog] {"event":"FINISHED", "value": {"training_ sequences_per_second": 0}, '
        b'"metadata": {"file": "", "lineno": 0,"time_ms":0000000000000, "rank":0}}',
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "line"), ONCE_DIFFERED)
def test_lark_judges_a_line_on_which_both_once_differed_as_the_compiled_form_does(name: str, line: bytes) -> None:
    fmt = known_format(name)
    assert compiled(fmt, line) == judged(fmt, line) is not None
