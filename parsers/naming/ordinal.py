"""Ordinals: numbers of epochs and steps in a sentence: 第3轮, `Time for epoch 3: 35 s`, `Finished epoch 3 in 35 s`."""

import re

from .sense import EPOCH, STEP

_CHINESE = {EPOCH: re.compile(r" ?个? ?(?:轮|世代|epoch)"), STEP: re.compile(r" ?(?:个|次)? ?(?:步|迭代|batch|step)")}
_TIME_OF_EPOCH = re.compile(
    r"(?i)(?<![a-z])time (?:(?:taken|spent|used|elapsed) )?(?:for|of|in) (?:training )?epoch(?: number)?\s*[#\[(]?\Z"
)
_IS_A_TIME = re.compile(r"[\])]?\s*(?:[:=]|is\b|was\b)\s*\d[\d.]*\s?(?:s|secs?|seconds?|mins?|minutes?)(?![A-Za-z/])")
_ENDS_EPOCH = re.compile(
    r"(?i)(?:\A|[\]|:,>-]\s*|\b(?:finish|finished|completed|done with|trained|ended|training)(?: training)?(?: for)? )"
    r"epoch(?: number)?\s*[#\[(]?\d+(?:\s?(?:/|of)\s?\d+)?[\])]?,?\s+in\s*\Z"
)
_FIRST_OF_CHINESE = "\u2e80"  # of its signs, none of which a number is a part of


def ordinal(text: str, behind: str) -> str | None:
    """What a number counts, an epoch or a step, by the ``text`` before it and what stands ``behind``; else None."""
    if text.rstrip().endswith("第"):
        return next((what for what, pattern in _CHINESE.items() if pattern.match(behind)), None)
    return EPOCH if _TIME_OF_EPOCH.search(text) and _IS_A_TIME.match(behind) else None


def full_name(key: str, before: str) -> str:
    """The name of a number in whole: that of 35 in `Finished epoch 3 in 35 s` is not only `in`, and a verb is none."""
    if key in ("is", "was"):
        return ""
    return "finished in" if key == "in" and _ENDS_EPOCH.search(before) else key


def is_of_word(letter: str) -> bool:
    """Whether a letter makes the number behind it a part of a word: that of `resnet50`, and not that of 第3轮."""
    return letter.isalnum() and letter < _FIRST_OF_CHINESE
