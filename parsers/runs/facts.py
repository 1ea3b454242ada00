"""Facts: what holds for a whole run, each with the source that says so, and all lines of a log that state one.

Counts follow from each other. Two products hold: cards are those that share a model times its replicas, and the batch
of the job is that of a replica times the replicas times the passes of a step. parsers/vocabulary.lark names the
programs that compute these.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, reduce
from itertools import product
from math import inf, prod
from pathlib import Path
from typing import NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from ..grammar.field import StepIs
from ..grammar.format import ROOM, load
from ..io.files import SUFFIXES
from ..io.message import Message
from ..scanning.prefix import line_pattern
from ..scanning.record_table import FactLines
from .provenance import FILE_NAME, Kind, Provenance, line

Value = int | float | str
Lines = NDArray[np.int64]
Counts = Mapping[str, int]

MOST_DIGITS = 19  # what is longer is no count of anything
FOLDERS = 3  # so many folders above a log may state facts in their names
# How cards share a model.
SHARING = ("tensor_parallel", "pipeline_parallel", "context_parallel")
CARDS = ("cards", (*SHARING, "data_parallel"))
BATCH = ("job_batch_size", ("micro_batch_size", "data_parallel", "accumulation"))
# Counts whose option is 1 by default in many programs.
ONE_BY_DEFAULT = ("nodes", "cards", "cards_per_node", "accumulation", *SHARING, "data_parallel", "expert_parallel")
# Counts that a measurement scales by.
SCALING = (
    *("nodes", "cards", "cards_per_node", "batch_size", "job_batch_size", "job_batch_tokens", "accumulation"),
    *("sequence_length", "micro_batch_size", *SHARING, "data_parallel", "expert_parallel", "virtual_pipeline"),
)
COUNTS = (*SCALING, "epoch_samples")  # that one run of a log may state, and another not
PARAMETERS = ("parameters", "rank_parameters", "trainable_parameters")
# What says how a model is, or how it is trained: a program that names several models has one of each.
OF_A_MODEL = (
    *("layers", "hidden_size", "vocabulary_size", "attention_heads", *PARAMETERS),
    *("recompute", "attention", "optimizer", "fp8_recipe", "sequence_length"),
)
# Training in 8 bits keeps its parameters in 16; programs call TF32 by the type of its data, which is FP32.
WITHIN = {("precision", "fp8"): ("bf16", "fp16"), ("precision", "tf32"): ("fp32",)}

FIRST_USED = "{fact} is {value} according to {source}, but {other} according to {other_source}; using {value}."
NEITHER_USED = "{fact} is {value} according to {source}, but {other} according to {other_source}; using neither."


@dataclass(frozen=True)
class Fact:
    """A value (int, float or str) and its source: a line of the log, a file name, run.json, a page or an option.

    ``step_is``: what a step of the log is, of an accumulation that the log states.
    """

    name: str
    value: Value
    source: Provenance
    step_is: StepIs | None = None


class DeniedFact(Message):
    """A remark on a ``fact`` whose ``value`` is used, though another source states another."""


class Facts(dict[str, Fact]):
    """The facts of a run by name: of several sources the first told counts.

    ``contradictions`` holds every later source that said otherwise, with the fact it contradicts. ``disputes`` holds
    the lines that contradict each other on a fact that scales, each with the first of them: none of these is believed.
    """

    def __init__(self, told: Iterable[Fact] = ()) -> None:
        super().__init__()
        self.contradictions: list[tuple[Fact, Fact]] = []
        self.disputes: list[tuple[Fact, Fact]] = []
        self.hear(told)

    def hear(self, told: Iterable[Fact], *, of_lines: bool = False, fills: bool = False) -> None:
        """Hear a source that is trusted less than those before; a count that scales and is less than one says nothing.

        A text says the same in other letters, as names of models do: ``ResNet50`` and ``resnet50``. ``of_lines``: the
        source is the lines of the log; where they contradict each other on a fact that scales, and no source before
        settles it, all keep silent: a line does not say of which part of a configuration it is, so the first may be
        that of the evaluation. ``fills``: the source counts only where no other tells the fact, not even lines that
        dispute it.
        """
        said = [fact for fact in told if fact.name not in SCALING or isinstance(fact.value, str) or fact.value >= 1]
        if of_lines:
            known = [*self.values(), *said]
            within = {(fact.name, part) for fact in known for part in WITHIN.get((fact.name, str(fact.value)), ())}
            said = [fact for fact in said if (fact.name, fact.value) not in within]
            scaling = [fact for name in SCALING if name not in self for fact in said if fact.name == name]
            firsts: dict[str, Fact] = {}
            pairs = [(firsts.setdefault(fact.name, fact), fact) for fact in scaling]
            self.disputes += [(first, other) for first, other in pairs if other.value != first.value]
        disputed = self._disputed() if of_lines or fills else ()
        for fact in said:
            if fact.name in disputed or (fills and fact.name in self):
                continue
            used = self.setdefault(fact.name, fact)
            is_same = used.value == fact.value or str(used.value).casefold() == str(fact.value).casefold()
            if not is_same and (used, fact) not in self.contradictions:
                self.contradictions.append((used, fact))

    def _disputed(self) -> set[str]:
        return {first.name for first, _ in self.disputes}

    def warnings(self) -> Iterator[Message]:
        """What the sources say against each other."""
        neither, first = (self.disputes, Message, NEITHER_USED), (self.contradictions, DeniedFact, FIRST_USED)
        for pairs, of_kind, key in (neither, first):
            for one, other in pairs:
                sources = {"source": one.source.message, "other_source": other.source.message}
                yield of_kind(key, fact=Message(one.name), value=one.value, other=other.value, **sources)

    def derive(self) -> None:
        """Add what follows from other facts: cards from nodes, batch size of a card from that of the job."""
        self._derive_cards()
        for whole, factors in (CARDS, BATCH):
            found = follows(counts_of(self), whole, factors)
            if found and found[0] not in self._disputed():
                self.hear([Fact(*found[:2], self._sources(found[2]))])
        counts, ways = counts_of(self), ("tensor_parallel", "pipeline_parallel")
        # Where cards share a model, a program may print the number of its replicas as its world size.
        replicas = counts.get("data_parallel", 0)
        if counts.get("cards") == replicas * prod(counts.get(name, 1) for name in SHARING):
            pairs = self.contradictions
            self.contradictions = [pair for pair in pairs if (pair[1].name, pair[1].value) != ("cards", replicas)]
        # A card holds the whole model where no cards share it, by what is stated of each way to share one.
        is_whole = all(counts.get(way) == 1 for way in ways) and counts.get("expert_parallel", 1) == 1
        if is_whole and "rank_parameters" in counts:
            self.hear([Fact("parameters", counts["rank_parameters"], self._sources(("rank_parameters", *ways)))])
        if "fp8_recipe" in self and ("precision" not in self or self["precision"].value != "fp8"):
            del self["fp8_recipe"]  # the default of an option that is not used
        # A line that tells the batch size knows better: cards may share one model, and a step have several passes.
        is_told = "batch_size" in self and not self["batch_size"].source.is_name
        if not is_told and {"job_batch_size", "cards"} <= counts.keys() and cards_of_replica(counts) <= 1:
            size, rest = divmod(counts["job_batch_size"], counts["cards"] * counts.get("accumulation", 1))
            if not rest:
                self._follow("batch_size", size, "share", "job_batch_size", "cards")

    def _derive_cards(self) -> None:
        counts = counts_of(self)
        if {"nodes", "cards_per_node"} <= counts.keys():
            self._follow("cards", counts["nodes"] * counts["cards_per_node"], "product", "nodes", "cards_per_node")
        elif "cards_per_node" in self and not counts.get("cards", 0) >= counts.get("cards_per_node", inf):
            # Cards of one node, where nothing says how many nodes there are; fewer in all contradict them.
            one = self["cards_per_node"]
            self.hear([Fact("cards", one.value, Provenance("one_node", (one.source,)))])

    def _follow(self, name: str, said: int, how: Kind, first: str, second: str) -> None:
        self.hear([Fact(name, said, Provenance(how, (self[first].source, self[second].source)))])

    def _sources(self, names: Iterable[str]) -> Provenance:
        """Where several facts come from, each place once."""
        places = dict.fromkeys(self[name].source for name in names)
        return reduce(lambda one, other: Provenance("product", (one, other)), places)


def counts_of(facts: Mapping[str, Fact]) -> dict[str, int]:
    """The values of all facts that are counts."""
    return {name: fact.value for name, fact in facts.items() if is_count(fact.value)}


def is_count(said: object) -> TypeGuard[int]:
    """Whether a value is a count of at least one; True and False are none."""
    return isinstance(said, int) and not isinstance(said, bool) and 1 <= said < 1 << 53


def follows(counts: Counts, whole: str, factors: tuple[str, ...]) -> tuple[str, int, tuple[str, ...]] | None:
    """The one count that is missing of a product, or the whole where none is; None where nothing follows.

    Its name, its value, and the counts that it follows from. A card that is not accounted for may be shared in a way
    that nothing states: of the ways to share a model only 1 follows.
    """
    known = tuple(name for name in factors if name in counts)
    made = prod(counts[name] for name in known)
    if len(known) == len(factors):
        return whole, made, known
    missing = next(name for name in factors if name not in counts)
    if len(known) < len(factors) - 1 or whole not in counts or counts[whole] % made:
        return None
    value = counts[whole] // made
    return None if missing in SHARING and value > 1 else (missing, value, (whole, *known))


def cards_of_replica(counts: Counts) -> int:
    """How many cards share one model, as far as the counts show: at least 1."""
    shared = prod(counts.get(name, 1) for name in SHARING)
    replicas = counts.get("data_parallel", 0)
    return max(shared, counts["cards"] // replicas) if replicas and "cards" in counts else shared


def believed(
    given: Sequence[Fact], stated: Sequence[Fact], arguments: Sequence[Fact], named: Sequence[Fact], step_is: StepIs
) -> Facts:
    """The facts of a run by all sources, in the order in which they are trusted.

    ``given``: by the caller and by its run.json. ``stated``: by lines of its formats, whose ``step_is`` says what they
    call a step. ``arguments``: by lines that any program may print, which do not say whether somebody gave them: a
    count of one that may be a default counts only where nothing else tells it. ``named``: by the name of its log.
    """
    is_one_card = cards_of_replica(counts_of(Facts([*given, *stated, *arguments, *named]))) == 1

    def with_batches(told: Iterable[Fact]) -> Iterator[Fact]:
        """Some facts, and the batch of a card where a replica of the model states its own and is not shared."""
        for fact in told:
            yield fact
            if fact.name == "micro_batch_size" and is_one_card:
                yield replace(fact, name="batch_size")

    said: dict[bool, list[Fact]] = {False: [], True: []}  # by whether it may be the default of an option nobody gave
    for fact in of_one_model([*with_batches(arguments)]):
        said[fact.name in ONE_BY_DEFAULT and fact.value == 1].append(fact)
    facts = Facts(given)
    facts.hear(of_one_model(stated, PARAMETERS), of_lines=True)
    facts.hear(said[False], of_lines=True)
    facts.hear(with_batches(named))
    facts.derive()
    facts.hear(said[True], fills=True)
    facts.derive()
    if (accumulation := facts.get("accumulation")) is not None:  # passes make a step, and a log may count either
        facts["accumulation"] = replace(accumulation, step_is=step_is)
    return facts


def of_one_model(told: Sequence[Fact], names: Sequence[str] = OF_A_MODEL) -> list[Fact]:
    """The facts but for those of a model that lines tell in several ways, as of several models or of a curriculum.

    ``names``: which facts are of a model.
    """
    values = values_of(told)
    return [fact for fact in told if fact.name not in names or len(values[fact.name]) == 1]


def values_of(told: Iterable[Fact]) -> dict[str, set[Value]]:
    """All values that are told, by name."""
    values: dict[str, set[Value]] = {}
    for fact in told:
        values.setdefault(fact.name, set()).add(fact.value)
    return values


# ---- names and texts


def name_facts(path: Path) -> Iterator[Fact]:
    """The facts that the name of a log file states, alone or with those of the folders it is in, packed or not."""
    packed = path.suffix if path.suffix in SUFFIXES else ""
    parts = (path.parts[-depth:] for depth in range(1, FOLDERS + 2))
    texts = ["/".join(names).removesuffix(packed).encode("utf-8", "surrogateescape") for names in parts]
    possible = [variant for variant in load(ROOM / "names.lark").variants if variant.may_stand_in(texts[-1])]
    for text, variant in product(texts, possible):
        if found := line_pattern(variant).fullmatch(text):
            for field, said in zip(variant.groups, found.groups(), strict=True):
                if said is not None:
                    yield Fact(field.name, value(field.name, field.type, said.decode()), FILE_NAME)
            return


def value(name: str, type_: str, text: str) -> Value:
    """The value of a fact from its text: a count for a list or a mesh of cards, an int for a count, else a spelling."""
    if type_ == "LIST":
        return len(re.findall(r"\d+", text))
    if type_ == "MESH":
        return prod(map(int, text.split(", ")))
    if type_ in ("INTEGER", "GROUPED_INTEGER") and len(text) < MOST_DIGITS:
        return int(text.replace(",", ""))
    return _spellings().get(name, {}).get(text.lower(), text)


@cache
def _spellings() -> dict[str, dict[str, str]]:
    words = tomllib.loads((ROOM / "spellings.toml").read_text(encoding="utf-8"))
    return {
        fact: {s: word for word, many in usual.items() for s in (*many, word.lower())} for fact, usual in words.items()
    }


# ---- lines


class Statement(NamedTuple):
    """A fact as the first line states it, and all ``lines`` (int64) that do; of very many some are not kept.

    ``is_event``: they tell of an event that begins a run.
    """

    fact: Fact
    lines: Lines
    is_event: bool

    @property
    def told(self) -> tuple[str, Value]:
        """The name and the value."""
        return self.fact.name, self.fact.value


def statements(found: Iterable[FactLines]) -> list[Statement]:
    """All facts that the lines of a log state, with the lines: field by field, by the first line."""
    said = []
    for lines in found:
        rows = sorted((min(places), row) for row, places in lines.places.items())
        for index, field in enumerate(lines.fields):
            for (first, _), row in rows:
                if text := row[index].decode("utf-8", "replace"):
                    fact = Fact(field.name, value(field.name, field.type, text), line(first))
                    every = np.sort(np.array([at for at, _ in lines.places[row]], np.int64))
                    said.append(Statement(fact, every, lines.is_event))
    return said


def line_facts(said: Sequence[Statement]) -> list[Fact]:
    """The facts that lines state, in the order of the lines; of an event each time, of other lines once."""
    order = {key: place for place, key in enumerate(dict.fromkeys(one.told for one in said))}
    known, facts = set(), []
    each = [(at, one) for one in said for at in one.lines[: None if one.is_event else 1].tolist()]
    for at, one in sorted(each, key=lambda told: (told[0], order[told[1].told])):
        if one.is_event or one.told not in known:
            known.add(one.told)
            facts.append(replace(one.fact, source=line(at)))
    return facts
