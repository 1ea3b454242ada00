"""What a log states once: batch sizes, cards, samples and steps of an epoch, and what makes one of these certain.

A batch size alone may be that of a card or of the job, of training or of an evaluation. It is told where its name says
whose it is, where it makes as many steps of the samples of an epoch as there are, or where there is one card.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..runs.facts import Fact
from ..runs.provenance import line

MOST_DIGITS = 12  # what is longer is no count of anything
LEAST_STEPS = 10  # of an epoch: so few may be made of samples by chance
_AROUND = 24  # letters of a line before and behind a count that may say whose it is
_IS = r"[\"']?(?:\s*+\([^()\n]*\))?\s*+(?:[:=：]|\.\.+|\bis\b|\bof\b)?\s*+[\"']?"
_COUNT = r"(?P<count>\d++)(?!\w|[.,]\d)"
_GROUPED = r"(?P<count>\d\d?\d?(?:,\d\d\d)+|\d++)(?!\w|[.,]\d)"
_BEFORE = r"(?i)(?<![\w.\-/])(?:--)?"
_SIZE = re.compile(
    rf"{_BEFORE}(?P<whose>(?:[a-z]+[ _-]){{0,2}})batch[ _-]?size(?P<card>[ _-]per[ _-](?:gpu|device|card|rank|worker))?"
    rf"{_IS}{_COUNT}"
)
_CARDS = re.compile(
    rf"{_BEFORE}(?:world[ _-]size|num[ _-]?(?:gpus?|devices)|n[ _-]?gpus?|total gpus|gpu number"
    rf"|number of (?:gpus|devices)|devices){_IS}{_COUNT}"
)
_TOKENS = re.compile(
    rf"{_BEFORE}(?:(?:train|global|total)[ _-]batch[ _-]tokens"
    rf"|tokens[ _-]per[ _-](?:step|iteration|iter|update|optimizer[ _-]step)(?: will be)?){_IS}{_GROUPED}"
)
_PASSES = re.compile(
    rf"(?i)(?:accum\w*[ _-](?:steps?|iters?|grad[ _-]batches|every)|grad\w*[ _-]acc\w*|iters[ _-]to[ _-]accum\w*"
    rf"|num[ _-]microbatches|backward[ _-]passes[ _-]per[ _-]step|update[ _-]freq){_IS}{_COUNT}"
)
_STEPS = re.compile(
    rf"(?i)(?:(?:iters?|iterations?|steps|batches)(?: number)?[ _-]per[ _-]epoch|training batches){_IS}{_COUNT}"
)
_THINGS = r"(?:images|samples|examples|entries|records|instances)"
_SAMPLES = re.compile(
    rf"(?i)(?:{_THINGS}\b|length\b|size\b|长度|数量|样本数)[^\d\n]{{0,24}}?(?<![\w.])(?P<behind>\d{{3,10}})(?![\w.]|,\d)"
    rf"|(?<![\w.,])(?P<before>\d{{3,10}}) (?:training )?{_THINGS}\b"
)
_OF_DATA = re.compile(r"(?i)data ?set|train|examples|数据集|训练集|样本")
_PLANNED = re.compile(r"(?i)batch[ _-]?sizes[\"']?\s*+[:=]\s*+[\[(](?P<sizes>\d++(?:\s*+,\s*+\d++)++)")
_OF_WORDS = re.compile(r"(?i)batch[ _-]type\W{1,4}(?:max[ _-])?(?:word|token)s?(?![a-z])")
# Signs of several processes: each of them may count its own card alone.
_SEVERAL = re.compile(
    r"(?i)distributed|torchrun|nproc|mpirun|horovod|\bsrun\b|\bddp\b|(?<![a-z])rank\W{0,3}[1-9]|cuda:[1-9]"
    r"|(?<![a-z])(?:n?nodes|machines)\W{0,3}(?:[2-9]|[1-9]\d)"
)
_OTHER = re.compile(
    r"(?i)(?<![a-z])(?:val|valid\w*|eval\w*|test|testing|dev|vocab\w*|param\w*|infer\w*|predict\w*|rollout|mini|micro"
    r"|ppo|generat\w*)(?![a-z])|验证|测试"
)
_OF_CARD = re.compile(r"(?i)(?:per|each)[ _-]?(?:gpu|device|card|rank|worker)|(?<![a-z])(?:local|micro)(?![a-z])")
_JOB, _CARD = frozenset(("global", "effective")), frozenset(("device", "gpu", "local"))


class Count(NamedTuple):
    """A count that a line states."""

    line: int
    value: int


@dataclass(frozen=True)
class Stated:
    """What lines state: sizes of batches by whose they are, cards, tokens of a step, samples and steps of an epoch.

    ``sizes``: of nobody knows whom. ``has_passes``: several forward passes make a step. ``of_several``: lines show
    several processes. ``is_unclear``: batches are of words, or change.
    """

    sizes: tuple[Count, ...] = ()
    card_sizes: tuple[Count, ...] = ()
    job_sizes: tuple[Count, ...] = ()
    tokens: tuple[Count, ...] = ()
    cards: tuple[Count, ...] = ()
    samples: frozenset[int] = frozenset()
    steps: frozenset[int] = frozenset()
    has_passes: bool = False
    of_several: bool = False
    is_unclear: bool = False

    def facts(self, steps: Iterable[float] = (), *, counts_batches: bool = True) -> list[Fact]:
        """What is certain of the batch size and the cards of a step; ``steps``: how many an epoch has, as rows show.

        ``counts_batches``: a step is one of training; of a bar it may be anything.
        """
        cards, tokens = _fact("cards", self.cards), _fact("job_batch_tokens", self.tokens)
        if self.is_unclear or self.has_passes:  # nobody knows whether a step is one of several passes
            return cards
        lengths = {int(length) for length in (*steps, *self.steps) if length >= LEAST_STEPS}
        if shown := self._shown(lengths):
            return shown
        if not counts_batches:
            return cards
        named = [*cards, *tokens, *_fact("batch_size", self.card_sizes), *_fact("job_batch_size", self.job_sizes)]
        is_of_one = {count.value for count in self.cards} == {1} and not self.of_several
        if is_of_one and not self.card_sizes and not self.job_sizes:
            return [*named, *_fact("job_batch_size", self.sizes)]
        return named

    def _shown(self, steps: set[int]) -> list[Fact]:
        """The one batch size, alone or of some cards, that makes as many steps of the samples of an epoch."""
        several = [count for count in self.cards if count.value > 1]
        found: dict[int, list[Fact]] = {}
        for size in (*self.sizes, *self.card_sizes):
            alone: list[Count | None] = [] if self.of_several else [None]
            for card in several or alone:
                if (all_ := size.value * (card.value if card else 1)) and self._makes(all_, steps):
                    one = [*_fact("batch_size", [size]), *_fact("cards", [card])] if card else []
                    found.setdefault(all_, one or _fact("job_batch_size", [size]))
        for size in self.job_sizes:
            if size.value and self._makes(size.value, steps):
                found.setdefault(size.value, [*_fact("job_batch_size", [size]), *_fact("cards", self.cards)])
        return next(iter(found.values())) if len(found) == 1 else []

    def _makes(self, size: int, steps: set[int]) -> bool:
        """Whether the samples of an epoch make as many steps of such a batch, the last one whole or not."""
        return any(length in (samples // size, -(-samples // size)) for samples in self.samples for length in steps)


def _fact(name: str, counts: Sequence[Count]) -> list[Fact]:
    """The fact that some lines state, if they all say the same."""
    values = {count.value for count in counts}
    return [Fact(name, counts[0].value, line(counts[0].line))] if len(values) == 1 and min(values) > 0 else []


def stated(texts: Sequence[tuple[int, str]]) -> Stated:
    """What some lines, each with its number, state of training."""
    told: dict[str, list[Count]] = {"sizes": [], "card_sizes": [], "job_sizes": []}
    for number, found in _found(_SIZE, texts):
        whose, words = found["whose"].replace("_", " "), set(re.split(r"[ _-]", found["whose"].lower()))
        # A total is one of tokens as often as not.
        if _OTHER.search(whose) or "total" in words or "token" in (found[0] + _behind(found)).lower():
            continue
        name = "card_sizes" if found["card"] or words & _CARD else "job_sizes" if words & _JOB else "sizes"
        told[name].append(Count(number, int(found["count"])))
    tokens = [
        Count(number, int(found["count"].replace(",", "")))
        for number, found in _found(_TOKENS, texts)
        if not _OF_CARD.search(_around(found)) and not _OTHER.search(_around(found).replace("_", " "))
    ]
    passes = [int(found["count"]) for _, found in _found(_PASSES, texts)]
    plans = [found["sizes"] for _, text in texts for found in _PLANNED.finditer(text)]
    of_data = [text for _, text in texts if _OF_DATA.search(text) and not _OTHER.search(text)]
    samples = (found["behind"] or found["before"] for text in of_data for found in _SAMPLES.finditer(text))
    return Stated(
        **{name: tuple(dict.fromkeys(counts)) for name, counts in told.items()},
        tokens=tuple(tokens),
        cards=tuple(Count(number, int(found["count"])) for number, found in _found(_CARDS, texts)),
        samples=frozenset(map(int, samples)),
        steps=frozenset(int(found["count"]) for _, found in _found(_STEPS, texts)),
        has_passes=any(count > 1 for count in passes),
        of_several=any(_SEVERAL.search(text) for _, text in texts),
        is_unclear=any(_OF_WORDS.search(text) for _, text in texts)
        or any(len({int(size) for size in sizes.split(",")}) > 1 for sizes in plans),
    )


def _found(pattern: re.Pattern[str], texts: Iterable[tuple[int, str]]) -> Iterator[tuple[int, re.Match[str]]]:
    """Where a pattern stands in some lines, with their numbers."""
    for number, text in texts:
        for found in pattern.finditer(text):
            if len(found["count"]) <= MOST_DIGITS:
                yield number, found


def _behind(found: re.Match[str]) -> str:
    return found.string[found.end() : found.end() + _AROUND]


def _around(found: re.Match[str]) -> str:
    return found.string[max(found.start() - _AROUND, 0) : found.end()] + _behind(found)
