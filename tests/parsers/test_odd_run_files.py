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
    """The keys of a run.json whose values are ignored."""
    make_run(folder, log_of(100.0, steps=12), **{"case": CASE, **said})
    return [str(one.values["key"]) for one in read(folder / "train.log").warnings if one.key == OF_OTHER_KIND]


@pytest.mark.parametrize(
    ("said", "key"),
    [
        ({"environment": "none"}, "environment"),
        ({"environment": {"frameworks": ["torch"]}}, "environment.frameworks"),
        ({"start": 2030}, "start"),
        ({"start": "noon"}, "start"),
        ({"case": {"model": ["GPT-2"]}}, "case.model"),
    ],
)
def test_a_value_of_another_type_is_told_by_its_key(said: dict[str, Any], key: str, tmp_path: Path) -> None:
    assert told(tmp_path / "1", **said) == [key]


@pytest.mark.parametrize("said", [{}, {"environment": None, "start": None}, {"case": {**CASE, "device": None}}])
def test_what_is_absent_or_null_is_nothing_to_tell(said: dict[str, Any], tmp_path: Path) -> None:
    assert told(tmp_path / "1", **said) == []


def test_no_run_of_ours_says_anything_odd() -> None:
    logs = [file.with_name("train.log") for file in (PROJECT / "logs").rglob("run.json")]
    found = {one.key for log in logs if log.is_file() and run_file(log) for one in read(log).warnings}
    assert OF_OTHER_KIND not in found
