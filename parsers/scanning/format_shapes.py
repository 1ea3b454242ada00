"""What shapes of lines are to formats: judged once, on the first line of each that is met.

Records of several lines, such as the objects of a document in JSON, are looked for only at lines that may be the first
of one: which these are is known of their shapes.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, compress, groupby

import numpy as np
from numpy.typing import NDArray

from ..grammar.expression import compiled
from ..grammar.field import Field
from ..grammar.format import METRICS, Format
from ..grammar.variant import Variant
from ..io.box import OutOfTimeError
from .columns import Places
from .judging import Hit, LineJudge, Texts, VariantSieve, cut_off, spans_of
from .kernel import Ids
from .prefix import NOWHERE, Span, line_pattern
from .shapes import ALONE, NEW, ByShape, Rows, ShapedLines, ShapeTable

NOTHING = 0
_NEWLINE = re.compile(rb"\n")
WHOLE, TORN = range(2)  # how a line is a metric line: as a whole, or one stands there amid other output
# What is like a metric line and yet whole: it tells of an evaluation, or of the speed without loading (compute_ips).
_OTHER = re.compile(
    rb"(?i)(?<![a-z])(?:eval(?:uat\w*+)?|val(?:id(?:at\w*+)?)?|test(?:ing)?|infer\w*+|compute_ips)(?![a-z])"
)

Kind = tuple[tuple[int, bool, Field | None], ...]


class Meaning:
    """What the lines of some shapes are to a format: of the same ``variants``, each shape with places of its own.

    ``variants``: each with the times that a line holds it, one by one. ``is_torn``: whether they hold metric lines amid
    other output. ``is_matched``: whether they say anything; what is not is ignored by rule. ``cuts``: of the last line
    of a log without a newline the field that may be cut, by the variant. ``fixed``: how many letters are fixed, and one
    more, of the metric line that they are as a whole, and of the one that they hold amid other output; 0 for none.
    """

    def __init__(self, hits: Sequence[Hit] = ()) -> None:
        of_variants = groupby((hit.variant for hit in hits), id)
        self.variants = [(same[0], len(same)) for same in (list(same) for _, same in of_variants)]
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


Group = tuple[Meaning, Rows, Ids]


@dataclass(frozen=True)
class Records:
    """The records of one variant in some lines: the ``first`` line and ``all`` lines of each, and their fields.

    ``cut``: the field with which the last of them ends a log without a newline: it may be cut, and has no place.
    """

    variant: Variant
    first: Rows
    all: Rows
    places: Places
    cut: Field | None = None

    def before(self, row: int) -> "Records":
        """Those that begin before a line."""
        count = int(np.searchsorted(self.first, row))
        inside = self.all[: np.searchsorted(self.all, row)]
        return Records(self.variant, self.first[:count], inside, self.places.up_to(count))


@cache
def _pattern(variant: Variant) -> re.Pattern[bytes]:
    return compiled(f"(?:{variant.source})(?=\n|\\Z)".encode())


def records_in(
    lines: ShapedLines, rows: Rows, begins: NDArray[np.bool_], variants: Iterable[Variant]
) -> Iterator[Records]:
    """The records of several lines of each variant among lines that follow each other, but for those that others know.

    ``begins``: in which of these ``rows`` one may begin (bool).
    """
    data, starts = lines.joined(rows)
    text = data.replace(b"\r", b"\n")
    first = np.flatnonzero(begins)
    places = list(zip(starts[first].tolist(), np.append(starts[1:], len(data))[first].tolist(), strict=True))
    for variant in variants:
        if matches := list(_matches(variant, text, places)):
            in_line = [np.searchsorted(starts, of, side="right") - 1 for of in zip(*map(re.Match.span, matches))]  # noqa: B905
            inside = np.concatenate([np.arange(a, b + 1) for a, b in zip(*in_line, strict=True)])
            groups: list[Sequence[Span]] = [match.regs[1:] for match in matches]
            cut = None
            if matches[-1].end() == len(text):
                groups[-1], cut = cut_off(variant.groups, matches[-1])
            hits = [Hit(variant, False, 0, 0, 0, (NOWHERE, *spans)) for spans in groups]
            shape = np.arange(len(matches), dtype=np.int32)
            of_fields = Places(text, np.zeros(len(matches), np.int64), shape, spans_of(variant, hits))
            yield Records(variant, rows[in_line[0]], rows[inside], of_fields, cut)


def _matches(variant: Variant, text: bytes, places: Sequence[Span]) -> Iterator[re.Match[bytes]]:
    """The records of a variant in a text, none in another; ``places``: of the lines in which one may begin.

    Where a first line is followed by none, and the text does not hold what each record does, no other is tried: each
    may take long.
    """
    begins, match = line_pattern(variant.one_line).match, _pattern(variant).match
    end, may_stand_in = -1, False
    for first, stop in places:
        # A carriage return begins another line on screen.
        for start in (first, *(found.end() for found in _NEWLINE.finditer(text, first, stop - 1))):
            if start <= end or not begins(text, start):
                continue
            try:
                found = match(text, start)
            except OutOfTimeError as over:
                over.text = text[start:].partition(b"\n")[0]
                raise
            if found:
                yield found
                end = found.end()
            elif not (may_stand_in := may_stand_in or variant.may_stand_in(text)):
                return


class FormatShapes:
    """What the shapes of a table are to one ``format``."""

    def __init__(self, fmt: Format) -> None:
        self.format = fmt
        self._sieve = VariantSieve(fmt.variants)
        self._spanning = [variant for variant in fmt.variants if variant.spans]
        self._meanings: list[Meaning] = [Meaning()]
        self._by_kind: dict[Kind, int] = {}
        self._meaning_of = ByShape(np.int32, NEW, ALONE)
        self._place_of = ByShape(np.int32, 0, 0)
        self._begins = ByShape(np.int8, NEW, ALONE)
        self._is_broken = ByShape(np.int8, NEW, ALONE)

    def groups(self, lines: ShapedLines, left: NDArray[np.bool_]) -> Iterator[Group]:
        """Those of the lines left that are anything to the format: the meaning, the lines, and which shape each has."""
        self._grow(lines)
        every = self._meaning_of[lines.shapes]
        rows = np.flatnonzero(every * left)  # mostly few: NOTHING is 0
        meanings = every[rows]
        if (new := meanings == NEW).any():
            self._learn_new(lines, rows[new])
            meanings = self._meaning_of[lines.shapes[rows]]
        for meaning in _those_in(meanings):
            mine = rows[meanings == meaning]
            yield self._meanings[meaning], mine, self._place_of[lines.shapes[mine]]
        yield from self._groups_alone(lines, rows[meanings == ALONE])

    def _groups_alone(self, lines: ShapedLines, rows: Rows) -> Iterator[Group]:
        if not len(rows):
            return
        found: dict[Kind, tuple[Meaning, list[int]]] = {}
        for number, hits in LineJudge(*lines.joined(rows)).hits(self._sieve).items():
            meaning, numbers = found.setdefault(_kind(hits), (Meaning(hits), []))
            meaning.add(hits)
            numbers.append(number)
        for meaning, numbers in found.values():
            yield meaning, rows[numbers], np.arange(len(numbers), dtype=np.int32)

    def records(self, lines: ShapedLines, rows: Rows) -> Sequence[Records]:
        """The records of several lines among some lines; those among all lines of a block are looked for once."""
        if not self._spanning:
            return []
        are_all = len(rows) == len(lines)
        if are_all and id(self) in lines.records:
            return lines.records[id(self)]
        found = self._records(lines, rows, self.begins(lines, rows))
        if are_all:
            lines.records[id(self)] = found
        return found

    def _records(self, lines: ShapedLines, rows: Rows, begins: NDArray[np.bool_]) -> list[Records]:
        return [*records_in(lines, rows, begins, self._spanning)] if begins.any() else []

    def begins(self, lines: ShapedLines, rows: Rows) -> NDArray[np.bool_]:
        """In which of some lines a record of several may begin."""
        if not self._spanning:
            return np.zeros(len(rows), np.bool_)
        self._grow(lines)
        if (new := self._begins[lines.shapes[rows]] == NEW).any():
            self._learn_new(lines, rows[new])
        return self._begins_known(lines, rows, rows[lines.shapes[rows] == ALONE])

    def _begins_known(self, lines: ShapedLines, rows: Rows, alone: Rows) -> NDArray[np.bool_]:
        """The same, where the shapes are known, and the lines ``alone`` are to be looked at."""
        begins: NDArray[np.bool_] = self._begins[lines.shapes[rows]] > 0
        if len(alone):
            begins[np.searchsorted(rows, alone)] = self._may_begin(LineJudge(*lines.joined(alone)), len(alone))
        return begins

    def _may_begin(self, judge: LineJudge, count: int) -> list[bool]:
        begins = [False] * count
        for line in (line for variant in self._spanning for line in judge.beginning(variant)):
            begins[line] = True
        return begins

    def fixed(self, lines: ShapedLines, rows: Rows, alone: Rows) -> Ids:
        """How specific the format is for some lines, as ``fixed`` of a Meaning says: as a whole, and amid other output.

        By what is known of their shapes; of those without one the lines ``alone`` are looked at.
        """
        self._grow(lines)
        fixed = np.zeros((2, len(rows)), np.int32)
        if self._spanning:
            for found in self._records(lines, rows, self._begins_known(lines, rows, alone)):
                if found.variant.record in METRICS:
                    fixed[WHOLE, np.searchsorted(rows, found.first)] = found.variant.fixed + 1
        meanings = self._meaning_of[lines.shapes[rows]]
        groups = [(self._meanings[meaning], rows[meanings == meaning]) for meaning in _those_in(meanings)]
        for meaning, mine in [*groups, *(group[:2] for group in self._groups_alone(lines, alone))]:
            at = np.searchsorted(rows, mine)
            fixed[:, at] = np.maximum(fixed[:, at], np.array(meaning.fixed)[:, None])
        return fixed

    def broken(self, lines: ShapedLines, rows: Rows) -> Rows:
        """Those of some lines that resemble a metric line of the format; that they are none is known."""
        found = self._is_broken.judged(lines, rows, self._resemble)
        if len(alone := np.flatnonzero(found == ALONE)):
            found[alone] = self._resemble(lines, rows[alone])
        return rows[found > 0]

    def _resemble(self, lines: ShapedLines, rows: Rows) -> list[bool]:
        every, _ = lines.joined(rows)
        metric = [v for v in self.format.variants if v.record in METRICS and v.resembles(every)]
        if not metric:
            return [False] * len(rows)
        return [any(v.resembles(text) for v in metric) and not _OTHER.search(text) for text in lines.printed(rows)]

    def _grow(self, lines: ShapedLines) -> None:
        for by_shape in (self._meaning_of, self._place_of, self._begins):
            by_shape.grow(lines.known)

    def _learn_new(self, lines: ShapedLines, rows: Rows) -> None:
        first = lines.firsts(rows)
        self.learn(lines, first, LineJudge(*lines.joined(first)))

    def learn(self, lines: ShapedLines, rows: Rows, judge: LineJudge) -> NDArray[np.bool_]:
        """Learn what shapes are, by a line of each, which are those of ``judge``.

        Returns which of them are a metric line, hold one, or may begin one of several lines.
        """
        self._grow(lines)
        shapes = lines.shapes[rows]
        meanings, places = np.full(len(shapes), NOTHING), np.zeros(len(shapes), np.int32)
        for number, hits in judge.hits(self._sieve).items():
            meaning = self._by_kind.setdefault(_kind(hits), len(self._meanings))
            if meaning == len(self._meanings):
                self._meanings.append(Meaning(hits))
            meanings[number], places[number] = meaning, self._meanings[meaning].add(hits)
        begins = np.array(self._may_begin(judge, len(rows)), np.int32)
        self._place_of[shapes], self._meaning_of[shapes], self._begins[shapes] = places, meanings, begins
        is_metric = np.array([any(meaning.fixed) for meaning in self._meanings], np.bool_)
        claims: NDArray[np.bool_] = is_metric[meanings] | (begins > 0)
        return claims


def _kind(hits: Iterable[Hit]) -> Kind:
    return tuple((id(hit.variant), hit.is_torn, hit.cut) for hit in hits)


def _those_in(numbers: Ids) -> list[int]:
    """The numbers above 0 that occur."""
    found: list[int] = np.flatnonzero(np.bincount(np.maximum(numbers, 0))).tolist()
    return found[1:] if found[:1] == [0] else found


class KnownShapes:
    """A table of shapes, and what they are to each of the formats that it was made for.

    ``others`` read logs as well, but claim none.
    """

    def __init__(self, formats: Sequence[Format], others: Sequence[Format] = ()) -> None:
        self.formats = tuple(formats)
        self.table = ShapeTable((*formats, *others))
        self._of_format: dict[int, FormatShapes] = {}
        metric = {id(v): (v, fmt) for fmt in formats for v in fmt.variants if v.record in METRICS}
        self._sieve = VariantSieve(variant for variant, _ in metric.values())
        self._format_of = {key: fmt for key, (_, fmt) in metric.items()}
        self._spanning = [(text, v) for v, _ in metric.values() if v.spans for text in v.one_line.needs[0]]
        self._first_texts = Texts(text for text, _ in self._spanning)
        self._set_of = ByShape(np.int32, NEW, ALONE)
        self._sets: dict[tuple[Format, ...], int] = {(): NOTHING}

    def of(self, fmt: Format) -> FormatShapes:
        """What the shapes are to a format."""
        # Lines are kept by the variants of the very format that found them: its equal, loaded anew, has others.
        if id(fmt) not in self._of_format:
            self._of_format[id(fmt)] = FormatShapes(fmt)
        return self._of_format[id(fmt)]

    def claims(self, lines: ShapedLines, rows: Rows) -> dict[str, Ids]:
        """By the name of each format that claims any of some lines, by metric lines: how specific it is for each.

        In the first row for lines as a whole, in the second for metric lines amid other output, as ``fixed`` of a
        Meaning: 0 where it claims a line not so.
        """
        numbers = set(self._set_of.judged(lines, rows, self._look).tolist())
        alone = rows[lines.shapes[rows] == ALONE]
        of_alone = self._possible(LineJudge(*lines.joined(alone)), each_line=False) if len(alone) else ()
        of_shapes = chain.from_iterable(formats for formats, number in self._sets.items() if number in numbers)
        claims = dict[str, Ids]()
        for fmt in dict.fromkeys([*of_shapes, *of_alone]):
            fixed = self.of(fmt).fixed(lines, rows, alone if fmt in of_alone else alone[:0])
            if fixed.any():
                claims[fmt.name] = fixed
        return claims

    def _look(self, lines: ShapedLines, rows: Rows) -> list[int]:
        """Have formats judge the shapes that nobody looked at, by a line of each; of each the number of its formats."""
        judge = LineJudge(*lines.joined(rows))
        if not (possible := self._possible(judge, each_line=True)):
            return [NOTHING] * len(rows)
        claims = np.array([self.of(fmt).learn(lines, rows, judge) for fmt in possible])
        sets = [tuple(compress(possible, of_line)) for of_line in claims.T.tolist()]
        return [self._sets.setdefault(claiming, len(self._sets)) for claiming in sets]

    def _possible(self, judge: LineJudge, *, each_line: bool) -> tuple[Format, ...]:
        """The formats of which some lines may hold a metric line; ``each_line``: with all texts of it in one line."""
        held = [variant for variant in judge.possible(self._sieve) if not each_line or judge.may_hold(variant)]
        begun = {id(v): v for _, v in compress(self._spanning, self._first_texts.found_in(judge.text))}.values()
        held += [variant for variant in begun if next(judge.beginning(variant), None) is not None]
        return (*dict.fromkeys(self._format_of[id(variant)] for variant in held),)
