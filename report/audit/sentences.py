"""Sentences: what a finding says, made of its values for each language; nothing reads them."""

from collections.abc import Mapping, Sequence

from parsers.io.message import Message, joined

from ..measure.number import digits
from .board import Kind, Verdict
from .chance import Hit, Means
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
# Statistics of a series in a log, and of these over several logs.
_STATISTICS: Mapping[str, str] = {
    LAST: "the last value",
    MEAN: "the mean",
    LEAST: "the least value",
    GREATEST: "the greatest value",
    "std": "the standard deviation",
    "std of all": "the standard deviation",
}
THOUSANDS = 10_000  # from which a value of a board is told without decimals
OF_RECORD = "{where} holds {count} numbers of its row"
OF_ONE_RECORD = "{where} holds it"
OF_VALUES = "{where} holds it; {series} there holds {count} numbers of its row or column"
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
}
AT_LEAST = ("at least {count} run", "at least {count} runs")
FILE_THERE = "{status}: {path}"
COUNTED = ("{status}: {count} run", "{status}: {count} runs")
OF_RUNS = ("{status}: {value} in {count} run", "{status}: {value} in {count} runs")


def reason(finding: Finding) -> Message:
    """Why a finding has its ruling; a negative one states its scope."""
    hit = finding.hit
    if finding.why:
        return finding.why
    if hit is None:
        if finding.ruling == Ruling.NO_MEASUREMENT:
            return Message(finding.claim.quantity)
        nothing = Message(NOTHING_THERE)
        return Message.of_count(finding.logs, *SCOPE) if finding.ruling == Ruling.UNEXPLAINED else nothing
    if finding.ruling == Ruling.CONTRADICTED:
        return _broken(hit)
    said = _how(hit, finding.together)
    said = Message(CUT, said=said) if hit.rounding == TRUNCATED else said
    said = Message(CHANCE, said=said, chance=f"{finding.chance:.0e}") if finding.chance else said
    if finding.ruling == Ruling.DIFFERS:
        said = Message(NEAREST, value=_shown(hit), said=said)
    elif finding.ruling == Ruling.AGREES:
        said = Message(TOO_FEW, said=said)
    elif finding.labels.agreement == Agreement.CONTRADICTED:
        said = Message(AGAINST, said=said, axes=_axes(finding.labels))
    return said


def _how(hit: Hit, together: int) -> Message:
    """The rule that gives a value, and where it stands."""
    rule, where = hit.rule, f"{hit.path}:{hit.line}" if hit.line else hit.path
    if rule.means == Means.RENDERED:
        return Message(AS_RENDERED)
    if rule.means == Means.QUOTE:
        return Message(OF_QUOTE, where=where)
    if rule.means == Means.FORMULA:
        return Message(OF_FORMULA, formula=Message(rule.name), operands=_operands(hit))
    if rule.means in (Means.RECORD, Means.SERIES):
        many = OF_RECORD if rule.means == Means.RECORD else OF_VALUES
        return Message(many if together > 1 else OF_ONE_RECORD, count=together, where=where, series=rule.name)
    if rule.means == Means.PROTOCOL:
        said = Message(OF_PROTOCOL, where=where, protocol=rule.name)
    else:
        told = {"where": where, "series": rule.name, "statistic": Message(_STATISTICS[rule.of])}
        if rule.over:
            return Message(OF_LOGS, over=Message(_STATISTICS[rule.over]), count=rule.count, **told)
        said = Message(OF_SERIES, **told)
    return Message(TOGETHER, said=said, count=together) if together > 1 else said


def _shown(hit: Hit) -> str:
    return f"{hit.value:.10g}"


def _broken(hit: Hit) -> Message:
    """What a contradicted number is to be."""
    rule = hit.rule
    if rule.means == Means.RENDERED:
        return Message(TO_BE, right=repr(rule.name)) if rule.name else Message(TO_BE_LEFT_OUT)
    if rule.means == Means.RUN:
        told = {"path": hit.path, "line": hit.line, "series": rule.name, "count": rule.count}
        return Message(OF_RUN, value=_shown(hit), **told)
    kept, count = rule.peers
    told = {"formula": Message(rule.name), "operands": _operands(hit), "value": digits(hit.value)}
    return Message(BROKEN if count > 1 else BROKEN_ALONE, kept=kept, count=count, **told)


def _operands(hit: Hit) -> str:
    """Where the numbers stand that a value is computed from: all of a few, the ends of many."""
    places = list(hit.places)
    return ", ".join(places if len(places) <= 3 else (places[0], "...", places[-1]))


def _axes(labels: Compared) -> Message:
    each: Sequence[Message] = [Message(AXIS, axis=axis.replace("_", " "), value=log) for axis, _, log in labels.axes]
    return joined("{first}, {second}", each)


def rule_of(verdict: Verdict) -> Message:
    """What a rule of a board asks for."""
    if verdict.kind == Kind.SEEDS:
        return Message.of_count(int(verdict.bound or 0), *AT_LEAST)
    return Message(_RULES[verdict.kind], subject=Message(verdict.subject), bound=_plain(verdict.bound))


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
