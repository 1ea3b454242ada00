"""The outcome of the corpus: of each real log its formats, what was published of it, and what it gives.

`make corpus` writes it into outcomes.csv beside this file, and sums it up in docs/corpus.md. The logs lie beside the
project, where `make corpus-fetch` puts them; they never enter it.
"""

import csv
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, fields
from fnmatch import fnmatch
from io import StringIO
from pathlib import Path

import pandas as pd

from parsers.runs.format_records import FormatRecords
from parsers.runs.health import FAILED
from parsers.runs.reading import Reading, survey
from report.measuring.headline import headline
from report.measuring.measurement import Measurement, NoMeasurement, measure
from report.measuring.number import printed
from report.measuring.protocol import Protocol
from tests.parsers.corpus_logs import CORPUS

OUTCOMES = Path(__file__).with_name("outcomes.csv")
DOCUMENT = Path(__file__).parents[2] / "docs" / "corpus.md"
PROTOCOLS = tomllib.loads(Path(__file__).with_name("protocols.toml").read_text(encoding="utf-8"))["protocol"]
EXACT = "exact"
NUMBER = re.compile(r"\d+(?:\.\d+)?")
TEXT = """# Results on real logs

{logs} logs of training runs in public repositories, with the numbers that each repository publishes for them.
[outcomes.csv](../tests/corpus/outcomes.csv) has a row per log: formats, records, the published number, the
number computed from the log, the protocol and the verdict. The logs are not in this repository. To reproduce it:

```console
$ make corpus-fetch CORPUS=../shared/corpus
$ make corpus
```

The first command fetches each log by git, at the commits in [sources.csv](../tests/corpus/sources.csv), and checks its
SHA-256. The second writes this page and outcomes.csv; a test compares both with the logs. `$TACHOGRAPH_CORPUS`
overrides the folder `../shared/corpus`.

{counts}

| repository | logs | with a published number | exact |
|:--|--:|--:|--:|
{repositories}

A published number is exact if one of these protocols, tried in this order, reproduces its digits:

{protocols}
"""


@dataclass(frozen=True)
class Outcome:
    """A row of the table; ``published`` and ``given`` are numbers as they are printed."""

    log: str
    formats: str
    records: int
    published: str
    given: str
    protocol: str
    verdict: str


def outcome(row: dict[str, str]) -> Outcome:
    """What one log of the index gives, by the first protocol that gives the published digits."""
    reading = survey(CORPUS / row["path"])
    formats = ", ".join(part.format.name for part in reading.parts if part.format)
    records = sum(len(part.records) for part in reading.parts)
    numbers = NUMBER.findall(row["published"].split("(")[0].split(";")[0])
    found = _of_times(reading, numbers) if " ms" in row["published"] else _of_rate(reading, numbers)
    return Outcome(row["path"], formats, records, " / ".join(numbers), *found)


def _of_rate(reading: Reading, numbers: Sequence[str]) -> tuple[str, str, str]:
    try:
        plain = _plain(reading)
    except NoMeasurement as error:
        return "", "", _reason(reading, error)
    if not numbers:
        return _given(plain)
    for protocol in _protocols(reading.path):
        for part in reading.parts:
            found = _tried(part, reading, protocol)
            if found is not None and _gives(found.value, numbers[0]):
                return f"{_digits(found.value, numbers[0])} {found.unit}", found.protocol.words(), EXACT
    counts_another = plain.unit == "steps/s"  # where nobody knows the size of a batch
    return *_given(plain)[:2], "in steps" if counts_another else f"{plain.value / float(numbers[0]):.4f} x"


def _plain(reading: Reading) -> Measurement:
    """The measurement that `show` makes where no protocol is stated."""
    reasons = []
    for part in reading.parts:
        try:
            return headline(part, reading, None)[0]
        except NoMeasurement as error:
            reasons.append(error)
    raise reasons[0]


def _protocols(log: Path) -> Iterator[Protocol]:
    path = log.relative_to(CORPUS).as_posix()
    for entry in PROTOCOLS:
        if any(fnmatch(path, like) for like in entry["logs"]):
            yield Protocol.parse(entry["keys"])


def _given(found: Measurement) -> tuple[str, str, str]:
    whose = {"job": "", "unknown": " of unknown scope"}.get(found.scope, f" of one {found.scope}")
    return f"{found.value:.6g} {found.unit}{whose}", found.protocol.words(), ""


def _tried(part: FormatRecords, reading: Reading, protocol: Protocol) -> Measurement | None:
    try:
        return measure(part.records, part.fields, reading.facts, protocol)
    except NoMeasurement:
        return None


def _reason(reading: Reading, error: NoMeasurement) -> str:
    ends = [said for said in reading.warnings if said.key == FAILED]
    return str(ends[0]) if ends else str(error) if len(reading.records) else "no metric line"


def _of_times(reading: Reading, numbers: Sequence[str]) -> tuple[str, str, str]:
    """Times of a step in milliseconds: those of the summaries, of one model after the other."""
    for kind in ("summary", "step"):
        times = _milliseconds(reading.parts[0], kind)
        if len(times) and (kind == "summary" or len(numbers) == 1):
            given = times.tolist() if kind == "summary" else [times.mean()]
            found = len(_paired(given, numbers))
            verdict = EXACT if found == len(numbers) else f"{found} of {len(numbers)}"
            return " / ".join(f"{time:g}" for time in given) + " ms", f"records={kind} step_time", verdict
    return "", "", "no time of a step"


def _paired(given: Sequence[float], numbers: Sequence[str]) -> list[str]:
    """The published numbers that are given; each of those that are given stands for one."""
    left, paired = list(given), []
    for number in numbers:
        if (time := next((time for time in left if _gives(time, number)), None)) is not None:
            left.remove(time)
            paired.append(number)
    return paired


def _milliseconds(part: FormatRecords, kind: str) -> "pd.Series[float]":
    field = part.fields.get((kind, "step_time"))
    if field is None:
        return pd.Series(dtype=float)
    times = part.records.loc[part.records["record"] == kind, "step_time"].dropna()
    return times * (1000 if field.unit == "seconds" else 1)


def _gives(value: float, number: str) -> bool:
    """Whether a value has these digits, rounded half up or cut off."""
    decimals = len(number.partition(".")[2])
    forms = (Protocol(decimals=decimals), Protocol(decimals=decimals, rounding="truncate"))
    return any(float(printed(value, form).replace(",", "")) == float(number) for form in forms)


def _digits(value: float, number: str) -> str:
    return printed(value, Protocol(decimals=len(number.partition(".")[2])))


def outcomes() -> list[Outcome]:
    """All logs of the index, in its order; all cores are used."""
    with (CORPUS / "INDEX.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with ProcessPoolExecutor() as pool:
        return list(pool.map(outcome, rows, chunksize=4))


def table(found: Sequence[Outcome]) -> str:
    """All outcomes as csv."""
    text = StringIO()
    writer = csv.DictWriter(text, [field.name for field in fields(Outcome)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(row) for row in found)
    return text.getvalue()


def rows() -> list[Mapping[str, str]]:
    """The rows of ``table`` that are kept."""
    with OUTCOMES.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def document(found: Sequence[Outcome]) -> str:
    """The page that sums the outcomes up."""
    protocols = "\n".join(f"- `{entry['keys']}`: {entry['why']}" for entry in PROTOCOLS)
    counts, repositories = "\n".join(_counts(found)), "\n".join(_by_repository(found))
    return TEXT.format(logs=len(found), counts=counts, repositories=repositories, protocols=protocols)


def _by_repository(found: Sequence[Outcome]) -> Iterator[str]:
    for repository in sorted({row.log.partition("/")[0] for row in found}):
        logs = [row for row in found if row.log.startswith(f"{repository}/")]
        published = [row for row in logs if row.published]
        exact = sum(row.verdict == EXACT for row in published)
        yield f"| {repository} | {len(logs)} | {len(published)} | {exact} |"


def _counts(found: Sequence[Outcome]) -> Iterator[str]:
    published = [row for row in found if row.published]
    kinds = Counter("exact" if row.verdict == EXACT else "other" for row in published)
    yield f"- {len(found)} logs, {sum(bool(row.formats) for row in found)} with a known format"
    yield f"- {len(published)} with a published number: {kinds['exact']} exact, {kinds['other']} not"


if __name__ == "__main__":
    FOUND = outcomes()
    OUTCOMES.write_text(table(FOUND), encoding="utf-8")
    DOCUMENT.write_text(document(FOUND), encoding="utf-8")
