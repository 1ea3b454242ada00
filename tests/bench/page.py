"""Building a page of 500 cells from 2,000 runs, and reading it in a browser; `make bench` runs it.

Generated run folders of five formats: four repeats of each case, 300 lines per log. Wall-clock time, CPU time of all
processes, and memory of the largest one; both languages. The site is then opened from its files in Chromium, if
available, until it is laid out.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from launchers.machine.facts import processor
from tests.bench.made_page import write_logs, write_page
from tests.bench.speed import DOCUMENT, write_section
from tests.report.site.browser import CHROMIUM, Reader, chromium

TACHOGRAPH = Path(sys.executable).with_name("tachograph")
SEARCH = "paddle modela"
BUILDS = {"Markdown, two languages": [], "site, two languages": ["--html"]}

# Milliseconds from a letter to the new layout, the longest of all.
TYPE = """(text) => Math.max(...[...text].map((_, index) => {
  const field = document.querySelector("input[type=search]");
  const start = performance.now();
  field.value = text.slice(0, index + 1);
  field.dispatchEvent(new Event("input", { bubbles: true }));
  document.body.getBoundingClientRect();
  return performance.now() - start;
}))"""
PAINT = """() => new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntries()[0].startTime))
  .observe({ type: "paint", buffered: true }))"""


def built(page: Path, logs: Path, out: Path, options: list[str]) -> str:
    """Build the page and say how long it took, as a row of a table."""
    start, before = time.perf_counter(), _cpu()
    command = [str(TACHOGRAPH), "report", str(page), "--logs", str(logs), "--out", str(out), *options]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return f"{time.perf_counter() - start:.1f} | {_cpu() - before:.1f} | {peak:.0f}"


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def read(site: Path) -> Iterator[str]:
    """What a reader of the site waits for, a row of a table each."""
    with chromium() as browser:
        reader = Reader(browser, site)
        index, page = reader.open("index.html"), reader.open("many.en.html")
        yield f"first paint of the index | {index.evaluate(PAINT):.0f}"
        yield f"first paint of the page | {page.evaluate(PAINT):.0f}"
        yield f"a letter of a search in the index | {index.evaluate(TYPE, SEARCH):.0f}"


def measured(folder: Path) -> str:
    """What was measured, as Markdown."""
    page, logs = write_page(folder), folder / "logs"
    count = write_logs(logs)
    rows = [f"{name} | {built(page, logs, folder / name, options)}" for name, options in BUILDS.items()]
    site = folder / list(BUILDS)[-1]
    parts = [_table(f"{count} runs | seconds | seconds of CPU time | peak MiB", rows)]
    parts.append(f"The index of the site has {(site / 'index.html').stat().st_size / 1000:.0f} kB.")
    if CHROMIUM:
        parts.append(_table("at most | milliseconds", list(read(site))))
    return "\n\n".join(parts)


def _table(head: str, rows: list[str]) -> str:
    rule = " | ".join(["---", *["---:"] * head.count("|")])
    return "\n".join(f"| {row} |" for row in (head, rule, *rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"write it into {DOCUMENT}, too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        machine = f"Measured on: {processor()}, {os.cpu_count()} cores."
        text = "\n\n".join([str(__doc__).strip(), measured(Path(folder)), machine])
    sys.stdout.write(f"{text}\n")
    if options.write:
        write_section("## Building a page", text)


if __name__ == "__main__":
    main()
