"""What the runs of one case give together, as `tachograph run` prints it at its end."""

import json
import re
from pathlib import Path

from report.terminal.repeats_text import repeats_shown
from report.wording.words import Translator


def put(case: Path, speeds: list[int]) -> None:
    """Write a finished run of a language model whose steps have some speeds."""
    folder = case / str(len(list(case.glob("*"))) + 1)
    folder.mkdir(parents=True)
    lines = [f"step {at}: loss {4 - at / 20:.4f}, {speed} tokens/s\n" for at, speed in enumerate(speeds, 1)]
    (folder / "train.log").write_text("".join(lines), encoding="utf-8")
    facts = {"schema": 2, "case": {"cards": 1, "nodes": 1}, "status": "done"}
    (folder / "run.json").write_text(json.dumps(facts), encoding="utf-8")


def test_runs_are_measured_by_the_rule_and_put_together_by_their_median(tmp_path: Path) -> None:
    put(tmp_path, [500, *[1000, 1002] * 10])
    put(tmp_path, [500, 502, 500, *[1010, 1012] * 9])
    put(tmp_path, [1030, 1032] * 10)
    shown, is_whole = repeats_shown(tmp_path, Translator("en").translate)
    assert re.findall(r"[0-9,]+ tokens/s", shown) == [
        f"{speed} tokens/s" for speed in ("1,001", "1,011", "1,031", "1,011")
    ]
    assert is_whole
