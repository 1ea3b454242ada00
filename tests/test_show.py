"""The command `tachograph show`: its text and JSON for logs of each status, held against golden files as a whole."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result

from parsers.unknown.answer import Ask
from parsers.unknown.training import Reason
from report.commands import show
from report.measure.diagnostics import Code, say
from report.results import measured_log
from report.terminal.show_text import RULE
from report.wording.words import Translator, worded, words
from tests.commandline import PROJECT
from tests.conftest import Compare

LOG = PROJECT / "logs/cpu-demo/ResNet50_bs4_fp32_N1C2/1/train.log"
FORMATS = PROJECT / "tests/parsers/golden"
TWO_RUNS = FORMATS / "basicsr/two_runs_that_differ.log"
GOLDEN = PROJECT / "tests/report/golden/show"
LOGS = (
    LOG,
    PROJECT / "tests/report/golden/logs/toy_gpu/Toy50_bs64_amp_N1C2/1",
    PROJECT / "tests/report/golden/logs/llm/megatron_toy-13b_a100_tp4-pp2-gbs128.log",
    FORMATS / "nanochat/base_and_sft.log",
    FORMATS / "paddlenlp_bert/two_ranks.log",
    FORMATS / "minimind/pretrain_2024.log",
    FORMATS / "tf_cnn_benchmarks/two_cards.log",
    FORMATS / "paddleclas_static_2021/root_with_smaller_last_batch.log",
    TWO_RUNS,
    FORMATS / "torch7/models.log",
)
OWN = "".join(
    f"step {at} loss {3 - at / 50:.3f} images/s {100 if at < 3 else 410 + at % 3} time {64 / 410:.3f}s\n"
    for at in range(1, 25)
)
SCHEMA = PROJECT / "report/show.schema.json"


def shown(*arguments: str | Path) -> Result:
    return CliRunner().invoke(show, ["--jobs", "1", *map(str, arguments)])


def of_json(*arguments: str | Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(shown("--json", *arguments).stdout)
    return found


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Twelve logs, called by the same paths wherever this project lies; the last one is missing."""
    (tmp_path / "own.log").write_text(OWN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for room in ("logs", "tests"):
        Path(room).symlink_to(PROJECT / room)
    return [*(path.relative_to(PROJECT) for path in LOGS), Path("own.log"), Path("missing.log")]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_log_is_shown_as_it_always_was(logs: list[Path], language: str, compare: Compare) -> None:
    for name, options in (("short", []), ("all", ["--all"]), ("explained", ["--explain"])):
        done = shown(*logs, *options, "--lang", language)
        compare(GOLDEN / f"{name}.{language}.txt", done.stdout + done.stderr)
        if name == "short":
            assert all(len(part.splitlines()) <= 6 for part in re.split(r"\n(?=\S+ · )", done.stdout))
    done = shown(*logs, "--json", "--lang", language)
    lines = [json.dumps(json.loads(line), ensure_ascii=False, indent=1) for line in done.stdout.splitlines()]
    compare(GOLDEN / "logs.json.txt", "\n".join(lines) + "\n")
    assert done.exit_code == 2


def test_the_output_for_every_golden_log_is_as_its_schema_says(logs: list[Path], compare: Compare) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    schema["$defs"]["diagnostic"]["properties"]["code"]["enum"] = [*map(str, Code), *map(str, (*Ask, *Reason))]
    compare(SCHEMA, json.dumps(schema, indent=2, ensure_ascii=False) + "\n")
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    every = sorted(FORMATS.glob("*/*.log"))
    done = shown(*every, *logs, "--json")
    objects = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(objects) == len(every) + len(logs)
    for one in objects:
        validator.validate(one)
        if one["status"] != "error":
            has_number = one["status"] in ("confirmed", "unchecked")
            assert (one["throughput"] is not None) == has_number
            assert len(one["sides"]) == (2 if one["status"] == "contradicted" else 0)


@pytest.mark.parametrize(
    ("log", "status"), [(LOG, 0), (FORMATS / "torch7/models.log", 1), (TWO_RUNS, 1), (Path("missing.log"), 2)]
)
def test_the_exit_status_says_whether_there_is_a_number(logs: list[Path], log: Path, status: int) -> None:
    assert shown(log).exit_code == shown(log, "--json").exit_code == status
    assert shown(LOG, log, LOG).exit_code == status


def test_a_log_that_cannot_be_read_ends_nothing(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("missing", "empty", "folder", "binary")]
    paths[1].touch()
    paths[2].mkdir()
    paths[3].write_bytes(bytes(range(1, 256)) * 40)
    done = shown(*paths, LOG, "--json")
    *errors, last = (json.loads(line) for line in done.stdout.splitlines())
    assert [(one["log"], one["status"]) for one in errors] == [(str(path), "error") for path in paths]
    assert (last["status"], done.exit_code) == ("confirmed", 2)
    text = shown(*paths, LOG)
    assert text.stderr.count("Error: ") == text.stderr.count("\n") == 4
    assert str(LOG) in text.stdout


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_defect_that_one_log_meets_hides_nothing_of_the_others(
    options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    read = measured_log.measured_log

    def broken(log: Path, *how: Any) -> measured_log.MeasuredLog:
        if log == LOG:
            raise IndexError("0 records")
        return read(log, *how)

    monkeypatch.setattr(measured_log, "measured_log", broken)
    done = shown(LOG, other := LOG.parents[1] / "2/train.log", *options)
    assert (done.exit_code, str(other) in done.stdout, "IndexError" in done.output) == (2, True, True)


def test_an_option_is_believed_and_its_contradiction_is_reported() -> None:
    found = of_json(LOG, "--cards", "4")
    assert found["facts"]["cards"] == {"value": 4, "source": "--cards"}
    assert any("--cards" in said and "run.json" in said for said in found["warnings"])
    assert found["throughput"]["value"] == pytest.approx(2 * of_json(LOG)["throughput"]["value"])


def test_a_stated_protocol_is_used_and_named() -> None:
    speeds = [float(line.split("ips: ")[1].split()[0]) for line in LOG.read_text().splitlines() if "][Iter: " in line]
    found = of_json(LOG, "--protocol", "skip_records=30")["throughput"]
    assert (found["records"], found["scope"]) == (2, "job")
    assert found["value"] == pytest.approx(sum(speeds[-2:]) / 2 * 2)
    assert found["protocol"] == "records=step estimate=reported skip_records=30 statistic=mean"


def test_the_rule_stands_word_for_word_in_the_documentation() -> None:
    for language, name in (("en", "protocols.md"), ("zh", "protocols.zh.md")):
        quoted = re.findall("^> (.*)$", (PROJECT / "docs" / name).read_text(encoding="utf-8"), re.MULTILINE)
        assert " ".join(quoted) == Translator(language).translate(RULE)


@pytest.mark.parametrize("code", [*Code, *Ask, *Reason])
def test_a_diagnostic_says_its_parameters_in_each_language(code: Code | Ask | Reason) -> None:
    forms = words("en").forms(f"code.{code}")
    assert forms
    names = set(re.findall(r"{(\w+)}", "".join(forms)))
    for count in (1, 7):
        values = {name: count if name == "count" else f"<{name}>" for name in names}
        said = [worded(say(code, **values).message, Translator(language).translate) for language in ("en", "zh")]
        assert said[0] != said[1]
        for name, value in values.items():
            assert name == "count" or all(str(value) in text for text in said)
