"""The judge of single lines: which variants a few lines are of, and where their fields stand.

Expressions are tried only where a line holds the longest literal of a variant, and those of most formats on none: a
sieve, and the texts that each line of a variant must hold, tell that they are not there. Real logs run lines of several
processes together; a metric line amid other output is kept as *torn*, and only if no variant matches its whole line,
lest one line be counted twice.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..grammar.field import WHOLE_LINE, Field
from ..grammar.format import METRICS
from ..grammar.variant import EVENTS, Variant
from ..io.box import OutOfTimeError
from .kernel import COMPILED, MOST_TEXTS, SHORTEST, Ids, Integers, texts_in
from .prefix import NOWHERE, RANK, Span, after_prefix, has_prefix, head_pattern, line_pattern, rank_before, torn_pattern

NEWLINE = b"\n"
_MET = -1
# What says that a metric line behind it is of an evaluation: its word, with only a stamp and a level between.
_OF_OTHER = re.compile(
    rb"(?i)(?<![a-z])(?:val(?:id(?:at(?:ion|e|ing))?)?|eval(?:uat(?:ion|e|ing))?|test(?:ing)?|infer(?:ence)?"
    rb"|predict(?:ion|ing)?)(?![a-z])"
    rb"(?:[^a-z%.]|\.(?!\.)|(?<![a-z])(?:info|debug|warn(?:ing)?|epoch|rank)(?![a-z])){0,60}+\Z"
)
_LOOKED_AT = 80
_MAY_GO_ON = re.compile(rb"[eE.,:]?[-+]?")  # what may stand in a number before its last digits

Flags = NDArray[np.bool_]


class Texts:
    """Some texts to be found in others; ``compiled`` is for tests."""

    def __init__(self, texts: Iterable[bytes], *, compiled: bool = COMPILED) -> None:
        given, self._compiled = tuple(texts), compiled
        self._are_long = np.array([len(text) >= SHORTEST for text in given], np.bool_)
        self._texts = tuple(compress(given, self._are_long.tolist()))
        self._joined = b"".join(self._texts)
        self._starts = np.append(_starts(self._texts), len(self._joined)).astype(np.int32)

    def found_in(self, text: bytes) -> Flags:
        """Of each text whether it stands in another; True of one that is too short to search for proves nothing."""
        found = np.ones(len(self._are_long), np.bool_)
        if self._compiled and len(self._texts) < MOST_TEXTS:
            found[self._are_long] = texts_in(text, self._joined, self._starts)
        else:
            found[self._are_long] = [own in text for own in self._texts]
        return found


class VariantSieve:
    """Which of some variants may stand in a text, but for records of several lines; ``variants``: those."""

    def __init__(self, variants: Iterable[Variant]) -> None:
        self.variants = tuple(variant for variant in variants if not variant.spans)
        of_variants = [list(v.needs) for v in self.variants]
        needs = dict.fromkeys(chain.from_iterable(of_variants))
        number_of = {need: number for number, need in enumerate(needs)}
        self._needs = np.array([number for own in of_variants for number in (*map(number_of.get, own), _MET)], np.intp)
        self._variants = _starts([(*own, _MET) for own in of_variants])
        texts = {text: number for number, text in enumerate(dict.fromkeys(chain.from_iterable(needs)))}
        self._texts = Texts(texts)
        self._of_needs = np.array([texts[text] for need in needs for text in need], np.intp)
        self._starts_of_needs = _starts([*needs])

    def possible(self, text: bytes) -> list[Variant]:
        """Those all of whose texts are in a text, in any order and in any of its lines."""
        if not self.variants:
            return []
        found = self._texts.found_in(text)[self._of_needs]
        met = np.append(np.logical_or.reduceat(found, self._starts_of_needs), True)
        return [*compress(self.variants, np.logical_and.reduceat(met[self._needs], self._variants).tolist())]


def _starts(parts: Iterable[Sequence[object] | NDArray[np.intp]]) -> NDArray[np.intp]:
    return np.cumsum([0, *map(len, parts)])[:-1]


class Hit(NamedTuple):
    """A variant that a line is of, or holds amid other output, and where the rank and the groups stand.

    ``line``: its number from 0 among those that were judged, and ``start``: where it begins in their text, in which its
    part on screen has its ``begin``. The places of groups are of that text as well; those that took no part have none.
    ``cut``: the field with which the log ends, without a newline: the rest of it may be missing, so it has no place.
    """

    variant: Variant
    is_torn: bool
    line: int
    start: int
    begin: int
    groups: Sequence[Span]
    cut: Field | None = None


def cut_off(groups: Sequence[Field], match: re.Match[bytes]) -> tuple[Sequence[Span], Field | None]:
    """The places of the groups of a match at the end of a log without a newline, but for one that ends there.

    And the field of that one. An event has happened whatever else its line would say.
    """
    places, cut = list(match.regs[1:]), None
    for place, field in enumerate(groups):
        is_last = match.end(place + 1) > 0 and _MAY_GO_ON.fullmatch(match.string, match.end(place + 1), match.end())
        if is_last and field != WHOLE_LINE and field.name not in EVENTS:
            places[place], cut = NOWHERE, field
    return places, cut


def spans_of(variant: Variant, hits: Sequence[Hit]) -> Ids:
    """Offset and width, in the lines of hits, of the rank and of each distinct field; of what is not there 0 and 0.

    Of several groups of one field the first that took part counts.
    """
    # An array of tuples of tuples takes longer to make than one of numbers.
    numbers = chain.from_iterable(chain.from_iterable(hit.groups for hit in hits))
    groups = np.fromiter(numbers, np.int32).reshape(len(hits), -1, 2)
    starts = np.array([hit.start for hit in hits], np.int32)
    widths = groups[:, :, 1] - groups[:, :, 0]
    offsets = np.where(widths > 0, groups[:, :, 0] - starts[:, None], 0)
    of_groups = np.stack([offsets, widths], axis=2)
    fields = list(dict.fromkeys((RANK, *variant.groups)))
    spans = np.zeros((len(hits), len(fields), 2), np.int32)
    for group, field in enumerate((RANK, *variant.groups)):
        place = fields.index(field)
        spans[:, place] = np.where(spans[:, place, 1:] > 0, spans[:, place], of_groups[:, group])
    return spans


class LineJudge:
    """Finds the variants of lines, which stand in ``data`` one after the other, and where each of them ``starts``.

    ``text``: the same, with a newline before the first.
    """

    def __init__(self, data: bytes, starts: Integers) -> None:
        # A carriage return starts a new line on screen, but no new physical line.
        self.text = (NEWLINE + data).replace(b"\r", NEWLINE)
        self._starts: list[int] = starts.tolist()
        self._marked: dict[bytes, list[Span]] = {}

    @cached_property
    def _has_prefix(self) -> bool:
        return has_prefix(self.text)

    def possible(self, sieve: VariantSieve) -> list[Variant]:
        """The variants that a line may be of, or hold: all their texts are there, in their order."""
        return [variant for variant in sieve.possible(self.text) if variant.may_stand_in(self.text)]

    def may_hold(self, variant: Variant) -> bool:
        """Whether any part on screen holds all that a line of a variant does."""
        return any(variant.may_stand_in(self.text[begin:end]) for begin, end in self._holding(variant.longest))

    def beginning(self, variant: Variant) -> Iterator[int]:
        """Each line that may be the first of a record of several lines."""
        begins = line_pattern(variant.one_line).match
        for text in variant.one_line.needs[0]:
            yield from (self._line(begin) for begin, _ in self._holding(text) if begins(self.text, begin))

    def hits(self, sieve: VariantSieve) -> dict[int, list[Hit]]:
        """By its number from 0 what each line is of a format's variants, or holds amid other output, in their order.

        A part of a line on screen is of one kind, but may state several facts.
        """
        possible = self.possible(sieve)
        whole, known = list[Hit](), set[int]()
        metric: dict[int, list[Hit]] = defaultdict(list)
        for variant in sorted(possible, key=lambda variant: variant.record not in METRICS):
            for hit in self._matches(variant):
                if variant.record == "fact" or hit.begin not in known:
                    whole.append(hit)
                    if variant.record != "fact":
                        known.add(hit.begin)
                    if variant.record in METRICS:
                        metric[hit.line].append(hit)
        order = {id(variant): place for place, variant in enumerate(possible)}
        by_line: dict[int, list[Hit]] = defaultdict(list)
        hits = [*whole, *self._torn(possible, metric)]
        for hit in sorted(hits, key=lambda hit: (order[id(hit.variant)], hit.begin)):
            by_line[hit.line].append(hit)
        return by_line

    def _matches(self, variant: Variant) -> Iterator[Hit]:
        """The parts on screen that are lines of a variant; what stands before a metric line may say it is another."""
        match = line_pattern(variant).fullmatch
        has_head = variant.record in METRICS and variant.head
        for begin, end in self._holding(variant.longest):
            start, rank = after_prefix(self.text, begin, end) if self._has_prefix else (begin, NOWHERE)
            try:
                found = match(self.text, start, end)
            except OutOfTimeError as over:
                over.text = self.text[begin:end]
                raise
            if found and not self._is_drawn(found, begin):
                before = head_pattern(variant).match(self.text, start, end) if has_head else None
                if before is None or not _is_of_other(self.text, start, before.end()):
                    yield self._hit(variant, found, begin, (rank,), variant.groups)

    def _hit(
        self, variant: Variant, found: re.Match[bytes], begin: int, spans: Iterable[Span], fields: Sequence[Field]
    ) -> Hit:
        """What was found of a variant; ``spans``: what stands before the ``fields`` of its groups."""
        is_cut = found.end() == len(self.text)
        groups, cut = cut_off(fields, found) if is_cut else (found.regs[1:], None)
        line, is_torn = self._line(begin), found.re is not line_pattern(variant)
        return Hit(variant, is_torn, line, self._starts[line] + 1, begin, (*spans, *groups), cut)

    def _is_drawn(self, found: re.Match[bytes], begin: int) -> bool:
        """Whether a match ends the log with a field, but behind a carriage return: a bar goes on there."""
        return found.end() == len(self.text) and begin > self._starts[-1] + 1 and _may_go_on(found)

    def _holding(self, mark: bytes) -> Sequence[Span]:
        """Where the parts on screen begin and end that hold a text."""
        if mark not in self._marked:
            text, parts = self.text, list[Span]()
            hit = text.find(mark, 1)
            while hit >= 0:
                end = text.find(NEWLINE, hit)
                end = len(text) if end < 0 else end
                parts.append((text.rfind(NEWLINE, 0, hit) + 1, end))
                hit = text.find(mark, end + 1)
            self._marked[mark] = parts
        return self._marked[mark]

    def _torn(self, variants: Sequence[Variant], metric: Mapping[int, Sequence[Hit]]) -> Iterator[Hit]:
        """The metric lines amid other output, but for lines that hold a whole one of another variant, or are one.

        Numbers between mere signs are not looked for: they stand in many lines of others.
        """
        for variant in (v for v in variants if v.record in METRICS and v.telling):
            for begin, end in self._holding(variant.longest):
                whole = metric.get(self._line(begin), ())
                is_told = any(found.variant is not variant or found.begin == begin for found in whole)
                if not is_told and variant.may_stand_in(self.text[begin:end]):
                    try:
                        yield from self._torn_in(variant, begin, end)
                    except OutOfTimeError as over:
                        over.text = self.text[begin:end]
                        raise

    def _torn_in(self, variant: Variant, begin: int, end: int) -> Iterator[Hit]:
        """Several processes that write one log run their lines together: find what is whole amid the rest."""
        text, pattern = self.text, torn_pattern(variant)
        start, rank = after_prefix(text, begin, end) if self._has_prefix else (begin, NOWHERE)
        # Of what may stand before the line nothing is known.
        unknown = len(variant.groups) - pattern.groups
        last = start
        for found in pattern.finditer(text, start, min(end + 1, len(text))):
            is_whole = not _may_go_on(found) or (found.end() == end and not self._is_drawn(found, begin))
            if is_whole and not _is_of_other(text, last, found.start()):
                own = rank if found.start() == start else rank_before(text, last, found.start())
                yield self._hit(variant, found, begin, (own, *[NOWHERE] * unknown), variant.groups[unknown:])
            last = found.end()

    def _line(self, begin: int) -> int:
        return bisect_right(self._starts, begin - 1) - 1


def _is_of_other(text: bytes, begin: int, start: int) -> bool:
    """Whether a part of a line says that what ``start``s behind it is of an evaluation."""
    return start > begin and bool(_OF_OTHER.search(text[max(begin, start - _LOOKED_AT) : start]))


def _may_go_on(found: re.Match[bytes]) -> bool:
    """Whether a match ends with a field, so that it holds half a number when it was torn there."""
    return bool(found.lastindex) and found.end(found.lastindex or 0) == found.end()
