"""Pages of logs of several ranks: which is slow is shown, and the rate of one is no number of the job."""

import json
from pathlib import Path

import pytest

from report.results.remarks import Remark
from tests.report.page_text import report_of, results_of, written
from tests.report.rank_logs import GRAMMAR, PAGE, log


@pytest.fixture(autouse=True)
def formats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "formats").mkdir()
    for scope in ("card", "job"):
        (tmp_path / f"formats/of_{scope}.lark").write_text(GRAMMAR.format(word=f"of_{scope}", scope=scope))
    monkeypatch.setenv("TACHOGRAPH_FORMATS", str(tmp_path / "formats"))


@pytest.mark.parametrize(
    ("language", "row"),
    [
        (
            "en",
            "| 80.0035 samples/s (rank 3 on node 1) | 95.0035 samples/s | 110.003 samples/s (rank 2 on node 1) |",
        ),
        ("zh", "80.0035 samples/s（节点 1 上的 rank 3）"),
    ],
)
def test_a_page_has_a_table_of_ranks_that_names_the_slowest_and_its_node(
    tmp_path: Path, language: str, row: str
) -> None:
    log(tmp_path, [100, 90, 110, 80])
    run_file = {"case": {"nodes": 2, "cards_per_node": 2, "cards": 4}, "status": "done"}
    (tmp_path / "run.json").write_text(json.dumps(run_file))
    (tmp_path / "page.toml").write_text(PAGE.replace("cards = 8", "cards = 4"))
    assert row in written(report_of(tmp_path / "page.toml", tmp_path), language)


@pytest.mark.parametrize("label", ["{rank}: ", ""])
def test_a_page_refuses_rates_that_may_be_of_one_rank_each(label: str, tmp_path: Path) -> None:
    log(tmp_path, [100, 101], scope="job", label=label)
    (tmp_path / "page.toml").write_text(PAGE)
    (cell,) = results_of(tmp_path / "page.toml", tmp_path)
    assert cell.digits is None and cell.reason is not None
    assert cell.reason.code == Remark.SCOPE_UNKNOWN
