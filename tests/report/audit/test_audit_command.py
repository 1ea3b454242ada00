"""The command `tachograph audit`: what it prints, for people and for programs, and how it ends."""

import json
import os
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from tests.commandline import run
from tests.report.audit.small_site import EIGHT, ONE, make

KEYS = [
    "page",
    "table",
    "row",
    "column",
    "published",
    "case",
    "log",
    "protocol",
    "computed",
    "ratio",
    "verdict",
    "reason",
]
WRONG = ("3119.765", "3500.125")


def test_a_page_that_is_all_exact_ends_well_and_says_so_in_one_line(tmp_path: Path) -> None:
    done = run("audit", make(tmp_path))
    assert (done.returncode, done.stdout.count("\n"), done.stderr) == (0, 1, "")


def test_a_finding_is_named_with_its_line_and_ends_with_status_1(tmp_path: Path) -> None:
    done = run("audit", make(tmp_path, WRONG))
    assert (done.returncode, "README.md:8" in done.stdout) == (1, True)


def test_a_tolerance_makes_what_is_near_good(tmp_path: Path) -> None:
    page = make(tmp_path, ("3119.765", "3119.9"))
    done = [run("audit", page, "--strict", "--tolerance", tolerance) for tolerance in ("0", "0.01")]
    assert [one.returncode for one in done] == [1, 0]


@pytest.mark.parametrize(
    "arguments",
    [
        ["none.md"],
        ["empty"],
        ["README.md", "--page", "none"],
        ["README.md", "--accept", "none.toml"],
        ["README.md", "--tolerance", "2"],
        ["README.md", "--logs", "none"],
        ["README.md", "--junit", "none/x.xml"],
        ["README.md", "--lang", "fr"],
    ],
)
def test_wrong_use_ends_with_status_2(arguments: list[str], tmp_path: Path) -> None:
    make(tmp_path)
    (tmp_path / "empty").mkdir()
    done = run("audit", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")


def rows(folder: Path) -> list[dict[str, object]]:
    done = run("audit", "--json", folder)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_json_is_one_object_a_number_with_the_promised_keys(tmp_path: Path) -> None:
    make(tmp_path, ("| 1 |", "| 32 |"))
    first, row = rows(tmp_path)
    assert [key for key in row if key in KEYS] == KEYS
    assert [first[key] for key in ("log", "protocol", "computed", "ratio")] == [None] * 4
    case = {"cards": 8, "batch_size": 64, "precision": "fp32", "framework": "paddlepaddle", "device": "A100"}
    assert (row["page"], row["line"], row["row"], row["column"]) == ("README.md", 8, "8", "PaddlePaddle FP32 (BS=64)")
    assert (row["table"], row["unit"]) == ("Toy50 on A100 / Throughput in images/s:", "images/s")
    assert (row["case"], row["log"], row["computed"]) == (case, f"logs/{EIGHT}", "3119.765")
    assert (row["verdict"], round(float(str(row["ratio"])), 6)) == ("exact", 1.0)


def test_markdown_holds_no_markup_of_the_page(tmp_path: Path) -> None:
    make(tmp_path, WRONG, ("| 8 |", "| 8 `cards` \\| &lt;b&gt; |"))
    done = run("audit", "--markdown", tmp_path)
    assert "8 cards \\| &lt;b&gt;" in done.stdout


def junit(folder: Path, *arguments: str) -> Xml.Element:
    run("audit", folder, "--junit", folder / "audit.xml", *arguments)
    return Xml.parse(folder / "audit.xml").getroot()  # noqa: S314 - we wrote it


def test_junit_has_a_test_case_a_number(tmp_path: Path) -> None:
    make(tmp_path, WRONG)
    suite = junit(tmp_path)
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert [(case.get("file"), case.get("line")) for case in suite] == [("README.md", "7"), ("README.md", "8")]


def test_junit_of_hostile_text_is_well_formed(tmp_path: Path) -> None:
    make(tmp_path, WRONG, ("| 8 |", "| 8 \x01\x1b[31m]]><a b='\"&\ufffe\ud7ff |"), ("Toy50", "<x>&amp;\x0b\x85"))
    assert len(junit(tmp_path)) == 2


def test_names_that_are_no_text_are_printed_all_the_same(tmp_path: Path) -> None:
    make(tmp_path, (f"[1 card](logs/{ONE}), [8 cards](logs/{EIGHT})", ""))
    (tmp_path / "logs" / EIGHT).rename(tmp_path / "logs" / os.fsdecode(b"\xff N1C8_log"))
    assert rows(tmp_path)[1]["log"] == "logs/\udcff N1C8_log"
    for arguments in (["--all"], ["--markdown"], ["--junit", str(tmp_path / "x.xml")]):
        assert run("audit", tmp_path, *arguments).returncode == 0


def test_several_pages_are_named_below_the_folder_that_holds_them(tmp_path: Path) -> None:
    make(tmp_path / "a")
    make(tmp_path / "b")
    done = run("audit", "--json", tmp_path / "a/README.md", tmp_path / "b")
    assert [json.loads(line)["page"] for line in done.stdout.splitlines()] == ["a/README.md"] * 2 + ["b/README.md"] * 2
