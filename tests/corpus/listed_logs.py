"""A list of logs, and a folder that has them."""

import csv
from pathlib import Path

SPEEDOMETER = "".join(
    f"INFO:root:Epoch[0] Batch [{step}]\tSpeed: 100.00 samples/sec\taccuracy=0.{step}\n" for step in range(20, 420, 20)
)


LISTED = list(csv.DictReader(Path(__file__).with_name("unseen.csv").read_text(encoding="utf-8").splitlines()))


def folder(at: Path, **logs: str) -> Path:
    for name, text in logs.items():
        (at / f"{name}.log").write_text(text, encoding="utf-8")
    return at
