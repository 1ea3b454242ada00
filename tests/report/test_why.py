"""Why a number is what it is: what is told of it, and what it is warned of."""

import json
import re
from contextlib import suppress
from pathlib import Path

import pytest

from parsers.runs.facts import Fact
from parsers.runs.provenance import line, option
from parsers.runs.reading import survey
from report.measuring.measurement import measure
from report.measuring.protocol import NoMeasurement, Protocol
from report.measuring.windows.record_use import REASON_KEYS, RecordUse
from report.why.derivation import REASONS, Derivation, derive
from report.why.explanation import as_json, of_cell, of_log
from report.why.explanation_text import shown
from report.why.sample import Factor
from report.why.sensitivity import few, spread, stalls, variations
from report.wording.words import Translator, words
from tests.commandline import PROJECT, run
from tests.conftest import Compare

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


def test_the_explanation_of_a_log_reads_as_the_golden_text(monkeypatch: pytest.MonkeyPatch, compare: Compare) -> None:
    monkeypatch.chdir(PROJECT)
    explained = of_log(LOG, Protocol.parse("skip_records=10"), (), None)
    compare(GOLDEN / "why_log.txt", shown(explained, ENGLISH, colour=False))


def test_the_explanation_of_a_cell_reads_as_the_golden_text(monkeypatch: pytest.MonkeyPatch, compare: Compare) -> None:
    monkeypatch.chdir(PROJECT)
    compare(GOLDEN / "why_cell.txt", shown(of_cell("cpu-demo", "6.523", Path("logs")), ENGLISH, colour=False))


def test_the_explanation_as_json_reads_as_the_golden_text(monkeypatch: pytest.MonkeyPatch, compare: Compare) -> None:
    monkeypatch.chdir(PROJECT)
    explained = of_log(LOG, Protocol.parse("tipc"), (), None)
    compare(GOLDEN / "why_log.json", json.dumps(as_json(explained), indent=1, ensure_ascii=False) + "\n")


def test_the_explanation_in_chinese_reads_as_the_golden_text(monkeypatch: pytest.MonkeyPatch, compare: Compare) -> None:
    monkeypatch.chdir(PROJECT)
    explained = of_log(LOG, Protocol.parse("skip_records=10"), (), None)
    compare(GOLDEN / "why_log.zh.txt", shown(explained, Translator("zh").translate, colour=False))


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


@pytest.mark.parametrize("guide", ["docs/reading.md", "docs/reading.zh.md"])
def test_the_guides_show_the_command_that_is_printed(guide: str) -> None:
    command = (GOLDEN / "why_log.txt").read_text(encoding="utf-8").partition("with awk\n")[2]
    assert f"```bash\n{command}```" in (PROJECT / guide).read_text(encoding="utf-8")


def test_every_reason_for_which_a_record_is_left_out_has_words() -> None:
    assert REASONS.keys() == set(REASON_KEYS) - {REASON_KEYS[RecordUse.USED]}


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


def test_a_warm_up_that_leaves_nothing_is_not_reported(tmp_path: Path) -> None:
    assert "skip 50 records" not in by_rule(derivation(tmp_path, *range(1, 31)))


def test_the_rule_that_is_used_is_not_reported_again(tmp_path: Path) -> None:
    assert {"skip 5 records", "mean"} & by_rule(
        derivation(tmp_path, *range(1, 31), protocol="skip_records=5")
    ).keys() == set()


def test_a_trimmed_number_is_also_shown_without_trimming(tmp_path: Path) -> None:
    assert by_rule(derivation(tmp_path, 1, 2, 3, 4, 90, protocol="trim_min=2"))["without trimming"] == 40


def test_either_end_is_left_out_once(tmp_path: Path) -> None:
    found = by_rule(derivation(tmp_path, 1, 2, 3, 4, 5))
    assert (found["without the first record used"], found["without the last record used"]) == (7, 5)


def test_a_steady_log_is_not_warned_of(tmp_path: Path) -> None:
    assert warned(derivation(tmp_path, *[100, 101, 99, 100, 100, 101, 99] * 5)) == []


def test_a_shorter_warm_up_is_no_fault_of_the_number(tmp_path: Path) -> None:
    assert warned(derivation(tmp_path, *[50.0] * 5, *[100.0] * 30, protocol="skip_records=5")) == []


def test_the_last_value_needs_no_others(tmp_path: Path) -> None:
    assert warned(derivation(tmp_path, 100, protocol="statistic=last")) == []


def test_a_run_folder_stands_for_its_log() -> None:
    log = PROJECT / "logs/cpu-demo/ResNet50_bs4_fp32_N1C1/1/train.log"
    assert run("why", log.parent).stdout == run("why", log).stdout != ""
