"""How well logs are read that nothing was written from: `python -m tests.corpus.unseen DIR [--csv | --json]`.

For any folder of logs it tells how many get a format, how many of those that print speed or times at all get a
throughput, and which numbers contradict a second witness by more than 5 % without a warning: none may. Witnesses are
the other estimates of the same log (what it prints, step time, clock), its records of other kinds (step, epoch,
summary), what it says of itself in a line of its own, and how fast its lines say that its steps follow each other
(``second_computations``); both of these are looked for in the raw text, without any grammar.

Whether a log prints speed or times is decided by its text alone: at least three lines that are equal but for numbers
and signs have a number with a unit of speed or time, or beside a word of either (``SPEED``), which is not the same in
all of them, as in a sentence that a model repeats. Stamps at the start of lines do not count, nor do lines that tell of
an evaluation or of loading and not of training, nor any of a log that says that it does not train, or that tells of an
evaluation and nowhere of training. To say that it does not train is not enough where a loss is printed: trainers of
Hugging Face print that setting, which their ``train`` does not read. A progress bar without a name tells of loading or
of reading where the line above it does, and lines of generating text tell of an evaluation.
"""

import csv
import json
import re
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
from tests.corpus.witnesses import TOLERANCE, Witness, are_near, contradicts, is_told, lines_of, shape_of, witnesses

LINES_OF_SPEED = 3

COUNTED = (
    r"(?:it|iter|step|batch|sample|image|img|token|tok|word|frame|example|seq|sequence|sentence|episode|game|kimg)"
)
SPEED = re.compile(
    rf"""\d\s*{COUNTED}\w*\s?(?:/|per\s)\s?s(?:ec|\b)          # 12.5 samples/s
    |\d\s*(?:ms|s|secs?|seconds)\s?(?:/|per\s)\s?{COUNTED}      # 0.2 s/it
    |{COUNTED}\w*\s?(?:/|per\s?|_per_|_)s(?:ec\w*)?\b\W{{0,12}}\d  # SamplesPerSec=12.5
    |\b(?:fps|ips|wps|tps|ups|throughput|speed)\b\W{{0,12}}\d
    |(?:time|elapsed|took|duration|runtime|(?:batch|reader|time)_?cost|\beta)[^\d\n]{{0,16}}\d+(?:\.\d|:\d\d|\s?(?:ms|s|m|h|sec|min)\b)
    |time\sper\s\w+[^\d\n]{{0,12}}\d                            # time per iteration (ms): 5837.9
    |\w_(?:s|ms|secs?)\b\s?[:=]?\s?\d                         # dt_ms 7380.6
    |(?:耗时|用时|时间|速度)[^\d\n]{{0,12}}\d
    |\d\s*(?:ms|secs?|seconds)\b|\d\d:\d\d<\d""",
    re.IGNORECASE | re.VERBOSE,
)

PREPARES = re.compile(
    r"\W*(?:generating \w+ split|map\b|filter\b|tokeniz|(?:down|up|pre)?load|reading\b|fetch|extract|sav(?:e|ing)\b)"
    r"|.*\d ?[kMG]i?B/s",
    re.IGNORECASE,
)
EVALUATES = re.compile(
    r"(?<![a-z])(?:val|valid\w*|eval\w*|test\w*|infer\w*|predict\w*|generation|\w*tokenize\w*)(?![a-z])", re.IGNORECASE
)
TRAINS = re.compile(r"loss|train|epoch|(?<![a-z])(?:lr|steps?|iter\w*)(?![a-z])|训练|损失|轮", re.IGNORECASE)

NO_TRAINING = re.compile(r"\bdo_train[\"']?\s?[:=]\s?[Ff]alse\b")
NO_EPOCHS = re.compile(r"`Trainer\.fit` stopped: `max_epochs=0` reached")  # of Lightning
BAR_WITHOUT_NAME = re.compile(r"\s*\d{1,3}%\|")
A_LOSS = re.compile(r"loss[\"']?\s?[:=]\s?\d", re.IGNORECASE)
TELLS_OF_EVALUATION = re.compile(rf"{EVALUATES.pattern}|评估|测试|验证", re.IGNORECASE)


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


def prints_speed(text: str) -> bool:
    """Whether a text prints speed or times, by its words alone."""
    if is_without_training(text):
        return False
    found: dict[str, list[tuple[str, ...]]] = {}
    above = ""
    for line in lines_of(text):
        is_other = is_of_other_work(line) or (BAR_WITHOUT_NAME.match(line) and PREPARES.match(above))
        if (speed := SPEED.search(line)) and not is_other:
            found.setdefault(shape_of(line), []).append(tuple(re.findall(r"[\d.]+", line[speed.start() :])))
        above = above if not line.strip() or BAR_WITHOUT_NAME.match(line) else line
    return any(len(said) >= LINES_OF_SPEED and len(set(said)) > 1 for said in found.values())


def is_without_training(text: str) -> bool:
    """Whether a text says that nothing is trained, or tells of an evaluation and nowhere of training."""
    says_so = NO_EPOCHS.search(text) or (NO_TRAINING.search(text) and not A_LOSS.search(text))
    return bool(says_so or (TELLS_OF_EVALUATION.search(text) and not TRAINS.search(text)))


def is_of_other_work(line: str) -> bool:
    """Whether a line tells of loading, or of an evaluation and not of training."""
    return bool(PREPARES.match(line) or (EVALUATES.search(line) and not TRAINS.search(line)))


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
