"""Every verdict once, on a small page beside its logs."""

from pathlib import Path

import pytest

from report.pagefile.page_file import load
from tests.report.audit.small_site import EIGHT, ONE, PAGE, add_tensorflow, audited, make, verdicts, write

CALLED_EIGHT = f"[8 cards](logs/{EIGHT})"
TWO_COLUMNS = PAGE.replace(
    "| PaddlePaddle FP32 (BS=64) |\n|:--|", "| PaddlePaddle FP32 (BS=64) | TensorFlow FP32 |\n|:--|--|"
)
STATED = """
title = "Toy50"
model = "Toy50"
unit = "images/s"
tested = ["A toy."]
[columns.paddle]
title = "PaddlePaddle"
[[columns.paddle.runs]]
logs = "logs/PaddleClas_Toy50_bs{batch_size}_{precision}_DP_N1C{cards}_log"
protocol = "PROTOCOL"
[[tables]]
name = "cards"
title = "By cards"
corner = "Cards"
case = { precision = "fp32", batch_size = 64 }
columns = [{ column = "paddle" }]
rows = [{ title = "{cards}", case = { cards = 1 } }]
"""


RIGHT = f"logs/{EIGHT}"
# What is changed on the page, and what is then said of its second number: its verdict, and the log that backs it.
CHANGES: dict[str, tuple[list[tuple[str, str]], str, str | None]] = {
    "given by its log": ([], "exact", RIGHT),
    "cut off": ([("399.532", "399.531"), ("3119.765", "3119.764")], "exact", RIGHT),
    "near": ([("3119.765", "3119.9")], "unexplained", RIGHT),
    "above every value": ([("3119.765", "3500.125")], "impossible", RIGHT),
    "another batch size": ([("BS=64", "BS=32")], "mislabelled", RIGHT),
    "a link to another log": ([(CALLED_EIGHT, f"[8 cards](logs/{ONE})")], "mislabelled", RIGHT),
    "a dead link": ([(RIGHT, "logs/gone_log")], "exact", RIGHT),
    "itself a dead link": ([("3119.765", "[3119.765](logs/gone.log)")], "exact", RIGHT),
    "another number as a dead link": ([("3119.765", "[31197.65](logs/gone.log)")], "unexplained", RIGHT),
    "no log of its case": ([("| 8 |", "| 32 |")], "no evidence", None),
}


@pytest.mark.parametrize(("changes", "verdict", "log"), CHANGES.values(), ids=CHANGES)
def test_a_number_has_the_verdict_that_its_log_and_its_labels_give_it(
    changes: list[tuple[str, str]], verdict: str, log: str | None, tmp_path: Path
) -> None:
    make(tmp_path, *changes)
    found = audited(tmp_path)[1]
    assert (found.verdict, found.log) == (verdict, log)


def test_an_exact_number_has_its_protocol_and_what_this_gives(tmp_path: Path) -> None:
    make(tmp_path)
    found = audited(tmp_path)[1]
    words = "records=step estimate=reported skip_records=10 trim=0.05 trim_min=5 statistic=mean decimals=3"
    assert (found.protocol, found.computed) == (words, "3119.765")


@pytest.mark.parametrize(("digits", "verdict"), [("3119.9", "near"), ("3130.9", "unexplained")])
def test_a_number_within_the_tolerance_is_near(digits: str, verdict: str, tmp_path: Path) -> None:
    make(tmp_path, ("3119.765", digits))
    assert audited(tmp_path, tolerance=0.001)[1].verdict == verdict


def test_a_number_that_another_table_states_otherwise_is_unexplained_and_the_other_one_named(tmp_path: Path) -> None:
    page = make(tmp_path / "site")
    overview = write(page.parent, ("3119.765", "3110.1"), name="overview.md")
    (found,) = [one for one in audited(page.parent) if one.number.page == overview and one.verdict != "exact"]
    assert found.verdict == "unexplained"
    assert "line 8 of site/README.md" in str(found.reason)


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ([], "dead link"),
        ([("3119.765", "3333.3"), (CALLED_EIGHT, f"[8 cards](logs/{ONE})")], "unexplained"),
    ],
    ids=["its link", "a link to another log"],
)
def test_a_number_whose_log_is_gone_is_not_accused(
    changes: list[tuple[str, str]], verdict: str, tmp_path: Path
) -> None:
    page = make(tmp_path, *changes)
    (page.parent / RIGHT).unlink()
    assert audited(tmp_path)[1].verdict == verdict


def test_a_log_of_no_known_format_is_no_evidence(tmp_path: Path) -> None:
    page = make(tmp_path)
    (page.parent / RIGHT).write_text("nothing\n", encoding="utf-8")
    assert audited(tmp_path)[1].verdict == "no evidence"


def test_each_column_has_its_logs(tmp_path: Path) -> None:
    page = TWO_COLUMNS.replace("399.532 |", "399.532 | 420.5 |").replace("3119.765 |", "3119.765 | 3282 |")
    make(tmp_path, page=page)
    add_tensorflow(tmp_path)
    assert [str(finding.log)[5:8] for finding in audited(tmp_path)] == ["Pad", "tf_", "Pad", "tf_"]


def test_a_page_without_tables_has_no_numbers(tmp_path: Path) -> None:
    assert [finding.verdict for finding in audited(write(tmp_path, page="# Nothing\n"))] == ["no numbers"]


@pytest.mark.parametrize(("protocol", "verdict"), [("tipc", "exact"), ("plain", "contradicted")])
def test_a_protocol_that_a_page_file_states_is_the_only_one_that_counts(
    protocol: str, verdict: str, tmp_path: Path
) -> None:
    page = make(tmp_path)
    (tmp_path / "toy.toml").write_text(STATED.replace("PROTOCOL", protocol), encoding="utf-8")
    found = audited(page, pages=[load(tmp_path / "toy.toml")])
    assert [finding.verdict for finding in found] == [verdict, verdict]


def test_a_page_file_says_where_logs_lie_that_no_name_tells(tmp_path: Path) -> None:
    page = make(tmp_path, (f"[1 card](logs/{ONE}), {CALLED_EIGHT}", ""))
    stated = STATED.replace("PROTOCOL", "tipc").replace(
        "logs/PaddleClas_Toy50_bs{batch_size}_{precision}_DP_N1C", "x/c"
    )
    (tmp_path / "toy.toml").write_text(stated.replace("_log", ""), encoding="utf-8")
    (tmp_path / "x").mkdir()
    for name, cards in ((ONE, 1), (EIGHT, 8)):
        (tmp_path / "logs" / name).rename(tmp_path / f"x/c{cards}")
    assert verdicts(page) == ["no evidence", "no evidence"]
    assert [f.verdict for f in audited(page, pages=[load(tmp_path / "toy.toml")])] == ["exact", "exact"]
