"""Why a number is what it is: what is told of it, and that it can be computed from what is told."""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from math import isclose, prod
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.runs.facts import Fact
from parsers.runs.provenance import line, option
from report.measure.diagnostics import NoMeasurement
from report.measure.protocol import Protocol
from report.measure.statistic import reduce
from report.why.derivation import Derivation, Factor
from report.why.explanation import Explanation, as_json, of_cell, of_log
from report.why.explanation_text import ranges, shown
from report.wording.words import Translator, words
from tests.commandline import PROJECT, run
from tests.conftest import Compare
from tests.parsers.golden_logs import SOME_LOGS, name

GOLDEN = Path(__file__).parent / "golden"
LOG = Path("logs/cpu-demo/ResNet50_bs4_fp32_N1C2/1/train.log")
LOGS = Path("tests/parsers/golden")
MXNET, NANOGPT = LOGS / "mxnet_speedometer/gluon.log", LOGS / "nanogpt/current.log"
CONTRADICTED = LOGS / "yolox/starts_that_differ.log"

ENGLISH = Translator("en").translate


def explained(log: Path, protocol: str = "", given: Sequence[Fact] = ()) -> Explanation:
    return of_log(log, Protocol.parse(protocol) if protocol else None, given, None)


@pytest.mark.parametrize(
    ("golden", "log", "protocol", "language"),
    [
        ("rule", LOG, "", "en"),
        ("rule.zh", LOG, "", "zh"),
        ("protocol", LOG, "tipc", "en"),
        ("clock", LOG, "estimate=clock,skip_records=10", "en"),
        ("contradicted", CONTRADICTED, "", "en"),
    ],
)
def test_an_explanation_of_a_log_reads_as_the_golden_text(
    golden: str, log: Path, protocol: str, language: str, monkeypatch: pytest.MonkeyPatch, compare: Compare
) -> None:
    monkeypatch.chdir(PROJECT)
    said = shown(explained(log, protocol), Translator(language).translate, colour=False)
    compare(GOLDEN / f"why_{golden}.txt", said)


def test_an_explanation_of_a_cell_reads_as_the_golden_text(monkeypatch: pytest.MonkeyPatch, compare: Compare) -> None:
    monkeypatch.chdir(PROJECT)
    compare(GOLDEN / "why_cell.txt", shown(of_cell("cpu-demo", "6.523", Path("logs")), ENGLISH, colour=False))


@pytest.mark.parametrize(("golden", "log"), [("rule", LOG), ("contradicted", CONTRADICTED)])
def test_json_has_all_lines_and_numbers(
    golden: str, log: Path, monkeypatch: pytest.MonkeyPatch, compare: Compare
) -> None:
    monkeypatch.chdir(PROJECT)
    compare(GOLDEN / f"why_{golden}.json", json.dumps(as_json(explained(log)), indent=1, ensure_ascii=False) + "\n")


PROTOCOLS = (
    "",
    "statistic=median",
    "statistic=harmonic_mean",
    "statistic=last",
    "statistic=min,significant=3",
    "trim=0.2",
    "estimate=step_time",
    "estimate=step_time,statistic=median",
    "estimate=steps",
    "records=epoch,estimate=duration",
    "estimate=instant",
    "estimate=clock",
    "estimate=clock,counts=steps",
)


def by_hand(derived: Derivation) -> float:
    """The number of a log as a reader computes it of the values and the counts that are told."""
    found, factor = derived.measurement, prod(one.value for one in derived.factors)
    columns = [np.array(column) for column in zip(*derived.rows, strict=True)]
    if found.calculation is not None:
        statistic = reduce(columns[0], found.calculation.statistic)
        return factor / statistic if found.calculation.are_times else statistic * factor
    if found.ranks is not None and found.ranks.is_summed:
        return sum(found.ranks.values)
    return float(columns[0].sum() / columns[1].sum() * factor)


@pytest.mark.slow
@pytest.mark.parametrize("log", SOME_LOGS, ids=name)
def test_a_reader_can_compute_the_number_of_the_values_and_counts_that_are_told(log: Path) -> None:
    of_one_card = [Fact("cards", 4, option("cards")), Fact("batch_size", 8, option("batch-size"))]
    for rule in PROTOCOLS:
        for stated in ((), of_one_card):
            with suppress(NoMeasurement):
                told = explained(log, rule, stated)
                (derived,) = told.derivations
                assert isclose(by_hand(derived), told.number, rel_tol=1e-12), (rule, stated)
                assert [*derived.stages][-1].left == derived.measurement.records_used, rule


@pytest.mark.parametrize("protocol", ["", "estimate=clock", "estimate=step_time", "trim=0.1", "statistic=last"])
@pytest.mark.parametrize("log", [LOG, NANOGPT, MXNET, CONTRADICTED], ids=str)
def test_all_that_an_explanation_says_is_in_the_chinese_catalogue(log: Path, protocol: str) -> None:
    asked, chinese = list[str](), words("zh")

    def translate(text: str, plural: str = "", count: int = 1, /) -> str:
        known = chinese.ngettext(text, plural, count) if plural else chinese.gettext(text) if text else ""
        if re.search("[A-Za-z]{2}", text) and known in (text, plural) and not chinese._catalog.get(text):
            asked.append(text)
        return known

    with suppress(NoMeasurement):
        shown(explained(PROJECT / log, protocol), translate, colour=False)
    assert asked == []


def test_values_prints_the_numbers_used_or_work_and_seconds_a_line_each() -> None:
    (told,) = as_json(explained(PROJECT / LOG, "tipc"))["logs"]
    printed = run("why", LOG, "--protocol", "tipc", "--values", cwd=PROJECT).stdout
    assert [float(value) for value in printed.splitlines()] == told["values"]
    (told,) = as_json(explained(PROJECT / LOG))["logs"]
    rows = [row.split("\t") for row in run("why", LOG, "--values", cwd=PROJECT).stdout.splitlines()]
    assert [[float(value) for value in column] for column in zip(*rows, strict=True)] == [told["work"], told["seconds"]]


def test_values_and_json_exclude_each_other() -> None:
    assert run("why", LOG, "--values", "--json", cwd=PROJECT).returncode == 2


@given(st.sets(st.integers(1, 60), min_size=1))
def test_ranges_hold_just_their_numbers(numbers: set[int]) -> None:
    held = [number for first, last in ranges(sorted(numbers)) for number in range(first, last + 1)]
    assert held == sorted(numbers)


def test_the_tokens_of_a_step_are_shown_with_the_line_that_states_them() -> None:
    for protocol in ("", "estimate=step_time"):
        (derived,) = explained(PROJECT / NANOGPT, protocol).derivations
        assert derived.factors == (Factor("job_batch_tokens", 245760, line(5)),)


def test_a_run_folder_stands_for_its_log() -> None:
    log = PROJECT / "logs/cpu-demo/ResNet50_bs4_fp32_N1C1/1/train.log"
    assert run("why", log.parent).stdout == run("why", log).stdout != ""
