"""Derivations for tests, and what the awks of this machine print for their commands."""

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from parsers.runs.facts import Fact
from parsers.runs.provenance import option
from parsers.runs.reading import survey
from report.measuring.crosscheck import chosen
from report.measuring.measurement import NoMeasurement, measure
from report.measuring.protocol import Protocol
from report.why.awk import AwkCommand, command
from report.why.derivation import Derivation, derive

AWKS = [awk for awk in ("mawk", "gawk", "original-awk", "busybox awk") if shutil.which(awk.split()[0])]
GIVEN = [Fact("cards", 4, option("cards")), Fact("batch_size", 8, option("batch-size"))]
PROTOCOLS = (
    "statistic=median",
    "statistic=harmonic_mean,decimals=1,rounding=truncate",
    "statistic=last",
    "statistic=min,significant=3",
    "statistic=max,decimals=0",
    "trim=0.2",
    "estimate=step_time",
    "estimate=step_time,statistic=median",
    "records=epoch,estimate=duration",
    "estimate=instant",
    "estimate=clock",
)


def derivation(log: Path, protocol: str = "", format: str | Path | None = None) -> Derivation:
    reading = survey(log, facts=GIVEN, format=format)
    part = reading.parts[0]
    if not protocol:
        return derive(reading, part, reading.facts, chosen(part, reading.facts))
    measured = measure(part.records, part.fields, reading.facts, Protocol.parse(protocol))
    return derive(reading, part, reading.facts, measured)


def outputs(found: AwkCommand) -> set[str]:
    """What the awks of this machine print for a command."""
    assert found.text is not None
    texts = {found.text, *(found.text.replace("LC_ALL=C awk", f"LC_ALL=C {awk}") for awk in AWKS)}
    return {subprocess.run(["sh", "-c", text], capture_output=True, text=True, check=True).stdout for text in texts}


def digits(log: Path, rules: Sequence[str]) -> Iterator[tuple[str, str, set[str]]]:
    """By each rule that a log allows: the rule, the digits that are printed, and what the commands print."""
    for rule in rules:
        with suppress(NoMeasurement):
            derived = derivation(log, rule)
            yield rule, derived.printed, outputs(command(derived))
