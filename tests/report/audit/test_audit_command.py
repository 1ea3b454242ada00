"""The command `tachograph audit`: what it prints, for people and for programs, and how it ends."""

import json
import os
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from tests.commandline import run
from tests.report.audit.small_site import EIGHT, ONE, PAGE, add_tensorflow, make, write

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
UNLIKE = (
    PAGE.replace("(BS=64) |", "(BS=64) | TensorFlow FP32 (BS=64) |")
    .replace("|--:|", "|--:|--:|")
    .replace("399.532 |", "399.532 | 420.5 |")
    .replace("3119.765 |", "3119.765 | 3282.0 |")
)


def unlike(folder: Path) -> Path:
    """A site whose columns do not compare like with like."""
    make(folder, page=UNLIKE)
    add_tensorflow(folder)
    return folder


def test_a_page_that_is_all_exact_ends_well_and_says_so_in_one_line(tmp_path: Path) -> None:
    done = run("audit", make(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "2 numbers, 2 with a log: 2 exact.\n", "")


def test_a_finding_is_a_row_and_exit_status_1(tmp_path: Path) -> None:
    done = run("audit", make(tmp_path, WRONG))
    head, row, summary = done.stdout.splitlines()
    assert (done.returncode, head.split()[0], summary) == (
        1,
        "Verdict",
        "2 numbers, 2 with a log: 1 exact, 1 impossible.",
    )
    assert [word in row for word in ("impossible", "README.md:8", "3500.125", "between")] == [True] * 4


def test_all_numbers_are_shown_on_demand(tmp_path: Path) -> None:
    assert run("audit", "--all", make(tmp_path)).stdout.count("\nexact") == 2


def test_a_tolerance_makes_what_is_near_good(tmp_path: Path) -> None:
    page = make(tmp_path, ("3119.765", "3119.9"))
    done = [run("audit", page, "--strict", "--tolerance", tolerance) for tolerance in ("0", "0.01")]
    assert [one.returncode for one in done] == [1, 0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["none.md"], "none.md: cannot be read: No such file or directory."),
        (["empty"], "There is no Markdown file in empty."),
        (["README.md", "--page", "none"], "none"),
        (["README.md", "--accept", "none.toml"], "none.toml: cannot be read"),
        (["README.md", "--tolerance", "2"], "2.0 is not in the range 0<=x<=1"),
        (["README.md", "--logs", "none"], "Directory 'none' does not exist"),
        (["README.md", "--junit", "none/x.xml"], "none/x.xml: cannot be written: No such file or directory."),
    ],
)
def test_wrong_use_is_reported_and_ends_with_status_2(arguments: list[str], said: str, tmp_path: Path) -> None:
    make(tmp_path)
    (tmp_path / "empty").mkdir()
    done = run("audit", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout, said in done.stderr) == (2, "", True)


def rows(folder: Path) -> list[dict[str, object]]:
    done = run("audit", "--json", folder)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_json_is_one_object_a_number(tmp_path: Path) -> None:
    make(tmp_path, WRONG)
    assert [row["published"] for row in rows(tmp_path)] == ["399.532", "3500.125"]


def test_an_object_has_the_promised_keys_in_their_order(tmp_path: Path) -> None:
    make(tmp_path)
    assert [key for key in rows(tmp_path)[0] if key in KEYS] == KEYS


def test_an_object_says_all_of_its_number(tmp_path: Path) -> None:
    make(tmp_path)
    row = rows(tmp_path)[1]
    case = {"cards": 8, "batch_size": 64, "precision": "fp32", "framework": "paddlepaddle", "device": "A100"}
    assert (row["page"], row["line"], row["row"], row["column"]) == ("README.md", 8, "8", "PaddlePaddle FP32 (BS=64)")
    assert (row["table"], row["unit"]) == ("Toy50 on A100 / Throughput in images/s:", "images/s")
    assert (row["case"], row["log"], row["computed"]) == (case, f"logs/{EIGHT}", "3119.765")
    assert (row["verdict"], round(float(str(row["ratio"])), 6)) == ("exact", 1.0)


def test_what_no_log_backs_is_null(tmp_path: Path) -> None:
    make(tmp_path, ("| 8 |", "| 32 |"))
    row = rows(tmp_path)[1]
    assert [row[key] for key in ("log", "protocol", "computed", "ratio")] == [None] * 4


def test_warnings_leave_json_alone(tmp_path: Path) -> None:
    done = run("audit", "--json", unlike(tmp_path))
    assert [set(json.loads(line)) >= set(KEYS) for line in done.stdout.splitlines()] == [True] * 4
    assert [line[:9] for line in done.stderr.splitlines()] == ["warning: "] * 2


def test_markdown_has_a_table_of_the_verdicts_one_to_mend_and_one_of_what_does_not_compare(tmp_path: Path) -> None:
    write(unlike(tmp_path), WRONG, page=UNLIKE)
    done = run("audit", "--markdown", tmp_path)
    heads = [line for line in done.stdout.splitlines() if line.startswith(("| Verdict", "| Where"))]
    assert [head.split("|")[1].strip() for head in heads] == ["Verdict", "Verdict", "Where"]
    assert done.stderr == ""


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


def test_junit_says_why_a_number_failed(tmp_path: Path) -> None:
    make(tmp_path, WRONG)
    (failure,) = junit(tmp_path).iter("failure")
    assert (failure.get("type"), failure.get("message", "")[:24]) == ("impossible", "Every value in the log i")


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


def test_a_file_that_cannot_be_written_is_reported_in_the_language(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("no table\n", encoding="utf-8")
    done = run("audit", page, "--junit", tmp_path / "no" / "such.xml", "--lang", "zh")
    assert (done.returncode, "无法写入：文件或目录不存在。" in done.stderr) == (2, True)
