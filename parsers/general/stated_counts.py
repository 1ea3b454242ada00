"""Counts that a log states once: a batch size, whose the samples of an epoch, the cards or its name show it to be."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ..io.message import Message
from .bars.training_bar import counts_steps
from .gathered import LONGEST_LINE, Gathered
from .spoken_series import SpokenSeries

EPOCH_SHOWS = "a step has {size} samples: {samples} samples make {steps} steps"
BAR_COUNTS_STEPS = (
    "the progress bar is taken to count training steps, but nothing names its unit, so no batch size is applied"
)
ONE_CARD_SHOWS = "the batch size is that of the whole job: there is one card"
SIZES_DIFFER = "the log plans several batch sizes ({sizes}), so none is applied"
OF_WORDS = "the log says that its batches are in words or tokens, so no batch size counts samples"
LINES_DIFFER = "the lines print a batch size of {size}, which appears nowhere else, and do not say whose it is"
LEAST_STEPS = 10
AMOUNT = "amount"
_SIZE = re.compile(r"batch size|\bbsz?\b|批大小")
MOST_DIGITS = 12
_IS = r"[\"']?(?:\s*+\([^()\n]*\))?\s*+(?:[:=：]|\bis\b|\bof\b)?\s*+[\"']?"
_COUNT = r"(?P<count>\d++)(?!\w|[.,]\d)"
_WORD_BEFORE = r"(?<![\w.\-/])"
_BATCH_SIZE = re.compile(
    rf"(?i){_WORD_BEFORE}(?P<name>(?P<whose>(?:[a-z]+[ _-]){{0,2}})batch[ _-]?size"
    rf"(?P<card>[ _-]per[ _-](?:gpu|device|card|rank|worker))?{_IS}){_COUNT}"
)
_PLANNED = re.compile(r"(?i)batch[ _-]?sizes[\"']?\s*+[:=]\s*+[\[(](?P<sizes>\d++(?:\s*+,\s*+\d++)++)")
_ARE_OF_WORDS = re.compile(r"(?i)batch[ _-]type\W{1,4}(?:max[ _-])?(?:word|token)s?(?![a-z])")
_CARDS = re.compile(
    rf"(?i){_WORD_BEFORE}(?P<name>(?:world[ _-]size|num[ _-]?(?:gpus?|devices)|n[ _-]?gpus?|total gpus|gpu number"
    rf"|number of (?:gpus|devices)|devices){_IS}){_COUNT}"
)
_GROUPED = r"(?P<count>\d\d?\d?(?:,\d\d\d)+|\d++)(?!\w|[.,]\d)"
# Signs of several processes: each of them may count its own card alone.
_OF_SEVERAL = re.compile(
    r"(?i)distributed|torchrun|nproc|mpirun|horovod|\bsrun\b|\bddp\b|(?<![a-z])rank\W{0,3}[1-9]|cuda:[1-9]"
    r"|(?<![a-z])(?:n?nodes|machines)\W{0,3}(?:[2-9]|[1-9]\d)"
)
_TOKENS = re.compile(
    rf"(?i){_WORD_BEFORE}(?P<name>(?:(?:train|global|total)[ _-]batch[ _-]tokens"
    rf"|tokens[ _-]per[ _-](?:step|iteration|iter|update|optimizer[ _-]step)(?: will be)?){_IS}){_GROUPED}"
)
_PASSES = re.compile(
    rf"(?i)(?P<name>(?:accum\w*[ _-](?:steps?|iters?|grad[ _-]batches|every)|grad\w*[ _-]acc\w*|"
    rf"iters[ _-]to[ _-]accum\w*|num[ _-]microbatches|backward[ _-]passes[ _-]per[ _-]step|update[ _-]freq){_IS})"
    rf"{_COUNT}"
)
_STEPS = re.compile(
    rf"(?i)(?P<name>(?:(?:iters?|iterations?|steps|batches)(?: number)?[ _-]per[ _-]epoch|training batches){_IS})"
    rf"{_COUNT}"
)
_OF_A_STEP = re.compile(
    rf"(?i){_WORD_BEFORE}(?:total|global|effective)[ _-](?:train[ _-])?batch[ _-]?size{_IS}{_GROUPED}"
)
_OF_DATA = re.compile(r"(?i)data ?set|train|examples|数据集|训练集|样本")
_OF_OTHER = re.compile(
    r"(?i)(?<![a-z])(?:val|valid\w*|eval\w*|test|testing|dev|vocab\w*|param\w*|infer\w*|predict\w*|rollout|mini"
    r"|micro|ppo|generat\w*)(?![a-z])|验证|测试"
)
_OF_CARD = re.compile(r"(?i)(?:per|each)[ _-]?(?:gpu|device|card|rank|worker)|(?<![a-z])(?:local|micro)(?![a-z])")
_AROUND = 24  # letters of a line before and behind a count that may say whose it is
_THINGS = r"(?:images|samples|examples|entries|records|instances)"
_SAMPLES = re.compile(
    rf"(?i)(?:(?:{_THINGS}\b|length\b|size\b|长度|数量|样本数)[^\d\n]{{0,24}}?(?<![\w.])(?P<behind>\d{{3,10}})(?![\w.]|,\d)"
    rf"|(?<![\w.,])(?P<before>\d{{3,10}}) (?:training )?{_THINGS}\b)"
)
# `Train loader: 18500`, `train=800`, `num_train_batches: 120`; not of what a training has else: `train_loss`.
_OF_TRAINING = re.compile(
    r"(?i)(?<![a-z])train(?:ing)?[ _-]?(?:data[ _-]?)?(?:loader|set|split|size|len(?:gth)?|samples|examples|images"
    r"|batches)?[ _-]?(?:size|len(?:gth)?)?[\"')]?\s*[:=：]\s*(?P<count>\d++)(?![\w.%]|,\d)"
)
_OF_ALL = frozenset(("global", "effective"))
_OF_ONE = frozenset(("device", "gpu", "local"))
Column = Literal["batch_size", "job_batch_size", "job_batch_tokens", "cards", "accumulation"]


@dataclass(frozen=True)
class Statement:
    """A count that lines state behind a ``name``, as it is written up to the number; ``column``: what it is, if known.

    Of a batch size whose it is not known, that is ``batch``. ``is_grouped``: its thousands are set apart.
    """

    column: Column | Literal["batch"]
    name: str
    count: int
    is_grouped: bool = False

    def known_as(self, column: Column) -> "Statement":
        """The same, known to be this."""
        return replace(self, column=column)


@dataclass(frozen=True)
class Stated:
    """What a log states of the batch size and the cards of a step, and what shows it."""

    statements: tuple[Statement, ...] = ()
    why: tuple[Message, ...] = ()


def stated_counts(series: SpokenSeries, gathered: Gathered) -> Stated:
    """What a log states of a step, where it is known whose it is; nothing where that is not so."""
    own = {row.text for row in series.rows}
    lines = [line for line in _lines(gathered) if line not in own]
    sizes, cards = list(dict.fromkeys(_sizes(lines))), list(dict.fromkeys(_cards(lines)))
    are_unnamed = bool(sizes) and all(size.column == "batch" for size in sizes)
    if are_unnamed and (own_sizes := _of_lines(series) - {size.count for size in sizes}):
        return Stated(tuple(cards), (Message(LINES_DIFFER, size=f"{min(own_sizes):g}"),))
    if (refused := _no_size(lines)) is not None:
        return Stated(tuple(cards), (refused,))
    named = Stated((*dict.fromkeys(_tokens(lines)), *(size for size in sizes if size.column != "batch")))
    if stated_passes(gathered):  # nobody knows whether a step is one of them
        passes = [Statement("accumulation", *found) for found in dict.fromkeys(_passes(lines))]
        return Stated((*passes, *(one for one in named.statements if one.column == "cards")))
    are_several = any(map(_OF_SEVERAL.search, lines))
    alone = [size for size in sizes if size.column == "job_batch_size" or not are_several]
    shown = _by_epoch(sizes, alone, cards, set(_samples(lines)), _steps_of_epoch(series, lines))
    if not (shown or counts_steps(series)):
        return Stated(tuple(dict.fromkeys(cards)), (Message(BAR_COUNTS_STEPS),))
    if shown or named.statements or are_several:
        return shown or named
    return _of_one_card(sizes, cards)


def _of_lines(series: SpokenSeries) -> set[float]:
    """The batch sizes, in samples, that the lines of a series print themselves."""
    named = {
        form: [s for s in form.said.slots if s.sense and s.sense.role == AMOUNT and _SIZE.search(s.sense.name)]
        for form in series.slots
    }
    return {row.number(slot) for row in series.rows for slot in named[row.form]}


def _no_size(lines: Sequence[str]) -> Message | None:
    """Why none of the batch sizes of some lines is the samples of a step, whatever else they say of it."""
    if any(map(_ARE_OF_WORDS.search, lines)):
        return Message(OF_WORDS)
    planned = _differing(lines)
    return Message(SIZES_DIFFER, sizes=planned) if planned else None


def _differing(lines: Iterable[str]) -> str:
    """A list of batch sizes that are not all the same, as of training in stages; nothing where lines have none."""
    lists = (found["sizes"] for line in lines for found in _PLANNED.finditer(line))
    return next((sizes for sizes in lists if len({int(size) for size in sizes.split(",")}) > 1), "")


def _lines(gathered: Gathered) -> Iterator[str]:
    """The first lines of a log, of each its beginning."""
    return (line[:LONGEST_LINE] for line in gathered.head)


def _found(pattern: re.Pattern[str], lines: Iterable[str]) -> Iterator[tuple[re.Match[str], int]]:
    """Where a pattern stands in some lines, each with its count."""
    for line in lines:
        for found in pattern.finditer(line):
            if len(found["count"]) <= MOST_DIGITS:
                yield found, int(found["count"].replace(",", ""))


def stated_amounts(gathered: Gathered) -> set[int]:
    """What a step of all cards has, as lines say of a total, global or effective batch size."""
    return {count for pattern in (_OF_A_STEP, _TOKENS) for _, count in _found(pattern, _lines(gathered))}


def stated_samples(gathered: Gathered) -> set[int]:
    """How many samples there are to train on, as lines say."""
    return set(_samples(_lines(gathered)))


def stated_of_training(gathered: Gathered) -> list[int]:
    """How many samples or batches lines name for training: `Train loader: 18500`."""
    return [*(count for _, count in _found(_OF_TRAINING, _lines(gathered))), *sorted(stated_samples(gathered))]


def stated_batches(gathered: Gathered) -> set[int]:
    """The batch sizes of training that lines state, of a card or of all."""
    return {size.count for size in _sizes(_lines(gathered)) if size.count}


def stated_cards(gathered: Gathered) -> set[int]:
    """The numbers of cards that lines state."""
    return {card.count for card in _cards(_lines(gathered))}


def stated_passes(gathered: Gathered) -> set[int]:
    """How many passes make a step, as lines state, where there are several."""
    return {count for _, count in _passes(_lines(gathered))}


def _passes(lines: Iterable[str]) -> Iterator[tuple[str, int]]:
    return ((found["name"], count) for found, count in _found(_PASSES, lines) if count > 1)


def _sizes(lines: Iterable[str]) -> Iterator[Statement]:
    """The batch sizes of training that lines state."""
    for found, count in _found(_BATCH_SIZE, lines):
        words = set(re.split(r"[ _-]", found["whose"].lower()))
        # A total is one of tokens as often as not.
        is_of_other = _OF_OTHER.search(found["whose"].replace("_", " ")) or "total" in words
        if not is_of_other and "token" not in found["name"].lower() + _behind(found).lower():
            is_of_one = found["card"] or words & _OF_ONE
            yield Statement(
                "batch_size" if is_of_one else "job_batch_size" if words & _OF_ALL else "batch", found["name"], count
            )


def _tokens(lines: Iterable[str]) -> Iterator[Statement]:
    """The tokens of a step of all cards."""
    for found, count in _found(_TOKENS, lines):
        around = found.string[max(found.start() - _AROUND, 0) : found.end()] + _behind(found)
        if not (_OF_CARD.search(around) or _OF_OTHER.search(around.replace("_", " "))):
            yield Statement("job_batch_tokens", found["name"], count, "," in found["count"])


def _behind(found: re.Match[str]) -> str:
    """What stands behind a count."""
    return found.string[found.end() : found.end() + _AROUND]


def _cards(lines: Iterable[str]) -> Iterator[Statement]:
    for found, count in _found(_CARDS, lines):
        yield Statement("cards", found["name"], count)


def _samples(lines: Iterable[str]) -> Iterator[int]:
    """How many samples there are to train on, as lines say."""
    for line in lines:
        if _OF_DATA.search(line) and not _OF_OTHER.search(line):
            for found in _SAMPLES.finditer(line):
                yield int(found["behind"] or found["before"])


def _steps_of_epoch(series: SpokenSeries, lines: Iterable[str]) -> set[int]:
    """How many steps an epoch has: as a line says, or as those of an epoch count them."""
    said = {count for _, count in _found(_STEPS, lines)}
    is_of_bar = series.total is not None
    totals = {row.total for row in series.rows if (is_of_bar or row.form.level.has_epoch) and np.isfinite(row.total)}
    return {steps for steps in (*said, *map(int, totals)) if steps >= LEAST_STEPS}


def _by_epoch(
    sizes: Sequence[Statement],
    alone: Sequence[Statement],
    cards: Sequence[Statement],
    samples: set[int],
    steps: set[int],
) -> Stated | None:
    """The one batch size, alone or of some cards, that makes as many steps of the samples of an epoch as there are.

    ``alone``: those that may show it without a number of cards.
    """
    found: dict[int, Stated] = {}
    several = [card for card in cards if card.count > 1]
    for size in sizes:
        # Of several cards each may go through all samples: one batch size alone shows nothing.
        is_of_cards = several and size.column != "job_batch_size"
        for card in several if is_of_cards else [None] if size in alone else []:
            of_all = size.count * (card.count if card else 1)
            if shown := _shown(of_all, samples, steps):
                found.setdefault(of_all, _as_shown(size, card, shown))
    return next(iter(found.values())) if len(found) == 1 else None


def _shown(of_all: int, samples: set[int], steps: set[int]) -> Message | None:
    """What shows that steps have so many samples: those of an epoch make as many, the last one whole or not."""
    for amount in samples:
        for length in steps:
            if of_all and length in (amount // of_all, -(-amount // of_all)):
                return Message(EPOCH_SHOWS, size=of_all, samples=amount, steps=length)
    return None


def _as_shown(size: Statement, card: Statement | None, why: Message) -> Stated:
    if card is None:
        return Stated((size.known_as("job_batch_size"),), (why,))
    return Stated((size.known_as("batch_size"), card), (why,))


def _of_one_card(sizes: Sequence[Statement], cards: Sequence[Statement]) -> Stated:
    if not sizes or {card.count for card in cards} != {1}:
        return Stated()
    names = dict.fromkeys(size.name for size in sizes)
    if len(names) > 1 and len({size.count for size in sizes}) > 1:
        return Stated()  # one of them may be that of an evaluation
    known = tuple(size.known_as("job_batch_size") for size in sizes if size.name == next(iter(names)))
    return Stated(known, (Message(ONE_CARD_SHOWS),))
