"""Copies of several logs that may be published: where they go, and what was replaced in them."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..io.errors import ParserError, WriteError, told
from ..io.files import below, leading_out, move, unfinished
from ..runs import runfile
from ..runs.facts import FOLDERS, name_facts
from ..runs.run_folder import RUN_FILE
from .identities import Identity, identities
from .placeholders import Placeholders, ReplacementTally
from .scrub import ScrubError, Secrets, named, scrubbed


@dataclass
class Replaced:
    """What was replaced of one kind in all copies: how often, which, and in which copy and line (from 1) first."""

    occurrences: int = 0
    distinct: set[bytes] = field(default_factory=set)
    copy: Path = Path()
    line: int = 0


@dataclass
class ScrubOutcome:
    """The ``copies`` that were written, what was ``replaced`` in them by kind, and a sentence for each log without."""

    copies: list[Path] = field(default_factory=list)
    replaced: dict[str, Replaced] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def add(self, copy: Path, tallies: Mapping[str, ReplacementTally]) -> None:
        """Take note of one more copy; ``tallies``: of it and of the files beside it, by their names."""
        self.copies.append(copy)
        for name, tally in tallies.items():
            for kind, times in tally.occurrences.items():
                replaced = self.replaced.setdefault(kind, Replaced(copy=copy.with_name(name), line=tally.first[kind]))
                replaced.occurrences += times
                replaced.distinct |= tally.distinct[kind]


@dataclass(frozen=True)
class NamedLog:
    """A log, and the file or folder by which it was named."""

    log: Path
    named: Path


def sources(paths: Iterable[Path]) -> list[NamedLog]:
    """The logs that are named: a file is one, a folder holds those of the run folders in it.

    Raises ScrubError for a folder without any, LogError for a run.json that is broken.
    """
    found: dict[Path, NamedLog] = {}
    for path in map(_absolute, paths):
        for log in _logs(path) if os.path.isdir(path) else [path]:  # noqa: PTH112 - never raises an error
            found.setdefault(log, NamedLog(log, path))
    return list(found.values())


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links, whose names tell facts


def _logs(folder: Path) -> Iterator[Path]:
    runs = sorted(folder.rglob(RUN_FILE))
    if not runs:
        raise ScrubError(f"{folder}: does not contain run folders (with a {RUN_FILE}); pass its logs.")
    yield from (runfile.log_of(run.parent) for run in runs)


def copied(
    logs: Sequence[NamedLog],
    out: Path,
    secrets: Secrets,
    *,
    given: Iterable[Identity] = (),
    keep: Iterable[bytes] = (),
    format: str | Path | None = None,
) -> ScrubOutcome:
    """Write a copy of each log below the folder ``out``, under its place below the folder that all have in common.

    ``given`` are identities that are known, ``keep`` names that are none. A log that cannot be read or copied does not
    keep the others. Raises ScrubError when a copy would take the place of a log, or ``out`` cannot be a folder.
    """
    outcome, readable, found = ScrubOutcome(), [], dict.fromkeys(given)
    for source in logs:
        try:
            _refuse_links(source)
            found |= named(source.log, secrets) | dict.fromkeys(named_by(source.log))
            readable.append(source)
        except (ParserError, OSError) as error:
            outcome.problems.append(told(error))
    kept = {name.lower() for name in keep}
    placeholders = Placeholders(identity for identity in found if identity.text.lower() not in kept)
    _copy(_places(readable, _absolute(out), placeholders), _absolute(out), placeholders, secrets, format, outcome)
    return outcome


def _refuse_links(source: NamedLog) -> None:
    """Raise ScrubError where a link would put a file from elsewhere among the copies; whoever names a link means it."""
    is_named = source.log == source.named
    files = runfile.files_of_run(source.log)
    if file := leading_out(files[1:] if is_named else files, source.log.parent if is_named else source.named):
        raise ScrubError(f"{file}: is a link that leads out of the folder; scrub its target directly.")


def named_by(place: str | Path) -> Iterator[Identity]:
    """Whom the path of a log names, such as the owner of a home folder."""
    return (identity for identity in identities(os.fsencode(place)) if identity.kind != "taken")


def _copy(
    places: dict[Path, Path],
    out: Path,
    placeholders: Placeholders,
    secrets: Secrets,
    format: str | Path | None,
    outcome: ScrubOutcome,
) -> None:
    """Write all copies under another name and move them, so that a reader never sees half a file."""
    if out.exists() and not out.is_dir():
        raise ScrubError(f"{out}: is not a folder; choose another one with --out.")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ScrubError(f"{out}: cannot be created: {error.strerror}.") from error
    with unfinished(out) as folder:
        for place, log in places.items():
            copy = below(folder, str(place))
            try:
                copy.parent.mkdir(parents=True, exist_ok=True)
                outcome.add(place, scrubbed(log, copy, placeholders, secrets, format=format))
            except WriteError as error:
                outcome.problems.append(str(error.moved(folder, out)))
            except (ParserError, OSError) as error:
                outcome.problems.append(told(error))
        move((str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()), folder, out)


def _places(logs: Sequence[NamedLog], out: Path, placeholders: Placeholders) -> dict[Path, Path]:
    """The log of each place below the folder of copies; what the name of a log tells must not be lost."""
    if not logs:
        return {}
    base = Path(os.path.commonpath([source.named.parent for source in logs]))
    for folder in (base, *list(base.parents)[:FOLDERS]):
        if all(_told(source.log) == _told(out / source.log.relative_to(folder)) for source in logs):
            base = folder
            break
    places = {_public(source.log.relative_to(base), placeholders): source.log for source in logs}
    several = Counter(_public(source.log.relative_to(base), placeholders) for source in logs).most_common(1)
    if several[0][1] > 1:
        raise ScrubError(f"{out / several[0][0]}: would be the copy of {several[0][1]} logs; scrub them separately.")
    for place in places:
        if (taken := next((s.log for s in logs if s.log.exists() and _same(s.log, out / place)), None)) is not None:
            raise ScrubError(f"{taken}: its copy would overwrite a log; choose another folder with --out.")
    return places


def _told(log: Path) -> list[tuple[str, object]]:
    return [(fact.name, fact.value) for fact in name_facts(log)]


def _public(place: Path, placeholders: Placeholders) -> Path:
    return Path(os.fsdecode(placeholders.replaced(os.fsencode(place))))


def _same(log: Path, copy: Path) -> bool:
    return copy.exists() and log.samefile(copy)
