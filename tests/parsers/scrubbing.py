"""Scrubbing for tests: with the credentials that the launchers know."""

from collections.abc import Callable
from pathlib import Path

from parsers.runs.reading import Reading, read
from parsers.scanning.cascade import Account
from parsers.scrubbing.copies import ScrubOutcome, copied, sources
from tachograph.cli import secrets


def scrub(folder: Path, *logs: Path) -> ScrubOutcome:
    """Copies of logs in a folder; fails where one could not be made."""
    outcome = copied(sources(logs), folder, secrets())
    assert outcome.problems == []
    return outcome


def scrub_one(folder: Path, log: Path) -> Path:
    """The copy of one log."""
    return folder / scrub(folder, log).copies[0]


def scrubbed_text(folder: Path, text: bytes) -> bytes:
    """What becomes of a log that holds this text."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "train.log"
    log.write_bytes(text)
    return scrub_one(folder / "public", log).read_bytes()


def facts(reading: Reading) -> list[tuple[str, object, str]]:
    return [(fact.name, fact.value, str(fact.source)) for fact in reading.facts.values()]


def counts(account: Account) -> tuple[int, int, int]:
    return account.total, account.matched, account.ignored


def assert_reads_the_same(log: Path, copy: Path, reader: Callable[[Path], Reading] = read) -> None:
    before, after = reader(log), reader(copy)
    assert after.records.equals(before.records)
    assert (facts(after), counts(after.account)) == (facts(before), counts(before.account))
    assert (after.account.recognised == before.account.recognised).all()
