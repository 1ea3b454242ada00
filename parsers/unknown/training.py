"""What is a log of training at all, which of its lines are of training, and which numbers can be its speed."""

from __future__ import annotations

import re
from enum import StrEnum

import numpy as np

from ..series import FEW
from .judge import advance, extent
from .log import NEARLY_ALL, Column, Log, Table, positive, share
from .naming import Meaning, split, words_of

_LOOSE = frozenset(("qualified", "unnamed"))
LONG_BAR = 60.0  # seconds of all passes: bars of loading and downloading end sooner; others are only asked about
MOST_CODE = 0.15  # of the lines of a log look like code: keywords are words
FEWEST_OF_CODE = 4  # lines of a source
MOST_MARKUP = 0.02  # of the lines of a log look like markup, or two in all
FEWEST_OF_TABLE = 8  # rows of a table that a program prints; a page shows fewer
LEAST_BEHIND = 20  # records of training behind the source of the program that prints them
_CODE = re.compile(
    r"\s*(?:def |class |import |from \w[\w.]* import|return\b|#include|(?:if|for|while|elif|with|except)\b.*:$"
    r"|else:|@\w|try:|function |const |let |var |public |private |static |void |namespace |using |\}|//|/\*"
    r"|\* (?!.*\d[)%]?\s*$)|fn |use |pub )"
)
_PAGE = re.compile(r"```|#{1,5} \w[^:=]*\Z|\|[ :-]+\||[-*] \[|\[!\[|<p|<img|<[a-z]+>")
_RULE_OF_TABLE = re.compile(r"\s*\|(?:\s*:?-+:?\s*\|)+\s*")
_ROW_OF_TABLE = re.compile(r"\s*\|.*\|\s*\Z")
_CHANGE = re.compile(r"@@ -\d|diff --git ")


class Reason(StrEnum):
    """Why a number is not taken, a code for each; report/words/en.po words them."""

    EVALUATION = "of_evaluation"
    PART = "part_of_a_step"
    NO_TRAINING = "no_training"
    NO_NUMBER = "no_numbers"
    NO_SUCH_TARGET = "no_such_number"
    VAGUE = "vague_name"
    NO_LOG = "no_log"


def why_not(column: Column) -> Reason | None:
    """Why a column cannot be the speed of training."""
    m, table = column.meaning, column.table
    if table.is_evaluation or m.flags & {"other", "part"}:
        return Reason.EVALUATION if table.is_evaluation or "other" in m.flags else Reason.PART
    if len(positive(column.values)) < max(1, np.isfinite(column.values).sum() / 2):
        return Reason.NO_NUMBER
    if _is_vague(column):
        return Reason.VAGUE
    return None if is_training(table, column) else Reason.NO_TRAINING


def _is_vague(column: Column) -> bool:
    """Whether a name leaves open what is measured, and neither a loss nor a counter in the same lines helps."""
    m, table = column.meaning, column.table
    is_loose = bool(m.flags & _LOOSE)
    is_open = is_loose or (m.role == "time" and m.per is None) or (m.role == "elapsed" and m.factor is None)
    counted = table.step in table.columns or table.epoch in table.columns
    paired = table.guest_evidence and len(table.rows) >= FEW and not is_loose and m.factor is not None
    return is_open and not (table.key.evidence or paired or (counted and "qualified" not in m.flags))


def is_training(table: Table, column: Column | None = None) -> bool:
    """Whether lines are of training: they show a loss, say so, or count in a log that shows losses among them."""
    first = re.match(r"\W*([A-Za-z]+)", table.rows[0].text)
    if first and first[1].lower() in words_of("warning") and not table.key.evidence:
        return False  # warnings tell what is unusual
    if table.evidence or table.trains or (column is not None and words_of("training") & set(split(column.name))):
        return True
    if table.epoch is not None:  # which nothing but training has
        return True
    losses = table.log.evidence
    begin, end = np.searchsorted(losses, (table.rows[0].order, table.rows[-1].order + 1))
    if table.bar:
        return _is_bar_of_training(table, among_losses=bool(end > begin), before_losses=bool(len(losses) > end))
    m = column.meaning if column else Meaning("other", "")
    is_explicit = m.counts is not None or (m.per is not None and m.factor is not None)
    if not losses:
        goes_on = np.isfinite(advance(table)).any() and (table.step in table.columns or not table.guests)
        return bool(is_explicit and m.role == "rate" and goes_on)
    goes_on = len(table.rows) > 1 and (table.step is not None or (is_explicit and not m.flags & _LOOSE))
    return (goes_on or (is_explicit and bool(end > begin))) and not _is_between_training(table)


def _is_bar_of_training(table: Table, *, among_losses: bool, before_losses: bool) -> bool:
    """A bar by its name, by losses between its states, or as the only one without a name before losses."""
    others = [t for t in table.log.tables if t.bar and not t.is_evaluation and t is not table]
    if any(_counts_passes(table, other) for other in others):
        return False
    if table.key.head:
        return "epoch" in table.key.head or any("epoch" in t.key.head and _counts_passes(t, table) for t in others)
    lasts = extent(table) > 0  # by its own clock: a bar that is done at once loads or maps
    alone = before_losses and lasts and all(other.key.head for other in others)
    return (alone or among_losses) and not _is_between_training(table)


def _counts_passes(bar: Table, other: Table) -> bool:
    """Whether each step of a bar is a pass of another one, which begins anew between each two of its states.

    Not of one that names its epoch: what it counts are the steps of that.
    """
    if bar.epoch is not None:
        return False
    ends = bar.order[1:][np.diff(bar.steps) == 1]
    begun = other.order[np.diff(other.steps, prepend=np.inf) < 0]
    each = np.diff(np.searchsorted(begun, ends), prepend=0)
    return len(ends) > 1 and share(each == 1) > NEARLY_ALL


def _is_between_training(other: Table) -> bool:
    """Whether lines with losses that count steps themselves stand between the passes of others, and none within one."""
    goes_on = np.diff(other.steps, prepend=np.inf, append=-np.inf) > 0
    passes = int((np.diff(other.steps) < 0).sum()) + 1
    for table in other.log.tables if other.step is not None else ():
        places = np.searchsorted(other.order, table.order)
        inside = places[(places > 0) & (places < len(other.rows))]
        counts = table.evidence and table.step in table.columns and not table.is_evaluation
        if counts and len(inside) >= FEW * passes and not goes_on[inside].any():
            return True
    return False


def may_be_training(column: Column) -> bool:
    """Whether a person could take a number that nothing shows to be of training: its line or name counts steps."""
    m, table = column.meaning, column.table
    if table.bar:
        is_long = not table.key.head and extent(table) > LONG_BAR
        return (is_long or "step" in table.key.head) and m.counts in ("steps", None)
    counts = bool(table.of("step", "epoch", guests=False)) or (len(table.rows) >= FEW and table.step is not None)
    is_of_steps = m.per is not None or (m.role != "time" and counts)
    return not m.flags & _LOOSE and is_of_steps


def is_no_log(log: Log) -> bool:
    """Whether a text is source code, a page or a list of changes, whatever numbers it holds."""
    lines = [line for line in log.head if line.strip()]
    code = [number for number, line in enumerate(log.head, 1) if _CODE.match(line)]
    if len(code) >= FEWEST_OF_CODE and len(code) > MOST_CODE * len(lines):  # a log may begin with that of its program
        last = max((number for number in code if re.search("[A-Za-z]", log.head[number - 1])), default=0)
        behind = (t.steps[[row.line > last for row in t.rows]] for t in log.tables if t.evidence)
        return not any(len(steps) >= LEAST_BEHIND and (np.diff(steps) > 0).all() for steps in behind)
    marked = sum(bool(_PAGE.match(line)) for line in lines)
    in_table = sum(line.lstrip().startswith("|") for line in lines)
    rows = [row.text for table in log.tables for row in table.rows]
    is_table = all(map(_ROW_OF_TABLE.match, rows)) and any(map(_RULE_OF_TABLE.fullmatch, lines))
    return (
        any(map(_CHANGE.match, lines))
        or (marked > 2 and marked > MOST_MARKUP * len(lines))
        or (is_table and (in_table < FEWEST_OF_TABLE or marked > 1))
    )
