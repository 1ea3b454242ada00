"""How well logs are read that nothing was written from: `python -m tests.corpus.unseen DIR [--csv]`.

For any folder of logs it counts how many get a format, how many numbers are confirmed, unchecked and contradicted, and
how many logs are refused or no logs at all. A number that a clock of the same log makes more than twice as large or as
small, as no pause or evaluation explains, is contradicted in silence where its status does not say so: none may be.
Where a person read a log first, as ``unseen.csv`` lists it, the number is held against that of the person.
"""

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import click
import pandas as pd

from parsers.io.errors import ParserError
from parsers.io.printable import say
from report.measure.diagnostics import Code
from report.results.measured_log import open as open_log
from report.terminal.show_json import as_json, error_as_json

LISTED = Path(__file__).with_name("unseen.csv")
STATUSES = ("confirmed", "unchecked", "contradicted", "refused", "error")
CLOCKS = ("time", "elapsed")
TWICE = 2.0
NEAR = 0.1  # means, medians and the steady part of one log are that near to each other as a rule
SAMPLES = ("images/s", "sequences/s", "samples/s")


@dataclass(frozen=True)
class Row:
    """What a log gives; ``silent`` names the clocks that contradict it though its status does not say so.

    ``by_hand``: yes where a person read a speed or time of training from it, stamps where only the stamps of its lines
    tell how fast it went, no for the rest, and nothing where nobody read it. ``ratio``: of the number, or of the nearer
    side of a contradiction, to that of the person, in the same unit.
    """

    log: str
    format: str
    status: str
    throughput: float | None
    unit: str
    scope: str
    source: str
    sides: str
    codes: str
    silent: str
    by_hand: str = ""
    ratio: float | None = None


def row(folder: Path, log: Path) -> Row:
    """What one log of a folder gives, beside what a person read from it where one did."""
    try:
        told = as_json(open_log(log))
    except ParserError as error:
        told = error_as_json(log, error.message)
    number, sides = told.get("throughput") or {}, told.get("sides") or []
    return Row(
        log.relative_to(folder).as_posix(),
        ", ".join(told.get("formats", [])),
        told["status"],
        number.get("value"),
        number.get("unit", ""),
        number.get("scope", ""),
        number.get("source", ""),
        " | ".join(f"{side['value']:.6g} {side['unit']} ({side['source']})" for side in sides),
        " ".join(one["code"] for one in told.get("diagnostics", [])),
        silent(told),
        *held_against_a_person(log, [number] if number else sides),
    )


def silent(told: Mapping[str, Any]) -> str:
    """The clocks that say more than twice or less than half of a number that is not contradicted.

    Not where it is told that nothing says how many batches a step holds.
    """
    codes = {one["code"] for one in told.get("diagnostics", [])}
    if told["status"] not in ("confirmed", "unchecked") or Code.NEEDS_PASSES in codes:
        return ""
    clocks = [check for check in told["checks"] if check["source"].rpartition(".")[2] in CLOCKS]
    off = [check for check in clocks if max(check["ratio"], 1 / check["ratio"]) > TWICE + check["tolerance"]]
    return "; ".join(f"{check['source']}: {check['value']:.6g} ({check['ratio']:.3f} x)" for check in off)


def held_against_a_person(log: Path, numbers: Sequence[Mapping[str, Any]]) -> tuple[str, float | None]:
    """``by_hand`` of a log with the same bytes, and the ratio of the nearest number to that of the person."""
    listed = judgements().get(sha256(log.read_bytes()).hexdigest())
    if listed is None:
        return "", None
    unit, right = listed["unit"], float(listed["right"] or 0)
    are_alike = (one for one in numbers if one["unit"] == unit or {one["unit"], unit} <= {*SAMPLES})
    ratios = [one["value"] / right for one in are_alike if right]
    return listed["by_hand"], min(ratios, key=lambda ratio: max(ratio, 1 / ratio), default=None)


@cache
def judgements() -> Mapping[str, Mapping[str, str]]:
    """What persons read, by the SHA-256 of the log."""
    with LISTED.open(encoding="utf-8", newline="") as file:
        return {listed["sha256"]: listed for listed in csv.DictReader(file)}


def rows(folder: Path) -> list[Row]:
    """What all files of a folder give, in the order of their names; all cores are used."""
    logs = sorted(path for path in folder.rglob("*") if path.is_file())
    with ProcessPoolExecutor() as pool:
        return list(pool.map(row, [folder] * len(logs), logs))


def summed_up(found: Sequence[Row]) -> str:
    """How many logs there are of each status, and each number that a clock contradicts in silence."""
    statuses = Counter(row.status for row in found)
    in_silence = [row for row in found if row.silent]
    return "\n".join(
        (
            f"{len(found)} logs",
            f"with a format: {share(sum(bool(row.format) for row in found), len(found))}",
            *(f"{status}: {share(statuses[status], len(found))}" for status in STATUSES),
            f"contradicted by a clock in silence: {len(in_silence)}",
            *(f"  {row.log}: {row.throughput:g} {row.unit}, {row.source}; but {row.silent}" for row in in_silence),
            *by_hand(found),
        )
    )


def by_hand(found: Sequence[Row]) -> list[str]:
    """What became of the logs that a person read first; nothing where there are none."""
    readable = [row for row in found if row.by_hand == "yes"]
    told = [row for row in readable if row.sides or row.throughput is not None]
    compared = [row for row in found if row.ratio is not None]
    far = [row for row in compared if row.ratio is not None and not 1 - NEAR <= row.ratio <= 1 / (1 - NEAR)]
    if not any(row.by_hand for row in found):
        return []
    return [
        f"that a person read a speed or time of training from: {share(len(readable), len(found))}",
        f"with a number or two sides, of these: {share(len(told), len(readable))}",
        f"in the unit of the person: {len(compared)}, not near {len(far)}",
        *(f"  {row.log}: {row.status}, {row.ratio:.3f} x" for row in far),
    ]


def share(count: int, of: int) -> str:
    """A count and its share."""
    return f"{count} of {of} ({count / of:.0%})" if of else "0 of 0"


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--csv", "is_csv", is_flag=True, help="Print one row per log.")
def main(folder: Path, is_csv: bool) -> None:
    """Read all files of FOLDER as logs. Exit status 1 if a clock contradicts a number in silence."""
    found = rows(folder)
    for line in (pd.DataFrame(found).to_csv(index=False) if is_csv else summed_up(found)).splitlines():
        say(line)
    raise SystemExit(any(row.silent for row in found))


if __name__ == "__main__":
    main()
