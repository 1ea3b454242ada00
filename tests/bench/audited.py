"""Auditing 1,000 pages of 40 numbers each, with and without logs; `make bench` runs it.

Generated tables in English and Chinese, and 4,000 logs of five formats; one number in ten is wrong. `tachograph audit
--jobs 2`; on two idle cores it takes about as long as the CPU time of the command itself and half of its workers'.
Memory is that of the largest process.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from launchers.machine.facts import processor
from parsers.scanning.detection import formats
from tests.bench.document import DOCUMENT, write_section
from tests.bench.made_folder import NUMBERS_OF_A_PAGE, write_folder

PAGES = 1_000
# The command, which at last says how much CPU time it took without its workers.
AUDIT = """import atexit, os, sys, tachograph
atexit.register(lambda: print(sum(os.times()[:2]), file=sys.stderr))
tachograph.main()"""
HEAD = (
    "| {pages:,} pages, {numbers:,} numbers | command, s of CPU time | workers, s | on two idle cores, s | peak MiB |",
    "| --- | ---: | ---: | ---: | ---: |",
)


def audited(folder: Path, pages: int, name: str) -> str:
    """A row of the table."""
    before = _cpu()
    command = [sys.executable, "-c", AUDIT, "audit", str(folder), "--all", "--json", "--jobs", "2"]
    done = subprocess.run(command, capture_output=True, check=False)
    alone, cpu = float(done.stderr.split()[-1]), _cpu() - before
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    judged = sum(b'"ruling"' in line for line in done.stdout.splitlines())
    if judged != pages * NUMBERS_OF_A_PAGE:
        raise RuntimeError(f"{judged} numbers were judged of {pages * NUMBERS_OF_A_PAGE}")
    seconds = (alone, cpu - alone, alone + (cpu - alone) / 2)
    return f"| {' | '.join([name, *(f'{one:.1f}' for one in seconds), f'{peak:.0f}'])} |"


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(folder: Path, pages: int) -> str:
    """What was measured, as Markdown."""
    logs = write_folder(folder / "pages", pages)
    formats()
    with_logs = audited(folder / "pages", pages, f"{logs:,} logs")
    for log in (folder / "pages").rglob("*.log"):
        log.unlink()
    without = audited(folder / "pages", pages, "no logs")
    head = HEAD[0].format(pages=pages, numbers=pages * NUMBERS_OF_A_PAGE)
    return "\n".join([head, HEAD[1], without, with_logs])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"write it into {DOCUMENT}, too")
    parser.add_argument("--pages", type=int, default=PAGES, help="how many pages")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        text = "\n\n".join(
            [str(__doc__).strip(), measured(Path(folder), options.pages), f"Measured on: {processor()}."]
        )
    sys.stdout.write(f"{text}\n")
    if options.write:
        write_section("## Auditing pages", text)


if __name__ == "__main__":
    main()
