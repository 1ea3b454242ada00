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
from dataclasses import dataclass

from .judge import EPOCH, LEFT, LINE, START, STEP, STEPS, Hypothesis
from .naming import counted, seconds

CLOCK, BAR = "clock", "bar"
_OPTION = re.compile(
    r"\s*(?P<target>.+?)\s*=\s*(?:(?P<what>[\w一-鿿]+)/(?P<per>s|min|h)|(?P<unit>ms|us|s|min|h)/(?:(?P<count>\d+) )?(?P<span>steps|step|epochs|epoch|line)"
    r"|(?P<since>elapsed|left) (?P<of>ms|s|min|h))(?P<mean> since start)?(?: of (?P<scope>card|node|job))?(?: on \"(?P<lines>[^\"]+)\")?(?: in lines (?P<first>\d+)-(?P<last>\d+))?\s*"
)
_UNITS = {1e-6: "us", 1e-3: "ms", 1.0: "s", 60.0: "min", 3600.0: "h"}


class OptionError(ValueError):
    """An option that is none; its only argument is the text."""


@dataclass(frozen=True)
class Option:
    """``target``: the name of the number as the log prints it, `clock`, or `bar` with its name or number of steps."""

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
        scope = f" of {h.scope}" if h.scope in ("card", "node", "job") else ""
        return (
            f"{self.target}={text}{' since start' if h.is_mean else ''}{scope}"
            + (f' on "{self.lines}"' if self.lines else "")
            + (f" in lines {self.part[0]}-{self.part[1]}" if self.part else "")
        )


def parse_option(text: str) -> Option:
    found = _OPTION.fullmatch(text)
    if found is None:
        raise OptionError(text)
    scope, mean = found["scope"], bool(found["mean"])
    if found["what"]:
        counts = counted(found["what"]) or found["what"]
        h = Hypothesis("rate", counts=counts, factor=seconds(found["per"]) or 1.0, scope=scope, is_mean=mean, told=True)
    elif found["since"]:
        h = Hypothesis(
            "time", START if found["since"] == "elapsed" else LEFT, factor=seconds(found["of"]) or 1.0, told=True
        )
    else:
        per = {"step": STEP, "epoch": EPOCH, "line": LINE, "steps": STEPS, "epochs": STEPS}[found["span"]]
        h = Hypothesis(
            "time",
            per,
            counts="epochs" if found["span"] == "epochs" else None,
            factor=seconds(found["unit"]) or 1.0,
            scope=scope,
            is_mean=mean,
            told=True,
        )
    return Option(
        found["target"].strip(),
        h,
        int(found["count"]) if found["count"] else None,
        found["lines"],
        (int(found["first"]), int(found["last"])) if found["first"] else None,
    )
