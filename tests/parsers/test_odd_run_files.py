"""A run.json whose values have other types than are read: what is ignored is told."""

from pathlib import Path
from typing import Any

import pytest

from parsers.runs.reading import read
from parsers.runs.runfile import OF_OTHER_KIND, run_file
from tests.commandline import PROJECT
from tests.parsers.run_folders import make_run
from tests.report.comparing.made_sides import CASE, log_of


def told(folder: Path, **said: Any) -> list[str]:
    """What is said of odd values of a run.json."""
    make_run(folder, log_of(100.0, steps=12), **{"case": CASE, **said})
    return [str(one) for one in read(folder / "train.log").warnings if one.key == OF_OTHER_KIND]


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"environment": "none"}, "environment in run.json is 'none'; expected an object, so it is ignored."),
        (
            {"environment": {"frameworks": ["torch"]}},
            "environment.frameworks in run.json is ['torch']; expected an object, so it is ignored.",
        ),
        ({"start": 2030}, "start in run.json is 2030; expected a time in ISO 8601, so it is ignored."),
        ({"start": "noon"}, "start in run.json is 'noon'; expected a time in ISO 8601, so it is ignored."),
        (
            {"case": {"model": ["GPT-2"]}},
            "case.model in run.json is ['GPT-2']; expected a number or text, so it is ignored.",
        ),
    ],
)
def test_a_value_of_another_type_is_told_with_what_is_expected(
    said: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    assert told(tmp_path / "1", **said) == [sentence]


@pytest.mark.parametrize("said", [{}, {"environment": None, "start": None}, {"case": {**CASE, "device": None}}])
def test_what_is_absent_or_null_is_nothing_to_tell(said: dict[str, Any], tmp_path: Path) -> None:
    assert told(tmp_path / "1", **said) == []


def test_no_run_of_ours_says_anything_odd() -> None:
    logs = [file.with_name("train.log") for file in (PROJECT / "logs").rglob("run.json")]
    found = {one.key for log in logs if log.is_file() and run_file(log) for one in read(log).warnings}
    assert OF_OTHER_KIND not in found
