"""A slow rank and a slow node are named among the logs of many ranks, with what the card of the rank did."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from report.evidence.log_summary import summarise
from report.measuring.ranks.rank_spread import DIFFER, DIFFER_BY_NODE, SLOW_NODES, RankSpread
from tests.commandline import run
from tests.report.rank_folders import folder, rated, shown
from tests.report.rank_logs import GRAMMAR, RANKS, simulated_rates, spread

OF_NODES = """// made up: lines such as `of_nodes step 1 rate 10.5 samples/s`
start: step_line | fact_line
step_line: "of_nodes" "step" step{"1"} "rate" throughput{samples, card, instant} "samples/s"
fact_line: "training on" cards{INTEGER} "cards of" nodes "nodes"
%import .vocabulary (step, throughput, samples, card, instant, cards, nodes, INTEGER, BLANK)
%ignore BLANK
"""
CARD_HEAD = "time,card,utilisation,memory,power,sm_clock,memory_clock,temperature\n"


@pytest.fixture(autouse=True)
def formats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "formats").mkdir()
    (tmp_path / "formats/of_card.lark").write_text(GRAMMAR.format(word="of_card", scope="card"))
    (tmp_path / "formats/of_nodes.lark").write_text(OF_NODES)
    monkeypatch.setenv("TACHOGRAPH_FORMATS", str(tmp_path / "formats"))


def nodes(values: Sequence[float], *, are_times: bool = False) -> RankSpread:
    return spread(values, are_times=are_times)


@pytest.mark.parametrize(
    ("values", "slow"),
    [
        ([100, 101, 100, 99, 95, 94, 96, 95], [1]),
        ([100, 101, 100, 99, 95, 94, 100, 95], []),
        ([100] * 4 + [90] * 4 + [100] * 4 + [80] * 4 + [100] * 4, [1, 3]),
        ([100] * 8, []),
        ([100] * 4, []),
    ],
)
def test_nodes_are_slow_whose_ranks_are_all_behind_those_of_the_others(values: list[float], slow: list[int]) -> None:
    assert [*nodes(values).slow_nodes] == slow
    assert [*nodes([1 / value for value in values], are_times=True).slow_nodes] == slow
    assert [said.key for said in nodes(values).messages if said.key == SLOW_NODES] == [SLOW_NODES][: len(slow)]


def simulated_folder(tmp_path: Path, seed: int, slow: Sequence[int] = ()) -> Path:
    """The logs of 64 ranks on 8 nodes, of which some may be slow."""
    rates = simulated_rates(seed, slow)
    text = "training on 64 cards of 8 nodes\n"
    return folder(
        tmp_path,
        RANKS,
        lambda rank: (
            text
            + "".join(f"of_nodes step {at} rate {rate:.3f} samples/s\n" for at, rate in enumerate(rates[:, rank], 1))
        ),
    )


def told_slow(path: Path) -> tuple[list[str], list[int]]:
    """The ranks that the warnings of the logs of a run name as slow, and the nodes that are."""
    found = summarise(path, None, ())
    spread_of = found.measurement.ranks if found.measurement else None
    ranks = [str(said.values["rank"]) for said in found.warnings if said.key in (DIFFER, DIFFER_BY_NODE)]
    return ranks, [*spread_of.slow_nodes] if spread_of else []


def test_a_node_that_is_slower_by_5_percent_is_named_among_8(tmp_path: Path) -> None:
    slow = {node: told_slow(simulated_folder(tmp_path, node, range(8 * node, 8 * node + 8)))[1] for node in range(8)}
    assert slow == {node: [node] for node in range(8)}


def telemetry(path: Path, clocks: Sequence[int]) -> None:
    rows = [
        f"{second},{card},99,1000,{clock // 4},{clock},1500,70\n"
        for second in range(3)
        for card, clock in enumerate(clocks)
    ]
    (path / "gpu.csv").write_text(CARD_HEAD + "".join(rows))


def test_the_clock_and_power_of_the_card_of_the_slowest_rank_stand_beside_those_of_the_others(tmp_path: Path) -> None:
    path = folder(tmp_path, 4, rated([100, 90, 100, 100]))
    telemetry(path, [2000, 1600, 2000, 2000])
    printed = run("show", "--all", path).stdout
    assert (
        "card 1 of gpu.csv (slowest rank): SM clock 1600 MHz (others 2000), power draw 400 W (others 500), temperature "
        "70 °C (others 70), utilisation 99 % (others 99); its clock is 20% below that of the others"
    ) in printed
    assert shown(path)["cards_of_ranks"]["own"]["sm_clock"] == 1600


def test_a_row_of_gpu_csv_beside_the_logs_of_ranks_that_cannot_be_of_them_is_left_out_and_told(tmp_path: Path) -> None:
    path = folder(tmp_path, 4, rated([100, 90, 100, 100]))
    telemetry(path, [2000, 1600, 2000, 2000])
    with (path / "gpu.csv").open("a", encoding="utf-8") as file:
        file.write("3,1,99,1000,-400,9000,1500,70\n")
    told = shown(path)
    assert told["cards_of_ranks"]["own"] == {"sm_clock": 1600, "power": 400, "temperature": 70, "utilisation": 99}
    assert "Rows of gpu.csv with negative numbers, left out: 1 (lines 14)." in told["warnings"]
