"""Printed numbers: published numbers whose digits stand in their logs, where no protocol of the search gives them."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path

from parsers.io.message import Message
from parsers.sharing.workers import ALONE, Workers

from ..published.log_values import kind_of, named_values, seconds_of
from ..published.published_numbers import PublishedNumber, others_published
from ..published.published_site import PublishedSite
from ..published.site_logs import Log
from ..recovery.printed_digits import NamedValues, Printed, Wanted, printed_digits
from .backing_logs import Evidence
from .claim import ROUNDED, Claim
from .finding import Finding, sentence
from .log_matching import Match, Matcher
from .table_arithmetic import OTHER_QUANTITY

MOST_LOGS = 20  # that may be meant for one number
STANDS = "{log} prints these digits as {name} in line {line}: the page repeats it as printed"
CHOSEN: Mapping[str, str] = {
    "last": "The last {name} in {log}, line {line}, gives these digits ({rounded})",
    "least": "The least {name} in {log}, line {line}, gives these digits ({rounded})",
    "greatest": "The greatest {name} in {log}, line {line}, gives these digits ({rounded})",
}
AS_IN_OTHERS = "the same holds of {count} logs"
LAST_IS = "The last {name} in {log}, line {line}, is {value}"
LAST_IS_SAME = "The last {name} in {log}, line {line}, gives these digits, too few to prove it"
SPEEDS = ("throughput", "per_card", "steps", "time of a step")
TIMES = ("time", "time of an epoch")

Values = Callable[[Log], Sequence[NamedValues]]


def said_of(printed: Printed) -> list[Message]:
    """Where the digits stand, in parts of a sentence."""
    values: dict[str, object] = {"log": printed.log, "line": printed.line, "name": printed.name.words}
    if printed.rounding:
        values["rounded"] = Message(ROUNDED[printed.rounding])
    said = [Message(CHOSEN.get(printed.how, STANDS), **values)]
    return [*said, Message(AS_IN_OTHERS, count=printed.logs)] if printed.logs > 1 else said


def _reading(kinds: Collection[str]) -> Values:
    """Reads the values of some kinds in logs, each once; all of them together may be many."""
    return cache(lambda log: named_values(log.file, kinds))


def find_printed(claims: Sequence[Claim], workers: Workers) -> None:
    """Set where the logs of claims print their digits, of those that no protocol explains; ``workers`` read them."""
    open_ones = [claim for claim in claims if claim.evidence and not claim.recovered and claim.number.times == 1]
    values = _speeds(open_ones, workers)
    wanted = [_wanted_of(claim, values) for claim in open_ones]
    for claim, found in zip(open_ones, printed_digits(wanted), strict=True):
        if found and any(backing.log.path == found.log for backing in claim.match.backings):
            claim.printed = found
            claim.explained_by = next(one for one in claim.evidence if one.log.path == found.log)


def _speeds(claims: Sequence[Claim], workers: Workers) -> Values:
    """The speeds that the logs of claims print, read by the processes of this machine."""
    files = list(dict.fromkeys(log.file for claim in claims for log in _logs_of(claim)))
    with (ALONE if workers.scheduler else workers).each(_speeds_in, files, _bytes) as read:
        known = dict(zip(files, read, strict=True))
    return lambda log: known[log.file]


def _bytes(file: Path) -> int:
    return file.stat().st_size if file.is_file() else 0


def _speeds_in(file: Path) -> list[NamedValues]:
    return named_values(file, SPEEDS)


def _logs_of(claim: Claim) -> list[Log]:
    """The logs that may print the digits of a claim, those of the throughput of a job only where they print one."""
    is_of_job = claim.number.rate == "throughput" and not claim.number.seconds
    return [one.log for one in claim.evidence if not is_of_job or _prints_whole_job(one)]


def _wanted_of(claim: Claim, values: Values) -> Wanted:
    number, seconds = claim.number, claim.number.seconds
    logs = {log.path: values(log) for log in _logs_of(claim)}
    kind, unit = ("time of a step", Decimal(str(seconds))) if seconds else (number.rate, None)
    return Wanted(number.digits, kind, _column(number), logs, unit)


def _column(number: PublishedNumber) -> object:
    return number.page, number.table, number.place[1]


def _prints_whole_job(evidence: Evidence) -> bool:
    """Whether the throughputs of a log are those of the whole job, or its job has one card."""
    fields = (evidence.part.fields.get((kind, "throughput")) for kind in ("step", "epoch", "summary"))
    scopes = {field.scope for field in fields if field}
    cards = evidence.facts.get("cards")
    return scopes == {"job"} or (cards is not None and cards.value == 1)


def of_other_quantities(site: PublishedSite) -> Iterator[Finding]:
    """A finding on each number that is measured, but is neither the throughput of a whole job nor the time of a step.

    It is exact where its log prints it, or gives it by its last value of that name; nothing is said against it.
    """
    numbers = [number for document in site.documents for number in document.once(others_published)]
    matcher = Matcher(site)
    matches = [matcher.match(number) for number in numbers]
    values = _reading({_kind(number) for number in numbers})
    wanted = [_wanted(*pair, values) for pair in zip(numbers, matches, strict=True)]
    for number, match, one, found in zip(numbers, matches, wanted, printed_digits(wanted), strict=True):
        if found:
            yield Finding(number, "exact", sentence(said_of(found)), found.log, None, number.digits, 1.0)
        elif number.rate != "other":
            yield _compared(number, match, one) or Finding(number, "no evidence", Message(OTHER_QUANTITY))


def _kind(number: PublishedNumber) -> str:
    return kind_of(number.column, number.unit or "")


def _wanted(number: PublishedNumber, match: Match, values: Values) -> Wanted:
    logs = {backing.log.path: values(backing.log) for backing in match.backings[:MOST_LOGS]}
    kind = _kind(number)
    unit = seconds_of(number.unit or "", number.column) if kind.startswith("time") else None
    is_plain = number.digits.replace(".", "").isdigit() and number.times == 1
    return Wanted(number.digits, kind, _column(number), logs if is_plain else {}, unit)


def _compared(number: PublishedNumber, match: Match, wanted: Wanted) -> Finding | None:
    """What the log that a row links to prints instead, for what is a time; None where that is not known."""
    own = {link for some in number.linked[:2] for link in some} & {backing.link for backing in match.backings}
    if not own or wanted.kind not in TIMES or not (last := wanted.last):
        return None
    printed, value = last
    digits = f"{value:.{wanted.decimals}f}"
    values = {"name": printed.name.words, "log": printed.log, "line": printed.line, "value": digits}
    said = Message(LAST_IS_SAME if digits == wanted.digits else LAST_IS, **values)
    return Finding(number, "unexplained", sentence([said]), printed.log, None, digits, float(wanted.value / value))
