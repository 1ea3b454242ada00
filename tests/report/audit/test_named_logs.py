"""Logs of tables whose rows and columns are names: in folders named as the row, below those named as the column."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from report.audit.audited_pages import audit_files
from report.audit.finding import Finding

MODELS = ("oaknet50", "oaknet152", "elm_base")
HOSTS = tuple(f"Host{number}_2xA100" for number in range(8))
RUNS = 3
Rates = Mapping[tuple[str, str], Sequence[float]]


def log(rate: float) -> str:
    """A log of tf_cnn_benchmarks whose total is a rate."""
    steps = "".join(
        f"{step}\timages/sec: {rate * (0.97 + step / 5000):.1f} +/- 0.0 (jitter = 0.0)\t7.{step:03d}\n"
        for step in range(10, 110, 10)
    )
    head = "Mode:        training\nBatch size:  64 global\nStep\tImg/sec\ttotal_loss\n"
    return f"{head}{steps}{'-' * 64}\ntotal images/sec: {rate:.2f}\n"


def measured(folder: Path) -> Rates:
    """Write the logs of all hosts, models and runs; returns the totals that they print."""
    chosen = np.random.default_rng(7)
    rates: dict[tuple[str, str], list[float]] = {}
    for host in HOSTS:
        for model in MODELS:
            place = folder / "results" / host / f"Train_{model}_FP16"
            place.mkdir(parents=True)
            near = chosen.uniform(1000, 30000)
            rates[host, model] = [round(near * chosen.uniform(0.9, 1.1), 2) for _ in range(RUNS)]
            for run, rate in enumerate(rates[host, model]):
                (place / f"0{run + 1}-02-2031_10-00-0{run}.txt").write_text(log(rate), encoding="utf-8")
    return rates


def sheet(folder: Path, cell: Mapping[tuple[str, str], str], name: str = "train-throughput-fp16.csv") -> Path:
    """Write a sheet of a row a host and a column a model."""
    rows = [",".join([host, *(cell.get((host, model), "0.0") for model in MODELS)]) for host in HOSTS]
    path = folder / name
    path.write_text("\n".join([",".join(["", *MODELS]), *rows]) + "\n", encoding="utf-8")
    return path


def audited(page: Path) -> list[Finding]:
    return [finding for _, finding in audit_files([page], None, [], 0.0).findings]


def mean(rates: Sequence[float]) -> int:
    return int(sum(rates) / len(rates))


@pytest.fixture
def rates(tmp_path: Path) -> Rates:
    return measured(tmp_path)


@pytest.mark.parametrize(("of_runs", "repeats"), [(mean, "mean"), (lambda some: int(max(some)), "max")])
def test_what_several_runs_give_is_found_in_the_folder_of_its_row_and_column(
    of_runs: Callable[[Sequence[float]], int], repeats: str, tmp_path: Path, rates: Rates
) -> None:
    found = audited(sheet(tmp_path, {key: f"{of_runs(some)}.0" for key, some in rates.items()}))
    assert [one.verdict for one in found] == ["exact"] * len(HOSTS) * len(MODELS)
    assert str(found[0].log).startswith("results/Host0_2xA100/Train_oaknet50_FP16/")
    assert f"repeats={repeats}" in str(found[0].protocol)


def test_a_number_that_the_runs_do_not_give_accuses_nobody_where_only_names_lead_to_its_logs(
    tmp_path: Path, rates: Rates
) -> None:
    cells = {key: f"{mean(some)}.0" for key, some in rates.items()}
    cells[HOSTS[2], MODELS[1]] = "91234.0"
    found = {(one.number.row, one.number.column): one for one in audited(sheet(tmp_path, cells))}
    assert found[HOSTS[2], MODELS[1]].verdict == "unexplained"
    assert sum(one.verdict == "exact" for one in found.values()) == len(found) - 1


def test_the_logs_of_another_column_or_row_are_not_taken(tmp_path: Path, rates: Rates) -> None:
    for place in (tmp_path / "results" / HOSTS[3] / "Train_oaknet152_FP16").iterdir():
        place.unlink()
    found = {(f.number.row, f.number.column): f for f in audited(sheet(tmp_path, dict.fromkeys(rates, "500.0")))}
    assert found[HOSTS[3], "oaknet152"].log is None


def test_a_log_of_another_precision_is_not_taken(tmp_path: Path, rates: Rates) -> None:
    found = audited(sheet(tmp_path, {key: f"{mean(some)}.0" for key, some in rates.items()}, "throughput-fp32.csv"))
    assert {one.log for one in found} == {None}


def test_one_log_is_found_by_the_device_the_cards_and_the_name_of_the_column(tmp_path: Path) -> None:
    for device, cards in (("RTX_3080", 1), ("RTX_3080", 2), ("RTX_3080_Ti", 2), ("V100", 2)):
        for model in MODELS[:2]:
            place = tmp_path / "logs" / f"rig-{device}.logs" / f"syn-fp16-{cards}gpus" / f"{model}-64" / "throughput"
            place.mkdir(parents=True)
            (place / "1.txt").write_text(log(100 * cards), encoding="utf-8")
    page = tmp_path / "throughput-fp16.csv"
    page.write_text("name,num_gpu,watts,oaknet50,oaknet152\n2x RTX 3080,2,600,777,778\n", encoding="utf-8")
    assert [(one.number.digits, one.log) for one in audited(page)] == [
        ("777", "logs/rig-RTX_3080.logs/syn-fp16-2gpus/oaknet50-64/throughput/1.txt"),
        ("778", "logs/rig-RTX_3080.logs/syn-fp16-2gpus/oaknet152-64/throughput/1.txt"),
    ]


def test_logs_whose_names_state_other_cases_are_not_runs_of_one(tmp_path: Path, rates: Rates) -> None:
    for host in HOSTS:
        for place in (tmp_path / "results" / host).iterdir():
            for number, path in enumerate(sorted(place.iterdir()), 1):
                path.rename(place / f"{2 * number}gpus.txt")
    found = audited(sheet(tmp_path, {key: f"{mean(some)}.0" for key, some in rates.items()}))
    assert {one.verdict for one in found} == {"unexplained"}
