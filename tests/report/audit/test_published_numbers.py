"""Which numbers of a table are throughputs, and of which case each is."""

from pathlib import Path

import pytest

from report.published.document import parse_document
from report.published.published_numbers import in_logs, others_published
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


def test_a_number_knows_its_place() -> None:
    (number,) = numbers("# T\n\nimages/s\n\n| Cards | Mode | Paddle |\n|---|---|---|\n| 8 | AMP | 5.25 |\n")
    assert (number.row, number.column, number.line, number.table, number.place) == ("8 AMP", "Paddle", 7, 0, (0, 2))


def test_decimals_are_those_that_are_printed() -> None:
    (number,) = numbers("| Cards | images/s |\n|---|---|\n| 1 | 1,250.50 |\n")
    assert (number.decimals, str(number.value)) == (2, "1250.50")


def test_the_case_is_put_together_from_row_column_heading_caption_and_folder() -> None:
    text = "# A\n\n## V100\n\nFP32, images/s\n\n| Cards | PaddlePaddle (BS=64) |\n|---|---|\n| 8 | 5 |\n"
    (number,) = numbers(text, "Perf/N4C32/README.md")
    said = {"cards": 8, "framework": "paddlepaddle", "batch_size": 64, "device": "V100", "precision": "fp32"}
    assert {**said, "nodes": 4} == number.case


def test_a_mark_in_the_cell_counts_before_its_column() -> None:
    first, second = numbers("| Cards | FP32 images/s |\n|---|---|\n| 8 | 5.5 (AMP) |\n| 16 | 6.5 |\n")
    assert (first.case["precision"], second.case["precision"]) == ("amp", "fp32")


def test_a_mark_in_brackets_says_the_case_of_its_number() -> None:
    assert numbers("| Cards | images/s |\n|---|---|\n| 8 | 5.5 (BS=256, AMP) |\n")[0].case["batch_size"] == 256


@pytest.mark.parametrize(
    "head", ["Speedup", "加速比", "Time to train", "Top-1 accuracy", "Latency (ms)", "显存 (MB)", "Epochs"]
)
def test_a_column_of_another_quantity_holds_no_throughput(head: str) -> None:
    assert digits(f"| Cards | images/s | {head} |\n|---|---|---|\n| 8 | 5.5 | 6.5 |\n") == ["5.5"]


@pytest.mark.parametrize("head", ["GPUs", "卡数", "Batch size / GPU", "节点数"])
def test_a_column_of_an_axis_is_the_case_and_no_throughput(head: str) -> None:
    assert digits(f"| Mode | {head} | images/s |\n|---|---|---|\n| AMP | 8 | 5.5 |\n") == ["5.5"]


def test_the_first_column_names_the_rows() -> None:
    assert digits("# images/s\n\n| Model | Paddle |\n|---|---|\n| 50 | 5.5 |\n") == ["5.5"]


def test_a_bare_number_is_a_value_of_the_axis_that_its_column_names() -> None:
    (number,) = numbers("| Batch size | Cards | images/s |\n|---|---|---|\n| 64 | 8 | 5.5 |\n")
    assert number.case == {"batch_size": 64, "cards": 8}


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


def test_a_table_of_the_environment_holds_no_throughput() -> None:
    text = "# Throughput\n\n| 软件 | 版本 |\n|---|---|\n| CUDA | 11.2 |\n| cuDNN | 8.1 |\n"
    assert digits(text) == []


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("| Cards | images/s |\n|---|---|\n| 8 | 5.5 |\n", "images/s"),
        ("Sequences per second:\n\n| Cards | Paddle |\n|---|---|\n| 8 | 5.5 |\n", "Sequences/second"),
        ("# Throughput\n\n| Cards | Paddle |\n|---|---|\n| 8 | 5.5 |\n", None),
    ],
)
def test_the_unit_is_as_it_is_written(text: str, unit: str | None) -> None:
    (number,) = numbers(text)
    assert number.unit == unit


def test_the_nearest_links_come_first() -> None:
    text = "in [all](all), images/s\n\n| Cards | [Paddle](head) |\n|---|---|\n| [8](row) | [5.5](cell) |\n"
    (number,) = numbers(text)
    assert list(dict.fromkeys(link.address for link in number.links)) == ["cell", "head", "row", "all"]


def test_the_folders_of_the_page_say_what_nothing_nearer_says() -> None:
    (number,) = numbers("images/s\n\n| Cards | A |\n|---|---|\n| 8 | 5.5 |\n", str(Path("V100/Paddle/README.md")))
    assert number.case == {"cards": 8, "framework": "paddlepaddle", "device": "V100"}


@pytest.mark.parametrize(
    ("head", "seconds"),
    [
        ("ms/iter", 0.001),
        ("Step time (s)", 1.0),
        ("train time (s/iter)", 1.0),
        ("Avg. step time [ms]", 0.001),
        ("time/iter (ms)", 0.001),
        ("单步耗时（毫秒）", 0.001),
        ("秒/步", 1.0),
        ("Step time", None),
        ("s/epoch", None),
        ("Eval time (s)", None),
        ("ms/image", None),
    ],
)
def test_the_time_of_a_step_has_its_unit_and_no_other_time_has(head: str, seconds: float | None) -> None:
    document = parse_document(f"| Cards | {head} |\n|---|---|\n| 8 | 6.5 |\n", Path("README.md"))
    assert [number.seconds for number in in_logs(document)] == ([seconds] if seconds else [])


@pytest.mark.parametrize(
    "head",
    [
        *("it/s", "TFLOPS", "MFU", "img/s/GPU", "k tokens/s/GPU", "tokens/s per device", "TGS", "TTT"),
        *("训练耗时", "训练时长", "每卡吞吐(张/秒)", "图/秒/卡", "小时/轮"),
    ],
)
def test_another_measured_quantity_is_seen_but_is_no_throughput(head: str) -> None:
    text = f"| Cards | images/s | {head} |\n|---|---|---|\n| 8 | 5.5 | 6.5 |\n"
    document = parse_document(text, Path("README.md"))
    seen = [number for number in (*in_logs(document), *others_published(document)) if number.column == head]
    assert (digits(text), [number.digits for number in seen]) == (["5.5"], ["6.5"])


def test_thousands_and_millions_are_throughputs_only_below_a_head_that_says_so() -> None:
    document = parse_document("| GPUs | tokens/s | Params |\n|---|---|---|\n| 8 | 12.5k | 7M |\n", Path("README.md"))
    assert [(number.digits, number.times) for number in in_logs(document)] == [("12.5", 1000.0)]


@pytest.mark.parametrize(
    ("head", "times"),
    [("k tokens/s", 1e3), ("Throughput (Ktok/s)", 1e3), ("M samples/s", 1e6), ("万词/秒", 1e4), ("molecules/s", 1.0)],
)
def test_what_a_unit_is_in_thousands_of_counts_for_its_numbers(head: str, times: float) -> None:
    (number,) = numbers(f"| Cards | {head} |\n|---|---|\n| 8 | 65.5 |\n")
    assert number.times == times


def test_a_measured_column_is_no_label_of_its_row() -> None:
    (number,) = numbers("| Model | GPU hours | Step time (s) | images/s |\n|---|---|---|---|\n| A | 64 | 8 | 5.5 |\n")
    assert (number.case, number.row) == ({}, "A")


@pytest.mark.parametrize("cell", ["5.5 ± 0.3", "5.5±0.3", "5.5 +/- 0.3", "5.5<sub>±0.3</sub>", "5.5<sup>1</sup>"])
def test_the_spread_of_a_number_is_no_number_of_its_own(cell: str) -> None:
    assert digits(f"| Cards | images/s |\n|---|---|\n| 8 | {cell} |\n") == ["5.5"]


def test_a_mark_in_square_brackets_says_the_case_too() -> None:
    assert numbers("| Cards | images/s |\n|---|---|\n| 8 | 5.5 [BS=96] |\n")[0].case["batch_size"] == 96


def test_settings_beside_a_measured_quantity_are_no_throughputs() -> None:
    assert digits("# Throughput\n\n| GPUs | PP | MBS | Sec/it |\n|---|---|---|---|\n| 64 | 4 | 32 | 8.5 |\n") == []
