"""The judge: a verdict on each claim, beside all other claims of the site."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cache

from parsers.grammar.format import METRICS
from parsers.io.message import Message, joined

from ..measuring.crosscheck import chosen
from ..measuring.measurement import NoMeasurement
from ..measuring.protocol import Protocol
from ..published.published_numbers import PublishedNumber
from ..published.published_site import DeadLink
from ..recovery.printed_digits import Printed
from ..recovery.recovery import Recovered
from .accusation import (
    Opinion,
    against,
    against_exact,
    against_owner,
    copied,
    copied_by_line,
    impossible,
    place,
    what_it_gives,
)
from .backing_logs import Evidence, contradictions, facts_against
from .claim import Claim
from .finding import Finding, Verdict, sentence
from .findings.missing_logs import without_log
from .log_copies import LogCopies
from .log_matching import DECISIVE, conflicts, is_itself, stated
from .neighbours import KnownProtocol, SharedProtocols, is_out_of_reach, known_protocol, other_giving
from .printed_numbers import said_of

NO_THROUGHPUT = "{log} gives no throughput, so nothing backs the number."
LEADS_ELSEWHERE = "The number matches {log}, but the page links to {linked}."
LINK_IS_DEAD = "its link is dead: {address}"
STATED_ELSEWHERE = "line {line} of {page} states {digits} for the same case"
OTHER_CASE = "The page links to {log}, the log of another case ({said})."
NEAR = "The number is within {tolerance} of what its log gives."
OTHER_FACTS = "No log of this case was found; {log} is of another one ({said})."
NONE_GIVES = "None of the {count} protocols that were searched gives the number"
SOME_GIVE = "{hits} of the {count} protocols that were searched give the number, no more than by chance"
ONE_GIVES = "1 of the {count} protocols that were searched gives the number, no more than by chance"
SEVERAL_LOGS = "{count} logs may be meant"
SEVERAL_RUNS = "its log holds several runs"
ONLY_ITS_NAME = "only its name says that the log is that of the number"
SHARED_LOG = "the same log fits another number of its table"
SAME_TITLES = "another table of the page has another number of this log under the same titles"
OTHER_LOG = "{log}, which is named for another case, gives the number"
AGAINST: tuple[Verdict, ...] = ("stale", "impossible", "typo", "contradicted")
OF_ONE = {"card": "the log is that of one card of {count}", "node": "the log is that of one node of {count}"}


_words = cache(Protocol.words)  # of which there are few, and many numbers have each


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
        self.copies = LogCopies(evidence for claim in claims for evidence in claim.evidence)

    def findings(self) -> Iterator[Finding]:
        """A finding for each claim, in their order."""
        yield from map(self.finding, self.claims)

    def finding(self, claim: Claim) -> Finding:
        """The finding for one claim of these."""
        if not claim.evidence:
            return without_log(claim, self._unfollowed)
        if claim.printed:
            return self._of_printed(claim, claim.printed)
        known = None if claim.recovered else known_protocol(claim, self.by_table[_table(claim)])
        protocol = self._protocol(claim, known)
        measured = claim.best.measured(protocol) if protocol else None
        if protocol is None or measured is None:
            return Finding(claim.number, "no evidence", Message(NO_THROUGHPUT, log=claim.log), claim.log)
        given = claim.best.number(measured)
        ratio = float(claim.number.value) / given if given else None
        verdict, reason = self._verdict(claim, known, ratio)
        return Finding(
            number=claim.number,
            verdict=verdict,
            reason=reason,
            log=claim.log,
            protocol=_words(claim.best.stating_run(protocol)),
            computed=claim.best.digits(protocol),
            ratio=ratio,
        )

    def _protocol(self, claim: Claim, known: KnownProtocol | None) -> Protocol | None:
        """The protocol of a claim, that of its neighbours, of its log, or of most logs of its format; or any."""
        if claim.stated:
            return claim.printing(claim.stated)
        possible = (claim.printing(one) for one in self._possible(claim, known))
        return next((one for one in possible if claim.best.measured(one)), None) or _any_protocol(claim)

    def _possible(self, claim: Claim, known: KnownProtocol | None) -> Iterator[Protocol]:
        if claim.recovered:
            yield claim.recovered.protocol
        else:
            yield from (other.recovered.protocol for other in self.by_log[_log(claim)] if other.recovered)
            yield from (known.protocol,) if known else ()
        yield from (one.protocol for one in self._shared.of(claim))

    def _verdict(self, claim: Claim, known: KnownProtocol | None, ratio: float | None) -> tuple[Verdict, Message]:
        """The first of these that is true. Nothing is said against a number whose log is not certain."""
        if claim.recovered:
            return self._of_explained(claim, claim.recovered)
        unexplained: tuple[Verdict, Message] = "unexplained", self._unexplained(claim, known)
        if misfiled := self._misfiled(claim):
            return misfiled
        if self._doubts(claim) or not claim.number.may_be_accused:
            return self._near(ratio) or unexplained
        facts = facts_against(claim.number, claim.best, came_out=False)
        is_linked = _is_linked(claim)
        opinions = (
            self._stale(claim),
            _vetoed(claim) if not is_linked and any(not fact.source.is_name for fact in facts) else None,
            impossible(claim) if is_linked and not facts else None,
            self._near(ratio),
            against(claim, known) if claim.stated or not facts else None,
        )
        opinion = next((opinion for opinion in opinions if opinion), unexplained)
        accuses = opinion[0] in AGAINST and not claim.stated
        other = other_giving(claim, self.by_folder[_folder(claim)]) if accuses else None
        return ("unexplained", self._unexplained(claim, known, other)) if other else opinion

    def _of_printed(self, claim: Claim, printed: Printed) -> Finding:
        said, found = said_of(printed), contradictions(claim.number, claim.best)
        verdict: Verdict = "mislabelled" if found and _may_be_mislabelled(claim) else "exact"
        reason = sentence([*said, *(found if verdict == "mislabelled" else ())])
        return Finding(claim.number, verdict, reason, claim.log, computed=claim.number.digits, ratio=1.0)

    def _of_explained(self, claim: Claim, recovered: Recovered) -> tuple[Verdict, Message]:
        if claim.backing is None and claim.number.may_be_accused:
            linked = claim.match.backings[0].log.path
            return "misfiled", Message(LEADS_ELSEWHERE, log=claim.log, linked=linked)
        said, found = [claim.explanation(recovered), *_without_format(claim)], contradictions(claim.number, claim.best)
        if found and _may_be_mislabelled(claim):
            return "mislabelled", sentence([*said, *found])
        said += found if _without_format(claim) else []
        said += claim.other_units
        said += map(_is_dead, claim.match.dead[:1])
        return "exact", sentence(said)

    def _stale(self, claim: Claim) -> Opinion:
        """Whether another table states the number that the log gives for the same case.

        Or no usual protocol gives the number, and the page that links to the log states one that is nearer to it.
        """
        others = (other for other in self.by_log[_log(claim)] if _table(other) != _table(claim))
        if exact := next((o for o in others if o.recovered and _disagree(claim.number, o.number)), None):
            return against_exact(claim, exact)
        if _is_linked(claim) or not is_out_of_reach(claim):
            return None
        linked = filter(_is_linked, self.by_log[_log(claim)])
        owners = (other for other in linked if _disagree(claim.number, other.number))
        owner = next((other for other in owners if _is_nearer(other, claim)), None)
        return against_owner(claim, owner) if owner else None

    def _misfiled(self, claim: Claim) -> Opinion:
        """Whether the linked log is another case's: its own name says so, or it is a copy of another one."""
        backing = claim.backing if claim.number.may_be_accused else None
        if backing and backing.link and (axes := conflicts(claim.number.case, backing.log.named)):
            said = joined("{first}, {second}", (stated(axis, backing.log.named[axis]) for axis in axes))
            return "misfiled", Message(OTHER_CASE, log=backing.log.path, said=said)
        if claim.is_ambiguous or not claim.number.may_be_accused:
            return None
        copies = [(copy, self._of_other_number(claim, copy)) for copy in self.copies.of(claim.best)]
        found = (accuse(claim, *copy) for accuse in (copied_by_line, copied) for copy in copies)
        return next((("misfiled", said) for said in found if said), None)

    def _of_other_number(self, claim: Claim, copy: Evidence) -> list[Claim]:
        """The numbers that a copy backs of other cases than a claim; the same number is no other case."""
        others = self.by_log.get((copy.log.path, claim.number.measure), ())
        return [other for other in others if other.number.value != claim.number.value and not other.is_ambiguous]

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

    def _unexplained(self, claim: Claim, known: KnownProtocol | None, giving: Evidence | None = None) -> Message:
        """What was searched, what a known protocol gives, and why the log is not certain."""
        hits = max(int(evidence.searched.hits(claim.number.digits).sum()) for evidence in claim.evidence)
        key = ONE_GIVES if hits == 1 else SOME_GIVE if hits else NONE_GIVES
        said = [Message(key, hits=hits, count=2 * len(claim.evidence[0].searched.protocols))]
        protocol = known or next((KnownProtocol(one.protocol, 1) for one in self._shared.of(claim)), None)
        if protocol and (gives := what_it_gives(claim, protocol)):
            said.append(gives)
        scope, count = claim.best.one_of
        said += [Message(OF_ONE[scope], count=count)] if count > 1 else []
        said += [*self._doubts(claim), *contradictions(claim.number, claim.best, came_out=False)]
        said += [Message(OTHER_LOG, log=giving.log.path)] if giving else []
        others = (other for other in self.by_log[_log(claim)] if _table(other) != _table(claim))
        if other := next((other for other in others if _disagree(claim.number, other.number)), None):
            said.append(Message(STATED_ELSEWHERE, **place(other)))
        return sentence(said)

    def _near(self, ratio: float | None) -> Opinion:
        if ratio is None or abs(ratio - 1) > self.tolerance or not self.tolerance:
            return None
        return "near", Message(NEAR, tolerance=f"{self.tolerance:.2%}")


def _is_dead(dead: DeadLink) -> Message:
    return Message(LINK_IS_DEAD, address=dead.link.address)


def _any_protocol(claim: Claim) -> Protocol | None:
    """The protocol that `show` would choose, or the first that gives the time of a step."""
    if claim.number.seconds or claim.number.rate == "steps":
        known = (Protocol.of({"records": kind, "estimate": "steps"}) for kind in METRICS)
        return next((claim.printing(one) for one in known if claim.best.measured(one)), None)
    try:
        return claim.printing(chosen(claim.best.part, claim.best.facts).protocol)
    except NoMeasurement:
        return None


def _is_nearer(one: Claim, other: Claim) -> bool:
    """Whether one number of a log is nearer to the values of all protocols in the middle than another one."""
    middle = one.best.searched.middle
    return abs(float(one.number.value) - middle) < abs(float(other.number.value) - middle)


def _without_format(claim: Claim) -> list[Message]:
    """How the log of a claim was read, where no known format reads its speed."""
    without = claim.best.log.without
    return [without] if without else []


def _may_be_mislabelled(claim: Claim) -> bool:
    """Whether what its log says against the labels of a number accuses it: only where a format reads it."""
    return claim.number.may_be_accused and not _without_format(claim)


def _vetoed(claim: Claim) -> tuple[Verdict, Message]:
    """What is said of a log that only its name speaks for, and whose lines are those of another case."""
    said = joined("{first}; {second}", contradictions(claim.number, claim.best, came_out=False))
    return "no evidence", Message(OTHER_FACTS, log=claim.log, said=said)


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
