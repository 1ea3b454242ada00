"""Accusations: what can be said against a number that its log does not give, and only where it is certain."""

from collections.abc import Sequence
from decimal import Decimal

from parsers.io.message import Message

from .backing_logs import Evidence
from .claim import BY_STATED, Claim
from .finding import Verdict
from .log_copies import line_against, word_against
from .log_matching import conflicts, stated
from .neighbours import KnownProtocol, is_out_of_reach, is_typo

Opinion = tuple[Verdict, Message] | None

BY_NEIGHBOURS = "the protocol of {count} other logs in the table"
GIVES = "By {protocol}, the log gives {digits}; the page states {published}, which is {difference} ({percent}%) {way}."
MORE, LESS = "more", "less"
STATED_BY_OWNER = (
    "Line {line} of {page}, which links to the log, states {digits} for the same case; {published} is {difference}"
    " ({percent}%) {way}, and farther from what the log gives."
)
GIVEN_ELSEWHERE = (
    "Line {line} of {page} states {digits} for the same case, which its log gives; {published} is {difference}"
    " ({percent}%) {way}."
)
ONE_DIGIT_ELSEWHERE = (
    "Line {line} of {page} states {digits} for the same case, which its log gives; one digit of {published} is wrong:"
    " it is {percent}% {way}."
)
ONE_DIGIT = "By {protocol}, the log gives {digits}; one digit of {published} is wrong: it is {percent}% {way}."
COPY = "The log {log} is byte for byte the same as {copy}, the log of another case."
COPY_BY_LINE = "The log {log} has the same records as {copy}, the log of another case ({source}: {said})."
COPY_BY_WORD = "The log {log} has the same records as {copy}, the log of another case (its text names {word})."
RANGE = "Every value in the log is between {low} and {high}."
GIVES_OTHER = "{protocol} gives {digits} ({percent}%)"
GIVES_SAME = "{protocol} gives these digits, too few to prove it"
OF_NEIGHBOURS = "that of {count} other logs in the table"

MARGIN = 0.001  # of a value, as far as printed values are rounded
MARGIN_OF_CARDS = 0.05  # as far as one card of several may be from another
UNLIKE = 0.05  # of a value, as far as numbers by two rules may be from each other
IN_OTHER_UNITS = (1, 60, 1000, 3600, 10_000, 1_000_000)


def impossible(claim: Claim) -> Opinion:
    """Whether a number is outside the range of its log, in whatever unit and for however many cards it may be meant."""
    ranges = [evidence.searched for evidence in claim.evidence]
    scope, _ = claim.best.one_of
    if scope == "node":
        return None
    margin = MARGIN if scope == "job" else MARGIN_OF_CARDS
    number, half = float(claim.number.value), float(Decimal(1).scaleb(-claim.number.decimals)) / 2
    for factor in _factors(claim):
        low, high = (number - half) * factor, (number + half) * factor
        if any(high >= one.low * (1 - margin) and low <= one.high * (1 + margin) for one in ranges):
            return None
    if any(one.low != one.low for one in ranges):
        return None
    return "impossible", Message(RANGE, low=f"{ranges[0].low:.6g}", high=f"{ranges[0].high:.6g}")


def _factors(claim: Claim) -> set[float]:
    """What makes a number one of other units, or of one card, one node, or one batch."""
    facts = {axis: fact.value for axis, fact in claim.best.facts.items() if isinstance(fact.value, int) and fact.value}
    counts = {facts.get(axis, 1) for axis in ("cards", "nodes", "batch_size", "job_batch_size")} | {*IN_OTHER_UNITS}
    return {float(count) for count in counts} | {1 / count for count in counts}


def against(claim: Claim, known: KnownProtocol | None) -> Opinion:
    """What a known protocol says against a number; that of its neighbours only where no other comes as far."""
    digits = claim.best.digits(known.protocol) if known else None
    if known is None or digits is None or _is_only_rounded(claim, digits, is_stated=known.logs == 0):
        return None
    if known.logs and _is_in_another_unit(claim, float(digits)):
        return None
    protocol = Message(BY_NEIGHBOURS, count=known.logs) if known.logs else Message(BY_STATED)
    values = {"protocol": protocol, "digits": digits, **compared(claim, digits)}
    if is_typo(claim, known):
        return "typo", Message(ONE_DIGIT, **values)
    if known.logs and (not is_out_of_reach(claim) or claim.best.one_of[0] == "node"):
        return None
    return "contradicted", Message(GIVES, **values)


def against_exact(claim: Claim, other: Claim) -> tuple[Verdict, Message]:
    """What is said of a number for whose case another table states what the log of both gives."""
    values = {**place(other), **compared(claim, other.number.digits)}
    found = other.recovered
    if found and is_typo(claim, KnownProtocol(claim.printing(found.protocol), found.explained)):
        return "typo", Message(ONE_DIGIT_ELSEWHERE, **values)
    return "stale", Message(GIVEN_ELSEWHERE, **values)


def against_owner(claim: Claim, other: Claim) -> tuple[Verdict, Message]:
    """What is said of a number for whose case the page that links to the log states one that is nearer to it."""
    return "stale", Message(STATED_BY_OWNER, **place(other), **compared(claim, other.number.digits))


def place(claim: Claim) -> dict[str, object]:
    """Where a number stands, and its digits, for a message."""
    number = claim.number
    page = f"{number.page.parent.name}/{number.page.name}"
    return {"line": number.line, "page": page, "digits": number.digits}


def _is_in_another_unit(claim: Claim, given: float) -> bool:
    """Whether a number is what its log gives, but for the unit, or for the cards that it may be of."""
    number = float(claim.number.value)
    return any(factor != 1 and abs(number * factor - given) <= UNLIKE * given for factor in _factors(claim))


def _is_only_rounded(claim: Claim, digits: str, *, is_stated: bool) -> bool:
    """Whether a number is the other one, or differs by no more than its last digit, as another rounding makes it."""
    away = abs(claim.number.value - Decimal(digits))
    return away == 0 or (not is_stated and away <= Decimal(1).scaleb(-claim.number.decimals))


def compared(claim: Claim, digits: str) -> dict[str, object]:
    """How a number compares with another one, for a message: by how much and how many per cent it is more or less."""
    difference = claim.number.value - Decimal(digits)
    return {
        "published": claim.number.digits,
        "difference": f"{abs(difference):f}",
        "percent": _percent(abs(difference), Decimal(digits)),
        "way": Message(MORE if difference > 0 else LESS),
    }


def what_it_gives(claim: Claim, known: KnownProtocol) -> Message | None:
    """What a protocol that may be that of a number gives."""
    protocol = claim.printing(known.protocol)
    digits = claim.best.digits(protocol)
    if digits is None:
        return None
    words = Message(OF_NEIGHBOURS, count=known.logs) if known.logs > 1 else protocol.words()
    if digits == claim.number.digits:
        return Message(GIVES_SAME, protocol=words)
    difference = Decimal(digits) - claim.number.value
    sign = "+" if difference > 0 else "-"
    return Message(
        GIVES_OTHER, protocol=words, digits=digits, percent=sign + _percent(abs(difference), claim.number.value)
    )


def _percent(difference: Decimal, of: Decimal) -> str:
    """A difference in per cent, to three digits, in plain digits."""
    share = 100 * difference / of if of else Decimal(0)
    return format(share.quantize(Decimal(1).scaleb(min(share.adjusted() - 2, 0))), "f")


def copied_by_line(claim: Claim, copy: Evidence, others: Sequence[Claim]) -> Message | None:
    """The same as ``copied``, where a line of the log says so."""
    if not others or not (found := line_against(claim.best.log, claim.number.case, copy.log)):
        return None
    axis, value, source = found
    return Message(COPY_BY_LINE, log=claim.log, copy=copy.log.path, source=source, said=stated(axis, value))


def copied(claim: Claim, copy: Evidence, others: Sequence[Claim]) -> Message | None:
    """Why the log of a claim is that of another case, whose numbers are ``others``; None where it may not be."""
    log, paths = claim.best.log, {"log": claim.log, "copy": copy.log.path}
    if not others:
        return None
    is_same = copy.reading.sha256 == claim.best.reading.sha256
    axes = ("cards", "nodes", "precision", "device", "framework")
    if is_same and any(o.recovered and conflicts(o.number.case, claim.number.case, axes) for o in others):
        return Message(COPY, **paths)
    word = word_against(log, copy.log)
    return Message(COPY_BY_WORD, **paths, word=word) if word else None
