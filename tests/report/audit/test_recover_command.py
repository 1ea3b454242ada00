"""The command `tachograph recover`."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.commandline import run
from tests.report.audit.made_columns import log_of
from tests.report.audit.small_site import EIGHT, LOGS, ONE

TIPC = "records=step estimate=reported skip_records=10 trim=0.05 trim_min=5 statistic=mean decimals=3"


def test_it_names_the_protocol_how_many_logs_it_explains_and_the_chance() -> None:
    done = run("recover", LOGS / ONE, LOGS / EIGHT, "--published", "399.532", "--published", "3,119.765")
    first, second = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert (TIPC in first, TIPC in second) == (True, True)


def test_a_number_that_nothing_explains_ends_with_status_1() -> None:
    done = run("recover", LOGS / ONE, "--published", "399.9876")
    assert (done.returncode, "unexplained" in done.stdout) == (1, True)


def test_what_accident_gives_is_not_sold_as_a_finding() -> None:
    done = run("recover", LOGS / ONE, "--published", "400")
    assert (done.returncode, "agrees" in done.stdout) == (1, True)


def test_json_is_one_object_a_number() -> None:
    done = run("recover", LOGS / ONE, LOGS / EIGHT, "--published", "399.532", "--published", "3119.999", "--json")
    first, second = map(json.loads, done.stdout.splitlines())
    assert (first["how"]["name"], first["ruling"], first["digits"]) == (TIPC, "proved", "399.532")
    assert 0 < first["chance"] < 0.01
    assert (second["how"], second["ruling"], done.returncode) == (None, "unexplained", 1)


def test_the_simplest_rule_is_named_where_several_give_the_digits(tmp_path: Path) -> None:
    """The last record is a plainer rule than a window that happens to have the same mean."""
    log = tmp_path / "train.log"
    log.write_text(log_of(np.array([500.25, 10.0, 20.0, 5.0, 123.4567])), encoding="utf-8")
    done = run("recover", log, "--published", "123.4567", "--json")
    assert "statistic=last" in json.loads(done.stdout)["how"]["name"]


@pytest.mark.parametrize(
    "arguments",
    [
        [LOGS / ONE],
        [LOGS / ONE, "--published", "1.5", "--published", "2.5"],
        *([LOGS / ONE, "--published", digits] for digits in ("1.5e3", "-5", "٣", "0.0", "9" * 400)),
        ["none.log", "--published", "1.5"],
        ["README.md", "--published", "1.5"],
    ],
)
def test_wrong_use_ends_with_status_2(arguments: list[str | Path], tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("nothing\n", encoding="utf-8")
    done = run("recover", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
