"""How well logs are read that nothing was written from: `python -m tests.corpus.unseen DIR [--csv | --json]`.

For any folder of logs it tells how many get a format, how many of those that print speed or times at all get a
throughput, and which numbers contradict a second witness by more than 5 % without a warning: none may. Witnesses are
the other estimates of the same log (what it prints, step time, clock), its records of other kinds (step, epoch,
summary), what it says of itself in a line of its own, and how fast its lines say that its steps follow each other
(``second_computations``); both of these are looked for in the raw text, without any grammar.

Whether a log prints speed or times is decided by its text alone (``printed_speed``).
"""

import csv
import json
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, fields, replace
from io import StringIO
from pathlib import Path

import click

from parsers.io.errors import ParserError
from parsers.io.printable import say
from report.evidence.log_summary import summarise
from tests.corpus.judgement import Judgement, is_far, judgement_of
from tests.corpus.printed_speed import prints_speed
from tests.corpus.witnesses import TOLERANCE, Witness, are_near, contradicts, is_told, witnesses


@dataclass(frozen=True)
class Row:
    """What a log gives; ``silent`` names the witnesses that contradict it without a word."""

    log: str
    format: str
    prints_speed: bool
    throughput: float | None
    unit: str
    scope: str
    protocol: str
    witnesses: str
    warnings: str
    reason: str
    silent: str
    by_hand: str = ""
    is_readable: bool = False
    ratio: float | None = None  # to the number that a person read, in the same unit


def row(folder: Path, log: Path) -> Row:
    """What one log of a folder gives, beside what a person read from it where one did."""
    return judged(read(folder, log), judgement_of(log))


def judged(read: Row, hand: Judgement) -> Row:
    """The same row with what a person read."""
    ratio = hand.ratio(read.throughput, read.unit)
    return replace(read, by_hand=hand.by_hand, is_readable=hand.is_readable, ratio=ratio)


def read(folder: Path, log: Path) -> Row:
    """What one log gives to the command."""
    text = log.read_bytes().decode("utf-8", "replace")
    name, speed = log.relative_to(folder).as_posix(), prints_speed(text)
    try:
        found = summarise(log, None, ())
    except ParserError as error:
        return Row(name, "", speed, None, "", "", "", "", "", str(error), "")
    formats = ", ".join(part.format.name for part in found.reading.parts if part.format)
    warnings = [str(said) for said in found.warnings]
    if found.measurement is None:
        return Row(name, formats, speed, None, "", "", "", "", " | ".join(warnings), str(found.reason), "")
    number, against = found.measurement, list(witnesses(found, text))
    told = [witness for witness in against if is_told(witness, warnings)]
    silent = [one for one in against if contradicts(one) and not any(are_near(one, other) for other in told)]
    value, how = float(f"{number.value:.6g}"), number.protocol.words()
    given = (value, number.unit, number.scope, how, worded(against), " | ".join(warnings), "", worded(silent))
    return Row(name, formats, speed, *given)


def worded(found: Iterable[Witness]) -> str:
    """The witnesses in one cell of a table."""
    return "; ".join(f"{witness.name}: {witness.value:.6g} ({witness.ratio:.3f} x)" for witness in found)


def rows(folder: Path) -> list[Row]:
    """What all files of a folder give, in the order of their names; all cores are used."""
    logs = sorted(path for path in folder.rglob("*") if path.is_file())
    with ProcessPoolExecutor() as pool:
        return list(pool.map(row, [folder] * len(logs), logs))


def table(found: Iterable[Row]) -> str:
    """One row a log, as csv."""
    text = StringIO()
    writer = csv.DictWriter(text, [field.name for field in fields(Row)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(row) for row in found)
    return text.getvalue()


def summed_up(found: Sequence[Row]) -> str:
    """The shares, and each number that is contradicted without a warning."""
    speed = [row for row in found if row.prints_speed]
    given = [row for row in found if row.throughput is not None]
    silent = [row for row in given if row.silent]
    return "\n".join(
        (
            f"{len(found)} logs",
            f"with a format: {share(sum(bool(row.format) for row in found), len(found))}",
            f"that print speed or times: {share(len(speed), len(found))}",
            f"with a throughput, of these: {share(sum(row.throughput is not None for row in speed), len(speed))}",
            f"with a throughput, of the others: {sum(not row.prints_speed for row in given)}",
            f"with a throughput that nothing else confirms: {sum(not row.witnesses for row in given)}",
            f"contradicted by more than {TOLERANCE:.0%} without a warning: {len(silent)}",
            *(f"  {row.log}: {row.throughput:g} {row.unit}, {row.protocol}; but {row.silent}" for row in silent),
            *by_hand(found),
        )
    )


def by_hand(found: Sequence[Row]) -> list[str]:
    """What became of the logs that a person read first; nothing where there are none."""
    readable = [row for row in found if row.is_readable]
    compared = [row for row in found if row.ratio is not None]
    far = [row for row in compared if is_far(row.ratio)]
    if not any(row.by_hand for row in found):
        return []
    return [
        f"that a person read a speed or time of training from: {share(len(readable), len(found))}",
        f"with a throughput, of these: {share(sum(row.throughput is not None for row in readable), len(readable))}",
        f"in the unit of the person: {len(compared)}, not near {len(far)}",
        *(f"  {row.log}: {row.throughput:g} {row.unit}, {row.ratio:.3f} x" for row in far),
    ]


def share(count: int, of: int) -> str:
    """A count and its share."""
    return f"{count} of {of} ({count / of:.0%})" if of else "0 of 0"


def told(found: Sequence[Row], form: str | None) -> list[str]:
    """The lines to print in a form: csv, json, or a summary where none is given."""
    if form == "json":
        return [json.dumps(asdict(row), ensure_ascii=False) for row in found]
    return (table(found) if form == "csv" else summed_up(found)).splitlines()


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--csv", "form", flag_value="csv", help="Print one row per log.")
@click.option("--json", "form", flag_value="json", help="Print one JSON object per log and line.")
def main(folder: Path, form: str | None) -> None:
    """Read all files of FOLDER as logs. Exit status 1 if a number is contradicted without a warning."""
    found = rows(folder)
    for line in told(found, form):
        say(line)
    raise SystemExit(any(row.silent for row in found))


if __name__ == "__main__":
    main()
