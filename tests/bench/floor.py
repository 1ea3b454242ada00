"""The floor of the reading speed, which `make floor` holds: how many times as fast as a script logs are read.

Each log is a golden one, in which each line from the first metric line on is repeated, up to 8 MiB. `read`
and a script that extracts one field (`re.findall` per line) take turns in one process; the ratio is that of their CPU
times, the best of each. CI fails where a ratio is less than half of the one below.
"""

import re
import sys
import tempfile
from functools import partial
from pathlib import Path

from parsers.runs.reading import read
from tests.bench.speed import DOCUMENT, MIB, found_by, is_written, speeds_of, table, tell
from tests.parsers.golden_logs import GOLDEN

TITLE = "## Floor of the reading speed"
SIZE = 8 * MIB
ROUNDS = 8
LOGS = {
    "paddleclas_static/configuration.log": r"ips: (\S+)",
    "paddleclas/configuration.log": r"ips: (\S+)",
    "paddleseg/new_stamp.log": r"ips: (\S+) samples",
    "dllogger_pytorch/new.log": r"train.total_ips : (\S+)",
    "mmcv/iter.log": r" time: (\S+),",
}


def ratio(golden: Path, field: str, folder: Path) -> float:
    """How many times as fast as the script a log is read: the head of a golden one, and each line behind many times."""
    lines = [line + b"\n" for line in golden.read_bytes().splitlines()]
    first = next(number for number, line in enumerate(lines) if re.search(field.encode(), line))
    head, rest = b"".join(lines[:first]), lines[first:]
    log = folder / golden.name
    log.write_bytes(head + b"".join(line * (SIZE // sum(map(len, rest))) for line in rest))  # steps never fall back
    speeds = speeds_of({"read": (read, SIZE), "script": (partial(found_by, field), SIZE)}, log, ROUNDS)
    return speeds["read"] / speeds["script"]


def main() -> None:
    write = is_written(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        found = {log: ratio(GOLDEN / log, field, Path(folder)) for log, field in LOGS.items()}
    section = DOCUMENT.read_text(encoding="utf-8").partition(TITLE)[2].partition("\n## ")[0]
    stated = dict(re.findall(r"^\| (\S+\.log) \| ([0-9.]+) \|$", section, re.MULTILINE))
    tell(TITLE, __doc__, table("log | x script", *(f"{log} | {of:.2f}" for log, of in found.items())), write=write)
    slow = [log for log, of in found.items() if log not in stated or of < float(stated[log]) / 2]
    if slow and not write:
        sys.exit(f"read at less than half of the speed that {DOCUMENT.name} states: {', '.join(slow)}")


if __name__ == "__main__":
    main()
