"""Rulings: what is said of each number of a document, by the files beside it and by the other numbers."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

from report.audit.labels import Agreement
from report.audit.rulings import Ruling
from tests.report.audit.small_site import EIGHT, ONE, audit, audited, make, write

HONEST = tomllib.loads(Path(__file__).with_name("honest_pages.toml").read_text(encoding="utf-8"))
LOSSES = {"1337": 3.27914, "42": 3.28106, "7": 3.27795}
TABLE = """# Runs

| seed | val_loss | train_time (s) |
|:--|--:|--:|
"""


def log_of(loss: float, seconds: float, seed: str = "") -> str:
    """A log that evaluates three times and ends with this loss."""
    head = f"seed:{seed}\n" if seed else ""
    lines = [
        f"step:{100 * n}/1000 val_loss:{loss + (10 - n) * 0.137:.5f} train_time:{seconds * n / 10 * 1000:.0f}ms\n"
        for n in (1, 6, 10)
    ]
    return head + "".join(lines)


def records(folder: Path, page: str, losses: dict[str, float] = LOSSES) -> Path:
    """A document beside the logs of some seeds."""
    folder.mkdir(exist_ok=True)
    for number, (seed, loss) in enumerate(losses.items()):
        (folder / f"train_seed{seed}.log").write_text(log_of(loss, 590.125 + number, seed), encoding="utf-8")
    return write(folder, page=page)


def rows_of(losses: dict[str, str]) -> str:
    rows = [f"| {seed} | {loss} | {590.125 + number:.3f} |\n" for number, (seed, loss) in enumerate(losses.items())]
    return TABLE + "".join(rows)


def of_loss(page: Path) -> list[Ruling]:
    return [one.ruling for one in audited(page) if one.claim.col_label == "val_loss"]


@pytest.mark.parametrize(
    ("changed", "contradicted"),
    [
        ("3.28106", []),
        ("3.27106", [("3.27106", "train_seed42.log", 4)]),
        ("3.27795", [("3.27795", "train_seed42.log", 4)]),
        ("~3.27106", []),
    ],
    ids=["what its log says", "another number", "what another log says", "about another number"],
)
def test_a_row_that_names_its_run_is_contradicted_by_its_log_alone(
    changed: str, contradicted: list[tuple[str, str, int]], tmp_path: Path
) -> None:
    said = {seed: f"{loss:.5f}" for seed, loss in LOSSES.items()} | {"42": changed}
    found = [one for one in audited(records(tmp_path, rows_of(said))) if one.fails() and one.hit]
    assert [(one.claim.number.text, one.hit.path, one.hit.line) for one in found if one.hit] == contradicted


MEAN = float(np.mean(list(LOSSES.values())))


@pytest.mark.parametrize(
    ("said", "ruling"),
    [(f"{MEAN:.5f}", Ruling.PROVED), (f"{MEAN - 0.003:.5f}", None)],
    ids=["the mean of the logs", "another number"],
)
def test_a_mean_over_the_logs_of_a_folder_is_proved_and_another_number_is_not(
    said: str, ruling: Ruling | None, tmp_path: Path
) -> None:
    page = records(tmp_path, f"# Runs\n\nval_loss: {said}\n")
    (found,) = [one for one in audited(page) if one.claim.number.text == said]
    assert (found.ruling == Ruling.PROVED) == (ruling is not None)


def test_one_digit_is_proved_by_nothing(tmp_path: Path) -> None:
    page = records(tmp_path, f"# Runs\n\nval_loss: {MEAN:.5f}\n\nval_loss: 3\n")
    assert [one.ruling == Ruling.PROVED for one in audited(page)] == [True, False]


def test_what_another_document_states_is_derived_only_where_that_is_proved(tmp_path: Path) -> None:
    records(tmp_path / "proved", rows_of({seed: f"{loss:.5f}" for seed, loss in LOSSES.items()}))
    records(tmp_path / "bare", rows_of({seed: f"{loss + 0.0217:.5f}" for seed, loss in LOSSES.items()}), {})
    rows = [
        f"| {name} | {loss + away:.5f} | [{name}]({name}/README.md) |\n"
        for name, away in (("proved", 0), ("bare", 0.0217))
        for loss in LOSSES.values()
    ]
    page = write(tmp_path, page="# All\n\n| record | val_loss | link |\n|:--|--:|:--|\n" + "".join(rows))
    found = [one.ruling for one in audited(tmp_path) if one.claim.document == page.name]
    assert set(found[:3]) <= {Ruling.PROVED, Ruling.DERIVED}
    assert set(found[3:]) == {Ruling.OF_UNPROVED}


def test_a_log_that_is_named_for_another_case_contradicts_the_labels_and_proves_the_number(tmp_path: Path) -> None:
    page = make(tmp_path)
    first, second, spare = (tmp_path / "logs" / name for name in (ONE, EIGHT, "spare"))
    first.rename(spare)
    second.rename(first)
    spare.rename(second)
    found = audited(page)
    assert [(one.ruling, one.labels.agreement) for one in found] == [(Ruling.PROVED, Agreement.CONTRADICTED)] * 2
    assert [one.labels.agreement for one in audited(make(tmp_path / "right"))] == [Agreement.CONFIRMED] * 2


def test_a_changed_digit_of_a_proved_number_is_not_proved(tmp_path: Path) -> None:
    said = {seed: f"{loss:.5f}" for seed, loss in LOSSES.items()}
    generator = np.random.default_rng(5)
    proved = 0
    for trial in range(40):
        seed = list(LOSSES)[trial % 3]
        away = generator.choice([-1, 1]) * generator.integers(2, 1500) * 1e-5
        changed = said | {seed: f"{LOSSES[seed] + away:.5f}"}
        proved += of_loss(records(tmp_path / str(trial), rows_of(changed)))[trial % 3] == Ruling.PROVED
    assert proved == 0


MASKS = """# Masks

| Mask | Active | NLL | Δ NLL | % Change |
|---|---|---|---|---|
| 0% | 100% | 0.188 | +0.000 | 0.0% |
| 10% | 90% | 0.185 | -0.003 | -1.6% |
| 20% | 80% | 0.182 | -0.006 | -3.2% |
| 30% | 70% | 0.173 | -0.015 | -8.0% |
| 40% | 60% | 0.161 | -0.027 | -14.4% |
| 60% | 40% | 0.568 | +0.380 | +202% |
"""
TRAINED = """# Trained

| GPUs | Time to train, TF32 | Time to train, AMP | Speedup |
|:--|:--|:--|:--|
| 1 | 1h02min | 50min | 1.24x |
| 8 | 13min | 10min | 1.30x |
| 16 | 7min 5s | 340s | 1.25x |
"""


@pytest.mark.parametrize("text", HONEST.values(), ids=HONEST)
def test_a_right_document_is_accused_of_nothing(text: str, tmp_path: Path) -> None:
    assert [one.claim.number.text for one in audited(write(tmp_path, page=text)) if one.fails()] == []


def test_a_row_with_a_seed_is_not_held_against_a_series_of_many_values(tmp_path: Path) -> None:
    losses = [4.1 - 0.0137 * step for step in range(100)]
    log = "".join(f"step {step} train_loss {loss:.4f}\n" for step, loss in enumerate(losses))
    (tmp_path / "run.log").write_text(f"seed: 1337\n{log}", encoding="utf-8")
    page = f"# Runs\n\n| seed | Train loss |\n|--|--|\n| 1337 | {np.mean(losses[-10:]):.4f} |\n"
    assert [one.claim.number.text for one in audited(write(tmp_path, page=page)) if one.fails()] == []


@pytest.mark.parametrize("text", [MASKS, TRAINED], ids=["percentages beside differences", "times of several units"])
def test_a_right_table_follows(text: str, tmp_path: Path) -> None:
    found = audited(write(tmp_path, page=text))
    assert [one.claim.number.text for one in found if one.fails()] == []
    assert sum(one.ruling == Ruling.OF_UNPROVED for one in found) >= 3


def test_a_percentage_is_found_as_the_fraction_of_a_log(tmp_path: Path) -> None:
    accuracies = {"a": 0.79414, "b": 0.80272, "c": 0.81931}
    for name, accuracy in accuracies.items():
        (tmp_path / f"{name}.log").write_text(f"epoch 1 acc1 0.7111\nepoch 2 acc1 {accuracy}\n", encoding="utf-8")
    rows = "".join(f"| {name} | {100 * accuracy:.2f} |\n" for name, accuracy in accuracies.items())
    found = audited(write(tmp_path, page=f"# Models\n\n| model | Top-1 (%) |\n|--|--|\n{rows}"))
    assert [one.ruling for one in found] == [Ruling.PROVED] * 3


def test_what_stands_beside_in_too_few_digits_agrees(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("thermal 52.1 110.80 57.83\nthermal 53.2 89.13 57.85\n", encoding="utf-8")
    (found,) = audited(write(tmp_path, page="# Heat\n\nDecoding took 110.80 ms.\n"))
    assert (found.ruling, found.hit and found.hit.line) in [(Ruling.AGREES, 1), (Ruling.PROVED, 1)]


def test_two_documents_that_quote_each_other_prove_nothing(tmp_path: Path) -> None:
    rows = "# Runs\n\n| run | tok/s |\n|--|--|\n| a | 1234.5 |\n| b | 2345.6 |\n"
    for name in ("README.md", "README_zh.md"):
        write(tmp_path, page=rows, name=name)
    assert {one.ruling for one in audited(tmp_path)} == {Ruling.NO_DATA}


def test_a_folder_that_is_a_link_is_audited_as_the_folder(tmp_path: Path) -> None:
    make(tmp_path / "site")
    (tmp_path / "link").symlink_to(tmp_path / "site")
    site, link = (
        [(one.claim.document, one.ruling) for one in audit(tmp_path / name).findings] for name in ("site", "link")
    )
    assert site == link
