"""What the compiled form of a grammar, Lark's own parser and the scanner say of lines."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from lark import Tree
from lark.exceptions import UnexpectedInput

from parsers.grammar.field import WHOLE_LINE, WRITTEN_AS
from parsers.grammar.format import Format
from parsers.grammar.loading import vocabulary
from parsers.grammar.variant import Variant
from parsers.scanning.judging import Hit, KnownShapes, LineJudge, spans_of
from parsers.scanning.prefix import line_pattern, without_prefix
from parsers.scanning.source import clean


@dataclass(frozen=True)
class Verdict:
    """What a line is ("step", "fact" …) and the texts of each of its fields, in order."""

    kind: str
    fields: dict[str, tuple[str, ...]]

    def agrees(self, judge: "Verdict") -> bool:
        """Whether the judge names the same fields, and each text that was kept here is one that it has there.

        Lark lists a field that stands in a line several times, such as the learning rates of two optimisers, several
        times; a column holds one of them.
        """
        same = (self.kind, self.fields.keys()) == (judge.kind, judge.fields.keys())
        return same and all(set(texts) <= set(judge.fields[name]) for name, texts in self.fields.items())


def lines_of(log: Path) -> list[bytes]:
    """The lines of a log as the scanner sees them: a carriage return ends a line on screen."""
    return clean(log.read_bytes()).replace(b"\r", b"\n").split(b"\n")


def text_of(line: bytes) -> str:
    """A line as the judge reads it: bytes beyond ASCII are no letters to the compiled form, so they are none here."""
    return line.decode("ascii", "surrogateescape")


def kinds(fmt: Format, line: bytes) -> set[str]:
    """Every line kind of a format whose compiled form matches a line."""
    own = without_prefix(line)
    return {variant.record for variant in fmt.variants if line_pattern(variant).fullmatch(own)}


def compiled(fmt: Format, line: bytes) -> Verdict | None:
    """What the compiled form says of a line."""
    for variant in fmt.variants:
        if found := line_pattern(variant).fullmatch(without_prefix(line)):
            told = [(f.name, t) for f, t in zip(variant.groups, found.groups(), strict=True) if f != WHOLE_LINE]
            return Verdict(variant.record, _texts_by_name((name, text_of(t)) for name, t in told if t is not None))
    return None


def judged(fmt: Format, line: bytes) -> Verdict | None:
    """What Lark says of a line, less the prefix of its rank."""
    try:
        tree: Tree[Any] = fmt.judge.parse(text_of(without_prefix(line)))
    except UnexpectedInput:
        return None
    (child,) = tree.children
    parts = tree.iter_subtrees_topdown()  # type: ignore[no-untyped-call]
    told = [(_rule(part), "".join(map(str, part.children))) for part in parts]
    return Verdict(_rule(child).removesuffix("_line"), _texts_by_name(pair for pair in told if pair[0] in vocabulary()))


def agree(fmt: Format, line: bytes) -> bool:
    """Whether Lark takes a line where the compiled form does, with the same fields."""
    ours, judge = compiled(fmt, line), judged(fmt, line)
    return ours is judge if ours is None or judge is None else ours.agrees(judge)


def _rule(tree: Any) -> str:
    """Name of a rule; a template shows under its own name, an imported rule under that of its file and its own.

    That of a column which a program prints as something else is the name of the column.
    """
    name = str(tree.data).removeprefix("vocabulary__")
    return WRITTEN_AS.get(name, name)


def _texts_by_name(told: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    fields: dict[str, tuple[str, ...]] = {}
    for name, text in told:
        fields[name] = (*fields.get(name, ()), text)
    return fields


def some_format(variants: Sequence[Variant]) -> Format:
    """A format of these variants."""
    return Format("some", Path("some.lark"), "", tuple(variants))


def found_in(fmt: Format, *blocks: bytes) -> Iterator[tuple[int, Variant]]:
    """The physical number and the variant of each line that a format knows, or that begins a record of several."""
    known, before = KnownShapes([fmt]), 0
    for block in blocks:
        lines = known.table.lines(block, before)
        for records in known.of(fmt).records(lines):
            yield from ((number, records.variant) for number in lines.numbers(records.first).tolist())
        for meaning, rows, _ in known.of(fmt).groups(lines, np.ones(len(lines), np.bool_)):
            every = [variant for variant, times in meaning.variants for _ in range(times)]
            yield from ((number, variant) for variant in every for number in lines.numbers(rows).tolist())
        before += len(lines)


def judge(*lines: bytes) -> LineJudge:
    """The judge of some lines, which end with newlines."""
    return LineJudge(b"".join(lines), np.cumsum([0, *map(len, lines)])[:-1])


def told(hits: Iterable[Hit]) -> list[tuple[Variant, bool, list[list[int]]]]:
    """What hits say of a line: variants, and where the fields stand in it."""
    return [(hit.variant, hit.is_torn, spans_of(hit.variant, [hit])[0].tolist()) for hit in hits]
