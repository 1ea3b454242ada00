"""Training conditions: what must be alike for the losses of two runs at one step to say anything of each other."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from parsers.io.message import Message
from parsers.runs.facts import Fact

# What a step trains on, unless both state one batch of the whole job.
OF_BATCH = (
    *("batch_size", "micro_batch_size", "accumulation", "nodes", "cards", "cards_per_node", "data_parallel"),
    *("job_batch_size", "job_batch_tokens"),
)
JOB_BATCH = ("job_batch_size", "job_batch_tokens")
OF_MODEL = (
    *("model", "parameters", "layers", "hidden_size", "attention_heads", "vocabulary_size"),
    *("sequence_length", "epoch_samples"),
)
OTHER_BATCHES = "the batch sizes differ ({name}), so a step trains on other data"
OTHER_MODELS = "the models differ ({name})"
OTHER_DATA = "the data differ ({name})"
OTHER_SEEDS = "the seeds differ ({name}), and the repeats of a side all have the same"

# The values of something on each side; empty where a side does not state it.
Stated = tuple[Collection[str], Collection[str]]


def stated_by(facts: Iterable[Fact]) -> dict[str, set[str]]:
    """The values of the facts of some runs, by their names."""
    told: dict[str, set[str]] = {}
    for fact in facts:
        told.setdefault(fact.name, set()).add(str(fact.value))
    return told


def incomparable(stated: Mapping[str, Stated]) -> Message | None:
    """Why losses at one step cannot be compared; None where nothing forbids it.

    ``stated``: by name what the runs of each side state: facts, variables and options. What one side does not state is
    not known to differ. Seeds may differ where they do within a side, too, for the noise between its repeats then has
    what they do.
    """
    told = {name: (set(a), set(b)) for name, (a, b) in stated.items() if a and b}
    changed = {name: sides for name, sides in told.items() if sides[0] != sides[1]}
    is_one_batch = any(name in told and name not in changed and len(told[name][0]) == 1 for name in JOB_BATCH)
    for name, sides in changed.items():
        if name in OF_BATCH and not is_one_batch:
            return Message(OTHER_BATCHES, name=name)
        if name in OF_MODEL:
            return Message(OTHER_MODELS, name=name)
        if name not in OF_BATCH and _has_word(name, ("data", "dataset", "datasets")):
            return Message(OTHER_DATA, name=name)
        if _has_word(name, ("seed", "seeds")) and min(map(len, sides)) == 1:
            return Message(OTHER_SEEDS, name=name)
    return None


def other_task(stated: Mapping[str, Stated]) -> Message | None:
    """Why the final metrics of runs cannot be compared: another model or other data; None where nothing forbids it.

    ``stated`` as for ``incomparable``. Batch sizes, precisions and seeds may differ: what they do to the result is what
    is asked.
    """
    told = {name: (set(a), set(b)) for name, (a, b) in stated.items() if a and b and set(a) != set(b)}
    for name in told:
        if name in OF_MODEL:
            return Message(OTHER_MODELS, name=name)
        if name not in OF_BATCH and _has_word(name, ("data", "dataset", "datasets")):
            return Message(OTHER_DATA, name=name)
    return None


def _has_word(name: str, words: Collection[str]) -> bool:
    return not {*re.split(r"[\W_]+", name.lower())}.isdisjoint(words)
