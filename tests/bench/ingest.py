"""Ingesting 1,000 mixed logs, compared with reading them; `make bench` runs it.

`tachograph ingest --jobs 1` on the logs of the corpus, if available, and on the small golden logs of all formats,
where costs per file and per format dominate. CPU time on one core; the command includes system time, Python start-up
and compiling. Reading detects formats, too, with expressions compiled before. Temporary files are in memory (tmpfs).
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from parsers.io.errors import FormatError
from parsers.runs.reading import survey
from tests.bench.bench import machine
from tests.bench.document import DOCUMENT, write_section
from tests.bench.speed import MIB
from tests.parsers.corpus_logs import REAL_LOGS
from tests.parsers.golden_logs import LOGS

NUMBER = 1000
TACHOGRAPH = Path(sys.executable).with_name("tachograph")
HEAD = (
    "| 1,000 logs | MiB in all | run folders | ingest, s | reading, s | of the rate of reading | peak, MiB |",
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
)


def make_logs(sources: Sequence[Path], folder: Path) -> int:
    """Write the logs, no two of the same bytes; returns how many bytes they have."""
    for number in range(NUMBER):
        log = sources[number % len(sources)]
        (folder / f"{log.stem}_{number}.log").write_bytes(log.read_bytes() + b"\ncopy %d\n" % number)
    return sum(log.stat().st_size for log in folder.iterdir())


def ingested(folder: Path, into: Path) -> tuple[float, float]:
    """CPU time of ingesting all logs of a folder, in seconds, and peak memory in MiB."""
    command: list[str | Path] = [TACHOGRAPH, "ingest", folder, "--into", into, "--jobs", "1"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"{TACHOGRAPH.name} ingest ended with {os.waitstatus_to_exitcode(status)}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def read_alone(folder: Path) -> float:
    """CPU time of reading all logs of a folder, in seconds, the second time: all expressions are compiled then."""
    _read_all(folder)
    start = time.process_time()
    _read_all(folder)
    return time.process_time() - start


def _read_all(folder: Path) -> None:
    for log in sorted(folder.iterdir()):
        with suppress(FormatError):
            survey(log)


def measured(name: str, sources: Sequence[Path], folder: Path) -> str:
    """What was measured with logs that are made from some, as a row of a table."""
    logs, into = folder / "logs", folder / "suite"
    logs.mkdir(parents=True)
    size = make_logs(sources, logs) / MIB
    seconds, peak = ingested(logs, into)
    alone = read_alone(logs)
    count = len(list(into.glob("*/*/run.json")))
    cells = (name, f"{size:.1f}", f"{count}", f"{seconds:.1f}", f"{alone:.1f}", f"{alone / seconds:.0%}", f"{peak:.0f}")
    return f"| {' | '.join(cells)} |"


def table(folder: Path) -> str:
    """All that was measured, as Markdown."""
    real = [log.path for log in REAL_LOGS if log.path.suffix != ".json"]
    golden = [log for log in LOGS if log.suffix != ".json"]
    sets = {"of the corpus": real, "golden": golden}
    rows = [measured(name, logs, folder / name) for name, logs in sets.items() if logs]
    return "\n".join([*HEAD, *rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"write it into {DOCUMENT}, too")
    options = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as folder:
        text = "\n\n".join([str(__doc__).strip(), table(Path(folder)), f"Measured on: {machine()}."])
    sys.stdout.write(f"{text}\n")
    if options.write:
        write_section("## Ingesting", text)


if __name__ == "__main__":
    main()
