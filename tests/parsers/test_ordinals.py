"""Numbers of epochs and steps amid a sentence, and glued to the signs of a Chinese one."""

from pathlib import Path

import pytest
from pytest import approx

from tests.parsers.timed_logs import speed


def epochs(line: str) -> str:
    lines = (line.format(n=n, took=40 + (7 * n % 5) / 10, loss=3 / (n + 1)) + "\n" for n in range(1, 13))
    return "".join(lines)


def steps(line: str) -> str:
    lines = (line.format(n=10 * n, took=0.5 + (7 * n % 5) / 50, loss=3 / (1 + n / 9)) + "\n" for n in range(1, 31))
    return "".join(lines)


OF_EPOCHS = (
    "loss {loss:.3f}\nFinished epoch {n}/12 in {took:.1f} seconds",
    "loss {loss:.3f}\n[INFO] epoch {n} in {took:.1f}s",
    "loss {loss:.3f}\nTime for epoch {n}: {took:.1f}s",
    "loss {loss:.3f}\nTime for epoch {n}/12: {took:.1f} sec",
    "loss {loss:.3f}\nTime taken for epoch {n} is {took:.1f} s",
    "epoch {n} loss {loss:.3f} using time {took:.1f} s",
    "epoch {n}, 损失: {loss:.3f}, 训练用时: {took:.1f}s",
    "第 {n}/12 轮 损失 {loss:.3f} 用时 {took:.1f} 秒",
    "第{n}轮：损失{loss:.3f}，用时{took:.1f}秒",
    "第{n}个 epoch 训练损失：{loss:.3f}，花费时间：{took:.1f}秒",
)


@pytest.mark.parametrize("line", OF_EPOCHS)
def test_the_time_beside_the_ordinal_of_an_epoch_is_that_of_the_epoch(tmp_path: Path, line: str) -> None:
    assert speed(tmp_path, epochs(line)) == (approx(1 / 40.2, rel=0.01), "epochs/s")


NOT_OF_EPOCHS = (
    "loss {loss:.3f}\nSaved epoch {n} in {took:.1f} seconds",
    "loss {loss:.3f}\nEvaluated epoch {n} in {took:.1f} seconds",
    "loss {loss:.3f}\nTime to load epoch {n}: {took:.1f} s",
    "test acc {loss:.3f}\nTest time for epoch {n}: {took:.1f} s",
    "loss {loss:.3f}\nTime for epoch {n}: {took:.1f}",
    "损失{loss:.3f}\n验证第{n}轮用时{took:.1f}秒",
    "第{n}轮 损失{loss:.3f} 验证用时{took:.1f}秒",
    "第{n}轮 损失{loss:.3f} 剩余时间{took:.1f}秒",
)


@pytest.mark.parametrize("line", NOT_OF_EPOCHS)
def test_another_time_beside_the_ordinal_of_an_epoch_is_none(tmp_path: Path, line: str) -> None:
    assert speed(tmp_path, epochs(line)) is None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("第{n}步 损失{loss:.3f} 每步用时{took:.3f}秒", (approx(1 / 0.54, rel=0.01), "steps/s")),
        ("第{n}步 损失{loss:.3f} 用时{took:.3f}秒", None),
        ("第{n}步 损失{loss:.3f} 数据耗时{took:.3f}秒", None),
        ("模型{n} 损失{loss:.3f} 时长{took:.3f}秒", None),
        ("step {n} loss {loss:.3f} resnet50 took {took:.3f}s", None),
    ],
)
def test_the_time_of_a_step_behind_its_ordinal_is_read_where_words_say_that_it_is_of_one(
    tmp_path: Path, line: str, expected: tuple[object, str] | None
) -> None:
    assert speed(tmp_path, steps(line)) == expected
