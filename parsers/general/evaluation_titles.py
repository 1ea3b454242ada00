"""Titles of evaluations: lines that say that one follows, in the lines before others."""

import re

import numpy as np
from numpy.typing import NDArray

from ..naming.marks import EVALUATION
from .gathered import Gathered
from .spoken_series import AGREE, SpokenSeries

OF_EVALUATION = "some of its lines follow an evaluation heading"
_EVALUATES = re.compile(
    rf"(?i)\W*(?:开始|正在)?(?:{EVALUATION})"
    r"|(?:[^a-z]|\b(?:info|start(?:ing|ed)?|begin(?:ning)?|running|now|run|do|on|the)\b)*"
    r"(?:evaluat|validat|testing|inference|predicting|test[^a-z0-9]*$|test (?:on|at|for|after|of) )"
)
# The same as a sentence of its own, which may stand farther before.
_ANNOUNCES = re.compile(
    r"(?i)[^a-z]*(?:\w+ ){0,2}?(?:evaluating|validating|testing|predicting"
    r"|(?:start|begin|run)(?:ing|ning)? (?:the )?(?:evaluation|validation|inference|prediction|test))\b"
    r"(?! (?:set|split|data)\w*\W*\d)|[^a-z]*(?:evaluation|test|inference)[^a-z0-9]*$"
    rf"|\W*(?:开始)?(?:{EVALUATION})(?:中|開始|を開始します)?\W*$"
)
_TITLE = re.compile(
    r"(?i)[^a-z]*(?:[a-z]+ ){0,2}?(?:evaluat[a-z]+|validat[a-z]+|test(?:ing)?|inference)(?: [a-z]+){0,4}[^a-z0-9]*$"
)
# Other work that alternates with training: `Collecting rollouts`, `=== Generating samples (epoch 3) ===`.
_OF_OTHER_WORK = re.compile(
    r"(?i)(?:collect|generat|sampl|roll|decod|translat|tokeniz|tokenis|cach|load|extract|prepar|preprocess|augment|min"
    r"|simulat|play|act|encod|embed|embedd|label|labell|index|build|comput|filter|download|creat|search|retriev|cluster"
    r"|scor|rank)ing"
)
_WORD = re.compile(r"[A-Za-z]+")
FIRST_LETTERS, FIRST_WORDS = 160, 6
_TRAINS = re.compile(r"(?i)(?<![a-z])train")
# The same of any split of the data, in a longer sentence; data that are got ready stand before training as well.
_HEADS = re.compile(
    r"(?i)[^a-z]*(?:[a-z'-]+ ){0,5}?(?:evaluat[a-z]+|validat[a-z]+|val|valid|dev|eval|test(?:ing)?|inference"
    r"|held-?out)(?: [a-z'-]+){0,4}[^a-z0-9]*$"
    r"|[^a-z]*(?:now )?(?:evaluat|validat|test|predict)ing(?: [\w,'-]+){1,8}\s?(?:\.\.|…)[^a-z0-9]*$"
)
# `Training...`, `=== Epoch 1 of 4 ===`: no result, such as `Training complete`.
_OF_TRAINING = re.compile(
    r"(?i)[^a-z]*(?:(?:start|begin)(?:ing)? |now )?(?:the )?train(?:ing)?(?: epoch)?[^a-z]*$"
    r"|[^a-z]*(?:training )?epoch(?:[^a-z]|\bof\b)*$"
)
_PREPARES = re.compile(
    r"(?i)(?<![a-z])(?:train|(?:load|creat|build|read|prepar|process|mak)(?:e|es|ed|ing)? (?:\w+ )*?(?:data|set)"
    r"|\w*dataset|\w*dataloader)"
)
LINES_BEFORE, MOST_LINES_BEFORE = 3, 12


def evaluates_before(series: SpokenSeries, gathered: Gathered) -> bool:
    """Whether one of the last lines before some lines begins with a word of an evaluation."""
    text = series.rows[0].text
    place = next((number for number, line in enumerate(gathered.head) if text in line), 0)
    is_near = any(map(_EVALUATES.match, gathered.head[max(place - LINES_BEFORE, 0) : place]))
    return is_near or _is_announced(series, gathered)


def is_title_of_evaluation(line: str) -> bool:
    """Whether a line says that an evaluation follows."""
    return bool(_TITLE.match(line) or _EVALUATES.match(line))


def is_title_of_other_work(line: str) -> bool:
    """Whether a line says that something else than training follows: rollouts, a generation, a preparation."""
    words = _WORD.findall(line[:FIRST_LETTERS])[:FIRST_WORDS]
    return any(map(_OF_OTHER_WORK.fullmatch, words)) and not _TRAINS.search(line)


def not_of_training(series: SpokenSeries, gathered: Gathered) -> str | None:
    """Why lines of steps may be of an evaluation: they follow the title of one, all or where their steps begin anew.

    Some of them may do so if they say the same as the others: nothing may have been printed of the evaluation.
    """
    begins = np.flatnonzero(np.diff(series.steps) <= 0) + 1
    runs = np.split(np.arange(len(series)), begins)
    above = [gathered.head[max(series.rows[run[0]].line - 2, 0) :][:1] for run in runs]
    is_other = np.repeat([any(map(_TITLE.match, lines)) for lines in above], list(map(len, runs)))
    own, rest = series.values[is_other], series.values[~is_other]
    is_unlike = len(own) and len(rest) and abs(np.median(own) / np.median(rest) - 1) > AGREE
    return OF_EVALUATION if is_unlike or _is_announced(series, gathered) else None


def is_clock_of_evaluation(series: SpokenSeries, gathered: Gathered) -> bool:
    """Whether numbers that rise with the steps do so under the heading of an evaluation.

    All of them, or some that rise faster or slower than the others. So do those of a loop that has another total than
    those below a title of training, and no such title itself.
    """
    begins = np.flatnonzero(np.diff(series.steps) <= 0) + 1
    above = [gathered.head[max(series.rows[run].line - 2, 0) :][:1] for run in (0, *begins)]
    is_other = np.array([any(_HEADS.match(line) and not _PREPARES.search(line) for line in lines) for lines in above])
    is_other |= _are_of_other_loops(series, begins, gathered)
    if not is_other.any():
        return False
    runs = zip(np.split(series.values, begins), np.split(series.steps, begins), strict=True)
    each = np.array([np.ptp(values) / max(np.ptp(steps), 1) for values, steps in runs])
    own, rest = each[is_other], each[~is_other]
    return not len(rest) or bool(abs(np.median(own) / np.median(rest) - 1) > AGREE)


def _are_of_other_loops(series: SpokenSeries, begins: NDArray[np.intp], gathered: Gathered) -> NDArray[np.bool_]:
    """Which loops count up to a total that none below a title of training does, where others stand below one."""
    firsts = [series.rows[begin] for begin in (0, *begins)]
    ends = [0, *(series.rows[begin - 1].line for begin in begins)]
    is_titled = [
        any(map(_OF_TRAINING.match, gathered.head[max(end, first.line - 1 - MOST_LINES_BEFORE) : first.line - 1]))
        for end, first in zip(ends, firsts, strict=True)
    ]
    told = [(first, titled) for first, titled in zip(firsts, is_titled, strict=True) if np.isfinite(first.length)]
    of_training = {first.length for first, titled in told if titled}
    others = {first.length for first, titled in told if not titled and first.line <= len(gathered.head)} - of_training
    return np.array([bool(of_training) and first.length in others for first in firsts])


def _is_announced(series: SpokenSeries, gathered: Gathered) -> bool:
    """Whether a sentence before some lines says that an evaluation begins, and none of training follows it."""
    before = gathered.head[max(series.rows[0].line - 1 - MOST_LINES_BEFORE, 0) : max(series.rows[0].line - 1, 0)]
    trains = max((number for number, line in enumerate(before) if _TRAINS.search(line)), default=-1)
    return any(map(_ANNOUNCES.match, before[trains + 1 :]))
