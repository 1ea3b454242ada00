"""Evidence: what shows that lines are of training, in themselves or beside them."""

import re

import numpy as np

from ...io.message import Message
from ...naming.marks import TRAINING
from ...naming.sense import RATE, STEP_RATE, STEP_TIME, TIME
from ...naming.vocabulary import counted
from ..bars.bar_passes import names_steps
from ..gathered import Gathered, Spoken, once_a_log, places_of
from ..spoken_series import LEAST, SpokenSeries, rises
from .epoch_proof import are_one_by_one, ends_of_epochs

NO_EVIDENCE = "nothing shows that its lines are from training"
OF_OTHER = "its lines are about something else"
ENDS_EPOCHS = (
    "{name} is that of a training epoch: each follows a line with the next epoch number, and the log shows a "
    "learning rate or a loss; it may include an evaluation reported between the two"
)
RATES_OF_EPOCHS = (
    "the rates are those of training epochs: each stands below the next epoch number, on a line that says that "
    "something ended, and a learning rate or a loss follows it"
)
UNNAMED = "the steps are those of training; no line of the log speaks of training, of a loss or of a learning rate"
ONE_LINE = "only one line has it"
UNKNOWN_NAME = "its name contains unknown words"
_OF_DATA = re.compile(r"(?i)data[ _]?load")  # a part of a step
_WITHOUT_END = re.compile(r"\s*\d+it \[\d+:\d\d")  # a bar of whatever goes by
MOST_LINES = 25  # of a record
MOST_BESIDE = 0.9
_ELSEWHERE = re.compile(
    r"(?i)\b(?:infer\w*|eval\w*|test\w*|generat\w*|predict\w*|request\w*|latency|draw|bitrate|valid\w*|bandwidth"
    r"|translat\w*|transcrib\w*|encod(?:ed|ing)|denois\w*|tokeniz\w*|quantiz\w*|residual|matmul|gemm|busbw|algbw"
    r"|processed|rows)\b"
)
_ENDS = re.compile(r"(?i)(?<![a-z])(?:finished|done|completed?|ended)(?![a-z])")
_WORD = re.compile(r"[^\W\d_]+")
# All that may stand beside what ended: other words say that it was something else, as loading or mining.
_OF_AN_END = re.compile(
    r"(?i)finished|done|completed?|ended|all|epochs?|train|training|pass|in|at|after|took|with|of|the|a|per|this|time"
    r"|total|speed|rate|throughput|average|avg|mean|d|h|m|s|hrs?|hours?|mins?|minutes?|secs?|seconds?"
)
_TRAINS = re.compile(rf"(?i)(?<![a-z])(?:pre)?train|epoch|{TRAINING}")


def not_evident(series: SpokenSeries, gathered: Gathered, *, is_shown: bool) -> str | None:
    """Why nothing shows that lines are of training; None where they do, or what stands around them (``is_shown``)."""
    is_evident = series.evidence >= 0.5
    is_of_epochs = series.kind == "epoch" and series.sense.role == TIME
    if not (
        is_evident
        or is_shown
        or series.is_beside
        or series.shown
        or (_follow_training(series, gathered) if is_of_epochs else _progresses(series, gathered))
        or any(form.is_of_training for form in series.slots)
    ):
        return NO_EVIDENCE
    if (
        len(series) < 2
        and not is_shown
        and not (series.kind == "summary" and any(form.is_of_training for form in series.slots))
    ):
        return ONE_LINE
    if not is_evident and any(_ELSEWHERE.search(row.text) for row in series.rows[:20]):
        return OF_OTHER
    if "qualified" in series.sense.flags and not (is_evident and rises(series.steps)):
        return UNKNOWN_NAME
    return None


def why_unnamed(gathered: Gathered) -> Message | None:
    """What is assumed of lines that count steps, where nothing in the whole log says that they are of training."""
    return None if gathered.evidence or speaks_of_training(gathered) else Message(UNNAMED)


@once_a_log
def speaks_of_training(gathered: Gathered) -> bool:
    """Whether a line speaks of training or of epochs."""
    return any(map(_TRAINS.search, gathered.head))


def why_numbered(series: SpokenSeries, gathered: Gathered) -> Message | None:
    """What shows that the times of epochs are those of training, where lines of their own number these one by one.

    The log tells a learning rate or a loss between them; an evaluation of one checkpoint after the other has neither.
    """
    if "of_epoch" not in series.sense.flags or np.isfinite(series.of("epoch")).any():
        return None
    if _follow_training(series, gathered):
        return None
    rows = [row for row in gathered.spoken if not (row.form.is_of_other or row.form.is_bar)]
    numbered = [row for row in rows if row.form.first("epoch") and row.form.counter is None]
    places = np.searchsorted([row.line for row in numbered], [row.line for row in series.rows])
    if not places.all():
        return None
    epochs = np.array([numbered[place - 1].of("epoch") for place in places])
    first, last = numbered[0].line, series.rows[-1].line
    is_told = any(row.form.has_evidence and first <= row.line <= last for row in rows)
    return Message(ENDS_EPOCHS, name=series.sense.name) if is_told and are_one_by_one(epochs) else None


def why_rates_of_epochs(series: SpokenSeries, gathered: Gathered) -> Message | None:
    """What shows that rates are those of whole epochs of training: the lines beside them say so, each time.

    That of a preparation or an evaluation in each epoch does not end right below its number before all losses.
    """
    unit = series.sense.unit
    if series.sense.role != RATE or unit is None or any(_is_of_other_work(row, unit) for row in series.rows):
        return None
    spoken, places = gathered.spoken, np.array([places_of(gathered)[row] for row in series.rows])
    before = [spoken[place - 1] for place in places if place]
    behind = [spoken[place + 1] for place in places if place + 1 < len(spoken)]
    are_numbered = [row.form.level.has_epoch and row.form.counter is None and not _tells(row) for row in before]
    epochs = np.array([row.of("epoch") for row in before])
    are_all = len(before) == len(series) <= len(behind) + 1 and all(are_numbered) and all(map(_tells, behind))
    return Message(RATES_OF_EPOCHS) if are_all and are_one_by_one(epochs) else None


def _is_of_other_work(row: Spoken, unit: str) -> bool:
    """Whether a line does not say that something ended, or names anything but training and its ``unit``."""
    words = {word.lower() for word in _WORD.findall(row.text)}
    return not _ENDS.search(row.text) or any(not _is_of_an_end(word, unit) for word in words)


def _is_of_an_end(word: str, unit: str) -> bool:
    return _OF_AN_END.fullmatch(word) is not None or counted(word) == unit


def _tells(row: Spoken) -> bool:
    """Whether a line tells what only training does, and of no evaluation."""
    return row.form.has_evidence and not (row.form.is_bar or row.form.is_of_other)


def _follow_training(series: SpokenSeries, gathered: Gathered) -> bool:
    """Whether a line of training stands between each line and the next: what took so long may be a test.

    One stands before the first line, too, or else behind the last. Lines that several processes print at the end of an
    epoch are as one.
    """
    of_training = [row for row in gathered.spoken if row.form.has_evidence and not row.form.is_of_other]
    end = gathered.examined_up_to(row.form for row in of_training)
    lines = [row.line for row in ends_of_epochs(series) if row.line <= end]
    places = np.searchsorted([row.line for row in of_training], lines)
    if len(places) < min(LEAST, len(series)):
        return False
    is_beside = places[0] > 0 or places[-1] < len(of_training)
    return bool(np.append(np.diff(places) > 0, is_beside).mean() >= MOST_BESIDE)


def _progresses(series: SpokenSeries, gathered: Gathered) -> bool:
    """Whether its lines count steps or epochs up, or count them at all where others print losses.

    All bars count: one must be that of an epoch, be named by steps and drawn after one that is named by epochs, or have
    no name where others print losses once it has begun; what stands before it may be a configuration.
    """
    if series.rows[0].form.is_bar:
        form, begin = series.rows[0].form, series.rows[0].line
        later = (row.form for row in gathered.spoken if row.line >= begin)
        losses = sum(other.has_evidence and not other.is_of_other for other in later)
        in_epochs = names_steps(series) and any(r.form.is_bar_of_epochs for r in gathered.spoken if r.line <= begin)
        return form.level.has_epoch or in_epochs or (losses >= LEAST and not form.level.words)
    if _WITHOUT_END.match(series.text):
        return False
    is_told = series.sense.unit is not None or series.sense.role in (STEP_RATE, STEP_TIME)
    least = 2 if is_told and "nameless" not in series.sense.flags else LEAST
    counts = rises(series.steps) or rises(series.of("epoch"))
    return bool(counts and len(series) >= least) or (series.is_of_steps and gathered.evidence >= LEAST)


def is_beside(series: SpokenSeries, gathered: Gathered) -> bool:
    """Whether each line has one of training before it, of the same record, and none of an evaluation between."""
    sense, lines = series.sense, [row.line for row in series.rows]
    is_told = sense.unit is not None or (sense.role == STEP_TIME and sense.factor is not None)
    if (
        not is_told
        or series.is_of_steps
        or series.evidence
        or len(lines) < LEAST
        or sense.flags & {"nameless", "qualified"}
    ):
        return False
    of_training = np.array([row.line for row in gathered.spoken if row.form.has_evidence and not row.form.is_of_other])
    of_others = np.array([r.line for r in gathered.spoken if r.form.is_of_other and not _OF_DATA.search(r.form.text)])
    if not len(of_training):
        return False
    places = np.searchsorted(of_training, lines)
    before = np.where(places > 0, of_training[places - 1], -MOST_LINES)
    are_others = np.searchsorted(of_others, lines) - np.searchsorted(of_others, before)
    are_own = (np.diff(before, prepend=-1) > 0) & (np.subtract(lines, before) < MOST_LINES) & (are_others == 0)
    return bool(are_own.mean() >= MOST_BESIDE)
