"""The judge: a verdict on each claim, beside all other claims of the site."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import cache

from parsers.grammar.format import METRICS
from parsers.io.message import Message, joined

from ..measure.protocol import Protocol
from ..measure.stated import ESTIMATES
from ..published.labels import Value
from ..published.published_numbers import PublishedNumber
from ..published.published_site import DeadLink
from ..recovery.printed_digits import Printed
from ..recovery.recovery import SIGNIFICANT, Recovered
from .backing_logs import Evidence, contradictions, facts_against
from .claim import Claim
from .finding import Finding, Verdict, sentence
from .findings.missing_logs import without_log
from .log_matching import DECISIVE, conflicts, is_itself
from .printed_numbers import said_of

Opinion = tuple[Verdict, Message] | None

NO_THROUGHPUT = "{log} gives no throughput, so nothing backs the number."
LEADS_ELSEWHERE = "The number matches {log}, but the page links to {linked}."
LINK_IS_DEAD = "its link is dead: {address}"
STATED_ELSEWHERE = "line {line} of {page} states {digits} for the same case"
NEAR = "The number is within {tolerance} of what its log gives."
RANGE = "Every value in the log is between {low} and {high}."
GIVES = (
    "By the stated protocol, the log gives {digits}; the page states {published}, which is {difference} ({percent}%)"
    " {way}."
)
MORE, LESS = "more", "less"
OTHER_FACTS = "No log of this case was found; {log} is of another one ({said})."
NONE_GIVES = "None of the {count} protocols that were searched gives the number"
SOME_GIVE = "{hits} of the {count} protocols that were searched give the number, no more than by chance"
ONE_GIVES = "1 of the {count} protocols that were searched gives the number, no more than by chance"
GIVES_OTHER = "{protocol} gives {digits} ({percent}%)"
GIVES_SAME = "{protocol} gives these digits, too few to prove it"
SEVERAL_LOGS = "{count} logs may be meant"
SEVERAL_RUNS = "its log holds several runs"
ONLY_ITS_NAME = "only its name says that the log is that of the number"
SHARED_LOG = "the same log fits another number of its table"
SAME_TITLES = "another table of the page has another number of this log under the same titles"
OTHER_LOG = "{log}, which is named for another case, gives the number"
OF_ONE = {"card": "the log is that of one card of {count}", "node": "the log is that of one node of {count}"}

MARGIN = 0.001  # of a value, as far as printed values are rounded
MARGIN_OF_CARDS = 0.05  # as far as one card of several may be from another
IN_OTHER_UNITS = (1, 60, 1000, 3600, 10_000, 1_000_000)
MOST_BESIDE = 1000  # numbers with logs in one folder; of so many logs some gives any number


_words = cache(Protocol.words)  # of which there are few, and many numbers have each


class SharedProtocols:
    """The protocols that explain several logs each, ordered once for all claims of a format on as many cards."""

    def __init__(self, claims: Sequence[Claim]) -> None:
        self._claims: dict[object, list[Claim]] = {}
        for claim in (claim for claim in claims if claim.recovered and claim.recovered.explained > 1):
            self._claims.setdefault(_kind(claim), []).append(claim)
        self._known: dict[object, list[Protocol]] = {}

    def of(self, claim: Claim) -> Sequence[Protocol]:
        """Those of the format of a claim, each once: of as many cards first, that of most logs first."""
        key = (_kind(claim), claim.number.case.get("cards"))
        if key not in self._known:
            self._known[key] = self._ordered(*key)
        return self._known[key]

    def _ordered(self, kind: object, cards: Value | None) -> list[Protocol]:
        found = [(c.number.case.get("cards") != cards, c.recovered) for c in self._claims.get(kind, []) if c.recovered]
        found.sort(key=lambda one: (one[0], -one[1].explained))
        return list(dict.fromkeys(recovered.protocol for _, recovered in found))


def _kind(claim: Claim) -> object:
    return claim.best.format, claim.number.seconds is None, claim.number.rate


class Judge:
    """Judges claims; ``tolerance`` is how far, as a fraction, a number may be off and still be near.

    ``unfollowed``: links among the logs that lead elsewhere.
    """

    def __init__(self, claims: Sequence[Claim], tolerance: float, unfollowed: Sequence[str] = ()) -> None:
        self.claims, self.tolerance, self._unfollowed = claims, tolerance, unfollowed
        self._shared = SharedProtocols(claims)
        self.by_log: dict[object, list[Claim]] = {}
        self.by_table: dict[object, list[Claim]] = {}
        self.by_folder: dict[object, list[Claim]] = {}
        for claim in (claim for claim in claims if claim.evidence):
            self.by_log.setdefault(_log(claim), []).extend([claim] if claim.number.may_be_accused else [])
            self.by_table.setdefault(_table(claim), []).append(claim)
            self.by_folder.setdefault(_folder(claim), []).append(claim)

    def findings(self) -> Iterator[Finding]:
        """A finding for each claim, in their order."""
        yield from map(self.finding, self.claims)

    def finding(self, claim: Claim) -> Finding:
        """The finding for one claim of these."""
        if not claim.evidence:
            return without_log(claim, self._unfollowed)
        if claim.printed:
            return self._of_printed(claim, claim.printed)
        protocol = self._protocol(claim)
        given = claim.best.value(protocol) if protocol else None
        if protocol is None or given is None:
            return Finding(claim.number, "no evidence", Message(NO_THROUGHPUT, log=claim.log), claim.log)
        ratio = float(claim.number.value) / given if given else None
        verdict, reason = self._verdict(claim, ratio)
        return Finding(
            number=claim.number,
            verdict=verdict,
            reason=reason,
            log=claim.log,
            protocol=_words(claim.best.stating_run(protocol)),
            computed=claim.best.digits(protocol),
            ratio=ratio,
        )

    def _protocol(self, claim: Claim) -> Protocol | None:
        """The protocol of a claim, that of its log, or of most logs of its format; or any."""
        if claim.stated:
            return claim.printing(claim.stated)
        possible = (claim.printing(one) for one in self._possible(claim))
        return _giving(claim, possible) or _giving(claim, map(claim.printing, _usual(claim)))

    def _possible(self, claim: Claim) -> Iterator[Protocol]:
        if claim.recovered:
            yield claim.recovered.protocol
        else:
            yield from (other.recovered.protocol for other in self.by_log[_log(claim)] if other.recovered)
        yield from self._shared.of(claim)

    def _verdict(self, claim: Claim, ratio: float | None) -> tuple[Verdict, Message]:
        """The first of these that is true. Nothing is said against a number whose log is not certain."""
        if claim.recovered:
            return self._of_explained(claim, claim.recovered)
        near = self._near(ratio)
        if self._doubts(claim) or not claim.number.may_be_accused:
            return near or ("unexplained", self._unexplained(claim))
        facts = facts_against(claim.number, claim.best, came_out=False)
        if not _is_linked(claim) and any(not fact.source.is_name for fact in facts):
            said = joined("{first}; {second}", contradictions(claim.number, claim.best, came_out=False))
            return "no evidence", Message(OTHER_FACTS, log=claim.log, said=said)
        out_of_range = _impossible(claim) if _is_linked(claim) and not facts else None
        if out_of_range and not claim.stated and (other := self._other_giving(claim)):
            return "unexplained", self._unexplained(claim, other)
        return out_of_range or near or _against_stated(claim) or ("unexplained", self._unexplained(claim))

    def _of_printed(self, claim: Claim, printed: Printed) -> Finding:
        said, found = said_of(printed), contradictions(claim.number, claim.best)
        verdict: Verdict = "mislabelled" if found and _may_be_mislabelled(claim) else "exact"
        reason = sentence([*said, *(found if verdict == "mislabelled" else ())])
        return Finding(claim.number, verdict, reason, claim.log, computed=claim.number.digits, ratio=1.0)

    def _of_explained(self, claim: Claim, recovered: Recovered) -> tuple[Verdict, Message]:
        if claim.backing is None and claim.number.may_be_accused:
            linked = claim.match.backings[0].log.path
            return "mislabelled", Message(LEADS_ELSEWHERE, log=claim.log, linked=linked)
        said, found = [claim.explanation(recovered), *_without_format(claim)], contradictions(claim.number, claim.best)
        if found and _may_be_mislabelled(claim):
            return "mislabelled", sentence([*said, *found])
        said += found if _without_format(claim) else []
        said += claim.other_units
        said += map(_is_dead, claim.match.dead[:1])
        return "exact", sentence(said)

    def _other_giving(self, claim: Claim) -> Evidence | None:
        """Another log of the folder that gives the digits of a number, and hardly by chance; None where none does.

        The number may be right then, and the name of one of both logs wrong. Where the other log gives these digits to
        a number of its own case, they only stand in the wrong place.
        """
        beside = self.by_folder[_folder(claim)]
        if len(beside) > MOST_BESIDE:
            return None
        same = {other.log for other in beside if other.recovered and other.number.value == claim.number.value}
        logs = {other.log: other.best for other in beside if other.log not in same | {claim.log}}
        giving = (log for log in logs.values() if log.searched.hits(claim.number.digits).any())
        return next((log for log in giving if log.searched.chance(claim.number.digits) * len(logs) < SIGNIFICANT), None)

    def _doubts(self, claim: Claim) -> list[Message]:
        """Why it is not certain that the log is that of the number."""
        paths = {evidence.log.path for evidence in claim.evidence}
        doubts = [Message(SEVERAL_LOGS, count=len(paths))] if claim.is_ambiguous else []
        doubts += _without_format(claim)
        doubts += [Message(ONLY_ITS_NAME)] if claim.number.column_name and not _is_linked(claim) else []
        doubts += [Message(SEVERAL_RUNS)] if any(evidence.run for evidence in claim.evidence) else []
        doubts += claim.other_measures
        doubts += [_is_dead(dead) for dead in claim.match.dead if is_itself(claim.number, dead)]
        table = (other for other in self.by_table[_table(claim)] if other.log == claim.log)
        if not claim.stated and any(other.number.value != claim.number.value for other in table):
            doubts.append(Message(SHARED_LOG))
        others = (other.number for other in self.by_log[_log(claim)])
        if not claim.stated and any(_is_apart(claim.number, o) and _disagree(claim.number, o) for o in others):
            doubts.append(Message(SAME_TITLES))
        return doubts

    def _unexplained(self, claim: Claim, giving: Evidence | None = None) -> Message:
        """What was searched, what the protocol of most logs gives, and why the log is not certain."""
        hits = max(int(evidence.searched.hits(claim.number.digits).sum()) for evidence in claim.evidence)
        key = ONE_GIVES if hits == 1 else SOME_GIVE if hits else NONE_GIVES
        said = [Message(key, hits=hits, count=2 * len(claim.evidence[0].searched.protocols))]
        protocol = next(iter(self._shared.of(claim)), None)
        if protocol and (gives := _what_it_gives(claim, protocol)):
            said.append(gives)
        scope, count = claim.best.one_of
        said += [Message(OF_ONE[scope], count=count)] if count > 1 else []
        said += [*self._doubts(claim), *contradictions(claim.number, claim.best, came_out=False)]
        said += [Message(OTHER_LOG, log=giving.log.path)] if giving else []
        others = (other for other in self.by_log[_log(claim)] if _table(other) != _table(claim))
        if other := next((other for other in others if _disagree(claim.number, other.number)), None):
            page = f"{other.number.page.parent.name}/{other.number.page.name}"
            said.append(Message(STATED_ELSEWHERE, line=other.number.line, page=page, digits=other.number.digits))
        return sentence(said)

    def _near(self, ratio: float | None) -> Opinion:
        if ratio is None or abs(ratio - 1) > self.tolerance or not self.tolerance:
            return None
        return "near", Message(NEAR, tolerance=f"{self.tolerance:.2%}")


def _is_dead(dead: DeadLink) -> Message:
    return Message(LINK_IS_DEAD, address=dead.link.address)


def _giving(claim: Claim, possible: Iterable[Protocol]) -> Protocol | None:
    """The first of some protocols that the log of a claim allows."""
    return next((one for one in possible if claim.best.value(one) is not None), None)


def _usual(claim: Claim) -> Iterator[Protocol]:
    """The plain protocols, of what a log prints before what can be computed, where nothing tells which was used."""
    is_of_steps = claim.number.seconds or claim.number.rate == "steps"
    for estimate in ("steps",) if is_of_steps else ESTIMATES:
        for kind in METRICS:
            is_last = kind == "summary" and estimate not in ("steps", "clock")
            yield Protocol.of({"records": kind, "estimate": estimate, **({"statistic": "last"} if is_last else {})})


def _without_format(claim: Claim) -> list[Message]:
    """How the log of a claim was read, where no known format reads its speed."""
    without = claim.best.log.without
    return [without] if without else []


def _may_be_mislabelled(claim: Claim) -> bool:
    """Whether what its log says against the labels of a number accuses it: only where a format reads it."""
    return claim.number.may_be_accused and not _without_format(claim)


def _impossible(claim: Claim) -> Opinion:
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


def _against_stated(claim: Claim) -> Opinion:
    """What the protocol that a page file states says against a number."""
    digits = claim.best.digits(claim.printing(claim.stated)) if claim.stated else None
    if digits is None or (difference := claim.number.value - Decimal(digits)) == 0:
        return None
    told = {"published": claim.number.digits, "difference": f"{abs(difference):f}"}
    told |= {"digits": digits, "percent": _percent(abs(difference), Decimal(digits))}
    return "contradicted", Message(GIVES, **told, way=Message(MORE if difference > 0 else LESS))


def _what_it_gives(claim: Claim, protocol: Protocol) -> Message | None:
    """What a protocol that may be that of a number gives."""
    protocol = claim.printing(protocol)
    digits = claim.best.digits(protocol)
    if digits is None:
        return None
    if digits == claim.number.digits:
        return Message(GIVES_SAME, protocol=_words(protocol))
    difference = Decimal(digits) - claim.number.value
    sign = "+" if difference > 0 else "-"
    percent = sign + _percent(abs(difference), claim.number.value)
    return Message(GIVES_OTHER, protocol=_words(protocol), digits=digits, percent=percent)


def _percent(difference: Decimal, of: Decimal) -> str:
    """A difference in per cent, to three digits, in plain digits."""
    share = 100 * difference / of if of else Decimal(0)
    return format(share.quantize(Decimal(1).scaleb(min(share.adjusted() - 2, 0))), "f")


def _is_linked(claim: Claim) -> bool:
    """Whether the page of a claim links to its log, or a page file states it."""
    return claim.stated is not None or (claim.backing is not None and claim.backing.page == claim.number.page)


def _table(claim: Claim) -> object:
    """What is compared with each other: the numbers of one quantity in one table."""
    return claim.number.page, claim.number.table, claim.number.measure


def _log(claim: Claim) -> object:
    return claim.log, claim.number.measure


def _folder(claim: Claim) -> object:
    """What may lie under each other's names: the logs of one format in one folder."""
    return claim.best.log.folder, claim.best.format, claim.number.measure


def _is_apart(one: PublishedNumber, other: PublishedNumber) -> bool:
    """Whether two tables of a page have a number under the same titles: what stands above tells them apart."""
    return one.table != other.table and (one.page, one.row, one.column) == (other.page, other.row, other.column)


def _disagree(one: PublishedNumber, other: PublishedNumber) -> bool:
    """Whether two numbers of one case are not one that was rounded differently."""
    differ = abs(one.value - other.value) > Decimal(1).scaleb(-min(one.decimals, other.decimals))
    return differ and not conflicts(one.case, other.case, (*DECISIVE, "batch_size"))
