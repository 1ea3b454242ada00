"""Parallelism: how the cards of a job, the cards that share a model, and the batches follow from each other.

Two products hold: cards are those that share a model times its replicas, and the batch of the job is that of a replica
times the replicas times the passes of a step. Experts are shared by cards of other kinds as well: their number times
the stages of the pipeline divides the cards. parsers/vocabulary.lark names the programs that compute these.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod

Counts = Mapping[str, int]

SHARING = ("tensor_parallel", "pipeline_parallel", "context_parallel")
CARDS = ("cards", (*SHARING, "data_parallel"))
BATCH = ("job_batch_size", ("micro_batch_size", "data_parallel", "accumulation"))
PRODUCTS = (CARDS, BATCH)
# Of these the first is a multiple of the product of the others.
MULTIPLES = (
    ("cards", ("expert_parallel", "pipeline_parallel")),
    ("attention_heads", ("tensor_parallel",)),
    ("job_batch_size", ("batch_size", "accumulation")),
)


@dataclass(frozen=True)
class DerivedCount:
    """A count that follows from others, by the names of these."""

    name: str
    value: int
    sources: tuple[str, ...]


@dataclass(frozen=True)
class Doubt:
    """A count that is no multiple of ``number``, which it must be by others, by their names."""

    name: str
    number: int
    sources: tuple[str, ...]


def follows(counts: Counts, whole: str, factors: tuple[str, ...]) -> DerivedCount | None:
    """The one count that is missing of a product, or the whole where none is; None where nothing follows.

    A card that is not accounted for may be shared in a way that nothing states: of the ways to share a model only 1
    follows.
    """
    known = tuple(name for name in factors if name in counts)
    product = prod(counts[name] for name in known)
    if len(known) == len(factors):
        return DerivedCount(whole, product, known)
    missing = next(name for name in factors if name not in counts)
    if len(known) < len(factors) - 1 or whole not in counts or counts[whole] % product:
        return None
    value = counts[whole] // product
    return None if missing in SHARING and value > 1 else DerivedCount(missing, value, (whole, *known))


def doubts(counts: Counts) -> Iterator[Doubt]:
    """The counts that are no multiples of what they must be; each of all counts is at least 1."""
    for whole, factors in (*PRODUCTS, *MULTIPLES):
        known = tuple(name for name in factors if name in counts)
        product = prod(counts[name] for name in known)
        if whole in counts and counts[whole] % product:
            yield Doubt(whole, product, known)
    yield from _doubts_of_replicas(counts)


def _doubts_of_replicas(counts: Counts) -> Iterator[Doubt]:
    """Replicas by the batches, which all cards together must be able to hold."""
    sources = ("job_batch_size", "batch_size", "accumulation")
    if not {"cards", *sources} <= counts.keys():
        return
    replicas, rest = divmod(counts["job_batch_size"], counts["batch_size"] * counts["accumulation"])
    if not rest and counts["cards"] % replicas:
        yield Doubt("cards", replicas, sources)


def has_stages_without_pipeline(counts: Counts) -> bool:
    """Whether the cards of a pipeline have several groups of layers each, but there is no pipeline."""
    return counts.get("virtual_pipeline", 1) > 1 and counts.get("pipeline_parallel") == 1


def cards_of_replica(counts: Counts) -> int:
    """How many cards share one model, as far as the counts show: at least 1."""
    shared = prod(counts.get(name, 1) for name in SHARING)
    replicas = counts.get("data_parallel", 0)
    return max(shared, counts["cards"] // replicas) if replicas and "cards" in counts else shared


def replicas(counts: Counts) -> int | None:
    """How many copies of a model the cards hold, where that is stated and all counts fit; None otherwise."""
    copies = counts.get("data_parallel", 0)
    fits = copies and counts.get("cards") == copies * prod(counts.get(name, 1) for name in SHARING)
    return copies if fits else None
