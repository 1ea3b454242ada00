"""`show` says of a language model what one card does and how long a step takes, as far as its log proves it."""

from pathlib import Path

import pytest

from parsers.runs.facts import Fact
from parsers.runs.provenance import PAGE
from report.evidence.log_summary import Summary, as_json, summarise
from report.measure.quantities.speed import BY_PEAK, PRINTED_MFU
from tests.commandline import run
from tests.report.quantity_logs import GOLDEN, MEGATRON, PAGE_LOGS, TITAN

MAXTEXT = PAGE_LOGS / "maxtext_toy-7b_h200_bs6.log"


def told(log: Path, **facts: int | str) -> Summary:
    return summarise(log, None, tuple(Fact(name, said, PAGE) for name, said in facts.items()))


def shown(log: Path) -> list[str]:
    """The lines of figures that `show` prints of a log."""
    names = ("throughput per card:", "model FLOP", "time per step:")
    return [line.strip() for line in run("show", str(log)).stdout.splitlines() if line.strip().startswith(names)]


def values(log: Path, **facts: int | str) -> dict[str, float]:
    return {one.shown.quantity.name: one.figure.value for one in told(log, **facts).figures}


def test_a_log_has_the_figures_that_its_page_shows() -> None:
    assert shown(MEGATRON) == [
        "throughput per card: 1542.5 tokens/s/card",
        "time per step: 21.243 s",
        "model FLOP/s per card: 126.3 TFLOP/s",
    ]


def test_the_throughput_of_a_card_is_not_told_twice() -> None:
    assert told(MAXTEXT).measurement is not None
    assert "throughput_per_card" in values(MAXTEXT)
    assert list(values(TITAN)) == ["tflops_per_card", "mfu"]


def test_a_log_that_counts_no_tokens_and_no_operations_has_no_such_figures() -> None:
    log = GOLDEN / "paddleclas/amp_o2.log"
    assert told(log).measurement is not None
    assert not told(log).figures


def test_an_mfu_whose_peak_is_not_known_is_the_printed_one_and_says_so() -> None:
    assert values(TITAN)["mfu"] == 40.288
    assert PRINTED_MFU in [said.key for said in told(TITAN).warnings]


def test_an_mfu_of_a_known_peak_is_that_of_its_data_sheet() -> None:
    known = values(TITAN, precision="bf16")
    assert known["mfu"] == pytest.approx(100 * known["tflops_per_card"] / 989.5, rel=1e-14)


def test_a_printed_mfu_of_another_peak_is_told() -> None:
    assert BY_PEAK in [said.key for said in told(TITAN, precision="fp8").warnings]


def test_json_has_the_figures_with_their_units() -> None:
    assert as_json(told(MEGATRON))["figures"]["step_time"] == {"value": pytest.approx(21.243, abs=5e-4), "unit": "s"}
    assert as_json(told(MEGATRON))["figures"]["throughput_per_card"]["unit"] == "tokens/s/card"
