"""What the runs of one case give, for the terminal: the number of each, and what they give together."""

from pathlib import Path
from shlex import quote

from parsers.io.errors import LogError
from parsers.io.message import Message
from parsers.io.printable import printable
from parsers.runs.run_folder import DONE, LOG
from parsers.runs.runfile import log_of, run_file, status_of

from ..measure.measurement import Measurement, combine
from ..measure.number import digits
from ..measure.protocol import Protocol
from ..results.measured_log import measured_log
from ..wording.words import Translate, worded
from .show_text import STATUSES, offers, rate

RUN = "{log}: {said}"
NUMBER = "{rate} ({status})"
TOGETHER = "median of {count} runs: {rate}, from {low} to {high} ({spread}%)"
NEXT = "Next: `tachograph show {log}` shows what is read from the log, `tachograph init page {suite}` drafts a page."


def repeats_shown(case: Path, translate: Translate) -> tuple[str, bool]:
    """The throughput of each finished run in the folder of a case, and their median with its spread, as lines of text.

    A run whose log gives no throughput is listed with the reason; of the last log what `--read` could say of its
    numbers is offered. Also returns whether every log gives one.
    """
    runs = sorted((path for path in case.glob("[1-9]*") if path.name.isdecimal()), key=lambda path: int(path.name))
    logs = [log_of(run) for run in runs if status_of(run_file(run / LOG)) == DONE]
    said, found, last = list[Message](), list[Measurement](), None
    for log in logs:
        try:
            one = last = measured_log(log)
        except LogError as error:
            said.append(error.message)
            continue
        if (number := one.measurement) is None or one.reason:
            told = Message("no throughput: {reason}", reason=one.reason.message if one.reason else "")
        else:
            found.append(number)
            told = Message(
                NUMBER, rate=rate(number.value, number.unit, number.scope), status=Message(STATUSES[one.status])
            )
        said.append(Message(RUN, log=log, said=told))
    if len(found) > 1 and len({(one.unit, one.scope) for one in found}) == 1:
        said.append(_together(found))
    if last:
        said += offers(last)
    if logs:
        said.append(Message(NEXT, log=quote(str(logs[-1].parent)), suite=quote(str(case.parent))))
    return "".join(f"{printable(worded(one, translate))}\n" for one in said), len(found) == len(logs)


def _together(found: list[Measurement]) -> Message:
    values = [one.value for one in found]
    middle = combine(found, Protocol())
    told = {"count": len(values), "rate": rate(middle, found[0].unit, found[0].scope)}
    spread = f"{100 * (max(values) - min(values)) / middle:.1f}"
    return Message(TOGETHER, **told, low=digits(min(values)), high=digits(max(values)), spread=spread)
