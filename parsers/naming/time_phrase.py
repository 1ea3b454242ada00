"""Phrases: words that say that a time is that of one step or one epoch: `each step took 2.5 s`, `本轮用时 93 秒`."""

import re
from dataclasses import dataclass

from .vocabulary import Words, lasting, listed

STEP, EPOCH, LOOP = "step", "epoch", "loop"
_MEAN = "(?:avg|average|mean)"
_OF_ONE = "(?:(?:each|every|one|a|single|this|the|last|current) )"
_ONE = "(?:(?:train|training|mini) )?(?:step|iteration|iter|batch|minibatch)"
_TIME = "(?:time|cost|duration)"
_TOOK = (
    rf"(?:took|takes|cost|costs|lasts|lasted|elapsed(?: time)?|run ?time|(?:wall|execution) time|{_TIME}|time"
    r" (?:cost|used|taken|elapsed|spent)|(?:done|complete|completed|finished) in)"
)
# `time step` is that of what is simulated, and no word tells how many `steps` took so long.
_STEP = (
    rf"(?:{_MEAN} )?(?:{_TIME}(?: (?:taken|spent|used|needed))? (?:/|for|of) {_OF_ONE}*{_ONE}|/ {_OF_ONE}*{_ONE}"
    rf"|(?:each|every|one) {_ONE}|{_OF_ONE}*{_ONE} {_TOOK})(?: {_MEAN})?"
)
_IN_ENGLISH = {STEP: re.compile(_STEP), LOOP: re.compile(rf"(?:{_MEAN} )?(?:{_TIME} )?/ loop(?: {_TIME})?")}
_TIME_IN_CHINESE = "(?:耗时|用时|时间|花费时间|花费)"
_STEP_IN_CHINESE = "(?:步|迭代|批次?|batch|iter|iteration|step)"
_IN_CHINESE = {
    STEP: re.compile(
        rf"(?:平均)?(?:(?:每|单|一)(?:个|次|一)?(?:训练)?{_STEP_IN_CHINESE}(?:训练)?(?:平均)?{_TIME_IN_CHINESE}?"
        rf"|{_STEP_IN_CHINESE}(?:平均)?{_TIME_IN_CHINESE})"
    ),
    EPOCH: re.compile(
        rf"(?:平均)?(?:训练)?(?:每|单|一|当前|本|该|此)(?:个|次|一)?(?:训练)?(?:轮次?|世代|epoch)(?:训练)?(?:平均)?[总所的]?"
        rf"{_TIME_IN_CHINESE}"
    ),
}
# A unit of time over what took so long, however words join the two: `s for each step`, `minutes at current epoch`.
_OVER = re.compile(
    r" {0,2}[\[(]?(?P<unit>[A-Za-z]{1,12}) ?(?:/ ?|(?<= )(?:per|for) (?:(?:each|every|this|the|one|current) )?"
    r"|(?<= )(?:at|in|on) (?:each|every|this|the|current) |(?<= )(?:each|every) )"
    r"(?:(?:training|train|gradient|mini)[ -])?(?P<what>[A-Za-z]{1,12})(?![\w/]|\s*[#:=(\[]?\s*\d)"
)
_IN_CHINESE_OVER = re.compile(r"(?<=[秒钟])/?每(?:个|一)?")


@dataclass(frozen=True)
class TimePhrase:
    """What a time is ``of``, a step, an epoch or one of a loop, and whether it is a mean, as words say."""

    of: str
    is_mean: bool


def time_phrase(words: Words) -> TimePhrase | None:
    """What all the words before a time say that it is of; None where one of them says something else."""
    name, glued = " ".join(words), "".join(words)
    found = (of for of, pattern in _IN_ENGLISH.items() if pattern.fullmatch(name))
    if of := next(found, None):
        return TimePhrase(of, not listed("mean").isdisjoint(words))
    of = next((of for of, pattern in _IN_CHINESE.items() if pattern.fullmatch(glued)), None)
    return TimePhrase(of, "平均" in glued) if of else None


def time_over(text: str) -> int:
    """Where a unit of time over a step, a loop or an epoch ends that a text begins with; 0 of others."""
    found = _OVER.match(text)
    is_of_one = found and lasting((found["unit"].lower(),)) and found["what"].lower() in listed("takes_time")
    return found.end() if found and is_of_one else 0


def plain_unit(unit: str) -> str:
    """The same with "/" before what a time is of: `s for each step` is `s/step`."""
    plain = _IN_CHINESE_OVER.sub("/", unit.strip(" []()"))
    return _OVER.sub(r"\g<unit>/\g<what>", plain) if time_over(plain) else plain
