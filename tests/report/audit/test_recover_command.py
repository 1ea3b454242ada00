"""The command `tachograph recover`."""

import json
from pathlib import Path

import pytest

from tests.commandline import run
from tests.report.audit.small_site import EIGHT, LOGS, ONE

TIPC = "records=step estimate=reported skip_records=10 trim=0.05 trim_min=5 statistic=mean decimals=3"


def test_it_names_the_protocol_how_many_logs_it_explains_and_the_chance() -> None:
    done = run("recover", LOGS / ONE, LOGS / EIGHT, "--published", "399.532", "--published", "3,119.765")
    first, second = [line for line in done.stdout.splitlines() if not line.startswith("  also")]
    assert (done.returncode, done.stderr) == (0, "")
    assert f"_N1C1_log: 399.532: {TIPC} explains 2 of 2 logs; by chance at most " in first
    assert f"_N1C8_log: 3119.765: {TIPC} explains 2 of 2 logs; by chance at most " in second


def test_a_number_that_nothing_explains_ends_with_status_1() -> None:
    done = run("recover", LOGS / ONE, "--published", "399.9876")
    assert (done.returncode, done.stdout) == (1, f"{LOGS / ONE}: 399.9876: no protocol gives these digits.\n")


def test_what_is_recovered_is_said_in_chinese() -> None:
    done = run("recover", LOGS / ONE, LOGS / EIGHT, "--published", "399.532", "--published", "3,119.7", "--lang", "zh")
    assert f"399.532：统计方法 {TIPC} 可解释 2 份日志中的 1 份；偶然吻合的概率不超过 " in done.stdout
    assert "3119.7：" in done.stdout


def test_a_language_without_a_catalogue_is_refused_before_a_log_is_read() -> None:
    done = run("recover", "no-such.log", "--published", "1", "--lang", "xx")
    assert (done.returncode, done.stderr) == (2, "Error: No translation for 'xx'; available: en, zh.\n")


@pytest.mark.slow
def test_what_chance_gives_is_not_sold_as_a_finding() -> None:
    done = run("recover", LOGS / ONE, "--published", "400")
    assert done.returncode == 1
    assert ": inconclusive: " in done.stdout
    assert "protocols give these digits, no more than expected by chance.\n  also records=" in done.stdout


def test_cards_and_batch_size_scale_the_log(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_bytes((LOGS / ONE).read_bytes())
    done = run("recover", log, "--published", "1598.127", "--cards", "4")
    assert (done.returncode, f"1598.127: {TIPC} explains the log" in done.stdout) == (0, True)


def test_json_is_one_object_a_number() -> None:
    done = run("recover", LOGS / ONE, LOGS / EIGHT, "--published", "399.532", "--published", "3119.999", "--json")
    first, second = map(json.loads, done.stdout.splitlines())
    assert (first["protocol"], first["explains"], first["of"], first["published"]) == (TIPC, 1, 2, "399.532")
    assert 0 < first["chance"] < 0.01
    assert (second["protocol"], second["explains"], second["chance"], done.returncode) == (None, 0, None, 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([LOGS / ONE], "Missing option '--published'"),
        (
            [LOGS / ONE, "--published", "1.5", "--published", "2.5"],
            "Give --published once per log; logs: 1, numbers: 2.",
        ),
        (
            [LOGS / ONE, "--published", "1.5e3"],
            "--published must be a positive number as printed, such as 2791.98; got 1.5e3.",
        ),
        ([LOGS / ONE, "--published", "-5"], "must be a positive number as printed"),
        ([LOGS / ONE, "--published", "٣"], "must be a positive number as printed"),
        ([LOGS / ONE, "--published", "0.0"], "must be a positive number as printed"),
        ([LOGS / ONE, "--published", "9" * 400], "must be a positive number as printed"),
        (["none.log", "--published", "1.5"], "none.log"),
        (["README.md", "--published", "1.5"], "matches a known format"),
    ],
)
def test_wrong_use_is_reported_and_ends_with_status_2(arguments: list[str | Path], said: str, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("nothing\n", encoding="utf-8")
    done = run("recover", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout, said in done.stderr) == (2, "", True)
