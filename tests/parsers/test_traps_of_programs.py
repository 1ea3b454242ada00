"""What programs print that looks like a speed, or like a count, and is none: nothing is read of it."""

from pathlib import Path

import pytest

from parsers.runs.reading import Reading, survey
from tests.parsers.golden_logs import GOLDEN

PADDLECLAS = (
    "[2031/07/02 09:01:{at}0] ppcls INFO: [Train][Epoch 1/3][Iter: {at}0/60]lr: 0.01, CELoss: 6.5, loss: 6.5, "
    "batch_cost: 0.25000s, reader_cost: 0.00210, ips: 128.0 {unit}, eta: 0:01:10\n"
)
MINDFORMERS = (
    "2031-04-08 15:34:1{at},308 - mindformers[callback.py:314] - INFO - {{ Epoch:[  1/  2], step:[    {at}/   19], "
    "loss: 10.500, per_step_time: {took}ms, overflow cond: False, loss_scale: 65536.0\n"
)


def read(tmp_path: Path, text: str) -> Reading:
    log = tmp_path / "train.log"
    log.write_text(text, encoding="utf-8")
    return survey(log)


@pytest.mark.parametrize(("unit", "kind"), [("images/sec", "running_mean"), ("samples/s", "window_mean")])
def test_paddleclas_says_images_of_the_mean_of_the_epoch_and_samples_of_that_of_a_window(
    unit: str, kind: str, tmp_path: Path
) -> None:
    found = read(tmp_path, "".join(PADDLECLAS.format(at=at, unit=unit) for at in range(1, 4)))
    assert found.fields["step", "throughput"].kind == kind


def test_the_world_size_of_a_process_that_drives_all_cards_is_not_their_number(tmp_path: Path) -> None:
    text = (GOLDEN / "basicsr" / "one_process.log").read_text(encoding="utf-8")
    assert read(tmp_path, text).facts["cards"].value == 3
    assert "cards" not in read(tmp_path, text.replace("num_gpu: 3\n", "num_gpu: auto\n")).facts


def test_an_epoch_of_few_whole_seconds_has_no_duration(tmp_path: Path) -> None:
    records = read(tmp_path, "End of epoch 1 / 9 \t Time Taken: 9 sec\n" * 4).records
    assert records["duration"].isna().all()


def test_a_time_that_is_cut_to_a_few_whole_milliseconds_is_not_read(tmp_path: Path) -> None:
    found = read(tmp_path, "".join(MINDFORMERS.format(at=at, took=took) for at, took in enumerate((5000, 320, 99), 1)))
    assert found.records["step_time"].dropna().tolist() == [5000, 320]


def test_the_throughput_of_one_process_of_colossalai_is_not_read_without_how_many_there_are(tmp_path: Path) -> None:
    text = (GOLDEN / "colossalai" / "benchmark.log").read_text(encoding="utf-8")
    assert read(tmp_path, text).records["throughput"].tolist() == [31.99999999999]
    assert read(tmp_path, text.splitlines(keepends=True)[-1] * 4).format is None


def test_the_bars_of_openrlhf_count_forward_passes_of_training_alone() -> None:
    found = survey(GOLDEN / "openrlhf" / "sft.log")
    assert found.format is not None
    assert (found.format.step_is, len(found.records), found.records["step"].max()) == ("forward_pass", 24, 12)


def test_timm_names_its_precision_with_that_of_torch(tmp_path: Path) -> None:
    step = (
        "Train: 0 [   0/9 ( 11%)]  Loss: 6.9 (6.9)  Time: 2.0s,  9.0/s  (2.0s,  9.0/s)  LR: 1.0e-06  Data: 1.0 (1.0)\n"
    )
    found = read(tmp_path, "AMP not enabled. Training in torch.bfloat16.\n" + step)
    assert found.facts["precision"].value == "bf16"
