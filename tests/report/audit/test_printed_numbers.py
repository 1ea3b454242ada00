"""Numbers that a log prints itself, beside a name: how they are found, and that chance does not find them."""

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from report.audit.finding import Finding
from report.published.log_values import named_values
from report.recovery.printed_digits import Name, NamedValues, Wanted, printed_digits
from tests.report.audit.small_site import audited, write

NAMES = [
    (
        "Summary: train.compute_ips : 1275.06 img/s train.data_time : 0.00322 s",
        "Summary: train.compute_ips",
        "throughput",
    ),
    ("step:9/9 val_loss:3.2790 train_time:1383312ms step_avg:96.10ms", "train_time", "time"),
    ("step:9/9 val_loss:3.2790 train_time:1383312ms step_avg:96.10ms", "val_loss", "valloss"),
    ("step:9/9 val_loss:3.2790 train_time:1383312ms step_avg:96.10ms", "step_avg", "time of a step"),
    (" * Acc@1 76.130 Acc@5 92.862", "Acc@5", "acc5"),
    ('{"mfu": 0.381, "ips": 812.5}', "ips", "throughput"),
    ("| throughput | 812.5 |", "throughput", "throughput"),
    ("avg samples/sec/gpu = 100.5", "avg samples/sec/gpu", "per_card"),
    ("mfu 38.22%, time 123.4ms", "mfu", "mfu"),
    ("训练速度: 33.2 张/秒 用时 10.2 秒", "训练速度", "throughput"),
    ("val throughput (tokens/s): 1200.3", "val throughput (tokens/s)", "throughput of evaluation"),
]
NO_NAMES = ["2031-05-04 10:00:00", "12/100", "lr 1.2e-05", "approx_time = start + 1000", "resnet50 v1.5", "812.5 811.2"]


def names(log: Path, line: str) -> dict[str, NamedValues]:
    log.write_text(line + "\n", encoding="utf-8")
    return {values.name.words: values for values in named_values(log)}


@pytest.mark.parametrize(("line", "name", "kind"), NAMES)
def test_a_number_of_a_log_is_named_by_the_words_before_it(line: str, name: str, kind: str, tmp_path: Path) -> None:
    found = names(tmp_path / "a.log", line)
    assert name in found
    assert found[name].name.kind == kind


@pytest.mark.parametrize("line", NO_NAMES)
def test_what_is_part_of_a_date_of_a_power_or_of_code_has_no_name(line: str, tmp_path: Path) -> None:
    assert names(tmp_path / "a.log", line) == {}


def values(digits: Sequence[str], words: str = "ips", seconds: Decimal | None = None) -> NamedValues:
    kind = "time" if seconds else "throughput"
    return NamedValues(Name(words, kind, seconds), list(digits), list(range(1, len(digits) + 1)))


def test_of_five_hundred_random_numbers_at_most_one_is_said_to_stand_in_its_log() -> None:
    generator = np.random.default_rng(4)
    asked = []
    for number in range(500):
        decimals, level = int(generator.integers(0, 5)), generator.uniform(15, 5000)
        rates = generator.normal(level, generator.choice([0.002, 0.02]) * level, int(generator.integers(1, 3000)))
        digits = [f"{rate:.{decimals}f}" for rate in rates]
        published = f"{generator.uniform(0.997, 1.003) * level:.{decimals}f}"
        asked.append(Wanted(published, "throughput", number // 4, {f"{number}.log": [values(digits)]}))
    assert sum(found is not None for found in printed_digits(asked)) <= 1


PAGE = """# Speed of toys

| Run | Training time (min) | Val loss | Log |
|:--|--:|--:|:--|
| 1 | {} | 3.2790 | [log](1.txt) |
| 2 | {} | 3.2801 | [log](2.txt) |
| 3 | {} | 3.2775 | [log](3.txt) |
"""


def found(folder: Path, *minutes: str) -> list[Finding]:
    for number, (loss, time) in enumerate([("3.2790", 159259), ("3.2801", 160111), ("3.2775", 158777)], start=1):
        lines = [
            f"step:{n}/90 val_loss:5.0000 train_time:{n * time // 90}ms step_avg:9.00ms" for n in range(10, 90, 10)
        ]
        lines.append(f"step:90/90 val_loss:{loss} train_time:{time}ms step_avg:9.00ms")
        (folder / f"{number}.txt").write_text("\n".join(lines) + "\n")
    return audited(write(folder, page=PAGE.format(*minutes)))


def test_times_to_train_and_losses_are_the_last_of_the_logs_that_their_rows_link_to(tmp_path: Path) -> None:
    seen = found(tmp_path, "2.6543", "2.6685", "2.6463")
    assert [finding.verdict for finding in seen] == ["exact"] * 6
    assert "train_time in 1.txt, line 9" in str(seen[0].reason)


def test_a_time_to_train_that_its_log_does_not_give_is_accused_of_nothing(tmp_path: Path) -> None:
    seen = found(tmp_path, "2.7001", "2.7002", "2.7003")
    times = [finding for finding in seen if finding.number.column == "Training time (min)"]
    assert [finding.verdict for finding in times] == ["unexplained"] * 3
