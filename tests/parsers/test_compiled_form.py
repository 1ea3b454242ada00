"""Lark is the judge: the compiled form of a grammar says of every line what Lark's own parser says of it.

All kinds of line are compared, lines of facts as well: their terminals have priorities, so Lark's lexer decides them.
"""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.lark import from_lark

from parsers.grammar.loading import LINE_KINDS
from parsers.runs.reading import known_format
from tests.parsers.corpus_logs import RealLog, every_real_log
from tests.parsers.golden_logs import every_golden_format
from tests.parsers.judging import agree, compiled, judged, lines_of

pytestmark = pytest.mark.slow

# It looks ahead for keys in any order, which lines made by chance do not have; golden lines are judged all the same.
NOT_MADE = {"wandb_summary"}
# Text of a line: no line ends, and no letters beyond ASCII, which are letters to a str but not to bytes.
TEXT = st.characters(codec="ascii", exclude_characters="\n\r")


@every_golden_format
def test_lark_judges_every_golden_line_as_the_compiled_form_does(folder: Path) -> None:
    lines = [line for log in folder.glob("*.log") for line in lines_of(log)]
    assert [line for line in dict.fromkeys(lines) if not agree(known_format(folder.name), line)] == []


@every_real_log
def test_lark_judges_every_real_line_as_the_compiled_form_does(log: RealLog) -> None:
    lines = dict.fromkeys(lines_of(log.path))
    assert [line for name in log.counts for line in lines if not agree(known_format(name), line)] == []


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


@pytest.mark.parametrize(("name", "line"), ONCE_DIFFERED)
def test_lark_judges_a_line_on_which_both_once_differed_as_the_compiled_form_does(name: str, line: bytes) -> None:
    fmt = known_format(name)
    assert compiled(fmt, line) == judged(fmt, line) is not None
