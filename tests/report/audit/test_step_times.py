"""Times of a step that a page publishes are compared with its logs, as throughputs are."""

from pathlib import Path

import numpy as np
import pytest

from tests.report.audit.small_site import audited, write

PAGE = """# Speed of toys

| Seed | Steps | ms/step | tokens/s |
|--:|--:|--:|--:|
| 1 | 400 | {1} | 7 |
| 2 | 400 | {2} | 8 |
| 3 | 400 | {3} | 9 |
| Mean | 400 | {mean} | 8 |
"""


def log_of(seed: int) -> list[float]:
    """The mean times of a step, in milliseconds, that a run prints as it goes on."""
    times = 900 + seed + np.random.default_rng(seed).normal(0, 300, 400)
    return [round(float(times[: end + 1].mean()), 2) for end in range(400)]


def write_site(folder: Path, **changes: str) -> Path:
    """A page beside the logs of three runs, which states the last mean that each prints."""
    digits = {}
    for seed in (1, 2, 3):
        means = log_of(seed)
        times = ((n, f"train_time:{mean * n:.0f}ms step_avg:{mean:.2f}ms") for n, mean in enumerate(means, 1))
        lines = [f"step:{n}/400 val_loss:5.0000 {said}" for n, said in times if n % 10 == 0]
        (folder / f"train_seed{seed}.log").write_text("\n".join(lines) + "\n")
        digits[str(seed)] = f"{means[-1]:.2f}"
    digits["mean"] = f"{sum(map(float, digits.values())) / 3:.2f}"
    page = PAGE
    for name, number in (digits | changes).items():
        page = page.replace(f"{{{name}}}", number)
    return write(folder, page=page)


def times(page: Path) -> list[tuple[str, str | None]]:
    found = (finding for finding in audited(page) if finding.number.column == "ms/step")
    return [(finding.verdict, finding.log) for finding in found]


def test_a_time_of_a_step_comes_out_of_the_log_of_its_row(tmp_path: Path) -> None:
    rows = [("exact", f"train_seed{seed}.log") for seed in (1, 2, 3)]
    assert times(write_site(tmp_path)) == [*rows, ("consistent", None)]


@pytest.mark.parametrize("said", ["732.11", "910.10"])
def test_another_time_is_unexplained(said: str, tmp_path: Path) -> None:
    assert times(write_site(tmp_path, **{"3": said}))[2] == ("unexplained", "train_seed3.log")
