"""Every verdict once, on a small page beside its logs."""

from pathlib import Path

import pytest

from report.audit.finding import Finding
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


def on_eight_cards(folder: Path, *changes: tuple[str, str], tolerance: float = 0.0) -> Finding:
    """The finding for the second number of the page."""
    make(folder, *changes)
    return audited(folder, tolerance=tolerance)[1]


def test_a_number_that_its_log_gives_is_exact(tmp_path: Path) -> None:
    found = on_eight_cards(tmp_path)
    assert (found.verdict, found.computed, found.log) == ("exact", "3119.765", f"logs/{EIGHT}")


def test_an_exact_number_has_its_protocol(tmp_path: Path) -> None:
    words = "records=step estimate=reported skip_records=10 trim=0.05 trim_min=5 statistic=mean decimals=3"
    assert on_eight_cards(tmp_path).protocol == words


def test_a_number_that_was_rounded_is_said_to_be(tmp_path: Path) -> None:
    said = "The log gives these digits (rounded half up) by a protocol that matches 2 logs."
    assert str(on_eight_cards(tmp_path).reason) == said


def test_a_number_that_was_cut_off_is_exact_and_said_to_be(tmp_path: Path) -> None:
    found = on_eight_cards(tmp_path, ("399.532", "399.531"), ("3119.765", "3119.764"))
    said = "The log gives these digits (truncated) by a protocol that matches 2 logs."
    assert (found.verdict, str(found.reason)) == ("exact", said)


def test_a_number_within_the_tolerance_is_near(tmp_path: Path) -> None:
    found = on_eight_cards(tmp_path, ("3119.765", "3119.9"), tolerance=0.001)
    assert (found.verdict, str(found.reason)) == ("near", "The number is within 0.10% of what its log gives.")


def test_a_number_beyond_the_tolerance_is_unexplained(tmp_path: Path) -> None:
    found = on_eight_cards(tmp_path, ("3119.765", "3130.9"), tolerance=0.001)
    assert (found.verdict, found.computed, round(found.ratio or 0, 4)) == ("unexplained", "3117.0", 1.0045)


def test_a_number_above_every_value_of_its_log_is_impossible(tmp_path: Path) -> None:
    found = on_eight_cards(tmp_path, ("3119.765", "3500.125"))
    assert (found.verdict, str(found.reason)) == (
        "impossible",
        "Every value in the log is between 3098.86 and 3138.02.",
    )


def test_a_number_that_another_table_states_otherwise_is_unexplained_and_the_other_one_named(tmp_path: Path) -> None:
    page = make(tmp_path / "site")
    overview = write(page.parent, ("3119.765", "3110.1"), name="overview.md")
    (found,) = [one for one in audited(page.parent) if one.number.page == overview and one.verdict != "exact"]
    assert found.verdict == "unexplained"
    assert "line 8 of site/README.md states 3119.765 for the same case" in str(found.reason)


def test_a_number_whose_label_contradicts_its_log_is_mislabelled(tmp_path: Path) -> None:
    found = on_eight_cards(tmp_path, ("BS=64", "BS=32"))
    assert (found.verdict, found.computed) == ("mislabelled", "3119.765")
    assert str(found.reason) == (
        "The log gives these digits (rounded half up) by a protocol that matches 2 logs; label: batch size 32,"
        " file name: 64."
    )


def test_a_number_that_another_log_gives_than_the_linked_one_is_mislabelled(tmp_path: Path) -> None:
    found = on_eight_cards(tmp_path, (CALLED_EIGHT, f"[8 cards](logs/{ONE})"))
    assert (found.verdict, found.log) == ("mislabelled", f"logs/{EIGHT}")


def test_a_number_that_differs_from_the_linked_log_of_another_case_is_unexplained(tmp_path: Path) -> None:
    page = make(tmp_path, ("3119.765", "3333.3"), (CALLED_EIGHT, f"[8 cards](logs/{ONE})"))
    (page.parent / "logs" / EIGHT).unlink()
    found = audited(tmp_path)[1]
    assert (found.verdict, "label: cards 8, file name: 1" in str(found.reason)) == ("unexplained", True)


def test_a_number_whose_link_leads_nowhere_has_a_dead_link(tmp_path: Path) -> None:
    page = make(tmp_path)
    (page.parent / "logs" / EIGHT).unlink()
    found = audited(tmp_path)[1]
    assert (found.verdict, found.log) == ("dead link", None)
    said = f"The link '8 cards' points to logs/{EIGHT}, which does not exist, and no other log was found."
    assert str(found.reason) == said


def test_a_number_that_is_itself_a_dead_link_is_said_to_be_one_beside_the_log_that_gives_it(tmp_path: Path) -> None:
    make(tmp_path, ("3119.765", "[3119.765](logs/gone.log)"))
    found = audited(tmp_path)[1]
    assert (found.verdict, found.log) == ("exact", f"logs/{EIGHT}")
    assert str(found.reason).endswith("; its link is dead: logs/gone.log.")


def test_a_number_that_is_itself_a_dead_link_is_not_accused_by_another_log(tmp_path: Path) -> None:
    make(tmp_path, ("3119.765", "[31197.65](logs/gone.log)"))
    found = audited(tmp_path)[1]
    assert found.verdict == "unexplained"
    assert "its link is dead: logs/gone.log" in str(found.reason)


def test_a_dead_link_of_a_number_whose_log_is_found_is_reported(tmp_path: Path) -> None:
    found = on_eight_cards(tmp_path, (f"logs/{EIGHT}", "logs/gone_log"))
    assert (found.verdict, str(found.reason)) == (
        "exact",
        "The log gives these digits (rounded half up) by a protocol that matches 2 logs; its link is dead:"
        " logs/gone_log.",
    )


def test_a_number_without_a_log_has_no_evidence(tmp_path: Path) -> None:
    found = on_eight_cards(tmp_path, ("| 8 |", "| 32 |"))
    assert (found.verdict, str(found.reason)) == ("no evidence", "No log of this case was found.")


def test_a_log_of_no_known_format_is_no_evidence(tmp_path: Path) -> None:
    page = make(tmp_path)
    (page.parent / "logs" / EIGHT).write_text("nothing\n", encoding="utf-8")
    found = audited(tmp_path)[1]
    said = f"logs/{EIGHT} is not in a known log format, and no throughput in it is known by its name and unit; see"
    assert (found.verdict, str(found.reason)) == ("no evidence", f"{said} `tachograph format logs/{EIGHT}`.")


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


def test_a_stated_protocol_is_said_to_be(tmp_path: Path) -> None:
    page = make(tmp_path)
    (tmp_path / "toy.toml").write_text(STATED.replace("PROTOCOL", "tipc"), encoding="utf-8")
    said = "The log gives these digits (rounded half up) by the stated protocol."
    assert str(audited(page, pages=[load(tmp_path / "toy.toml")])[0].reason) == said


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


def test_what_a_page_file_does_not_know_is_recovered(tmp_path: Path) -> None:
    page = make(tmp_path)
    stated = STATED.replace("PROTOCOL", "plain").replace('title = "PaddlePaddle"', 'title = "PyTorch"')
    (tmp_path / "toy.toml").write_text(stated, encoding="utf-8")
    assert [f.verdict for f in audited(page, pages=[load(tmp_path / "toy.toml")])] == ["exact", "exact"]
