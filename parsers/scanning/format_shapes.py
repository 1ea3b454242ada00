"""What shapes of lines are to formats: judged once, on the first line of each that is met."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress, groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..grammar.field import Field
from ..grammar.format import METRICS, Format
from ..grammar.variant import Variant
from .judging import Hit, LineJudge, Texts, VariantSieve, spans_of
from .kernel import Ids
from .multiline import Records, RecordSearch
from .shapes import ALONE, NEW, ByShape, Rows, ShapedLines, ShapeTable

NOTHING = 0
# What is like a metric line and yet whole: it tells of an evaluation, or of the speed without loading (compute_ips).
_OTHER = re.compile(
    rb"(?i)(?<![a-z])(?:eval(?:uat\w*+)?|val(?:id(?:at\w*+)?)?|test(?:ing)?|infer\w*+|compute_ips)(?![a-z])"
)

Kind = tuple[tuple[int, bool, Field | None], ...]


class Meaning:
    """What the lines of some shapes are to a format: of the same ``variants``, each shape with places of its own.

    ``variants``: each with the times that a line holds it, one by one. ``is_torn``: whether they hold metric lines amid
    other output. ``is_matched``: whether they say anything; what is not is ignored by rule. ``cuts``: of the last line
    of a log without a newline the field that may be cut, by the variant.
    """

    def __init__(self, hits: Sequence[Hit] = ()) -> None:
        of_variants = groupby((hit.variant for hit in hits), id)
        self.variants = [(same[0], len(same)) for same in (list(same) for _, same in of_variants)]
        self.is_torn = any(hit.is_torn for hit in hits)
        self.is_matched = any(variant.record != "noise" for variant, _ in self.variants)
        self.cuts = {hit.variant: hit.cut for hit in hits if hit.cut}
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


class FormatShapes:
    """What the shapes of a table are to one ``format``."""

    def __init__(self, fmt: Format) -> None:
        self.format = fmt
        self._sieve = VariantSieve(fmt.variants)
        self._meanings: list[Meaning] = [Meaning()]
        self._by_kind: dict[Kind, int] = {}
        self._meaning_of = ByShape(np.int32, NEW, ALONE)
        self._place_of = ByShape(np.int32, 0, 0)
        self._spanning = [variant for variant in fmt.variants if variant.spans]
        self._begins = ByShape(np.int8, NEW, ALONE)
        self._is_broken = ByShape(np.int8, NEW, ALONE)

    def groups(self, lines: ShapedLines, left: NDArray[np.bool_]) -> Iterator[Group]:
        """Those of the lines left that are anything to the format: the meaning, the lines, and which shape each has."""
        self._meaning_of.grow(lines.known)
        self._place_of.grow(lines.known)
        every = self._meaning_of[lines.shapes]
        rows = np.flatnonzero(every * left)  # mostly few: NOTHING is 0
        meanings = every[rows]
        if (new := meanings == NEW).any():
            self._judge(lines, rows[new])
            meanings = self._meaning_of[lines.shapes[rows]]
        for meaning in _those_in(meanings):
            mine = rows[meanings == meaning]
            yield self._meanings[meaning], mine, self._place_of[lines.shapes[mine]]
        if len(alone := rows[meanings == ALONE]):
            yield from self._groups_alone(lines, alone)

    def records(self, lines: ShapedLines, rows: Rows) -> Sequence[Records]:
        """The records of several lines among some lines; those among all lines of a block are looked for once."""
        found = lines.records.get(id(self)) if len(rows) == len(lines) else None
        if found is None:
            begins = self.begins(lines, rows)
            found = [*RecordSearch(lines, rows, begins).records(self._spanning)] if begins.any() else []
            if len(rows) == len(lines):
                lines.records[id(self)] = found
        return found

    def begins(self, lines: ShapedLines, rows: Rows) -> NDArray[np.bool_]:
        """In which of some lines a record of several may begin."""
        if not self._spanning:
            return np.zeros(len(rows), np.bool_)
        begins = self._begins.judged(lines, rows, self._may_begin)
        if len(alone := np.flatnonzero(begins == ALONE)):
            begins[alone] = self._may_begin(lines, rows[alone])
        return begins > 0

    def _may_begin(self, lines: ShapedLines, rows: Rows) -> list[bool]:
        begins, judge = [False] * len(rows), LineJudge(*lines.joined(rows))
        for line in (line for variant in self._spanning for line in judge.beginning(variant)):
            begins[line] = True
        return begins

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

    def _judge(self, lines: ShapedLines, rows: Rows) -> None:
        """Learn new shapes by a line of each."""
        first = lines.firsts(rows)
        shapes = lines.shapes[first]
        meanings, places = np.full(len(shapes), NOTHING), np.zeros(len(shapes), np.int32)
        for number, hits in LineJudge(*lines.joined(first)).hits(self._sieve).items():
            meaning = self._by_kind.setdefault(_kind(hits), len(self._meanings))
            if meaning == len(self._meanings):
                self._meanings.append(Meaning(hits))
            meanings[number], places[number] = meaning, self._meanings[meaning].add(hits)
        self._place_of[shapes] = places
        self._meaning_of[shapes] = meanings

    def _groups_alone(self, lines: ShapedLines, rows: Rows) -> Iterator[Group]:
        found: dict[Kind, tuple[Meaning, list[int]]] = {}
        for number, hits in LineJudge(*lines.joined(rows)).hits(self._sieve).items():
            meaning, numbers = found.setdefault(_kind(hits), (Meaning(hits), []))
            meaning.add(hits)
            numbers.append(number)
        for meaning, numbers in found.values():
            yield meaning, rows[numbers], np.arange(len(numbers), dtype=np.int32)


def _kind(hits: Iterable[Hit]) -> Kind:
    return tuple((id(hit.variant), hit.is_torn, hit.cut) for hit in hits)


def _those_in(numbers: Ids) -> list[int]:
    """The numbers above 0 that occur."""
    found: list[int] = np.flatnonzero(np.bincount(np.maximum(numbers, 0))).tolist()
    return found[1:] if found[:1] == [0] else found


class Said(NamedTuple):
    """A format that knows a line, how much of the line is fixed text, and what is known of it.

    A metric line is it as a ``WHOLE``, or it is ``TORN``: one stands there amid other output. No name stands for
    records of several lines, of which the line may be the first: of the variant with this place among all of them.
    """

    name: str
    fixed: int
    how: int


WHOLE, TORN = range(2)
Claim = tuple[Said, ...]
NO_CLAIM: Claim = ()


class Claims:
    """Which of many formats claim the shapes of a table, by metric lines."""

    def __init__(self, formats: Iterable[Format]) -> None:
        named = [(fmt.name, variant) for fmt in formats for variant in fmt.variants if variant.record in METRICS]
        self._names = {id(variant): name for name, variant in named}
        self._sieve = VariantSieve(variant for _, variant in named)
        self._claims: list[Claim] = [NO_CLAIM]
        self._numbers: dict[Claim, int] = {NO_CLAIM: NOTHING}
        self._claim_of = ByShape(np.int32, NEW, ALONE)
        self._spanning = [variant for _, variant in named if variant.spans]
        self._first_texts = [(place, text) for place, v in enumerate(self._spanning) for text in v.one_line.needs[0]]
        self._begins = Texts(text for _, text in self._first_texts)

    def count(self, lines: ShapedLines, rows: Rows) -> Counter[Claim]:
        """How many of some lines have each claim, but for lines that nothing claims."""
        claims = self._claim_of.judged(lines, rows, self._judge)
        found = Counter({self._claims[claim]: int((claims == claim).sum()) for claim in _those_in(claims)})
        begins = np.array(list(map(_begins, self._claims)))[claims]
        if len(alone := np.flatnonzero(claims == ALONE)):
            of_lines = self._of_lines(LineJudge(*lines.joined(rows[alone])))
            found.update(of_lines.values())
            begins[alone] = [_begins(of_lines.get(line, NO_CLAIM)) for line in range(len(alone))]
        if begins.any():
            spanning = sorted({said.how for claim in found for said in claim if not said.name})
            records = RecordSearch(lines, rows, begins).records([self._spanning[place] for place in spanning])
            found.update(self._of_records(records).values())
        named = Counter[Claim]()
        for claim, count in found.items():
            named[_named(claim)] += count
        del named[NO_CLAIM]
        return named

    def _judge(self, lines: ShapedLines, rows: Rows) -> list[int]:
        claims = [NOTHING] * len(rows)
        for line, claim in self._of_lines(LineJudge(*lines.joined(rows))).items():
            claims[line] = self._numbers.setdefault(claim, len(self._claims))
            if claims[line] == len(self._claims):
                self._claims.append(claim)
        return claims

    def _of_lines(self, judge: LineJudge) -> Mapping[int, Claim]:
        """The claim of each line that has one."""
        possible = judge.possible(self._sieve)
        told = [(hit.line, self._said(hit.variant, TORN if hit.is_torn else WHOLE)) for hit in judge.each(possible)]
        spanning = {place for place, _ in compress(self._first_texts, self._begins.found_in(judge.text))}
        told += [(line, Said("", 0, place)) for place in spanning for line in judge.beginning(self._spanning[place])]
        return _claims(told)

    def _said(self, variant: Variant, how: int) -> Said:
        return Said(self._names[id(variant)], variant.fixed, how)

    def _of_records(self, records: Iterable[Records]) -> Mapping[int, Claim]:
        """The claim of each line that begins a record of several lines."""
        return _claims((line, self._said(found.variant, WHOLE)) for found in records for line in found.first.tolist())


def _begins(claim: Claim) -> bool:
    """Whether a line may begin a record of several."""
    return any(not said.name for said in claim)


def _claims(told: Iterable[tuple[int, Said]]) -> Mapping[int, Claim]:
    """The claims of lines, of which each format may know several variants: the most specific counts."""
    by_line: dict[int, dict[tuple[str, int], Said]] = defaultdict(dict)
    for line, said in told:
        known = by_line[line].setdefault((said.name, said.how), said)
        if said.fixed > known.fixed:
            by_line[line][said.name, said.how] = said
    return {line: tuple(sorted(claim.values())) for line, claim in by_line.items()}


def _named(claim: Claim) -> Claim:
    return tuple(said for said in claim if said.name)


class KnownShapes:
    """A table of shapes, and what they are to each of the formats that it was made for.

    ``others`` read logs as well, but claim none.
    """

    def __init__(self, formats: Sequence[Format], others: Sequence[Format] = ()) -> None:
        self.formats = tuple(formats)
        self.table = ShapeTable((*formats, *others))
        self.claims = Claims(formats)
        self._of_format: dict[int, FormatShapes] = {}

    def of(self, fmt: Format) -> FormatShapes:
        """What the shapes are to a format."""
        # Lines are kept by the variants of the very format that found them: its equal, loaded anew, has others.
        if id(fmt) not in self._of_format:
            self._of_format[id(fmt)] = FormatShapes(fmt)
        return self._of_format[id(fmt)]
