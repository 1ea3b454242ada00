"""Which numbers of a table are throughputs, and of which case each is."""

from pathlib import Path

import pytest

from report.published.document import parse_document
from report.published.published_numbers import in_logs
from tests.report.audit.small_site import digits, numbers


def in_cell(markdown: str) -> list[str]:
    """The digits of the numbers of one cell of throughputs."""
    return digits(f"| Cards | images/s |\n|---|---|\n| 1 | {markdown} |\n| 8 | 5 |\n")[:-1]


@pytest.mark.parametrize(
    ("markdown", "found"),
    [
        ("2791.98", ["2791.98"]),
        ("**2791.98**", ["2791.98"]),
        ("2,791.98", ["2791.98"]),
        ("1,002,791", ["1002791"]),
        ("~2791", ["2791"]),
        ("2791.98<sup>1</sup>", ["2791.98"]),
        ("2791.98 (1)", ["2791.98"]),
        ("2791.98 [^1]", ["2791.98"]),
        ("2791.98 (O2)", ["2791.98"]),
        ("[2791.98](logs/x_log)", ["2791.98"]),
        ("370.1 / 2791.98", ["370.1", "2791.98"]),
        ("370.1<br>2791.98", ["370.1", "2791.98"]),
        ("2791.98 (bs=256)", ["2791.98"]),
        ("2791.98 images/s", ["2791.98"]),
        ("-", []),
        ("——", []),
        ("N/A", []),
        ("", []),
        ("OOM", []),
        ("1.5x", []),
        ("98.5%", []),
        ("12 ms", []),
        ("32 GB", []),
        ("300 W", []),
        ("v1.2.3", []),
        ("1.2.3", []),
        ("ResNet50", []),
        ("1.5e5", []),
        ("(3)", []),
        ("-5.5", []),
    ],
)
def test_a_cell_holds_these_throughputs(markdown: str, found: list[str]) -> None:
    assert in_cell(markdown) == found


def test_the_case_is_put_together_from_row_column_heading_caption_and_folder() -> None:
    text = "# A\n\n## V100\n\nFP32, images/s\n\n| Cards | PaddlePaddle (BS=64) |\n|---|---|\n| 8 | 5 |\n"
    (number,) = numbers(text, "Perf/N4C32/README.md")
    said = {"cards": 8, "framework": "paddlepaddle", "batch_size": 64, "device": "V100", "precision": "fp32"}
    assert {**said, "nodes": 4} == number.case


@pytest.mark.parametrize("head", ["GPUs", "卡数", "Batch size / GPU", "节点数"])
def test_a_column_of_an_axis_is_the_case_and_no_throughput(head: str) -> None:
    assert digits(f"| Mode | {head} | images/s |\n|---|---|---|\n| AMP | 8 | 5.5 |\n") == ["5.5"]


def test_the_first_column_names_the_rows() -> None:
    assert digits("# images/s\n\n| Model | Paddle |\n|---|---|\n| 50 | 5.5 |\n") == ["5.5"]


def test_a_table_may_have_its_cards_across() -> None:
    one, eight = numbers("images/s\n\n| GPUs | 1 | 8 |\n|---|---|---|\n| FP32 | 5.5 | 6.5 |\n")
    assert ([one.case["cards"], eight.case["cards"]], one.case["precision"]) == ([1, 8], "fp32")


def test_a_row_of_another_quantity_holds_no_throughput() -> None:
    text = "| Framework | Paddle | Torch |\n|---|---|---|\n| images/s | 5.5 | 6.5 |\n| Time to train | 7.5 | 8.5 |\n"
    assert digits(text) == ["5.5", "6.5"]


def test_the_quantity_may_stand_above_the_table() -> None:
    assert digits("# Throughput\n\n| Cards | Paddle |\n|---|---|\n| 8 | 5.5 |\n") == ["5.5"]


@pytest.mark.parametrize("heading", ["Accuracy", "环境", "Latency"])
def test_a_table_of_something_else_holds_no_throughput(heading: str) -> None:
    assert digits(f"# {heading}\n\n| Cards | Paddle |\n|---|---|\n| 8 | 5.5 |\n") == []


def test_the_nearest_links_come_first() -> None:
    text = "in [all](all), images/s\n\n| Cards | [Paddle](head) |\n|---|---|\n| [8](row) | [5.5](cell) |\n"
    (number,) = numbers(text)
    assert list(dict.fromkeys(link.address for link in number.links)) == ["cell", "head", "row", "all"]


def test_thousands_and_millions_are_throughputs_only_below_a_head_that_says_so() -> None:
    document = parse_document("| GPUs | tokens/s | Params |\n|---|---|---|\n| 8 | 12.5k | 7M |\n", Path("README.md"))
    assert [(number.digits, number.times) for number in in_logs(document)] == [("12.5", 1000.0)]
