"""What a number of a log measures: a hypothesis of the engine and, in the language of `--read`, what a person says.

--read 'tok_s=tokens/s of card'          a rate, and whose it is
--read 'dt=ms/step'                      the time of one step; also s/epoch
--read 'time=s/line'                     the time since the last line, for the steps between the two
--read 'Time=s/100 steps'                the time of so many steps
--read 'cost=ms/image'                   the time of one sample, image, token ...
--read 'Cost Time=elapsed s'             the time since the start
--read 'ETA=left s'                      the time that all remaining steps will take
--read 'wps=tokens/s since start'        a mean of everything since the start, to be undone
--read 'bar Training=steps/s'            the progress bar that begins so (or `bar 14007`, by its number of steps)
--read 'clock=steps/s on "Iters:"'       the stamps of lines that contain a text, each a step if unnumbered; also epochs
--read 'dt=s/step in lines 10-412'       of one of several runs in a file
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from ..io.errors import ParserError
from .naming import counted, seconds

STEP, LINE, STEPS, EPOCH, START, LEFT = "step", "line", "steps", "epoch", "start", "left"
CLOCK, BAR = "clock", "bar"
SCOPES = ("card", "node", "job")
NOT_AN_OPTION = "{text} is no reading of a number; write NAME=UNIT, such as {examples}."
EXAMPLES = "dt=ms/step, tok_s=tokens/s of card or clock=steps/s"
_UNITS = {1e-6: "us", 1e-3: "ms", 1.0: "s", 60.0: "min", 3600.0: "h"}
_UNIT = "|".join(sorted(_UNITS.values(), key=len, reverse=True))
_OPTION = re.compile(
    r"\s*(?P<target>.+?)\s*="
    rf"\s*(?:(?P<what>[\w一-鿿]+)/(?P<per>{_UNIT})"
    rf"|(?P<unit>{_UNIT})/(?P<span>step|it|iter|batch|epoch|line"
    r"|(?P<count>[1-9]\d{0,8}) (?P<many>steps|epochs)|(?P<each>sample|image|token|sequence|word|frame))"
    rf"|(?P<since>elapsed|left) (?P<of>{_UNIT}))"
    r"(?P<mean> since start)?(?: of (?P<scope>card|node|job))?"
    r"(?: on \"(?P<lines>[^\"]+)\")?(?: in lines (?P<first>\d+)-(?P<last>\d+))?\s*"
)
_SPANS = {**dict.fromkeys(("step", "it", "iter", "batch"), STEP), "epoch": EPOCH, "line": LINE}
_SINCE = {"elapsed": START, "left": LEFT}


class OptionError(ParserError):
    """A text that is no option."""


@dataclass(frozen=True)
class Option:
    """What a number measures.

    ``target``: its name as the log prints it, `clock`, or `bar` with its name or number of steps. ``kind``: rate or
    time. ``per``: of a time the span that takes it: one step, the steps since the last line, so many steps or epochs
    as are printed or as ``count`` says, an epoch, all since the start, all that is left. ``counts``: what a rate
    counts. ``is_inverse``: it is printed as the time of one of these. ``factor``: seconds of the unit. ``is_mean``: of
    all steps since the start. ``lines``: a text that its lines contain. ``part``: their first and last number.
    ``told``: a person or its name and unit say all of this.
    """

    target: str
    kind: str
    per: str | None = None
    counts: str | None = None
    factor: float = 1.0
    scope: str | None = None
    is_inverse: bool = False
    is_mean: bool = False
    count: int | None = None
    lines: str | None = None
    part: tuple[int, int] | None = None
    told: bool = field(default=False, compare=False)

    @property
    def is_of_unknown(self) -> bool:
        """Whether it is a rate of something that no line counts."""
        return self.kind == "rate" and self.counts not in ("steps", "epochs")

    def __str__(self) -> str:
        unit = _UNITS.get(self.factor, "s")
        if self.is_inverse:
            text = f"{unit}/{str(self.counts).removesuffix('s')}"
        elif self.kind == "rate":
            text = f"{self.counts or 'samples'}/{unit}"
        elif self.per in _SINCE.values():
            text = f"{'elapsed' if self.per == START else 'left'} {unit}"
        else:
            text = f"{unit}/{self.count or 1} {self.counts or 'steps'}" if self.per == STEPS else f"{unit}/{self.per}"
        mean, scope = " since start" if self.is_mean else "", f" of {self.scope}" if self.scope in SCOPES else ""
        lines = f' on "{self.lines}"' if self.lines else ""
        part = f" in lines {self.part[0]}-{self.part[1]}" if self.part else ""
        return f"{self.target}={text}{mean}{scope}{lines}{part}"

    def of(self, scope: str) -> Option:
        """The same of a ``card``, a ``node`` or the ``job``."""
        return replace(self, scope=scope)


def parse_option(text: object) -> Option:
    """The option of a text; raises OptionError for any other, and for what is no text."""
    found = _OPTION.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise OptionError(NOT_AN_OPTION, text=repr(text), examples=EXAMPLES)
    what, many, one = found["what"], found["many"], found["each"]
    return Option(
        found["target"].strip(),
        "rate" if what or one else "time",
        None if what or one else _SINCE[found["since"]] if found["since"] else _SPANS.get(found["span"], STEPS),
        (counted(what) or what) if what else f"{one}s" if one else "epochs" if many == "epochs" else None,
        seconds(found["per"] or found["unit"] or found["of"]) or 1.0,
        found["scope"],
        is_inverse=bool(one),
        is_mean=bool(found["mean"]),
        count=int(found["count"]) if found["count"] else None,
        lines=found["lines"],
        part=(int(found["first"]), int(found["last"])) if found["first"] else None,
        told=True,
    )
