"""What is added goes where CONTRIBUTING.md says: a format and a language are one file each, a quantity is one line."""

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.commandline import PROJECT, start
from tests.report.page_text import HEAD, column
from tests.report.quoted_page import put_run

ROOMS = ("launchers", "parsers", "report", "tachograph")
FORMATS = ("paddleclas", "dllogger_tensorflow")


def copied(folder: Path) -> Path:
    """A copy of the program with the formats of the logs here alone: it compiles what it has anew."""
    for room in ROOMS:
        source = PROJECT / room
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / room)
    for grammar in (folder / "parsers/formats").glob("*.lark"):
        if grammar.stem not in FORMATS:
            grammar.unlink()
    return folder


def block(language: str) -> str:
    """The only block of a language in CONTRIBUTING.md."""
    text = (PROJECT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (found,) = re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)
    return re.sub("(?m)^   ", "", found)


def test_the_grammar_of_contributing_is_a_new_format(tmp_path: Path) -> None:
    copy = copied(tmp_path)
    (copy / "parsers/formats/acme.lark").write_text(block("lark"), encoding="utf-8")
    log = copy / "a.log"
    log.write_text("acme step 1 of 2: loss 0.5, speed 11.4 images/s\nacme step 2 of 2: loss 0.4, speed 11.5 images/s\n")
    found = json.loads(start("show", "--json", log, cwd=copy, project=copy).stdout)
    assert (found["format"], found["throughput"]["value"], found["throughput"]["unit"]) == (
        "acme",
        pytest.approx(11.45, abs=0.01),
        "images/s",
    )


@pytest.mark.slow
def test_the_statistic_of_contributing_is_a_new_quantity_and_a_catalogue_a_new_language(tmp_path: Path) -> None:
    copy = copied(tmp_path)
    quantities = copy / "report/measure/quantity.py"
    before, after = quantities.read_text(encoding="utf-8").split("\n    PEAK_MEMORY,\n")
    added = f"    {block('python').strip()},"
    quantities.write_text(f"{before}\n{added}\n    PEAK_MEMORY,\n{after}", encoding="utf-8")
    for language, title, rule in (("en", "third quartile", "the third quartile"), ("zh", "上四分位数", "取上四分位数")):
        with (copy / f"report/words/{language}.po").open("a", encoding="utf-8") as catalogue:
            catalogue.write(f'\nmsgid "third_quartile_of_runs"\nmsgstr "{title}"\n')
            catalogue.write(f'\nmsgid "quantity_third_quartile_of_runs"\nmsgstr "{rule}"\n')
    chinese = (copy / "report/words/zh.po").read_text(encoding="utf-8")
    (copy / "report/words/tlh.po").write_text(chinese.replace("Language: zh", "Language: tlh"), encoding="utf-8")
    for number, speed in enumerate((100, 200, 300, 500)):
        put_run(copy, f"runs/{number}", speed)
    shown = 'columns = [{ column = "a" }, { column = "a", quantity = "third_quartile_of_runs" }]\n'
    table = '[[tables]]\nname = "t"\ntitle = "Runs"\ncorner = "Cards"\ncase = { precision = "fp32" }\n'
    rows = 'rows = [{ title = "{cards}", case = { cards = 1 } }]\n'
    (copy / "toy.toml").write_text(
        HEAD + column("a", "runs/*/train.log", "decimals=1") + table + shown + rows, encoding="utf-8"
    )
    made = start("report", "toy.toml", "--logs", "logs", "--out", "out", cwd=copy, project=copy)
    assert made.returncode == 0, made.stderr
    chinese_words = ("上四分位数（images/s）", "取上四分位数")
    words = {"en": ("Third quartile (images/s)", "the third quartile"), "zh": chinese_words, "tlh": chinese_words}
    for language, (title, rule) in words.items():
        page = (copy / f"out/toy.{language}.md").read_text(encoding="utf-8")
        evidence = (copy / f"out/toy.evidence.{language}.md").read_text(encoding="utf-8")
        assert f" {title} |" in page
        assert re.search(r"\| \[250\.0\]\([^)]+#[^)]+\) \| \[350\.0\]\([^)]+#[^)]+\) \|", page)
        assert re.search(f"(?i){rule}.*`quantity=third_quartile_of_runs rule", evidence)
    found = start("audit", "out/toy.en.md", cwd=copy, project=copy)
    assert (found.returncode, "proved" in found.stdout) == (0, True)
