"""Why a number is what it is: what is told of it, and what it is warned of."""

import json
import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.runs.facts import Fact
from parsers.runs.provenance import line, option
from parsers.runs.reading import survey
from report.measure.diagnostics import NoMeasurement
from report.measure.protocol import Protocol
from report.measuring.measurement import measure
from report.why.derivation import Derivation, Factor, derive
from report.why.explanation import as_json, of_cell, of_log
from report.why.explanation_text import ranges, shown
from report.why.sensitivity import few, spread, stalls, variations
from report.wording.words import Translator, words
from tests.commandline import PROJECT, run
from tests.conftest import Compare
from tests.parsers.golden_logs import SOME_LOGS, name

GOLDEN = Path(__file__).parent / "golden"
LOG = Path("logs/cpu-demo/ResNet50_bs4_fp32_N1C2/1/train.log")
MXNET = next((PROJECT / "tests/parsers/golden/mxnet_speedometer").glob("*.log"))
NANOGPT = PROJECT / "tests/parsers/golden/nanogpt/current.log"

ENGLISH = Translator("en").translate

GRAMMAR = """// Toy
//
// For tests.

start: step_line

step_line: "step" step{"1"} "ips:" throughput{images, card, KIND}

%import .vocabulary (step, throughput, images, card, instant, running_mean, per_epoch, BLANK)
%ignore BLANK
"""


def derivation(folder: Path, *speeds: float, protocol: str = "", kind: str = "instant") -> Derivation:
    """The derivation of a log of two cards that prints these speeds of one."""
    grammar, log = folder / "toy.lark", folder / "a.log"
    grammar.write_text(GRAMMAR.replace("KIND", kind), encoding="utf-8")
    log.write_text("".join(f"step {n} ips: {v}\n" for n, v in enumerate(speeds, 1)), encoding="utf-8")
    reading = survey(log, format=grammar, facts=[Fact("cards", 2, option("cards"))])
    part = reading.parts[0]
    rule = Protocol.parse(protocol) if protocol else Protocol()
    return derive(reading, part, reading.facts, measure(part.records, part.fields, reading.facts, rule))


def by_rule(derived: Derivation) -> dict[str, float]:
    return {str(found.name): found.value for found in variations([derived], derived.protocol)}


def warned(derived: Derivation) -> list[str]:
    found = tuple(variations([derived], derived.protocol))
    return [str(said) for said in (*few(derived), *stalls(derived), *spread(found, derived.measurement.value))]


def test_an_explanation_reads_as_the_golden_text(monkeypatch: pytest.MonkeyPatch, compare: Compare) -> None:
    monkeypatch.chdir(PROJECT)
    of_a_log = of_log(LOG, Protocol.parse("skip_records=10"), (), None)
    compare(GOLDEN / "why_log.txt", shown(of_a_log, ENGLISH, colour=False))
    compare(GOLDEN / "why_log.zh.txt", shown(of_a_log, Translator("zh").translate, colour=False))
    compare(GOLDEN / "why_cell.txt", shown(of_cell("cpu-demo", "6.523", Path("logs")), ENGLISH, colour=False))
    of_tipc = as_json(of_log(LOG, Protocol.parse("tipc"), (), None))
    compare(GOLDEN / "why_log.json", json.dumps(of_tipc, indent=1, ensure_ascii=False) + "\n")


@pytest.mark.parametrize("protocol", ["", "estimate=clock", "estimate=step_time", "trim=0.1", "statistic=last"])
@pytest.mark.parametrize("log", [LOG, NANOGPT, MXNET], ids=str)
def test_all_that_an_explanation_says_is_in_the_chinese_catalogue(log: Path, protocol: str) -> None:
    asked: list[str] = []
    chinese = words("zh")

    def translate(key: str) -> str:
        asked.append(key)
        return chinese.gettext(key) if key else ""

    with suppress(NoMeasurement):
        shown(of_log(PROJECT / log, Protocol.parse(protocol) if protocol else None, (), None), translate, colour=False)
    assert [key for key in asked if re.search("[A-Za-z]{2}", key) and not chinese._catalog.get(key)] == []


PROTOCOLS = (
    "",
    "statistic=median",
    "statistic=harmonic_mean",
    "statistic=last",
    "statistic=min,significant=3",
    "trim=0.2",
    "estimate=step_time",
    "estimate=step_time,statistic=median",
    "records=epoch,estimate=duration",
    "estimate=instant",
    "estimate=clock",
)


@pytest.mark.slow
@pytest.mark.parametrize("log", SOME_LOGS, ids=name)
def test_the_numbers_of_an_explanation_are_of_the_records_measured_and_give_the_value(log: Path) -> None:
    stated = [Fact("cards", 4, option("cards")), Fact("batch_size", 8, option("batch-size"))]
    for rule in PROTOCOLS:
        with suppress(NoMeasurement):
            explained = of_log(log, Protocol.parse(rule) if rule else None, stated, None)
            (derived,) = explained.derivations
            assert (rule, tuple(derived.records["line"])) == (rule, derived.measurement.lines)
            assert len(derived.numbers) == len(derived.records)
            assert (rule, derived.of_values(derived.values)) == (rule, explained.number)


def test_values_prints_the_numbers_used_one_a_line() -> None:
    told = json.loads(run("why", LOG, "--json", cwd=PROJECT).stdout)
    printed = run("why", LOG, "--values", cwd=PROJECT).stdout
    assert [float(line) for line in printed.splitlines()] == told["logs"][0]["values"]


def test_values_of_a_clock_are_the_work_done_and_the_seconds() -> None:
    printed = run("why", LOG, "--protocol", "estimate=clock", "--values", cwd=PROJECT).stdout
    amount, seconds = map(float, printed.splitlines())
    told = json.loads(run("why", LOG, "--protocol", "estimate=clock", "--json", cwd=PROJECT).stdout)
    assert told["number"] == pytest.approx(amount / seconds)


def test_values_and_json_exclude_each_other() -> None:
    assert run("why", LOG, "--values", "--json", cwd=PROJECT).returncode == 2


@given(st.sets(st.integers(1, 60)))
def test_ranges_hold_just_their_numbers(numbers: set[int]) -> None:
    held = [number for first, last in ranges(sorted(numbers)) for number in range(first, last + 1)]
    assert held == sorted(numbers)


def test_the_tokens_of_a_step_are_shown_with_the_line_that_states_them() -> None:
    explained = of_log(NANOGPT, Protocol.parse("estimate=step_time"), (), None)
    assert explained.derivations[0].factors == (Factor("job_batch_tokens", 245760, line(5)),)


def test_the_records_left_after_all_steps_are_those_that_are_used(tmp_path: Path) -> None:
    derived = derivation(tmp_path, *range(1, 31), protocol="skip_records=2,drop_last=3,take_first=20,trim_min=4")
    assert [stage.left for stage in derived.stages] == [30, 28, 25, 20, 20, 12, 12]


def test_a_shorter_and_a_longer_warm_up_are_tried(tmp_path: Path) -> None:
    found = by_rule(derivation(tmp_path, *range(1, 31), protocol="skip_records=3"))
    assert found["skip 0 records"] == 31
    assert found["skip 20 records"] == 51


def test_the_rule_that_is_used_is_not_reported_again(tmp_path: Path) -> None:
    assert {"skip 5 records", "mean"} & by_rule(
        derivation(tmp_path, *range(1, 31), protocol="skip_records=5")
    ).keys() == set()


def test_a_steady_log_is_not_warned_of(tmp_path: Path) -> None:
    assert warned(derivation(tmp_path, *[100, 101, 99, 100, 100, 101, 99] * 5)) == []


def test_a_run_folder_stands_for_its_log() -> None:
    log = PROJECT / "logs/cpu-demo/ResNet50_bs4_fp32_N1C1/1/train.log"
    assert run("why", log.parent).stdout == run("why", log).stdout != ""
