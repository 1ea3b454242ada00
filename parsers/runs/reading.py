"""Reading a log: records, facts and the line account, with the proof of where each came from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np

from ..grammar.field import Field, StepIs
from ..grammar.format import METRICS, Format, load
from ..io.cache import pd
from ..io.errors import FormatError
from ..io.message import Message
from ..scanning.cascade import Account, Cascade, CutValue, Unmatched, of_kinds
from ..scanning.detection import (
    common,
    detected,
    formats,
    grammars,
    known_shapes,
    most_claimed,
    refuse_wrapped,
    within_limits,
)
from ..scanning.judging import KnownShapes
from ..scanning.record_table import RecordTable
from ..scanning.text import LogText
from .boundaries import Last, of_each, of_starts, told_apart, without_evaluation
from .events import Event, events, findings, frame, time_to_train
from .facts import Fact, Facts, believed, line_facts, statements
from .format_records import NOTHING, FormatRecords, RankLog, records_of
from .runfile import RunFile, run_facts, run_file, run_problems, told_by_name

TORN = "Output is interleaved, first at line {line} ({count} in total); only intact parts are used."
CUT = "The last line does not end with a newline and may be truncated; a number at its end is not used."
NO_STEPS = "The log does not contain step or epoch records."
NONE_FITS = "none of its {count} lines match a known format; list the formats with `tachograph formats`."
UNKNOWN_FORMAT = "Unknown format {name}; list the formats with `tachograph formats`."
UNKNOWN_FORMAT_LIKE = "Unknown format {name}; did you mean {near}? List the formats with `tachograph formats`."
NONE_FITS_LINE = "its only line does not match a known format; list the formats with `tachograph formats`."
# Lines that are left are tried for further formats up to so many bytes: that takes longer than to read the others.
SEARCHED = 4 << 20


class CutLog(Message):
    """A remark on a log whose last number may be cut."""


@dataclass(frozen=True)
class Reading:
    """What a log holds.

    ``parts``: what each of its formats reads, first the one that says most of speed; ``format``, ``records`` and
    ``fields`` are those of the first. Of a log of no known format the only part has no format and no records.
    ``happened``: its events in file order. ``unmatched``: which lines no grammar reads.
    ``facts_of_runs``: the facts of each run by itself, where the log holds several.
    ``ranks``: the logs of all ranks in ``folder``, where each has one of its own: all have their records here, and the
    rest is of the first.
    ``cut``: the value at the end of a log without a newline, which may lack its end and is not used.
    ``sha256`` and ``bytes`` are of the file as it lies on disk. ``run_file``: what the run.json beside it holds, empty
    where there is none.
    """

    path: Path
    sha256: str
    bytes: int
    parts: tuple[FormatRecords, ...]
    facts: Facts
    account: Account
    warnings: tuple[Message, ...]
    happened: tuple[Event, ...]
    unmatched: Unmatched
    cut: CutValue | None = None
    facts_of_runs: tuple[Facts, ...] = ()
    ranks: tuple[RankLog, ...] = ()
    folder: Path | None = None
    run_file: RunFile = field(default_factory=dict)

    @property
    def format(self) -> Format | None:
        """The format that says most of speed."""
        return self.parts[0].format

    def of_run(self, run: int | Last | None) -> Reading:
        """The same with the facts of one run, by its number from 1, where the log holds several and one is named."""
        number = len(self.facts_of_runs) if run == "last" else run
        if number is None or not 1 <= number <= len(self.facts_of_runs):
            return self
        return replace(self, facts=self.facts_of_runs[number - 1])

    @property
    def records(self) -> pd.DataFrame:
        """The records of that format."""
        return self.parts[0].records

    @property
    def prints_speed(self) -> bool:
        """Whether a format reads a speed of single steps or epochs."""
        return any(part.rank[0] for part in self.parts)

    @property
    def events(self) -> pd.DataFrame:
        """The events as a DataFrame, one row each: ``line``, ``event``, ``text`` and ``time``."""
        return frame(self.happened)

    @property
    def fields(self) -> dict[tuple[str, str], Field]:
        """What the columns of those records mean."""
        return self.parts[0].fields


def read(path: str | Path, *, format: str | Path | None = None, facts: Iterable[Fact] = ()) -> Reading:
    """Read one log, plain or compressed (gz, bz2, xz, zst).

    ``format``: name of a known format or path of a grammar; by default it is found by itself. ``facts``: what the
    caller knows, believed before all other sources. Raises LogError when the log cannot be read, FormatError when no
    format or more than one fits, GrammarError when a grammar has a mistake.
    """
    return of_known_format(survey(path, format=format, facts=facts))


def of_known_format(reading: Reading) -> Reading:
    """The same reading; raises FormatError where no known format fits."""
    if reading.format is None:
        count = reading.account.total
        raise FormatError.at(reading.path, NONE_FITS_LINE if count == 1 else NONE_FITS, count=count)
    return reading


def known_format(name: str | Path | Format) -> Format:
    """A format by name, or a grammar file by its path; raises FormatError that lists names like a wrong one.

    Only that grammar is opened: a mistake in another one does not keep it. Raises GrammarError for one of its own.
    """
    if isinstance(name, Format):
        return name
    if str(name).endswith(".lark"):
        return load(Path(name))
    if str(name) not in grammars():
        near = get_close_matches(str(name).lower(), grammars(), n=5)
        told = UNKNOWN_FORMAT_LIKE if near else UNKNOWN_FORMAT
        raise FormatError(told, name=repr(str(name)), near=" or ".join(near))
    return load(grammars()[str(name)])


def survey(
    path: str | Path,
    *,
    format: str | Path | Format | Sequence[Format] | None = None,
    facts: Iterable[Fact] = (),
    found: FormatRecords | None = None,
) -> Reading:
    """As ``read``, but a text of no known format gives a reading without records: all its lines are unmatched.

    Of several formats each reads what those before it leave. ``found``: records of no format, which come first.
    """
    if isinstance(format, str | Path | Format):
        format = [known_format(format)]
    chosen = list(format or ())
    do = partial(_survey, Path(path), chosen, list(facts), found, search=format is None and found is None)
    return within_limits(do, Path(path), chosen or formats())


def _survey(
    path: Path, chosen: list[Format], given: list[Fact], found: FormatRecords | None, *, search: bool
) -> Reading:
    source = LogText(path)
    cascade = _read(source, chosen, found, search=search)
    own = sorted((records_of(level, source) for level in cascade.levels[:-1]), key=lambda part: part.rank)
    run, happened = run_file(path), events(of_kinds(cascade.levels, ("event",)))
    first, *others = [*([found] if found else ()), *own] or [NOTHING]
    first, left_out = without_evaluation(first)
    parts = tuple(told_apart([first, *others], happened))
    told, *of_runs = _facts(given, cascade, happened, run, path, parts)
    told.hear(time_to_train(happened))
    different = [*{id(one): one for one in of_runs or [told]}.values()]
    said = tuple(_warnings(different, cascade, source, run, parts[0].table))
    return Reading(
        path=path,
        sha256=source.sha256,
        bytes=source.size,
        parts=parts,
        facts=told,
        account=cascade.account(),
        warnings=(*said, *left_out, *findings(parts, happened)),
        happened=happened,
        unmatched=cascade.unmatched.whole(parts[0].format),
        cut=next((level.cut for level in cascade.levels if level.cut), None),
        facts_of_runs=tuple(of_runs),
        run_file=run,
    )


def _read(text: LogText, chosen: list[Format], found: FormatRecords | None, *, search: bool) -> Cascade:
    """Read a log as these formats, and as all others that are found in it; what any program prints comes last."""
    known = chosen or formats()
    shapes = known_shapes(known)
    if search:
        chosen = [fmt for fmt in [detected(text, known)] if fmt]
    while True:
        cascade = Cascade([*chosen, common()], shapes, np.unique(found.table["line"]) if found else None)
        another = _feed(cascade, text, chosen, shapes, search=search and bool(chosen))
        if another is None:
            refuse_wrapped(text, known, has_metrics=found is not None or bool(of_kinds(cascade.levels, METRICS)))
            return cascade
        chosen.append(next(fmt for fmt in known if fmt.name == another))


def _feed(
    cascade: Cascade, text: LogText, chosen: Sequence[Format], shapes: KnownShapes, *, search: bool
) -> str | None:
    """Read all blocks; returns a format other than the chosen ones, where there are any, once lines of it are left."""
    searched, names = 0, {fmt.name for fmt in chosen}
    for lines in text.blocks(shapes, chosen):
        verdicts = cascade.feed(lines)
        if search and searched < SEARCHED and verdicts.left.any():
            searched += int((lines.ends - lines.starts)[verdicts.left].sum())
            if found := most_claimed(text.path, lines, verdicts.left, shapes, without=names):
                return found
    return None


def _facts(
    given: list[Fact],
    cascade: Cascade,
    happened: Sequence[Event],
    run: RunFile,
    log: Path,
    parts: Sequence[FormatRecords],
) -> Iterator[Facts]:
    """The facts of the whole log, and then of each run, where it holds several."""
    *formats_, last = [level.facts for level in cascade.levels]
    of_formats, of_others = statements(chain(*formats_)), statements(last)
    stated, arguments = of_starts(line_facts(of_formats), parts[0].table, happened), line_facts(of_others)
    steps = {part.format.step_is for part in parts if part.format}
    step_is: StepIs = steps.pop() if len(steps) == 1 else "unknown"
    known, named = [*given, *run_facts(run, log)], list(told_by_name(run, log))
    yield believed(known, stated, arguments, named, step_is)
    # Of many runs that are told the same the facts are the same.
    made: dict[tuple[tuple[int, ...], ...], Facts] = {}
    for own in zip(of_each(parts, stated, of_formats), of_each(parts, arguments, of_others), strict=True):
        said = tuple(tuple(map(id, told)) for told in own)
        if said not in made:
            made[said] = believed(known, *own, named, step_is)
        yield made[said]


def _warnings(
    told: Sequence[Facts], cascade: Cascade, source: LogText, run: RunFile, records: RecordTable
) -> Iterator[Message]:
    """What speaks against a log; ``told``: its facts, or the different ones of several runs."""
    yield from run_problems(run, source.path, source.sha256)
    yield from dict.fromkeys(said for facts in told for said in facts.warnings())
    if cascade.torn:
        yield Message(TORN, line=cascade.first_torn, count=cascade.torn)
    if source.cut:
        yield CutLog(CUT)
    if len(records) and records.are("summary").all():
        yield Message(NO_STEPS)
