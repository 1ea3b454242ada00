"""The printed awk commands: run on the raw log, each gives the digits of the number that it explains."""

from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from parsers.io.message import Message
from report.evidence.case_evidence import cells
from report.evidence.cell import anchors
from report.measuring.measurement import NoMeasurement
from report.pagefile.page_file import find, load
from report.why.awk import CLOCK, NOT_FOUND, UNDONE, command
from report.why.explanation import Explanation, of_cell
from tests.commandline import PROJECT
from tests.parsers.corpus_logs import ABSENT, CORPUS
from tests.parsers.golden_logs import LOGS, SOME_LOGS, name
from tests.report.explaining import PROTOCOLS, derivation, digits, outputs

pytestmark = pytest.mark.slow

PAGES = {
    "cpu-demo": PROJECT / "logs",
    "resnet50": CORPUS / "PaddlePaddle-Perf",
    "deeplabv3p": CORPUS / "PaddlePaddle-Perf",
}


@pytest.mark.parametrize("log", LOGS, ids=name)
def test_awk_gives_the_digits_of_a_golden_log(log: Path) -> None:
    assert [found for found in digits(log, [""]) if found[2] != {f"{found[1]}\n"}] == []


@pytest.mark.parametrize("log", SOME_LOGS, ids=name)
def test_awk_gives_the_digits_of_a_golden_log_by_every_protocol_that_it_allows(log: Path) -> None:
    assert [found for found in digits(log, PROTOCOLS) if found[2] != {f"{found[1]}\n"}] == []


@pytest.mark.parametrize("log", LOGS, ids=name)
def test_awk_gives_the_digits_of_every_golden_log_by_every_protocol_that_it_allows(log: Path) -> None:
    assert [found for found in digits(log, PROTOCOLS) if found[2] != {f"{found[1]}\n"}] == []


@pytest.mark.parametrize("log", SOME_LOGS, ids=name)
def test_the_same_records_are_explained_as_are_measured(log: Path) -> None:
    for rule in ("", *PROTOCOLS):
        with suppress(NoMeasurement):
            derived = derivation(log, rule)
            assert (rule, tuple(derived.sample.records["line"])) == (rule, derived.measurement.lines)


@cache
def explained(page: str, number: str) -> Explanation:
    return of_cell(page, number, PAGES[page])


def parameters() -> Sequence[ParameterSet]:
    found = []
    for page, logs in PAGES.items():
        if not logs.is_dir():
            found.append(pytest.param(page, "", marks=pytest.mark.skip(reason=ABSENT), id=f"{page}-absent"))
            continue
        filled = list(cells(load(find(page)), logs))
        names = anchors(filled)
        measured = [names[cell] for cell in filled if cell.printed and cell.shown.quantity.is_throughput]
        found += [pytest.param(page, name, id=f"{page}-{name}") for name in measured]
    return found


every_cell = pytest.mark.parametrize(("page", "number"), parameters())


@every_cell
def test_awk_gives_the_digits_of_a_cell_from_the_raw_logs(page: str, number: str) -> None:
    found = explained(page, number)
    assert (found.command.note, outputs(found.command)) == (None, {f"{found.printed}\n"})


@pytest.mark.parametrize(
    ("log", "protocol", "note"),
    [
        ("oneflow_libai/bert", "estimate=instant", UNDONE),
        ("mlperf_log/resnet", "", CLOCK),
        ("primus/newer", "", NOT_FOUND),
    ],
)
def test_a_command_that_does_not_start_from_the_log_says_so(log: str, protocol: str, note: str) -> None:
    (path,) = (path for path in LOGS if name(path) == log)
    assert command(derivation(path, protocol)).note == Message(note)


OF_HOURS = """// Epochs
start: epoch_line
epoch_line: "epoch" epoch{"1"} "took" duration{hours}
%import .vocabulary (BLANK, INTEGER, NUMBER, duration, epoch, hours)
%ignore BLANK
"""


def test_awk_makes_seconds_of_hours(tmp_path: Path) -> None:
    grammar, log = tmp_path / "of_hours.lark", tmp_path / "train.log"
    grammar.write_text(OF_HOURS, encoding="utf-8")
    log.write_text("".join(f"epoch {n} took 1.{n}\n" for n in range(1, 9)), encoding="utf-8")
    found = derivation(log, "records=epoch,estimate=duration,counts=epochs,significant=4", grammar)
    assert outputs(command(found)) == {"0.0001916\n"}
    assert found.printed == "0.0001916"
