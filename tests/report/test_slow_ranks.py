"""A rank that is slow is named among many; where none is, none is named, and one rank never stands for others."""

from pathlib import Path

import pytest
from report.measure.quantities.training import ONE_RANK

from report.evidence.case_evidence import cells
from report.evidence.log_summary import summarise
from report.evidence.measured_log import open as open_log
from report.measure.protocol import Protocol
from report.measuring.ranks.rank_records import NOT_ONE
from report.measuring.ranks.rank_spread import APART, DIFFER, DIFFER_BY_NODE
from report.pagefile.page_file import load
from report.terminal.show_json import as_json
from tests.report.rank_logs import GRAMMAR, PAGE, RANKS, keys, log, simulated_rates, spread


@pytest.fixture(autouse=True)
def formats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "formats").mkdir()
    (tmp_path / "formats/of_card.lark").write_text(GRAMMAR.format(word="of_card", scope="card"))
    monkeypatch.setenv("TACHOGRAPH_FORMATS", str(tmp_path / "formats"))


def simulated(folder: Path, seed: int, slow: int | None) -> Path:
    """A log of 64 ranks, of which one may be slow."""
    rates = simulated_rates(seed, [] if slow is None else [slow])
    lines = [
        f"{rank}: of_card step {step} rate {rate:.3f} samples/s\n"
        for step, row in enumerate(rates, 1)
        for rank, rate in enumerate(row)
    ]
    path = folder / "train.log"
    path.write_text("".join(lines), encoding="utf-8")
    return path


def named(path: Path) -> list[str]:
    """The ranks that the warnings of a log name as slow."""
    said = [found for found in summarise(path, None, ()).warnings if found.key in (DIFFER, DIFFER_BY_NODE)]
    return [str(found.values["rank"]) for found in said]


@pytest.mark.slow
def test_a_rank_that_is_slower_by_5_percent_is_named_among_64(tmp_path: Path) -> None:
    slow = [(seed * 7) % RANKS for seed in range(100)]
    found = [named(simulated(tmp_path, seed, rank)) == [str(rank)] for seed, rank in enumerate(slow)]
    assert sum(found) >= 95


@pytest.mark.slow
def test_no_rank_is_named_where_none_is_slow(tmp_path: Path) -> None:
    assert not any(named(simulated(tmp_path, seed, None)) for seed in range(100))


def test_ranks_that_are_apart_by_chance_are_told_without_a_name(tmp_path: Path) -> None:
    assert APART in keys(summarise(simulated(tmp_path, 1, None), None, ()))


def test_the_imbalance_is_that_of_the_slowest_rank_behind_the_median() -> None:
    assert spread([100, 100, 100, 90]).imbalance == pytest.approx(0.1)
    assert spread([1.0, 1.0, 1.25], are_times=True).imbalance == pytest.approx(0.25)


def test_show_exports_the_slowest_rank_and_the_numbers_of_nodes(tmp_path: Path) -> None:
    path = log(tmp_path, [100, 100, 90, 100])
    (tmp_path / "run.json").write_text('{"case": {"cards_per_node": 2, "nodes": 2}, "status": "done"}')
    ranks = as_json(open_log(path))["ranks"]
    assert (ranks["slowest"], round(ranks["behind_median"], 3)) == (2, 0.1)
    assert {node: round(of["min"]) for node, of in ranks["nodes"].items()} == {"0": 100, "1": 90}


@pytest.mark.parametrize("estimate", ["instant"])
def test_one_rank_times_the_cards_is_refused_where_all_ranks_are_there_and_differ(
    tmp_path: Path, estimate: str
) -> None:
    path = log(tmp_path, [100, 90])
    found = summarise(path, Protocol.parse(f"estimate={estimate}"), ())
    assert found.measurement is not None and found.measurement.scope == "card"
    (tmp_path / "run.json").write_text('{"case": {"cards": 2}, "status": "done"}')
    refused = summarise(path, Protocol.parse(f"estimate={estimate}"), ())
    assert refused.measurement is None and refused.reason is not None and refused.reason.key == NOT_ONE


def test_one_rank_times_the_cards_is_taken_where_all_ranks_agree(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"case": {"cards": 2}, "status": "done"}')
    found = summarise(log(tmp_path, [100, 100.5]), Protocol.parse("estimate=instant"), ())
    assert found.measurement is not None and found.measurement.value == pytest.approx(200.007)


@pytest.mark.parametrize(
    ("rates", "printed", "reason"), [([100, 100, 90, 100], "10.0", "None"), ([100], None, ONE_RANK)]
)
def test_a_page_shows_the_imbalance_of_ranks(
    tmp_path: Path, rates: list[float], printed: str | None, reason: str
) -> None:
    log(tmp_path, rates)
    page = PAGE.replace("cards = 8", "cards = 4").replace(
        '{ column = "a" }', '{ column = "a", quantity = "imbalance" }'
    )
    (tmp_path / "page.toml").write_text(page)
    (cell,) = cells(load(tmp_path / "page.toml"), tmp_path)
    assert cell.printed == printed and reason in str(cell.reason)
