"""Run folders for tests: a log with its run.json, and side files beside it."""

import hashlib
import json
from pathlib import Path

CLOCK_HEAD = "line,time\n"
GPU_HEAD = "time,card,utilisation,memory,power,sm_clock,memory_clock,temperature\n"


def make_run(folder: Path, log: bytes, /, **said: object) -> Path:
    """The log of a done run, whose run.json gives its SHA-256; ``said``: other keys of run.json."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "train.log"
    path.write_bytes(log)
    described = {"file": path.name, "sha256": hashlib.sha256(log).hexdigest()}
    run = {"case": {}, "status": "done", "log": described, **said}
    (folder / "run.json").write_text(json.dumps(run), encoding="utf-8")
    return path


def put_clock(log: Path, *rows: str) -> Path:
    """The clock.csv of a log."""
    path = log.with_name("clock.csv")
    path.write_text(CLOCK_HEAD + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


def make_timed_run(folder: Path) -> Path:
    """A run on one card, whose five lines arrived in the seconds 100 to 104; returns its log."""
    lines = (f"step {step}: loss 2.5, 1000 images/s/gpu\n".encode() for step in range(5))
    log = make_run(folder, b"".join(lines), case={"cards": 1})
    put_clock(log, *(f"{line},{99 + line}.000" for line in range(1, 6)))
    return log


def put_gpu(log: Path, *rows: str) -> Path:
    """The gpu.csv of a log."""
    path = log.with_name("gpu.csv")
    path.write_text(GPU_HEAD + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path
