"""How many cards trained, as programs say it before their first step."""

from pathlib import Path

import pytest

from parsers.runs.reading import read

GOLDEN = Path(__file__).parent / "golden"
TITAN = "[titan] 2031-02-03 04:05:01,002 - root - INFO - "
NCCL = "I0203 04:05:01.123456  1234 nccl_context.cc:83] init nccl context nranks: 8 local rank: 0 gpu id: 0 ring id: 0"


@pytest.mark.parametrize(
    ("golden", "line", "cards"),
    [
        ("torchtitan/new.log", f"{TITAN}Building 1-D device mesh with ['dp_shard'], [8]", 8),
        ("torchtitan/new.log", f"{TITAN}Building 2-D device mesh with ['dp_shard', 'tp'], [8, 4]", 32),
        (
            "torchtitan/new.log",
            f"{TITAN}Building device mesh with parallelism: pp=2, dp_replicate=1, dp_shard=4, cp=1, tp=2, ep=1, etp=1",
            16,
        ),
        ("paddleclas/amp_o2.log", NCCL, 8),
        ("paddleocr/first_release.log", NCCL, 8),
    ],
)
def test_a_line_says_how_many_cards_train(tmp_path: Path, golden: str, line: str, cards: int) -> None:
    log = tmp_path / "a.log"
    log.write_text(f"{line}\n{(GOLDEN / golden).read_text(encoding='utf-8')}", encoding="utf-8")
    assert read(log).facts["cards"].value == cards
