"""The command `tachograph show`."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from report.commands import show
from report.evidence.log_summary import Summary, summarise
from tests.commandline import PROJECT, run

LOG = PROJECT / "logs/cpu-demo/ResNet50_bs4_fp32_N1C2/1/train.log"


def shown(*arguments: str | Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("show", "--json", *arguments).stdout)
    return found


def test_json_names_exactly_the_promised_keys() -> None:
    promised = ["log", "sha256", "bytes", "format", "formats", "lines", "facts", "records"]
    promised += ["throughput", "checks", "events", "warnings"]
    assert list(shown(LOG)) == promised


def test_json_carries_the_hash_and_size_of_the_file() -> None:
    found = shown(LOG)
    assert (found["sha256"], found["bytes"]) == (hashlib.sha256(LOG.read_bytes()).hexdigest(), LOG.stat().st_size)


def test_throughput_says_which_lines_and_which_protocol() -> None:
    found = shown(LOG, "--protocol", "skip_records=30")["throughput"]
    speeds = [float(line.split("ips: ")[1].split()[0]) for line in LOG.read_text().splitlines() if "][Iter: " in line]
    assert (found["used"], found["scope"]) == (2, "job")
    assert found["value"] == pytest.approx(sum(speeds[-2:]) / 2 * 2)
    assert found["protocol"] == "records=step estimate=reported skip_records=30 statistic=mean"


def test_a_fact_has_a_value_and_a_witness() -> None:
    assert shown(LOG)["facts"]["cards"] == {"value": 2, "witness": "run.json"}


def test_an_option_is_believed_and_its_contradiction_is_reported() -> None:
    found = shown(LOG, "--cards", "4")
    assert found["facts"]["cards"] == {"value": 4, "witness": "--cards"}
    assert "cards is 4 according to --cards, but 2 according to run.json; using 4." in found["warnings"]


def test_several_logs_come_out_in_the_order_they_were_named() -> None:
    others = sorted(PROJECT.glob("logs/cpu-demo/*/*/train.log"))
    printed = run("show", "--json", *others).stdout.splitlines()
    assert [json.loads(line)["log"] for line in printed] == [str(path) for path in others]


def test_a_text_without_metric_lines_is_a_finding(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("hello\nworld\n")
    done = run("show", "--json", log)
    found = json.loads(done.stdout)
    assert (done.returncode, found["throughput"], bool(found["reason"])) == (1, None, True)
    assert found["lines"] == {"total": 2, "matched": 0, "ignored": 0, "unrecognised": 2}


@pytest.mark.parametrize("kind", ["missing", "empty", "folder", "binary"])
def test_what_cannot_be_read_is_one_sentence_and_status_2(kind: str, tmp_path: Path) -> None:
    paths = {name: tmp_path / name for name in ("missing", "empty", "folder", "binary")}
    paths["empty"].touch()
    paths["folder"].mkdir()
    paths["binary"].write_bytes(bytes(range(1, 256)) * 40)
    done = run("show", paths[kind])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"Error: {paths[kind]}: ")
    assert done.stderr.count("\n") == 1


def test_an_unreadable_log_does_not_stop_the_others(tmp_path: Path) -> None:
    done = run("show", "--json", tmp_path / "missing", LOG)
    assert (done.returncode, json.loads(done.stdout)["log"]) == (2, str(LOG))


@pytest.mark.parametrize(
    "options", [["--jobs", "1"], ["--jobs", "2"], ["--jobs", "1", "--json"], ["--jobs", "2", "--json"]]
)
def test_a_defect_that_one_log_meets_is_told_and_the_others_are_shown(
    options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def summarised(log: Path, *how: Any) -> Summary:
        if log == LOG:
            raise IndexError("0 records")
        return summarise(log, *how)

    monkeypatch.setattr("report.evidence.log_summary.summarise", summarised)
    monkeypatch.setattr("parsers.sharing.workers.MOST_TASKS", 1)
    other = LOG.parents[1] / "2/train.log"
    done = CliRunner().invoke(show, [str(LOG), str(other), *options])
    assert (done.exit_code, str(other) in done.stdout) == (1, True)
    if "--json" in options:
        assert json.loads(done.stdout.splitlines()[0]) == {"log": str(LOG), "error": "IndexError: 0 records"}
    else:
        assert (str(LOG) in done.stderr, "IndexError" in done.stderr, str(LOG) in done.stdout) == (True, True, False)


def test_a_run_folder_stands_for_its_log() -> None:
    assert shown(LOG.parent)["log"] == str(LOG)


def test_records_are_those_of_the_kind_that_is_measured(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text((PROJECT / "tests/parsers/golden/paddlerec_words/dataloader.log").read_text())
    found = shown(log)
    assert (found["records"], found["throughput"]["used"]) == (1, 1)


def test_a_protocol_without_an_estimate_takes_what_the_log_allows(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text((PROJECT / "tests/parsers/golden/nanogpt/current.log").read_text())
    found = shown(log, "--protocol", "skip_records=1")["throughput"]
    assert found["protocol"] == "records=step estimate=step_time skip_records=1 statistic=mean"
    assert found["value"] == pytest.approx(245760 / ((250.25 + 12500.5 + 251.75) / 3000))
    assert shown(log, "--protocol", "estimate=reported")["throughput"] is None
    assert shown(log, "--protocol", "summary")["throughput"] is None


def test_a_log_is_summed_up_in_chinese_with_the_same_numbers() -> None:
    english, chinese = run("show", LOG).stdout, run("show", LOG, "--lang", "zh").stdout
    assert " samples/s（整个作业），取自第 " in chinese
    assert re.search("行数：[0-9]+ = 匹配 [0-9]+ [+] 忽略 [0-9]+ [+] 未识别 [0-9]+", chinese)
    numbers = "[0-9]+[.][0-9]+|[0-9a-f]{64}"
    assert re.findall(numbers, chinese) == re.findall(numbers, english)


TOY = PROJECT / "tests/report/golden/logs/toy_gpu"


def test_telemetry_is_shown_as_facts_with_units_and_witness() -> None:
    facts = shown(TOY / "Toy50_bs64_amp_N1C2/1/train.log")["facts"]
    assert facts["peak_memory"] == {"value": 30371, "unit": "MiB", "witness": "gpu.csv"}
    assert facts["power"] == {"value": 640, "unit": "W", "witness": "gpu.csv"}
    assert facts["samples_per_joule"] == {"value": 1.56552734375, "unit": "images/J", "witness": "gpu.csv"}


def test_without_a_throughput_telemetry_still_tells_the_peak_memory() -> None:
    facts = shown(TOY / "Toy50_bs64_amp_N1C4/1/train.log", "--protocol", "skip_records=5")["facts"]
    assert (facts["peak_memory"]["value"], "power" in facts) == (20480, False)
