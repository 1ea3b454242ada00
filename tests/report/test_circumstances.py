"""When runs were measured and with what: from logs and run.json."""

import json
from pathlib import Path
from typing import Any

import pytest

from report.views.publish import publish
from tests.report.compared_page import make
from tests.report.page_text import results_of

ENVIRONMENT = {"frameworks": {"torch": {"version": "2.9.1", "cuda": "12.4", "cudnn": None}}, "driver": "550.54.15"}


def say(folder: Path, run: str, **said: Any) -> None:
    """Let the run.json of a run say more."""
    path = folder / "logs" / run / "run.json"
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **said}), encoding="utf-8")


def told(folder: Path) -> dict[str, str]:
    """The circumstances of the first number of the page."""
    return results_of(folder / "page.toml", folder / "logs")[0].circumstances


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make(tmp_path)


def test_run_json_says_the_day_and_the_versions(folder: Path) -> None:
    say(folder, "a1", environment=ENVIRONMENT, start="2031-05-03T22:00:00-02:00")
    said = {"framework_version": "2.9.1", "cuda": "12.4", "driver": "550.54.15"}
    assert told(folder) == {"date": "2031-05-04", **said}


@pytest.mark.parametrize(
    "said",
    [
        {"environment": "none", "start": 2030},
        {"environment": {"frameworks": ["torch"], "driver": ["550"]}, "start": "2030-99-01"},
        {"environment": {"frameworks": {"torch": {"version": "2"}, "paddle": {"version": "3"}}}},
    ],
    ids=["no environment", "other kinds", "two frameworks"],
)
def test_nothing_is_said_that_run_json_does_not_say_of_this_log(said: dict[str, Any], folder: Path) -> None:
    say(folder, "a1", **said)
    assert told(folder) == {"date": "2031-05-04"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_head_of_a_column_names_the_framework_of_a_version(language: str, folder: Path) -> None:
    versions = {"a1": {"torch": {"version": "2.9.1"}}, "b1": {"ours": {"version": "0.9"}}}
    for run, frameworks in versions.items():
        say(folder, run, environment={"frameworks": frameworks})
    (page,) = publish([str(folder / "page.toml")], folder / "logs", [language], folder / "out")
    text = page.files[0].read_text(encoding="utf-8")
    assert "A<br>*PyTorch 2.9.1* |" in text
    assert "B<br>*ours 0.9* |" in text
