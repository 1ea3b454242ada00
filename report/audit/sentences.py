"""Sentences: what a finding says, made of its values for each language; nothing reads them."""

from collections.abc import Mapping, Sequence
from math import isnan

from parsers.io.message import Message, joined

from ..measure.number import digits
from .board import Kind, Verdict
from .chance import Hit, Means
from .documents import LINE
from .evidence import GREATEST, LAST, LEAST, MEAN
from .labels import Agreement, Compared
from .number import TRUNCATED
from .rulings import Finding, Ruling

# What each ruling says.
MEANINGS: Mapping[Ruling, str] = {
    Ruling.PROVED: "a log gives these digits, and accident hardly would",
    Ruling.DERIVED: "it follows from proved numbers",
    Ruling.OF_UNPROVED: "it follows from numbers that nothing proves",
    Ruling.AGREES: "a log gives these digits, which are too few to prove it",
    Ruling.DIFFERS: "the nearest number of its logs is another one; nobody is accused",
    Ruling.CONTRADICTED: "a certain link or the formula of its column gives another number",
    Ruling.UNEXPLAINED: "nothing that was tried gives it",
    Ruling.NO_DATA: "no log lies beside it or is linked",
    Ruling.NO_MEASUREMENT: "it is a setting, a count, a name or a date",
}
_STATISTICS: Mapping[str, Message] = {
    LAST: Message("the last value"),
    MEAN: Message("the mean"),
    LEAST: Message("the least value"),
    GREATEST: Message("the greatest value"),
}
_OVER: Mapping[str, Message] = {
    "mean": Message("mean"),
    "std": Message("standard deviation"),
    "std of all": Message("standard deviation"),
}
SHORT = 20  # characters of what a page is to say
THOUSANDS = 10_000  # from which a value of a board is told without decimals
AT = "{path}:{line}"
OF_RECORD = "{where} holds {count} numbers of its row"
OF_ONE_RECORD = "{where} holds it"
OF_SERIES = "{statistic} of {series} in {where}"
OF_LOGS = "{over} over {count} logs in {where} of {statistic} of {series}"
OF_PROTOCOL = "{where} by {protocol}"
OF_FORMULA = "{formula} of {operands}"
OF_QUOTE = "{where} states it"
OF_RUN = (
    "{path} is the run of this row: its {series} ends with {value} in line {line}, and none of its {count} values is"
    " this number"
)
BROKEN = "{formula} of {operands} is {value}; of {count} numbers of the column {kept} keep that formula"
BROKEN_ALONE = "{formula} of {operands} is {value}"
TO_BE = "made again, it says {right} here"
TO_BE_LEFT_OUT = "made again, it does not say this"
AS_RENDERED = "rendered again from its page file and logs, the page says the same"
TOGETHER = "{said}, as of {count} numbers"
CUT = "{said}, truncated"
CHANCE = "{said}; by accident {chance}"
NEAREST = "the nearest is {value}: {said}"
TOO_FEW = "{said}; too few digits to prove it"
SCOPE = ("nothing tried in its log gives it", "nothing tried in its {count} logs gives it")
NOTHING_THERE = "no log lies beside it or is linked"
AGAINST = "{said}; the log is named for {axes}"
AXIS = "{axis} {value}"
# What the rules of a board ask for.
_RULES: Mapping[Kind, str] = {
    Kind.FILE: "a file {subject}",
    Kind.TARGET: "a mean of at most {bound}",
    Kind.P_VALUE: "a p value below {bound}",
    Kind.CAP: "{subject}: at most {bound}",
    Kind.BEATS: "{subject}: less than {bound}",
}
AT_LEAST = ("at least {count} run", "at least {count} runs")
BEATS_WHAT_STOOD = "{subject}: less than what stood before"
FILE_THERE = "{status}: {path}"
COUNTED = ("{status}: {count} run", "{status}: {count} runs")
OF_RUNS = ("{status}: {value} in {count} run", "{status}: {value} in {count} runs")


def reason(finding: Finding) -> Message:
    """Why a finding has its ruling; a negative one states its scope."""
    if finding.why:
        return finding.why
    if finding.hit is None:
        return _without_value(finding)
    if finding.ruling == Ruling.CONTRADICTED:
        return _broken(finding.hit)
    said = found(finding)
    if finding.ruling == Ruling.DIFFERS:
        said = Message(NEAREST, value=shown(finding.hit), said=said)
    elif finding.ruling == Ruling.AGREES:
        said = Message(TOO_FEW, said=said)
    elif finding.labels.agreement == Agreement.CONTRADICTED:
        said = Message(AGAINST, said=said, axes=_axes(finding.labels))
    return said


def _without_value(finding: Finding) -> Message:
    if finding.ruling == Ruling.NO_MEASUREMENT:
        return Message(finding.claim.quantity)
    return Message.of_count(finding.logs, *SCOPE) if finding.ruling == Ruling.UNEXPLAINED else Message(NOTHING_THERE)


def found(finding: Finding) -> Message:
    """Where a value was found, with the bound for accident where there is one."""
    hit = finding.hit
    if hit is None:
        return Message("")
    said = how(hit, finding.together)
    said = Message(CUT, said=said) if hit.rounding == TRUNCATED else said
    return Message(CHANCE, said=said, chance=f"{finding.chance:.0e}") if finding.chance else said


def how(hit: Hit, together: int = 1) -> Message:
    """The rule that gives a value, and where it stands."""
    rule, where = hit.rule, _where(hit)
    if rule.means == Means.RENDERED:
        return Message(AS_RENDERED)
    if rule.means == Means.QUOTE:
        return Message(OF_QUOTE, where=where)
    if rule.means == Means.FORMULA:
        return Message(OF_FORMULA, formula=Message(rule.name), operands=_operands(hit))
    if rule.means == Means.RECORD:
        return Message(OF_RECORD if together > 1 else OF_ONE_RECORD, count=together, where=where)
    said = Message(OF_PROTOCOL, where=where, protocol=rule.name) if rule.means == Means.PROTOCOL else _statistic(hit)
    return Message(TOGETHER, said=said, count=together) if together > 1 and not rule.over else said


def _statistic(hit: Hit) -> Message:
    """The statistic of a series of a log, or over several logs."""
    rule = hit.rule
    told = {"where": _where(hit), "series": rule.name, "statistic": _STATISTICS.get(rule.of, Message(rule.of))}
    if not rule.over:
        return Message(OF_SERIES, **told)
    told |= {"over": _OVER.get(rule.over, Message(rule.over)), "count": str(rule.count)}
    return Message(OF_LOGS, **told)


def shown(hit: Hit | None) -> str:
    """The value that was found, in digits that tell it from the claim; nothing where there is none.

    Of a page of ours what it is to say, where that is short.
    """
    if hit and hit.rule.means == Means.RENDERED and len(hit.rule.name) <= SHORT:
        return hit.rule.name
    return "" if hit is None or isnan(hit.value) else f"{hit.value:.10g}"


def _broken(hit: Hit) -> Message:
    """What a contradicted number is to be."""
    rule = hit.rule
    if rule.means == Means.RENDERED:
        return Message(TO_BE, right=repr(rule.name)) if rule.name else Message(TO_BE_LEFT_OUT)
    if rule.means == Means.RUN:
        told = {"path": hit.path, "line": hit.line, "series": rule.name, "count": rule.count}
        return Message(OF_RUN, value=shown(hit), **told)
    kept, count = rule.peers
    told = {"formula": Message(rule.name), "operands": _operands(hit), "value": digits(hit.value)}
    return Message(BROKEN if count > 1 else BROKEN_ALONE, kept=kept, count=count, **told)


def _operands(hit: Hit) -> str:
    """Where the numbers stand that a value is computed from: all of a few, the ends of many."""
    places = list(hit.places)
    return ", ".join(places if len(places) <= 3 else (places[0], "...", places[-1]))


def _where(hit: Hit) -> str:
    return AT.format(path=hit.path, line=hit.line) if hit.line else hit.path


def _axes(labels: Compared) -> Message:
    each: Sequence[Message] = [Message(AXIS, axis=axis.replace("_", " "), value=log) for axis, _, log in labels.axes]
    return joined("{first}, {second}", each)


def rule_of(verdict: Verdict) -> Message:
    """What a rule of a board asks for."""
    if verdict.kind == Kind.SEEDS:
        return Message.of_count(int(verdict.bound or 0), *AT_LEAST)
    key = BEATS_WHAT_STOOD if verdict.bound is None and verdict.kind == Kind.BEATS else _RULES[verdict.kind]
    return Message(key, subject=Message(verdict.subject), bound=_plain(verdict.bound))


def answer_of(verdict: Verdict) -> Message:
    """What a record says of a rule, with its status."""
    status = Message(verdict.status)
    if verdict.kind == Kind.FILE:
        return Message(FILE_THERE, status=status, path=verdict.path) if verdict.path else status
    if verdict.value is None or verdict.kind == Kind.SEEDS:
        return Message.of_count(verdict.count, *COUNTED, status=status)
    told = {"value": _plain(verdict.value), "status": status}
    return Message.of_count(verdict.count, *OF_RUNS, **told)


def _plain(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= THOUSANDS else f"{value:.6g}"


def title(finding: Finding) -> str:
    """What stands where the digits of a number would: of an altered line its words."""
    claim = finding.claim
    return repr(claim.number.text) if claim.place == LINE else claim.number.text
