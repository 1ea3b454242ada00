"""The judge: a verdict on each claim, beside all other claims of the site."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from parsers.io.message import Message, joined

from ..measuring.crosscheck import chosen
from ..measuring.measurement import NoMeasurement
from ..measuring.protocol import Protocol
from ..recovery.recovery import Recovered
from .backing_logs import conflicts, contradictions, stated
from .claim import Claim
from .finding import Finding, Verdict, sentence
from .published_numbers import PublishedNumber

Opinion = tuple[Verdict, Message] | None

NO_THROUGHPUT = "{log} gives no throughput, so nothing backs the number."
GIVES_THESE = "The log gives these digits, {rounded}, by {protocol}"
ROUNDED = {"half_up": "rounded half up", "truncate": "truncated"}
BY_STATED = "the stated protocol"
BY_ALONE = "a protocol that explains this log alone"
BY_SEVERAL = "a protocol that explains {count} logs"
LEADS_ELSEWHERE = "The number matches {log}, but the page links to {linked}."
LINK_IS_DEAD = "its link is dead: {address}"
GIVES_ANOTHER = "The log gives another number"
GIVES_TIMES = "The number is {ratio} times what its log gives"
GIVEN_ELSEWHERE = "Line {line} of {page} states {digits} for the same case, which its log gives."
STATED_ELSEWHERE = "Line {line} of {page} states {digits} for the same case; the log gives another number."
STATED_ELSEWHERE_TIMES = (
    "Line {line} of {page} states {digits} for the same case; the number is {ratio} times what its log gives."
)
OTHER_CASE = "The page links to {log}, the log of another case ({said})."
COPY = "The log {log} is byte for byte {copy}, that of another case."
NEAR = "The number is within {tolerance} of what its log gives."
DEAD = "The link {text} points to {address}, which does not exist, and no other log was found."
NO_LOG = "{log} is not in a known log format."
NOT_FOUND = "No log of this case was found."
NOT_FOLLOWED = (
    "No log of this case was found. {link} leads out of the folder and was not followed; --logs FOLDER names another"
    " one."
)
SEVERAL_NOT_FOLLOWED = (
    "No log of this case was found. {link} and other links lead out of the folder and were not followed; --logs FOLDER"
    " names another one."
)
RANGE = "Every value in the log is between {low} and {high}."


class Judge:
    """Judges claims; ``tolerance`` is how far, as a fraction, a number may be off and still be near.

    ``unfollowed``: links among the logs that lead elsewhere.
    """

    def __init__(self, claims: Sequence[Claim], tolerance: float, unfollowed: Sequence[str] = ()) -> None:
        self.claims, self.tolerance, self._unfollowed = claims, tolerance, unfollowed
        self.by_log: dict[str, list[Claim]] = {}
        for claim in claims:
            if claim.evidence:
                self.by_log.setdefault(claim.log, []).append(claim)

    def findings(self) -> Iterator[Finding]:
        """A finding for each claim, in their order."""
        yield from map(self.finding, self.claims)

    def finding(self, claim: Claim) -> Finding:
        """The finding for one claim of these."""
        if not claim.evidence:
            return _without_log(claim, self._unfollowed)
        protocol = self._protocol(claim)
        measured = claim.best.measured(protocol) if protocol else None
        if protocol is None or measured is None:
            return Finding(claim.number, "no evidence", Message(NO_THROUGHPUT, log=claim.log), claim.log)
        ratio = float(claim.number.value) / measured.value if measured.value else None
        verdict, reason = self._verdict(claim, ratio)
        return Finding(
            number=claim.number,
            verdict=verdict,
            reason=reason,
            log=claim.log,
            protocol=protocol.words(),
            computed=claim.best.digits(protocol),
            ratio=ratio,
        )

    def _protocol(self, claim: Claim) -> Protocol | None:
        """The protocol of a claim, that of other numbers of its log, that of most logs of its column, or any."""
        if claim.stated:
            return claim.stated.printing(claim.number.digits)
        others = [other.recovered for other in self.by_log[claim.log] if other.recovered]
        own = [claim.recovered] if claim.recovered else others
        for recovered in [*own, *self._of_column(claim)]:
            protocol = recovered.protocol.printing(claim.number.digits)
            if claim.best.measured(protocol):
                return protocol
        return _any_protocol(claim)

    def _of_column(self, claim: Claim) -> list[Recovered]:
        """The protocols of several logs of the same format, on as many cards first, that of most logs first."""
        cards = claim.number.case.get("cards")
        known = [
            (other.number.case.get("cards") != cards, -other.recovered.explained, other.recovered)
            for other in self.claims
            if other.recovered and other.recovered.explained > 1 and other.best.format == claim.best.format
        ]
        return [recovered for *_, recovered in sorted(known, key=lambda found: found[:2])]

    def _verdict(self, claim: Claim, ratio: float | None) -> tuple[Verdict, Message]:
        """The first of these that is true; a number that does not come out is at least different."""
        if claim.recovered:
            return self._of_explained(claim, claim.recovered)
        opinions = (
            self._stale(claim, ratio),
            self._misfiled(claim),
            _impossible(claim),
            self._near(ratio),
        )
        said = [_gives(ratio), *contradictions(claim.number, claim.best)]
        last: Verdict = "contradicted" if claim.stated else "unexplained"
        return next((opinion for opinion in opinions if opinion), (last, sentence(said)))

    def _of_explained(self, claim: Claim, recovered: Recovered) -> tuple[Verdict, Message]:
        if claim.backing is None:
            linked = claim.match.backings[0].log.path
            return "misfiled", Message(LEADS_ELSEWHERE, log=claim.log, linked=linked)
        said = Message(
            GIVES_THESE, rounded=Message(ROUNDED[recovered.protocol.rounding]), protocol=_by(claim, recovered)
        )
        if found := contradictions(claim.number, claim.best):
            return "mislabelled", sentence([said, *found])
        dead = [Message(LINK_IS_DEAD, address=link.link.address) for link in claim.match.dead[:1]]
        return "exact", sentence([said, *dead])

    def _stale(self, claim: Claim, ratio: float | None) -> Opinion:
        """Whether the log gives another number for the same case, or the page that links to the log states another."""
        others = [] if claim.is_ambiguous else [c for c in self.by_log[claim.log] if _disagree(claim.number, c.number)]
        if exact := next((other for other in others if other.recovered), None):
            return "stale", Message(GIVEN_ELSEWHERE, **_place(exact))
        owner = next((other for other in others if _owns(other) and other.number.page != claim.number.page), None)
        if owner and not _owns(claim):
            if ratio is None:
                return "stale", Message(STATED_ELSEWHERE, **_place(owner))
            return "stale", Message(STATED_ELSEWHERE_TIMES, **_place(owner), ratio=f"{ratio:.4f}")
        return None

    def _misfiled(self, claim: Claim) -> Opinion:
        """Whether the linked log is another case's: its own name says so, or it is a copy of another one."""
        backing = claim.backing
        if backing and backing.link and (axes := conflicts(claim.number.case, backing.log.named)):
            said = joined("{first}, {second}", (stated(axis, backing.log.named[axis]) for axis in axes))
            return "misfiled", Message(OTHER_CASE, log=backing.log.path, said=said)
        copy = next((other for other in self.claims if other.evidence and _is_copy(other, claim)), None)
        return ("misfiled", Message(COPY, log=claim.log, copy=copy.log)) if copy else None

    def _near(self, ratio: float | None) -> Opinion:
        if ratio is None or abs(ratio - 1) > self.tolerance:
            return None
        return "near", Message(NEAR, tolerance=f"{self.tolerance:.2%}")


def _without_log(claim: Claim, unfollowed: Sequence[str]) -> Finding:
    if claim.match.dead:
        dead = claim.match.dead[0].link
        return Finding(claim.number, "dead link", Message(DEAD, text=repr(dead.text), address=dead.address))
    if claim.match.backings:
        path = claim.match.backings[0].log.path
        return Finding(claim.number, "no evidence", Message(NO_LOG, log=path), path)
    if not unfollowed:
        return Finding(claim.number, "no evidence", Message(NOT_FOUND))
    key = NOT_FOLLOWED if len(unfollowed) == 1 else SEVERAL_NOT_FOLLOWED
    return Finding(claim.number, "no evidence", Message(key, link=unfollowed[0]))


def _by(claim: Claim, recovered: Recovered) -> Message:
    """The protocol that explains a claim."""
    if claim.stated:
        return Message(BY_STATED)
    return Message(BY_ALONE) if recovered.explained == 1 else Message(BY_SEVERAL, count=recovered.explained)


def _any_protocol(claim: Claim) -> Protocol | None:
    """The protocol that `show` would choose."""
    try:
        return chosen(claim.best.part, claim.best.facts).protocol.printing(claim.number.digits)
    except NoMeasurement:
        return None


def _impossible(claim: Claim) -> Opinion:
    half = float(Decimal(1).scaleb(-claim.number.decimals)) / 2
    number, ranges = float(claim.number.value), [evidence.searched for evidence in claim.evidence]
    if any(searched.low - half <= number <= searched.high + half for searched in ranges):
        return None
    return "impossible", Message(RANGE, low=f"{ranges[0].low:.6g}", high=f"{ranges[0].high:.6g}")


def _owns(claim: Claim) -> bool:
    """Whether the page of a claim links to its log."""
    return claim.backing is not None and claim.backing.page == claim.number.page


def _is_copy(other: Claim, claim: Claim) -> bool:
    same = other.best.reading.sha256 == claim.best.reading.sha256 and other.log != claim.log
    return same and bool(conflicts(other.number.case, claim.number.case, ("cards", "precision", "device")))


def _disagree(one: PublishedNumber, other: PublishedNumber) -> bool:
    """Whether two numbers of one case are not one that was rounded differently."""
    differ = abs(one.value - other.value) > Decimal(1).scaleb(-min(one.decimals, other.decimals))
    return differ and not conflicts(one.case, other.case)


def _place(claim: Claim) -> Mapping[str, object]:
    number = claim.number
    page = f"{number.page.parent.name}/{number.page.name}"
    return {"line": number.line, "page": page, "digits": number.digits}


def _gives(ratio: float | None) -> Message:
    return Message(GIVES_ANOTHER) if ratio is None else Message(GIVES_TIMES, ratio=f"{ratio:.4f}")
