"""Ingesting logs so that they name nobody: they are scrubbed on the way."""

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ..io.input_file import data_of
from ..origins.found_file import LeftOut
from ..runs.run_folder import RUN_FILE
from ..scrubbing.copies import copied, named_by, sources
from ..scrubbing.identities import Identity
from ..scrubbing.scrub import Secrets
from .ingest import Event, Ingested, copies, ingest
from .suite import claimed

if TYPE_CHECKING:
    from ..sharing.workers import Workers


def ingest_scrubbed(found: Sequence[str], into: Path, workers: "Workers", secrets: Secrets) -> Iterator[Event]:
    """As ``ingest``, with every name in logs, in what lies beside them and in their run.json replaced.

    The logs become a suite that is thrown away, and its copies are kept: a name has the same placeholder in all logs
    of one call. A log is there already when the one that was found is, whatever was replaced in it. Raises ParserError
    where the suite cannot be filled.
    """
    with TemporaryDirectory(prefix="tachograph-") as spool:
        named = Path(spool, "named", into.resolve().name)  # a run.json holds the name of its suite
        taken = list(ingest(found, named, workers))
        yield from (event for event in taken if isinstance(event, LeftOut))
        logs = {event.sha256: event for event in taken if isinstance(event, Ingested)}
        if logs:
            nameless = Path(spool, "nameless")
            outcome = copied(sources([named]), nameless, secrets, given=_named_by(logs.values()))
            yield from (LeftOut(problem, "is not ingested", is_unreadable=True) for problem in outcome.problems)
            yield from _kept(nameless, into, logs)


def _named_by(logs: Iterable[Ingested]) -> Iterator[Identity]:
    """Whom the places name where the logs were found; a label of a log no longer tells what a name in it is of."""
    for log in logs:
        yield from named_by(log.found)


def _kept(nameless: Path, into: Path, logs: Mapping[str, Ingested]) -> Iterator[Event]:
    with claimed(into) as suite:
        for run in sorted(nameless.rglob(RUN_FILE)):
            sha256 = _found(json.loads(data_of(run)), logs)
            label, wanted, log = run.parent.parent.name, int(run.parent.name), logs[sha256]
            number = there = suite.repeat(label, sha256, log.content)
            remarks = log.remarks + (suite.problems(label, there) if there else ())
            if number is None:
                staged = shutil.copytree(run.parent, suite.staging / uuid4().hex)
                number = suite.publish(staged, label, {sha256, log.content}, wanted)
            yield Ingested(log.found, label, number, there is None, sha256, log.content, log.format, remarks)
        yield from copies(suite, dict.fromkeys(log.content for log in logs.values()))


def _found(run: dict[str, Any], logs: Mapping[str, Ingested]) -> str:
    """The SHA-256 of the log that was found; a run that was ingested before also names that of its origin."""
    said: Iterator[str] = (run.get(place, {}).get("sha256") for place in ("ingested", "source", "log"))
    return next(sha256 for sha256 in said if sha256 in logs)
