"""A page of one run."""

from pathlib import Path

from tests.parsers.run_folders import make_run, put_clock, put_gpu
from tests.report.page_text import HEAD, column

LINES = "".join(f"DLL 2031-05-04 11:{at:02}:00.000000 - (0, {at}) total_ips : 100.0\n" for at in range(20))


LOG = f"Num GPUs 1\n{LINES}".encode()


TABLE = """
[[tables]]
name = "t"
title = "Table"
case = { model = "M", nodes = 1, cards = 1, precision = "fp32", batch_size = 4 }
columns = [{ column = "a" }, { column = "a", quantity = "peak_memory" }]
rows = [{ title = "row" }]
"""


def put_page(folder: Path, pattern: str, *, case: str = "", of_runs: str = "", keys: str = "") -> Path:
    path = folder / "page.toml"
    table = TABLE.replace('model = "M"', case) if case else TABLE
    path.write_text(HEAD + column("a", pattern, of_runs=of_runs, keys=keys) + table, encoding="utf-8")
    return path


def put_run(folder: Path) -> Path:
    """A whole run with its telemetry, outside the folder of logs."""
    log = make_run(folder, LOG, case={"cards": 1})
    put_clock(log, "1,1900000000")
    put_gpu(log, "1900000000,0,50,1000,100,1000,1000,50", "1900000001,0,50,1000,100,1000,1000,50")
    return log
