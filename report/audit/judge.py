"""The judge: a verdict on each claim, beside all other claims of the site."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from ..measuring.crosscheck import chosen
from ..measuring.measurement import NoMeasurement
from ..measuring.protocol import Protocol
from .backing_logs import contradictions
from .claim import Claim
from .finding import Finding, Verdict
from .matching import conflicts
from .published_numbers import PublishedNumber
from .recovery import Recovered

Opinion = tuple[Verdict, str] | None


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
            reason = f"{claim.log} gives no throughput, so nothing backs the number."
            return Finding(claim.number, "no evidence", reason, claim.log)
        ratio = float(claim.number.value) / measured.value if measured.value else None
        verdict, reason = self._verdict(claim, ratio)
        return Finding(
            number=claim.number,
            verdict=verdict,
            reason=f"{reason[:1].upper()}{reason[1:]}.",
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

    def _verdict(self, claim: Claim, ratio: float | None) -> tuple[Verdict, str]:
        """The first of these that is true; a number that does not come out is at least different."""
        if claim.recovered:
            return self._of_explained(claim, claim.recovered)
        opinions = (
            self._stale(claim, ratio),
            self._misfiled(claim),
            _impossible(claim),
            self._near(ratio),
        )
        said = "; ".join([_gives(ratio), *contradictions(claim.number, claim.best)])
        return next((opinion for opinion in opinions if opinion), ("differs", said))

    def _of_explained(self, claim: Claim, recovered: Recovered) -> tuple[Verdict, str]:
        rounded = "rounded half up" if recovered.protocol.rounding == "half_up" else "truncated"
        logs = "this log alone" if recovered.explained == 1 else f"{recovered.explained} logs"
        how = "the stated protocol" if claim.stated else f"a protocol that explains {logs}"
        said = f"the log gives these digits, {rounded}, by {how}"
        if claim.backing is None:
            linked = claim.match.backings[0].log.path
            return "misfiled", f"the number comes out of {claim.log}, but the page leads to {linked}"
        if found := contradictions(claim.number, claim.best):
            return "mislabelled", "; ".join([said, *found])
        dead = [f"its link is dead: {link.link.address}" for link in claim.match.dead[:1]]
        return "exact", "; ".join([said, *dead])

    def _stale(self, claim: Claim, ratio: float | None) -> Opinion:
        """Whether the log gives another number for the same case, or the page that links to the log states another."""
        others = [] if claim.is_ambiguous else [c for c in self.by_log[claim.log] if _disagree(claim.number, c.number)]
        if exact := next((other for other in others if other.recovered), None):
            return "stale", f"{_place(exact)} states {exact.number.digits} for the same case, which its log gives"
        owner = next((other for other in others if _owns(other) and other.number.page != claim.number.page), None)
        if owner and not _owns(claim):
            return "stale", f"{_place(owner)} states {owner.number.digits} for the same case; {_gives(ratio)}"
        return None

    def _misfiled(self, claim: Claim) -> Opinion:
        """Whether the linked log is another case's: its own name says so, or it is a copy of another one."""
        backing = claim.backing
        if backing and backing.link and (axes := conflicts(claim.number.case, backing.log.named)):
            said = ", ".join(f"{axis.replace('_', ' ')} {backing.log.named[axis]}" for axis in axes)
            return "misfiled", f"the page links to {backing.log.path}, the log of another case ({said})"
        copy = next((other for other in self.claims if other.evidence and _is_copy(other, claim)), None)
        return ("misfiled", f"the log {claim.log} is byte for byte {copy.log}, that of another case") if copy else None

    def _near(self, ratio: float | None) -> Opinion:
        if ratio is None or abs(ratio - 1) > self.tolerance:
            return None
        return "near", f"the number is within {self.tolerance:.2%} of what its log gives"


def _without_log(claim: Claim, unfollowed: Sequence[str]) -> Finding:
    if claim.match.dead:
        dead = claim.match.dead[0].link
        reason = f"The link {dead.text!r} leads to {dead.address}, which is not there, and no other log was found."
        return Finding(claim.number, "dead link", reason)
    if claim.match.backings:
        path = claim.match.backings[0].log.path
        return Finding(claim.number, "no evidence", f"{path} is no log of a known format.", path)
    reason = "No log of this case was found."
    if unfollowed:
        links = f"{unfollowed[0]} leads" if len(unfollowed) == 1 else f"{unfollowed[0]} and other links lead"
        reason += f" {links} out of the folder and was not followed; --logs FOLDER names another one."
    return Finding(claim.number, "no evidence", reason)


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
    return "impossible", f"every value in the log is between {ranges[0].low:.6g} and {ranges[0].high:.6g}"


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


def _place(claim: Claim) -> str:
    number = claim.number
    return f"line {number.line} of {number.page.parent.name}/{number.page.name}"


def _gives(ratio: float | None) -> str:
    return "the log gives another number" if ratio is None else f"the number is {ratio:.4f} times what its log gives"
