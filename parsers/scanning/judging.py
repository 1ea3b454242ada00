"""The judge of lines: which variants a few lines are of, where their fields stand, and what shapes are to formats.

Expressions are tried only where a line holds the longest literal of a variant, and those of most formats on none: a
sieve, and the texts that each line of a variant must hold, tell that they are not there. Real logs run lines of several
processes together; a metric line amid other output is kept as *torn*, and only if no variant matches its whole line,
lest one line be counted twice.

What shapes are to formats is judged once, on the first line of each that is met. Records of several lines, such as the
objects of a document in JSON, are looked for only at lines that may be the first of one: which these are is known of
their shapes.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, compress, groupby
from typing import NamedTuple

import numpy as np

from ..grammar.expression import compiled
from ..grammar.field import WHOLE_LINE, Field
from ..grammar.format import METRICS, Format
from ..grammar.variant import EVENTS, Variant
from ..io.box import OutOfTimeError
from .kernel import Flags, Ids, Integers, Texts
from .prefix import NOWHERE, RANK, Span, after_prefix, has_prefix, head_pattern, line_pattern, rank_before, torn_pattern
from .record_table import Places
from .shapes import ALONE, Rows, ShapedLines, ShapeTable, by_shape, distinct

NEWLINE = b"\n"
# What says that a metric line behind it is of an evaluation: its word, with only a stamp and a level between.
_OF_OTHER = re.compile(
    rb"(?i)(?<![a-z])(?:val(?:id(?:at(?:ion|e|ing))?)?|eval(?:uat(?:ion|e|ing))?|test(?:ing)?|infer(?:ence)?"
    rb"|predict(?:ion|ing)?)(?![a-z])"
    rb"(?:[^a-z%.]|\.(?!\.)|(?<![a-z])(?:info|debug|warn(?:ing)?|epoch|rank)(?![a-z])){0,60}+\Z"
)
_LOOKED_AT = 80
_MAY_GO_ON = re.compile(rb"[eE.,:]?[-+]?")  # what may stand in a number before its last digits


class VariantSieve:
    """Which of some variants may stand in a text, but for records of several lines; ``variants``: those."""

    def __init__(self, variants: Iterable[Variant]) -> None:
        self.variants = tuple(variant for variant in variants if not variant.spans)
        texts: dict[bytes, int] = {}
        every = [texts.setdefault(text, len(texts)) for variant in self.variants for text in variant.texts]
        self._of_variants = np.array(every, np.intp)
        self._starts = np.cumsum([0, *(len(variant.texts) for variant in self.variants)])[:-1]
        self._texts = Texts(texts)

    def possible(self, text: bytes) -> list[Variant]:
        """Those all of whose texts are in a text, in any order and in any of its lines."""
        if not self.variants:
            return []
        found = self._texts.found_in(text)[self._of_variants]
        return [*compress(self.variants, np.logical_and.reduceat(found, self._starts).tolist())]


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
        self._matching: Span = NOWHERE  # what is matched now

    @cached_property
    def _has_prefix(self) -> bool:
        return has_prefix(self.text)

    def possible(self, sieve: VariantSieve) -> list[Variant]:
        """The variants that a line may be of, or hold: all their texts are there, in their order."""
        return [variant for variant in sieve.possible(self.text) if variant.may_stand_in(self.text)]

    def may_hold(self, variant: Variant) -> bool:
        """Whether any part on screen holds all that a line of a variant does."""
        return any(variant.may_stand_in(self.text[begin:end]) for begin, end in self._holding(variant.longest))

    def beginning(self, variants: Iterable[Variant]) -> Iterator[int]:
        """Each line that may be the first of a record of several lines."""
        for variant in variants:
            begins = line_pattern(variant.one_line).match
            for text in variant.one_line.needs[0]:
                yield from (self._line(begin) for begin, _ in self._holding(text) if begins(self.text, begin))

    def hits(self, sieve: VariantSieve) -> dict[int, list[Hit]]:
        """By its number from 0 what each line is of a format's variants, or holds amid other output, in their order.

        A part of a line on screen is of one kind, but may state several facts.
        """
        try:
            return self._hits(self.possible(sieve))
        except OutOfTimeError as over:
            over.text = self.text[slice(*self._matching)]
            raise

    def _hits(self, possible: Sequence[Variant]) -> dict[int, list[Hit]]:
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
            self._matching = begin, end
            found = match(self.text, start, end)
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
                    self._matching = begin, end
                    yield from self._torn_in(variant, begin, end)

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


# ---- what shapes are to formats

NEW, NOTHING = range(2)  # the numbers of two meanings: of a shape that nobody looked at, and of one that is nothing
WHOLE, TORN = range(2)  # how a line is a metric line: as a whole, or one stands there amid other output

Kind = tuple[bool, tuple[tuple[int, bool, Field | None], ...]]


class Meaning:
    """What the lines of some shapes are to a format: of the same ``variants``, each shape with places of its own.

    ``variants``: each with the times that a line holds it, one by one. ``begins``: whether a record of several lines
    may begin there. ``is_torn``: whether they hold metric lines amid other output. ``is_matched``: whether they say
    anything; what is not is ignored by rule. ``cuts``: of the last line of a log without a newline the field that may
    be cut, by the variant. ``fixed``: how many letters are fixed, and one more, of the metric line that they are as a
    whole, and of the one that they hold amid other output; 0 for none.
    """

    def __init__(self, hits: Sequence[Hit] = (), *, begins: bool = False) -> None:
        of_variants = groupby((hit.variant for hit in hits), id)
        self.variants = [(same[0], len(same)) for same in (list(same) for _, same in of_variants)]
        self.begins = begins
        self.is_torn = any(hit.is_torn for hit in hits)
        self.is_matched = any(variant.record != "noise" for variant, _ in self.variants)
        self.cuts = {hit.variant: hit.cut for hit in hits if hit.cut}
        metric = [hit for hit in hits if hit.variant.record in METRICS]
        self.fixed = [
            max((hit.variant.fixed + 1 for hit in metric if hit.is_torn == is_torn), default=0)
            for is_torn in (False, True)
        ]
        self._shapes: list[Sequence[Hit]] = []
        self._spans: list[Ids] = []

    def add(self, hits: Sequence[Hit]) -> int:
        """Add a shape; returns its number among those of this meaning."""
        self._shapes.append(hits)
        self._spans.clear()
        return len(self._shapes) - 1

    def spans(self, number: int) -> Ids:
        """Where each shape has the rank and the fields of one of the variants, time by time: offsets and widths."""
        if not self._spans:
            start = 0
            for variant, times in self.variants:
                hits = [hit for shape in self._shapes for hit in shape[start : start + times]]
                self._spans.append(spans_of(variant, hits))
                start += times
        return self._spans[number]


@dataclass(frozen=True)
class Records:
    """The records of one variant in some lines: the ``first`` and the ``last`` line of each, and their fields.

    ``cut``: the field with which the last of them ends a log without a newline: it may be cut, and has no place.
    """

    variant: Variant
    first: Rows
    last: Rows
    places: Places
    cut: Field | None = None

    @property
    def rows(self) -> Rows:
        """All their lines."""
        return np.concatenate([self.first[:0], *map(np.arange, self.first, self.last + 1)])

    def those(self, which: Flags) -> "Records":
        """Some of them."""
        cut = self.cut if len(which) and which[-1] else None
        return Records(self.variant, self.first[which], self.last[which], self.places.those(which), cut)


@cache
def _pattern(variant: Variant) -> re.Pattern[bytes]:
    return compiled(f"(?:{variant.source})(?=\n|\\Z)".encode())


def records_in(lines: ShapedLines, begins: Rows, variants: Iterable[Variant]) -> Iterator[Records]:
    """The records of several lines of each variant; ``begins``: in which lines one may begin."""
    text = lines.data[: lines.ends[-1]].replace(b"\r", b"\n")
    places = list(zip(lines.starts[begins].tolist(), lines.ends[begins].tolist(), strict=True))
    for variant in variants:
        if matches := list(_matches(variant, text, places)):
            ends = np.array([match.span() for match in matches])
            first, last = (np.searchsorted(lines.starts, ends, side="right") - 1).T
            groups: list[Sequence[Span]] = [match.regs[1:] for match in matches]
            cut = None
            if matches[-1].end() == len(text):
                groups[-1], cut = cut_off(variant.groups, matches[-1])
            hits = [Hit(variant, False, 0, 0, 0, (NOWHERE, *spans)) for spans in groups]
            shape = np.arange(len(matches), dtype=np.int32)
            yield Records(
                variant,
                first,
                last,
                Places(text, np.zeros(len(matches), np.int64), shape, spans_of(variant, hits)),
                cut,
            )


def _matches(variant: Variant, text: bytes, places: Sequence[Span]) -> Iterator[re.Match[bytes]]:
    """The records of a variant in a text, none in another; ``places``: of the lines in which one may begin.

    Where a first line is followed by none, and the text does not hold what each record does, no other is tried: each
    may take long.
    """
    begins, match = line_pattern(variant.one_line).match, _pattern(variant).match
    end, may_stand_in = -1, False
    for first, stop in places:
        # A carriage return begins another line on screen.
        for start in (first, *(first + found.end() for found in re.finditer(NEWLINE, text[first : stop - 1]))):
            if start <= end or not begins(text, start):
                continue
            try:
                found = match(text, start)
            except OutOfTimeError as over:
                over.text = text[start:].partition(NEWLINE)[0]
                raise
            if found:
                yield found
                end = found.end()
            elif not (may_stand_in := may_stand_in or variant.may_stand_in(text)):
                return


class FormatShapes:
    """What the shapes of a table are to one format."""

    def __init__(self, fmt: Format) -> None:
        self.spanning = [variant for variant in fmt.variants if variant.spans]
        self._sieve = VariantSieve(fmt.variants)
        self._meanings = [Meaning(), Meaning()]
        self._by_kind: dict[Kind, int] = {}
        self._meaning_of, self._place_of = by_shape(ALONE), by_shape()

    def groups(self, lines: ShapedLines, left: Flags) -> Iterator[tuple[Meaning, Rows, Ids]]:
        """Those of the lines left that are anything to the format: the meaning, the lines, and which shape each has."""
        meanings = self._known(lines)
        for number in np.unique(meanings[meanings > NOTHING]).tolist():
            mine = lines.of_shapes(lines.present[meanings == number])
            mine = mine[left[mine]]
            if len(mine) and self._meanings[number].variants:
                yield self._meanings[number], mine, self._place_of[lines.shapes[mine]]
        if len(alone := lines.alone[left[lines.alone]]):
            found: dict[Kind, tuple[Meaning, list[int]]] = {}
            for number, hits in LineJudge(*lines.joined(alone)).hits(self._sieve).items():
                meaning, numbers = found.setdefault(_kind(hits), (Meaning(hits), []))
                meaning.add(hits)
                numbers.append(number)
            for meaning, numbers in found.values():
                yield meaning, alone[numbers], np.arange(len(numbers), dtype=np.int32)

    def records(self, lines: ShapedLines, left: Flags | None = None) -> list[Records]:
        """The records of several lines, all or those of which all lines are left; they are looked for once."""
        if not self.spanning:
            return []
        if id(self) not in lines.records:
            begins = self.begins(lines)
            lines.records[id(self)] = [*records_in(lines, begins, self.spanning)] if len(begins) else []
        found: list[Records] = lines.records[id(self)]
        if left is None or not found or left.all():
            return found
        gone = np.cumsum(np.append(False, ~left))
        return [those.those(gone[those.first] == gone[those.last + 1]) for those in found]

    def begins(self, lines: ShapedLines) -> Rows:
        """The lines in which a record of several may begin."""
        meanings = self._known(lines)
        rows = lines.of_shapes(lines.present[np.array([meaning.begins for meaning in self._meanings])[meanings]])
        if not len(lines.alone):
            return rows
        alone = lines.alone[[*LineJudge(*lines.joined(lines.alone)).beginning(self.spanning)]]
        return np.union1d(rows, alone)

    def fixed(self, lines: ShapedLines, left: Flags) -> Ids:
        """How specific the format is for the lines left, as ``fixed`` of a Meaning: 0 where it claims a line not so."""
        fixed = np.zeros((2, len(lines)), np.int32)
        for found in self.records(lines, left):
            if found.variant.record in METRICS:
                fixed[WHOLE, found.first] = found.variant.fixed + 1
        for meaning, mine, _ in self.groups(lines, left):
            fixed[:, mine] = np.maximum(fixed[:, mine], np.array(meaning.fixed)[:, None])
        return fixed

    def _known(self, lines: ShapedLines) -> Ids:
        """The meaning of each shape that is present, by its number; of new ones it is learned by a line of each."""
        meanings: Ids = self._meaning_of[lines.present]
        if (new := meanings == NEW).any():
            first = lines.firsts(lines.of_shapes(lines.present[new]))
            self.learn(lines, first, LineJudge(*lines.joined(first)))
            meanings = self._meaning_of[lines.present]
        return meanings

    def learn(self, lines: ShapedLines, rows: Rows, judge: LineJudge) -> Flags:
        """Learn what shapes are, by a line of each, which are those of ``judge``.

        Returns which of them are a metric line, hold one, or may begin one of several lines.
        """
        shapes = lines.shapes[rows]
        meanings, places = np.full(len(shapes), NOTHING, np.int32), np.zeros(len(shapes), np.int32)
        hits, begins = judge.hits(self._sieve), {*judge.beginning(self.spanning)}
        for number in hits.keys() | begins:
            own = hits.get(number, [])
            meaning = self._by_kind.setdefault(_kind(own, begins=number in begins), len(self._meanings))
            if meaning == len(self._meanings):
                self._meanings.append(Meaning(own, begins=number in begins))
            meanings[number], places[number] = meaning, self._meanings[meaning].add(own)
        self._place_of[shapes], self._meaning_of[shapes] = places, meanings
        claims: Flags = np.array([meaning.begins or any(meaning.fixed) for meaning in self._meanings])[meanings]
        return claims


def _kind(hits: Iterable[Hit], *, begins: bool = False) -> Kind:
    return begins, tuple((id(hit.variant), hit.is_torn, hit.cut) for hit in hits)


class KnownShapes:
    """A table of shapes, and what they are to each of the formats that it was made for.

    ``others`` read logs as well, but claim none.
    """

    def __init__(self, formats: Sequence[Format], others: Sequence[Format] = ()) -> None:
        self.formats = (*formats, *others)
        self.table = ShapeTable(self.formats)
        self._of_format: dict[int, FormatShapes] = {}
        metric = {id(v): (v, fmt) for fmt in formats for v in fmt.variants if v.record in METRICS}
        self._sieve = VariantSieve(variant for variant, _ in metric.values())
        self._format_of = {key: fmt for key, (_, fmt) in metric.items()}
        self._spanning = [(text, v) for v, _ in metric.values() if v.spans for text in v.one_line.needs[0]]
        self._first_texts = Texts(text for text, _ in self._spanning)
        self._set_of = by_shape(ALONE)
        self._sets: dict[tuple[Format, ...], int] = {(): NOTHING}

    def of(self, fmt: Format) -> FormatShapes:
        """What the shapes are to a format."""
        # Lines are kept by the variants of the very format that found them: its equal, loaded anew, has others.
        if id(fmt) not in self._of_format:
            self._of_format[id(fmt)] = FormatShapes(fmt)
        return self._of_format[id(fmt)]

    def claims(self, lines: ShapedLines, left: Flags) -> dict[str, Ids]:
        """By the name of each format that may claim lines left, by metric lines: how specific it is for each line.

        In the first row for lines as a whole, in the second for metric lines amid other output.
        """
        shapes = lines.present if left.all() else distinct(lines.shapes[left])
        if (new := self._set_of[shapes] == NEW).any():
            self._look(lines, lines.firsts(lines.of_shapes(shapes[new])))
        numbers = {*self._set_of[shapes].tolist()}
        of_shapes = [formats for formats, number in self._sets.items() if number in numbers]
        if len(alone := lines.alone[left[lines.alone]]):
            of_shapes.append(self._possible(LineJudge(*lines.joined(alone))))
        return {fmt.name: self.of(fmt).fixed(lines, left) for fmt in dict.fromkeys(chain.from_iterable(of_shapes))}

    def _look(self, lines: ShapedLines, rows: Rows) -> None:
        """Have formats judge the shapes that nobody looked at, by a line of each."""
        judge = LineJudge(*lines.joined(rows))
        possible, shapes = self._possible(judge), lines.shapes[rows]
        claims = np.array([self.of(fmt).learn(lines, rows, judge) for fmt in possible]).reshape(-1, len(rows))
        self._set_of[shapes] = NOTHING
        for row in np.flatnonzero(claims.any(axis=0)).tolist():
            own = tuple(compress(possible, claims[:, row].tolist()))
            self._set_of[shapes[row]] = self._sets.setdefault(own, len(self._sets) + NOTHING)

    def _possible(self, judge: LineJudge) -> tuple[Format, ...]:
        """The formats of which some lines may hold a metric line: any of them holds all texts of one."""
        held = [variant for variant in judge.possible(self._sieve) if judge.may_hold(variant)]
        begun = {id(v): v for _, v in compress(self._spanning, self._first_texts.found_in(judge.text))}.values()
        held += [variant for variant in begun if next(judge.beginning([variant]), None) is not None]
        return (*dict.fromkeys(self._format_of[id(variant)] for variant in held),)
