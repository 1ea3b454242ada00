"""Rates on lines of their own below the number of each epoch; the lines are made up."""

from pathlib import Path

import pytest

from tests.parsers.drafting import drafted, refused

EPOCHS = range(1, 7)


def epochs(number: str, rate: str, behind: str) -> str:
    return "".join(f"{line}\n".format(n=n, r=20 + n % 3 / 10) for n in EPOCHS for line in (number, "", rate, behind))


@pytest.mark.parametrize(
    ("number", "rate", "behind"),
    [
        ("-- Epoch {n} / 50", "Finished in 1h3m {r} examples/sec.", "       LR= 0.0{n}"),
        ("Epoch {n}", "All done, {r} samples/s", "train loss: 2.{n}"),
        ("=== epoch {n}/6 ===", "Completed in 61s, {r} images/sec", "loss = 1.{n}5, lr = 0.001"),
        ("[Epoch {n}]", "epoch ended, {r} tokens/s", "learning rate 0.01{n}"),
    ],
)
def test_rates_that_end_each_numbered_epoch_before_its_losses_are_of_training(
    tmp_path: Path, number: str, rate: str, behind: str
) -> None:
    found = drafted(tmp_path, epochs(number, rate, behind))
    assert found.reading.records["throughput"].tolist() == [20 + n % 3 / 10 for n in EPOCHS]
    assert "each stands below the next epoch number" in " ".join(map(str, found.assumed))


@pytest.mark.parametrize(
    ("number", "rate", "behind"),
    [
        ("Epoch {n}", "Finished loading, {r} samples/s", "train loss: 2.{n}"),
        ("Epoch {n}", "Preprocessing done, {r} samples/s", "train loss: 2.{n}"),
        ("Epoch {n}", "Rollouts completed, {r} samples/s", "train loss: 2.{n}"),
        ("Epoch {n}", "Indexing done, {r} samples/s", "train loss: 2.{n}"),
        ("Epoch {n}", "Hard negative mining finished, {r} samples/s", "train loss: 2.{n}"),
        ("Epoch {n}", "Cache: {r} samples/s", "train loss: 2.{n}"),
        ("Epoch {n}", "Finished in 3m {r} samples/s", "val_loss: 2.{n}"),
        ("Epoch {n}", "Finished in 3m {r} samples/s", "accuracy 0.{n}"),
        ("Epoch {n}, loss 2.{n}", "Finished in 3m {r} samples/s", "lr: 0.0{n}"),
        ("Epoch 1", "Finished in 3m {r} samples/s", "train loss: 2.{n}"),
    ],
    ids=[
        "loading",
        "preparation",
        "rollouts",
        "index",
        "mining",
        "nothing ended",
        "evaluation",
        "no loss",
        "loss before",
        "one epoch",
    ],
)
def test_other_rates_in_each_epoch_are_not_read(tmp_path: Path, number: str, rate: str, behind: str) -> None:
    assert "training" in refused(tmp_path, epochs(number, rate, behind))
