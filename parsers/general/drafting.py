"""Drafting: a log that no format claims becomes a grammar, which reads it; what it reads must be what was found."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np

from ..grammar.format import Format
from ..io.errors import GrammarError, WrappedError
from ..io.message import Message, joined
from ..naming.sense import EPOCH, STEP
from ..runs.facts import Fact
from ..runs.format_records import RUN
from ..runs.health import TWICE
from ..runs.provenance import RECORDS
from ..runs.reading import Reading, survey
from ..scanning.detection import known_shapes
from ..scanning.record_table import RecordTable
from ..scanning.text import LogText
from .anchor import NoGrammarError
from .as_found import is_as_found
from .bars.cut_bars import why_cut
from .bars.training_bar import training_bar
from .blocks.block_choice import choices_in_blocks
from .blocks.block_text import BlockText
from .blocks.unbroken_block import UnbrokenBlock
from .choice import Choice, choose
from .csv_grammar import CsvGrammar, csv_grammar
from .drafted_format import drafted_format
from .gathered import Gathered, gather
from .grammar_text import GrammarText, commented
from .line_moment import are_paused
from .no_log import behind_its_source, why_no_log
from .proofs.assumption import NAMELESS, assumptions, tell_no_day
from .proofs.fractions_of_epochs import with_epochs
from .spoken_series import FEW
from .stated_counts import stated_counts
from .totals.remaining_time import expected_times
from .totals.time_of_run import times_of_run

NO_SPEED = "no number in it is recognised as a training speed"
STARTS_OVER = "its steps start over after line {line}, and it is unclear whether that is still training"
SEVERAL_RUNS = "its step time changes for good, as in another run, and where that begins is unclear"
NOT_SO = "{name}: its lines cannot be distinguished from others"
REASON = "{name}: {reason}"
OF_BAR = "No {formats} line contains a throughput or a time; times are read from the progress bar of {steps} steps."
PAUSED = "its timestamps are read without their dates, which show a pause of half a day or more"
MOST_REASONS = 3
# Of the lines that go beside a grammar to test it by.
MOST_READ = 20
MOST_OTHER = 10


@dataclass(frozen=True)
class Draft:
    """A grammar drafted from a log: its ``text``, the ``reading`` of the log by it, and what was assumed.

    ``used``: how many lines it reads, of ``total``.
    """

    text: str
    reading: Reading
    assumed: tuple[Message, ...]
    used: int
    total: int
    is_found: ClassVar[Literal[True]] = True

    @property
    def columns(self) -> list[str]:
        """The columns that it reads."""
        return list(dict.fromkeys(name for _, name in self.reading.fields))


@dataclass(frozen=True)
class NoDraft:
    """Why a log gives no grammar; it ``is_near`` where there are numbers that may be speeds."""

    reasons: tuple[Message, ...]
    is_near: bool = False
    is_found: ClassVar[Literal[False]] = False


@dataclass(frozen=True)
class ReadBar:
    """A log of known formats whose progress bar is read, too, by a grammar drafted for it; ``said`` tells so."""

    reading: Reading
    said: Message


def draft(path: Path, facts: Iterable[Fact] = ()) -> Draft | NoDraft:
    """Draft a grammar for a log and read the log by it; raises LogError when it cannot be read."""
    gathered = with_epochs(behind_its_source(gather(path)))
    if reason := why_no_log(gathered):
        return NoDraft((Message(reason),))
    if table := csv_grammar(gathered.head):
        if isinstance(table, Message):
            return NoDraft((table,), is_near=True)
        return _of_table(path, table, gathered, facts)
    found = _of_lines(path, gathered, facts)
    cut = None if isinstance(found, Draft) else why_cut(gathered.head)
    return NoDraft((cut,), is_near=True) if cut else found


def _of_lines(path: Path, gathered: Gathered, facts: Iterable[Fact]) -> Draft | NoDraft:
    choice = choose(gathered)
    return _draft(path, gathered, choice, facts) if choice.speeds else _of_blocks(path, gathered, choice, facts)


def _of_blocks(path: Path, gathered: Gathered, choice: Choice, facts: Iterable[Fact]) -> Draft | NoDraft:
    """The same by the blocks of a log, whose single lines show no speed."""
    reasons = _reasons(choice)
    for lines, found in chain(choices_in_blocks(gathered), times_of_run(gathered), expected_times(gathered)):
        drafted = _draft(path, lines, found, facts) if found.speeds else NoDraft(tuple(_reasons(found)))
        if drafted.is_found:
            return drafted
        reasons += drafted.reasons
    told = tuple(dict.fromkeys(reasons))[:MOST_REASONS]
    return NoDraft(told, is_near=True) if told else NoDraft((Message(NO_SPEED),))


def of_scope(found: Draft, scope: str) -> Draft | None:
    """A draft whose throughput is of a scope that a person states; None where none is of an unknown one."""
    text, count = re.subn(r"(?<=throughput\{)(\w+), unknown,", rf"\1, {scope},", found.text)
    before, after = _comment(_of_unknown_scope()), _comment(_of_known_scope(scope))
    return replace(found, text=text.replace(before, after)) if count else None


def _of_unknown_scope() -> str:
    return (
        "Whose the numbers are, and what they are means of, is unknown: replace unknown by card, node or job, and by "
        "instant or window_mean, when you know."
    )


def _of_known_scope(scope: str) -> str:
    return (
        f"By the option --scope, the throughput is that of one {scope}. What it is a mean of is unknown: replace "
        "unknown by instant or window_mean, when you know."
    )


def _comment(said: str) -> str:
    return "".join(f"// {line}".rstrip() + "\n" for line in commented([said]))


def _of_table(path: Path, table: CsvGrammar, gathered: Gathered, facts: Iterable[Fact]) -> Draft | NoDraft:
    reading, head = survey(path, format=drafted_format(table.text), facts=facts), len(gathered.head)
    records = reading.parts[0].table
    if _starts_over(records, head):
        return NoDraft((Message(STARTS_OVER, line=head),), is_near=True)
    return Draft(table.text, reading, table.assumed, len(records), gathered.total)


def _starts_over(records: RecordTable, head: int) -> bool:
    """Whether the rows of speeds count anew behind the first lines of a log, of which alone the headers are known."""
    if {"time", "elapsed"} & set(records):
        return False
    rises = [np.diff(records[name]) > 0 for name in ("epoch", "step") if name in records]
    return bool((~np.any(rises, axis=0) & (records["line"][1:] > head)).any())


def read_by_bar(path: Path, known: Sequence[Format], facts: Iterable[Fact] = ()) -> ReadBar | Message | None:
    """Read a log by ``known`` formats, and its progress bar of training by a grammar drafted for it.

    The first part of the reading is the bar. A message where the log does not show which bar that is, None where it has
    none. Raises LogError when it cannot be read.
    """
    bar = training_bar(gather(path))
    if bar is None or isinstance(bar, Message):
        return bar
    # A line that ends with a loss holds drawings of the bar, too: one format reads both.
    first = replace(known[0], variants=(*known[0].variants, *drafted_format(bar.grammar).variants))
    reading = survey(path, format=[first, *known[1:]], facts=facts)
    formats = joined("{first} and {second}", (Message(one.name) for one in known))
    return ReadBar(_bar_first(reading, first), Message(OF_BAR, formats=formats, steps=bar.total))


def _bar_first(reading: Reading, fmt: Format) -> Reading:
    """The reading with the bar as a part by itself; it is drawn again below each line that is written above it."""
    both = next(part for part in reading.parts if part.format is fmt)
    is_bar = np.isfinite(both.table["elapsed"]) & np.isfinite(both.table["step"])
    bar = both.table.rows(is_bar)
    is_again = np.diff(bar["step"], prepend=np.nan) == 0
    parts = [replace(both, table=table) for table in (bar.rows(~is_again), both.table.rows(~is_bar))]
    others = [part for part in reading.parts if part is not both]
    warnings = tuple(said for said in reading.warnings if said.key != TWICE)
    return replace(reading, parts=(*parts, *others), warnings=warnings)


def _draft(path: Path, gathered: Gathered, choice: Choice, facts: Iterable[Fact]) -> Draft | NoDraft:
    series = choice.speeds[0].series
    is_paused = tell_no_day(series) and are_paused([row.text for row in series.rows])
    if is_paused and choice.speeds[0].role in (STEP, EPOCH):
        return NoDraft((Message(PAUSED),), is_near=True)
    stated = stated_counts(series, gathered)
    assumed, known = (*assumptions(choice.speeds), *stated.why), [*facts, *_cards(choice)]
    comments = list(_comments(gathered, choice, assumed))
    written = BlockText if isinstance(series.rows[0], UnbrokenBlock) else GrammarText
    for has_time in _with_times(choice, is_paused=is_paused):
        grammar = written(choice, stated.statements, has_time)
        for text, reading in _readings(path, gathered, grammar, comments, known):
            if choice.speeds[0].is_of_runs and RUN not in reading.parts[0].table:
                return NoDraft((Message(SEVERAL_RUNS),), is_near=True)
            if is_as_found(reading, gathered, choice):
                return Draft(text, reading, assumed, reading.records["line"].nunique(), gathered.total)
    return NoDraft((Message(NOT_SO, name=series.sense.name or Message(NAMELESS)),), is_near=True)


def _readings(
    path: Path, gathered: Gathered, grammar: GrammarText, comments: Sequence[str], known: Sequence[Fact]
) -> Iterator[tuple[str, Reading]]:
    """The text of a grammar, and the log read by it; then by one that also tells lines by how they begin.

    Only where the first reads a few lines too many: where it reads many, nobody knows which are those of training.
    """
    count = sum(gathered.counts[form] for form in grammar.choice.speeds[0].series.slots)
    for tried in (grammar, replace(grammar, is_from_begin=True, alternatives=[], terminals=[])):
        try:
            text = tried.text(comments)
            reading = survey(path, format=drafted_format(text), facts=known)
        except (NoGrammarError, GrammarError, WrappedError):
            return
        yield text, reading
        if not count < len(reading.records) < (1 + FEW) * count:
            return


def _cards(choice: Choice) -> Iterator[Fact]:
    """The number of cards, where numbers of the lines show it."""
    yield from (Fact("cards", one.cards, RECORDS) for one in choice.speeds if one.cards)


def _reasons(choice: Choice) -> list[Message]:
    named = (Message(REASON, name=sense.name or Message(NAMELESS), reason=reason) for sense, reason in choice.refused)
    return list(dict.fromkeys(named))[:MOST_REASONS]


def _with_times(choice: Choice, *, is_paused: bool) -> Sequence[bool]:
    """Whether to read the stamps of lines: where they keep a grammar from what was found, it does without."""
    if is_paused:
        return (False,)
    return (True,) if choice.speeds[0].role in (STEP, EPOCH) else (True, False)


def _comments(gathered: Gathered, choice: Choice, assumed: Iterable[Message]) -> Iterator[str]:
    series = choice.speeds[0].series
    read = sum(gathered.counts[form] for form in series.slots)
    yield "A program without a format: drafted from what its lines show"
    yield ""
    lines = (
        f"Drafted from {read} of the {gathered.total} lines of a log, first line {series.rows[0].line}, not from code."
    )
    rest = [lines, *(f"Assumed: {one}." for one in assumed)]
    yield from commented([*rest, _of_unknown_scope()])


def excerpt(path: Path, reading: Reading) -> bytes:
    """The first lines of a log that a reading has records of, and the first others, in their order and as they are.

    Raises LogError when the log cannot be read.
    """
    read = set(reading.records["line"].tolist()[:MOST_READ])
    kept, others = list[bytes](), 0
    for lines in LogText(path).blocks(known_shapes(())):
        for row in range(len(lines)):
            number = lines.before + row + 1
            others += number not in read
            if number in read or others <= MOST_OTHER:
                kept.append(lines.data[int(lines.starts[row]) : int(lines.ends[row])])
        if lines.before + len(lines) >= max(read, default=0):
            break
    return b"".join(kept)
