"""Quantities and what one card does: by what they say of themselves, as far as a log proves it."""

import re
from pathlib import Path

import pytest

from parsers.runs.facts import Fact
from parsers.runs.provenance import PAGE
from report.measure.quantity import QUANTITIES
from report.pagefile.page import TableColumn
from report.results.measured_log import measured_log
from tests.report.compared_page import STEADY, edit, make, put, rendered, unlike
from tests.report.quantity_logs import GOLDEN, MEGATRON, TITAN


def test_a_page_file_names_a_quantity() -> None:
    for quantity in QUANTITIES.values():
        against = {"against": {"column": "b"}, "title": "a over b"} if quantity.origin == "ratio" else {}
        column = TableColumn.model_validate({"column": "a", "quantity": quantity.name, **against})
        assert column.quantity is quantity


def values(log: Path, **facts: int | str) -> dict[str, float]:
    measured = measured_log(log, given=[Fact(name, said, PAGE) for name, said in facts.items()])
    assert measured.measurement is not None
    return {one.name: one.value for one in measured.figures}


def test_what_one_card_does_is_shown_as_far_as_a_log_proves_it() -> None:
    throughput, of_card = measured_log(MEGATRON).throughput(), values(MEGATRON)
    assert [*of_card] == ["throughput_per_card", "tflops_per_card"]
    assert of_card["throughput_per_card"] == pytest.approx(throughput.value * 4096 / 16)
    text = MEGATRON.read_text(encoding="utf-8").splitlines()
    printed = [float(text[line - 1].split("(TFLOP/s/GPU): ")[1].split()[0]) for line in throughput.lines]
    assert min(printed) <= of_card["tflops_per_card"] <= max(printed)
    assert not {"tflops_per_card", "hardware_tflops_per_card", "mfu"} & values(GOLDEN / "paddleclas/amp_o2.log").keys()


def test_an_mfu_is_that_of_the_data_sheet_where_card_and_precision_are_known() -> None:
    known = values(TITAN, precision="bf16")
    assert known["mfu"] == pytest.approx(100 * known["tflops_per_card"] / 989.5, rel=1e-14)
    assert values(TITAN)["mfu"] == pytest.approx(40.3, abs=0.1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The page file beside two logs that are alike."""
    return make(tmp_path)


def common(folder: Path) -> list[float]:
    """The numbers of the only row by the rule."""
    (only,) = unlike(folder)
    return list(only.common.values())


def test_by_the_rule_neither_a_slow_start_nor_a_stalled_end_counts(folder: Path) -> None:
    put(folder, "b1", (4.0, 40.0, *STEADY, 40.0))
    a, b = common(folder)
    assert [a, b] == pytest.approx([401.0, 401.0], abs=0.01)
    assert re.search(r"\| 0\.91\d \| [\d.]+ \| 1\.000 \|", rendered(folder, "en"))


def test_repeats_are_put_together_by_their_median_whatever_the_page_states(folder: Path) -> None:
    edit(folder, 'protocol = "plain"', 'protocol = "estimate=reported,repeats=mean"')
    put(folder, "b1", (*STEADY, 40.0))
    text = (folder / "logs/b1/train.log").read_text(encoding="utf-8")
    (folder / "logs/b1/more.log").write_text(text.replace("ips : 40", "ips : 60"), encoding="utf-8")
    assert common(folder)[1] == pytest.approx((401.0 + 601.0) / 2, abs=0.01)
    assert "| 500.998 |" in rendered(folder, "en")
