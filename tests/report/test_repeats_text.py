"""What the runs of one case give together, as `tachograph run` prints it at its end."""

import json
from pathlib import Path

from report.terminal.repeats_text import repeats_shown


def put(case: Path, speeds: list[int]) -> None:
    """Write a finished run of a language model whose steps have some speeds."""
    folder = case / str(len(list(case.glob("*"))) + 1)
    folder.mkdir(parents=True)
    lines = [f"step {at}: loss {4 - at / 20:.4f}, {speed} tokens/s\n" for at, speed in enumerate(speeds, 1)]
    (folder / "train.log").write_text("".join(lines), encoding="utf-8")
    facts = {"schema": 2, "case": {"cards": 1, "nodes": 1}, "status": "done"}
    (folder / "run.json").write_text(json.dumps(facts), encoding="utf-8")


def test_runs_that_warm_up_for_longer_and_shorter_are_measured_alike(tmp_path: Path) -> None:
    put(tmp_path, [500, *[1000, 1002] * 10])
    put(tmp_path, [500, 502, 500, *[1010, 1012] * 9])
    shown, _ = repeats_shown(tmp_path, str)
    assert shown.count("skip_records=3 ") == 2
    assert "median of 2 runs: 1006.000 tokens/s" in shown
