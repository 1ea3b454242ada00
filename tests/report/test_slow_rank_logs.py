"""What the card of a slow rank did is told beside its log."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.report.rank_folders import folder, rated, shown
from tests.report.rank_logs import GRAMMAR

CARD_HEAD = "time,card,utilisation,memory,power,sm_clock,memory_clock,temperature\n"


@pytest.fixture(autouse=True)
def formats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "formats").mkdir()
    (tmp_path / "formats/of_card.lark").write_text(GRAMMAR.format(word="of_card", scope="card"))
    monkeypatch.setenv("TACHOGRAPH_FORMATS", str(tmp_path / "formats"))


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
    told = shown(path)["cards_of_ranks"]
    assert [told[whose][what] for what in ("sm_clock", "power") for whose in ("own", "others")] == [
        1600,
        2000,
        400,
        500,
    ]


def test_a_row_of_gpu_csv_beside_the_logs_of_ranks_that_cannot_be_of_them_is_left_out_and_told(tmp_path: Path) -> None:
    path = folder(tmp_path, 4, rated([100, 90, 100, 100]))
    telemetry(path, [2000, 1600, 2000, 2000])
    with (path / "gpu.csv").open("a", encoding="utf-8") as file:
        file.write("3,1,99,1000,-400,9000,1500,70\n")
    told = shown(path)
    assert told["cards_of_ranks"]["own"] == {"sm_clock": 1600, "power": 400, "temperature": 70, "utilisation": 99}
    assert "Rows of gpu.csv with negative numbers, left out: 1 (lines 14)." in told["warnings"]
