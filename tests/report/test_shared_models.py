"""Where cards share a model, a batch is not that of a card: no throughput is computed as if it were."""

from pathlib import Path
from typing import Any

import pytest

from report.evidence.measured_log import open as open_log
from report.measure.protocol import Protocol
from report.terminal.show_json import as_json

GRAMMAR = """// made up: lines such as `toy 1 took 0.5 s at 1000000`, with the unix time at the end
start: step_line
step_line: "toy" step{"1"} "took" step_time{seconds, instant} "s at" time{UNIX_SECONDS}
%import .vocabulary (step, step_time, time, seconds, instant, UNIX_SECONDS, BLANK)
%ignore BLANK
"""
STEPS = "".join(f"toy {n} took 0.5 s at {1_900_000_000 + n / 2}\n" for n in range(1, 40))
SHARING = ["tensor_parallel_size: 2", "pipeline_parallel_size: 4", "context_parallel_size: 8", "data_parallel_size: 4"]
BATCHES = [
    "micro_batch_size: 4",
    "per_device_train_batch_size: 4",
    "micro_batch_size: 4\ngradient_accumulation_steps: 2",
]


@pytest.fixture(autouse=True)
def formats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "formats").mkdir()
    (tmp_path / "formats/toy.lark").write_text(GRAMMAR)
    monkeypatch.setenv("TACHOGRAPH_FORMATS", str(tmp_path / "formats"))


def found(folder: Path, text: str, estimate: str | None = None) -> dict[str, Any]:
    log = folder / "train.log"
    log.write_text(text + STEPS, encoding="utf-8")
    return as_json(open_log(log, protocol=Protocol.parse(f"estimate={estimate}") if estimate else None))


@pytest.mark.parametrize("estimate", ["step_time", "clock"])
@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("sharing", SHARING)
def test_no_estimate_multiplies_a_batch_by_cards_that_share_a_model(
    tmp_path: Path, sharing: str, batch: str, estimate: str
) -> None:
    said = found(tmp_path, f"world_size: 16\n{sharing}\n{batch}\n", estimate)
    assert said["throughput"] is None or said["throughput"]["unit"] == "steps/s"


@pytest.mark.parametrize("estimate", ["step_time", "clock"])
@pytest.mark.parametrize("sharing", SHARING[:3])
def test_the_batch_of_the_job_counts_where_cards_share_a_model(tmp_path: Path, sharing: str, estimate: str) -> None:
    text = f"world_size: 16\n{sharing}\nmicro_batch_size: 4\nglobal_batch_size: 64\n"
    assert found(tmp_path, text, estimate)["throughput"]["value"] == pytest.approx(128)


def test_batches_multiply_the_cards_where_none_share_a_model(tmp_path: Path) -> None:
    text = "world_size: 16\ntensor_parallel_size: 1\nmicro_batch_size: 4\n"
    assert found(tmp_path, text, "step_time")["throughput"]["value"] == 128
