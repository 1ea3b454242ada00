"""Fractions without a name, which count epochs where lines between them number these by name."""

from pathlib import Path

import pytest
from pytest import approx

from tests.parsers.timed_logs import speed

NAMED = "| epoch {named:3d} | {step:5d}/ 2586 batches |\ng_loss0: {loss:.2f}\n"


def epochs(end: str, *, steps: str = NAMED, begin: str = "", apart: int = 0) -> str:
    """Twelve epochs of six lines of steps, which name the epoch by a number so far apart from that of the end."""
    text = ""
    for n in range(1, 13):
        text += begin.format(n=n)
        text += "".join(steps.format(named=n + apart, step=500 * k, loss=4 / n + k / 9) for k in range(6))
        text += end.format(n=n, took=400 + 7 * n % 5, loss=3 / n) + "\n"
    return text


PLAIN = "batch {step} loss {loss:.3f}\n"
OF_EPOCHS = {
    "below the fraction": epochs("[{n}/120][2586]\n      Loss_D: {loss:.2f} Loss_G: 44.4 Time: {took:.2f}s"),
    "beside it": epochs("[{n}/120] Loss_D: {loss:.2f} Loss_G: 44.4 Time: {took:.2f}s"),
    "below a heading": epochs("[{n}/120] loss: {loss:.3f}, took {took:.1f}s", steps=PLAIN, begin="--- Epoch {n} ---\n"),
    "one more than the name": epochs("{n}/120 - loss: {loss:.3f} - time: {took:.1f} s", apart=-1),
    "in Chinese": epochs(
        "[{n}/120] 损失: {loss:.3f} 耗时: {took:.1f} 秒", steps="第 {named} 轮 第 {step} 步 损失: {loss:.3f}\n"
    ),
}


@pytest.mark.parametrize("text", OF_EPOCHS.values(), ids=OF_EPOCHS)
def test_a_time_is_of_an_epoch_that_a_fraction_counts(tmp_path: Path, text: str) -> None:
    assert speed(tmp_path, text) == (approx(1 / 402, rel=0.01), "epochs/s")


FOLDS = "".join(
    "".join(f"Epoch {n} loss {3 / n / fold:.3f}\n" for n in range(1, 9)) + f"[{fold}/10] time: {400 + 7 * fold % 5}s\n"
    for fold in range(1, 11)
)
UNKNOWN = {
    "lines name other epochs": epochs("[{n}/120] loss: {loss:.3f}, time: {took:.1f}s", apart=7),
    "no line names an epoch": epochs("[{n}/120] loss: {loss:.3f}, time: {took:.1f}s", steps=PLAIN),
    "several epochs make one": FOLDS,
    "an evaluation took the time": epochs("[{n}/120][2586]\nEvaluating ...\n  score: {loss:.2f} Time: {took:.2f}s"),
    "a checkpoint took the time": epochs("[{n}/120][2586]\nSaving checkpoint\n Time: {took:.2f}s"),
    "its line is of a test": epochs("[{n}/120] test loss: {loss:.3f}, time: {took:.1f}s", begin="Epoch {n}\n"),
}


@pytest.mark.parametrize("text", UNKNOWN.values(), ids=UNKNOWN)
def test_a_time_beside_a_fraction_gives_no_speed_where(tmp_path: Path, text: str) -> None:
    assert speed(tmp_path, text) is None
