"""Work of a step: how many samples and tokens all cards do in one, and what turns one unit and scope into another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parsers.runs.facts import cards_of_replica, counts_of
from parsers.series import Floats, Lines

from .records import Records, Run

SAMPLES = {"images", "samples", "sequences", "examples"}
TOKENS = {"tokens", "words"}


def thing(unit: str) -> str:
    """What a unit counts, in one word for its synonyms: samples, tokens, or itself."""
    unit = unit.removesuffix("/s")
    return "samples" if unit in SAMPLES else "tokens" if unit in TOKENS else unit


@dataclass(frozen=True)
class Work:
    """What a step is, as far as the log says: samples and tokens of all cards in one; None is unknown.

    ``missing``: what would tell the samples. ``at_least``: nobody says how many batches of a card make a step, so there
    may be more. ``varies``: the smallest and the largest batch where they differ.
    """

    samples: float | None
    tokens: float | None
    tokens_of_sample: float | None
    steps_of_epoch: float | None
    samples_of_epoch: float | None
    cards: int | None
    nodes: int | None
    missing: str = ""
    at_least: bool = False
    varies: tuple[float, float] | None = None

    def of_step(self, counted: str) -> float | None:
        """How much of a unit one step is."""
        if counted == "epochs":
            return 1 / self.steps_of_epoch if self.steps_of_epoch else None
        return {"steps": 1.0, "samples": self.samples, "tokens": self.tokens}.get(counted)

    def convert(self, value: float, counted: str, to: str) -> float | None:
        """A rate of the whole job in another unit; None where nothing says it."""
        if counted == to:
            return value
        if self.tokens_of_sample and {counted, to} == {"samples", "tokens"}:
            return value * self.tokens_of_sample if to == "tokens" else value / self.tokens_of_sample
        if (counted, to) == ("epochs", "samples") and self.samples_of_epoch:
            return value * self.samples_of_epoch
        one, other = self.of_step(counted), self.of_step(to)
        return value / one * other if one and other else None

    def factor(self, scope: str | None) -> int | None:
        """What makes a number of this scope that of the job; None where that is not known."""
        if scope == "job" or self.cards == 1:
            return 1
        return {"card": self.cards, "node": self.nodes}.get(scope or "unknown")


def work_of(run: Run, records: Records, rows: Lines, steps: Floats) -> Work:
    """The work of a step over some rows of the records, each of so many steps."""
    samples, missing, varies = _samples(run, records, rows, steps)
    is_of_job = samples is not None and (records.prints("job_batch_size") or run.count("job_batch_size") is not None)
    if samples is None and missing != "accumulation":
        counted = _counted(run, records, "consumed_samples", "sample_count", rows)
        samples, missing, is_of_job = (counted, "", True) if counted else (samples, missing, is_of_job)
    length = tokens_of_a_sample(run, records)
    stated = run.count("job_batch_tokens")
    tokens = float(stated) if stated else samples * length if samples and length else None
    per_epoch = records.numbers("steps_per_epoch")
    per_epoch = per_epoch[np.isfinite(per_epoch)]
    return Work(
        samples,
        tokens or _counted(run, records, "consumed_tokens", "token_count", rows),
        length,
        float(np.median(per_epoch)) if len(per_epoch) else None,
        run.count("epoch_samples"),
        run.count("cards"),
        run.count("nodes"),
        missing,
        at_least=samples is not None and not is_of_job and "accumulation" not in run.facts,
        varies=varies,
    )


Batch = tuple[float | None, str, tuple[float, float] | None]


def _samples(run: Run, records: Records, rows: Lines, steps: Floats) -> Batch:
    """Samples of a step of the job: printed, or stated of the job, or the batch of a card × cards × passes.

    Also what is missing where there are none, and the smallest and the largest where they vary.
    """
    given = run.facts.get("batch_size")
    is_option = given is not None and given.source.kind == "option"
    if not is_option and (printed := _mean(records, "job_batch_size", rows, steps)):
        return printed[0], "", printed[1]
    accumulation, passes = run.facts.get("accumulation"), run.count("accumulation") or 1
    step_is = accumulation.step_is if accumulation else None
    if passes > 1 and step_is == "unknown":
        return None, "accumulation", None
    job = run.count("job_batch_size")
    if job and (given is None or given.source.is_of_the_log):
        return (job / passes if step_is == "forward_pass" and job % passes == 0 else float(job)), "", None
    if not is_option and cards_of_replica(counts_of(run.facts)) > 1:
        return None, "job_batch_size", None
    of_card = None if is_option else _mean(records, "batch_size", rows, steps)
    size, cards = of_card[0] if of_card else run.count("batch_size"), run.count("cards")
    if not size or not cards:
        return None, "batch_size" if cards else "cards" if size else "batch_size and cards", None
    return size * cards * (1 if step_is == "forward_pass" else passes), "", of_card[1] if of_card else None


def _mean(records: Records, name: str, rows: Lines, steps: Floats) -> tuple[float, tuple[float, float] | None] | None:
    """The mean of a size that each of the rows prints, by steps, and its ends where it varies."""
    sizes = records.numbers(name)[rows]
    if not len(sizes) or not (np.isfinite(sizes) & (sizes >= 1)).all():
        return None
    varies = (float(sizes.min()), float(sizes.max())) if (sizes != sizes[0]).any() else None
    return float((sizes * steps).sum() / steps.sum()), varies


def _counted(run: Run, records: Records, counter: str, count: str, rows: Lines) -> float | None:
    """What a step of some rows did by the counts of the log: in all since the start, or in each record."""
    done, steps, field = records.numbers(counter), records.steps, records.field(count)
    if steps is None or not len(rows):
        return None
    first, last = max(int(rows[0]) - 1, 0), int(rows[-1])
    amount, passed = float(done[last] - done[first]), float(steps[last] - steps[first])
    if not np.isfinite(done).any() and field is not None and field.scope in ("job", "card", "node"):
        factor = {"card": run.count("cards"), "node": run.count("nodes")}.get(field.scope, 1)
        amount = float(records.numbers(count)[first + 1 : last + 1].sum()) * (factor or np.nan)
    return amount / passed if amount > 0 and passed > 0 else None


def tokens_of_a_sample(run: Run, records: Records) -> float | None:
    """What the records print, a fact says, or the counts of both tell; None where nothing does."""
    printed = records.numbers("sequence_length")
    printed = printed[np.isfinite(printed)]
    if len(printed):
        return float(printed[0]) if (printed == printed[0]).all() else None
    if stated := run.count("sequence_length"):
        return float(stated)
    done = np.array([records.numbers(name) for name in ("consumed_samples", "consumed_tokens")])
    done = done[:, np.isfinite(done).all(axis=0)]
    samples, tokens = np.ptp(done, axis=1).tolist() if done.size else (0.0, 0.0)
    return tokens / samples if samples > 0 and tokens > 0 else None
