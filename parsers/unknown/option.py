"""The language of one option, `--read`: what a number of a log measures, as a person would say it.

--read 'tok_s=tokens/s of card'          a rate, and whose it is
--read 'dt=ms/step'                      the time of one step; also s/epoch
--read 'time=s/line'                     the time since the last line, for the steps between the two
--read 'Time=s/100 steps'                the time of so many steps
--read 'Cost Time=elapsed s'             the time since the start
--read 'ETA=left s'                      the time that all remaining steps will take
--read 'wps=tokens/s since start'        a mean of everything since the start, to be undone
--read 'bar Training=steps/s'            the progress bar that begins so (or `bar 14007`, by its number of steps)
--read 'clock=steps/s on "Iters:"'       the stamps of the lines that contain a text; also of epochs
--read 'dt=s/step in lines 10-412'       of one of several runs in a file
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ..io.errors import ParserError
from .judge import EPOCH, LEFT, LINE, START, STEP, STEPS, Hypothesis
from .naming import counted, seconds

CLOCK, BAR = "clock", "bar"
SCOPES = ("card", "node", "job")
NOT_AN_OPTION = "{text} is no reading of a number; write NAME=UNIT, such as {examples}."
EXAMPLES = "dt=ms/step, tok_s=tokens/s of card or clock=steps/s"
_UNITS = {1e-6: "us", 1e-3: "ms", 1.0: "s", 60.0: "min", 3600.0: "h"}
_UNIT = "|".join(sorted(_UNITS.values(), key=len, reverse=True))
_OPTION = re.compile(
    r"\s*(?P<target>.+?)\s*="
    rf"\s*(?:(?P<what>[\w一-鿿]+)/(?P<per>{_UNIT})"
    rf"|(?P<unit>{_UNIT})/(?P<span>step|it|iter|batch|epoch|line|(?P<count>[1-9]\d{{0,8}}) (?P<many>steps|epochs))"
    rf"|(?P<since>elapsed|left) (?P<of>{_UNIT}))"
    r"(?P<mean> since start)?(?: of (?P<scope>card|node|job))?"
    r"(?: on \"(?P<lines>[^\"]+)\")?(?: in lines (?P<first>\d+)-(?P<last>\d+))?\s*"
)
_SPANS = {**dict.fromkeys(("step", "it", "iter", "batch"), STEP), "epoch": EPOCH, "line": LINE}


class OptionError(ParserError):
    """A text that is no option."""


@dataclass(frozen=True)
class Option:
    """What a person says of a number.

    ``target``: its name as the log prints it, `clock`, or `bar` with its name or number of steps. ``count``: of how
    many steps or epochs a time is. ``lines``: a text that its lines contain. ``part``: their first and last number.
    """

    target: str
    hypothesis: Hypothesis
    count: int | None = None
    lines: str | None = None
    part: tuple[int, int] | None = None

    def __str__(self) -> str:
        h = self.hypothesis
        unit = _UNITS.get(h.factor, "s")
        if h.kind == "rate":
            text = f"{h.counts or 'samples'}/{unit}"
        elif h.per in (START, LEFT):
            text = f"{'elapsed' if h.per == START else 'left'} {unit}"
        else:
            text = f"{unit}/{self.count or 1} {h.counts or 'steps'}" if h.per == STEPS else f"{unit}/{h.per}"
        mean, scope = " since start" if h.is_mean else "", f" of {h.scope}" if h.scope in SCOPES else ""
        lines = f' on "{self.lines}"' if self.lines else ""
        part = f" in lines {self.part[0]}-{self.part[1]}" if self.part else ""
        return f"{self.target}={text}{mean}{scope}{lines}{part}"

    def of(self, scope: str) -> Option:
        """The same of a ``card``, a ``node`` or the ``job``."""
        return replace(self, hypothesis=replace(self.hypothesis, scope=scope))


def parse_option(text: object) -> Option:
    """The option of a text; raises OptionError for any other, and for what is no text."""
    found = _OPTION.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise OptionError(NOT_AN_OPTION, text=repr(text), examples=EXAMPLES)
    if found["what"]:
        what = counted(found["what"]) or found["what"]
        h = Hypothesis("rate", counts=what, factor=seconds(found["per"]) or 1.0)
    elif found["since"]:
        h = Hypothesis("time", START if found["since"] == "elapsed" else LEFT, factor=seconds(found["of"]) or 1.0)
    else:
        epochs = "epochs" if found["many"] == "epochs" else None
        h = Hypothesis("time", _SPANS.get(found["span"], STEPS), counts=epochs, factor=seconds(found["unit"]) or 1.0)
    h = Hypothesis(h.kind, h.per, h.counts, h.factor, found["scope"], is_mean=bool(found["mean"]), told=True)
    count = int(found["count"]) if found["count"] else None
    part = (int(found["first"]), int(found["last"])) if found["first"] else None
    return Option(found["target"].strip(), h, count, found["lines"], part)
