"""A new format and a new language are one file each, as CONTRIBUTING.md says; no Python file is touched."""

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.commandline import PROJECT, run

ROOMS = ("launchers", "parsers", "report", "tachograph.py")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the program, to add files to."""
    for room in ROOMS:
        source = PROJECT / room
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / room)
    return tmp_path


def test_the_grammar_of_contributing_is_a_new_format(copy: Path) -> None:
    text = (PROJECT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (grammar,) = re.findall(r"```lark\n(.*?)```", text, re.DOTALL)
    (copy / "parsers/formats/acme.lark").write_text(re.sub("(?m)^   ", "", grammar), encoding="utf-8")
    log = copy / "a.log"
    log.write_text("acme step 1 of 2: loss 0.5, speed 10.5 images/s\nacme step 2 of 2: loss 0.4, speed 11.5 images/s\n")
    found = json.loads(run("show", "--json", log, cwd=copy, project=copy).stdout)
    assert (found["format"], found["throughput"]["value"], found["throughput"]["unit"]) == ("acme", 11.0, "images/s")


def test_one_catalogue_is_a_new_language(copy: Path) -> None:
    golden = PROJECT / "tests/report/golden"
    chinese = (copy / "report/words/zh.po").read_text(encoding="utf-8")
    (copy / "report/words/tlh.po").write_text(chinese.replace("Language: zh", "Language: tlh"), encoding="utf-8")
    options = ("--logs", golden / "logs", "--lang", "tlh", "--out", "out")
    run("report", golden / "toy.toml", *options, cwd=copy, project=copy)
    assert "测试" in (copy / "out/toy.tlh.md").read_text(encoding="utf-8")
