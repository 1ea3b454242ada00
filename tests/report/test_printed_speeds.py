"""What trainers of language models print of each card is what a page shows of it, digit for digit."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import pytest

from parsers.io.printable import printable
from parsers.runs.reading import read
from report.measure.diagnostics import NoMeasurement
from report.measure.protocol import Length, Protocol
from report.measure.run_figures import RunFigure, RunNumbers, mfu, step_time, tflops, throughput_per_card
from tests.parsers.golden_logs import LOGS

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
NUMBER = r"\s*([0-9][0-9,]*(?:\.[0-9]+)?)"
# Written from the programs, and not from the grammars: what stands before each number.
PRINTED: Mapping[str, tuple[Callable[[RunNumbers], RunFigure], re.Pattern[str]]] = {
    "TFLOP/s": (
        tflops,
        re.compile(rf"(?:throughput per GPU \(TFLOP/s/GPU\)|\btflops|TFLOP/s/device|TFLOP/s):{NUMBER}"),
    ),
    "tokens/s": (
        throughput_per_card,
        re.compile(rf"(?:tokens per GPU \(tokens/s/GPU\)|\b[tw]ps|Tokens/s/device):{NUMBER}"),
    ),
    "ms": (partial(step_time, unit="ms"), re.compile(rf"elapsed time per iteration \(ms\):{NUMBER}")),
    "MFU": (mfu, re.compile(rf"\bmfu:{NUMBER}%")),
}
STEP = re.compile(r"\bstep: *[0-9]+ +loss:|iteration +[0-9]+/|completed step: [0-9]+")
NO_STEP = re.compile(r"validate step:")
PROGRAMS = ("torchtitan", "megatron_lm", "primus", "maxtext")
OF_PROGRAMS = [log for log in LOGS if log.parent.name in PROGRAMS]
OF_PAGE = sorted((Path(__file__).parent / "golden/logs/llm").glob("*.log"))


def printed_by(log: Path, what: re.Pattern[str]) -> dict[int, float]:
    """The number on each line of steps, by the number of the line."""
    lines = ESCAPE.sub("", log.read_text(encoding="utf-8", errors="replace")).split("\n")
    steps = ((at, line) for at, line in enumerate(lines, 1) if STEP.search(line) and not NO_STEP.search(line))
    found = ((at, what.search(line)) for at, line in steps)
    return {at: float(number[1].replace(",", "")) for at, number in found if number}


def shown_for(log: Path, what: str) -> Iterator[tuple[int, float]]:
    """What a page shows for each record by itself, with the line of the record."""
    reading = read(log)
    rate = "samples/s" if what == "ms" else "tokens/s"
    for at in range(len(reading.parts[0].table)):
        alone = Protocol(skip_records=at, take_first=Length(1))
        known = RunNumbers(reading, {}, alone, rate)
        try:
            found = PRINTED[what][0](known)
        except NoMeasurement:
            continue
        yield found.measured.ends[0], found.value


@pytest.mark.parametrize("what", ["TFLOP/s", "tokens/s", "ms"])
@pytest.mark.parametrize("log", [*OF_PROGRAMS, *OF_PAGE], ids=lambda log: printable(log.name))
def test_what_is_printed_is_what_is_shown(log: Path, what: str) -> None:
    printed = printed_by(log, PRINTED[what][1])
    shown = dict(shown_for(log, what))
    assert {line: value for line, value in shown.items() if line in printed} == {
        line: value for line, value in printed.items() if line in shown
    }


def test_numbers_of_several_programs_are_compared() -> None:
    wanted = {"torchtitan": 2, "megatron_lm": 2, "primus": 3, "maxtext": 2}
    compared = {
        (log.parent.name, what)
        for log in OF_PROGRAMS
        for what in PRINTED
        if printed_by(log, PRINTED[what][1]).keys() & dict(shown_for(log, what)).keys()
    }
    found = Counter(program for program, _ in compared)
    assert [program for program, least in wanted.items() if found[program] < least] == []
