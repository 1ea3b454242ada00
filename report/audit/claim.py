"""Claims: published numbers, each with the logs that may back it and the protocol that explains it."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from parsers.io.message import Message

from ..evidence.case_runs import filled, logs_of, run_of
from ..evidence.reason import NoEvidenceError
from ..measure.protocol import Protocol
from ..pagefile.column import Column
from ..pagefile.page import Case, Page
from ..published.labels import other_measure, read_label
from ..published.published_numbers import PublishedNumber, in_logs
from ..published.published_site import Backing, PublishedSite
from ..published.site_logs import Log
from ..recovery.printed_digits import Printed
from ..recovery.recovery import Pair, Recovered, recover
from .backing_logs import AXES, Evidence, Library, RepeatedEvidence, repeated
from .log_matching import Match, Matcher, conflicts, is_named_for

MORE_ROUNDS = 3  # in which files are left out that are no logs, and others may be meant

ROUNDED = {"half_up": "rounded half up", "truncate": "truncated"}
BY_ALONE = "a protocol that matches this log only"
BY_SEVERAL = "a protocol that matches {count} logs"
BY_STATED = "the stated protocol"
OF_INFERENCE = "the labels name inference, the log does not"
OF_OTHER = "the labels say “{words}”, which the speeds of its steps may not be"
OF_TOKENS = "the number counts {unit}, its log {other}"
_TOKENS = re.compile(r"tok|word|词", re.IGNORECASE)


@dataclass(frozen=True)
class StatedProtocol:
    """The protocol of a number, and its logs, by a page file."""

    protocol: Protocol
    backings: tuple[Backing, ...]


def stated_protocol(number: PublishedNumber, pages: Sequence[Page], site: PublishedSite) -> StatedProtocol | None:
    """What the first page file says that knows the column and the case of a number; None where none does."""
    for page in pages:
        for column in page.columns.values():
            if _is_of(number, column) and (found := _in_column(number, page, column, site)):
                return found
    return None


def _is_of(number: PublishedNumber, column: Column) -> bool:
    """Whether a column of a page file is that of a number: the framework is the same, or the title."""
    framework = read_label(column.title).case.get("framework")
    return framework == number.case.get("framework") if framework else column.title == number.column


def _in_column(number: PublishedNumber, page: Page, column: Column, site: PublishedSite) -> StatedProtocol | None:
    case: Case = {axis: number.case[axis] for axis in AXES if axis in number.case}
    try:
        run = run_of(column, {"model": page.model, **case})
        paths = logs_of(site.logs_root, filled(run, {"model": page.model, **case}, site.logs_root))
    except NoEvidenceError:
        return None
    backings = tuple(Backing(log := site.logs.get(path) or Log(site.logs_root, path), log.named) for path in paths)
    return StatedProtocol(run.protocol, backings) if backings else None


@dataclass
class Claim:
    """A published number, the logs that may back it, and the protocol that explains it by one of them.

    ``evidence``: of the logs that the page names or links to, the best first, then of those that only their own names
    speak for. ``stated``: the protocol that a page file states. ``recovered`` and ``explained_by`` are set where a
    protocol gives the digits, the stated one or one that was found; ``printed`` where none does, but the log of
    ``explained_by`` prints them.
    """

    number: PublishedNumber
    match: Match
    evidence: tuple[Evidence, ...]
    stated: Protocol | None = None
    explained_by: Evidence | None = None
    recovered: Recovered | None = None
    printed: Printed | None = None

    @property
    def best(self) -> Evidence:
        """The evidence that explains the number, else the first."""
        return self.explained_by or self.evidence[0]

    @property
    def log(self) -> str:
        """The path of its log, below the folder of logs."""
        return self.best.log.path

    @property
    def backing(self) -> Backing | None:
        """The link or the name by which the page leads to the log; None where it leads to another one."""
        return next((backing for backing in self.match.backings if backing.log.path == self.log), None)

    def printing(self, protocol: Protocol) -> Protocol:
        """A protocol that prints as many decimals as the number has."""
        return _printing(protocol, self.number.decimals)

    def explanation(self, recovered: Recovered) -> Message:
        """That the log, or several runs, give the digits by a protocol that was found."""
        count, (key, values) = recovered.explained, self.best.giving
        by = Message(BY_STATED) if self.stated else Message(BY_SEVERAL, count=count) if count > 1 else Message(BY_ALONE)
        return Message(key, rounded=Message(ROUNDED[recovered.protocol.rounding]), protocol=by, **values)

    @property
    def other_measures(self) -> Iterator[Message]:
        """Why it may measure something other than what its log prints: by the words of its labels, or by its unit."""
        number = self.number
        if number.case.get("task") == "inference" != self.best.log.named.get("task"):
            yield Message(OF_INFERENCE)
        if words := other_measure(f"{number.column} {number.row}"):
            yield Message(OF_OTHER, words=words)
        yield from self.other_units

    @property
    def other_units(self) -> Iterator[Message]:
        """That only one of the number and its log counts tokens, where this is so."""
        unit, other = self.number.unit, self.best.searched.unit
        if unit and other and bool(_TOKENS.search(unit)) != bool(_TOKENS.search(other)):
            yield Message(OF_TOKENS, unit=unit, other=other)

    @property
    def is_ambiguous(self) -> bool:
        """Whether several logs may be meant, and it is not known which."""
        return self.explained_by is None and len({evidence.log.path for evidence in self.evidence}) > 1


def claims(site: PublishedSite, pages: Sequence[Page], library: Library) -> list[Claim]:
    """All numbers of the pages of a site, in their order, with what protocols were found for them.

    ``pages``: page files, which state the logs and the protocols of the numbers that they know.
    """
    numbers = [number for document in site.documents for number in document.once(in_logs)]
    rules = [stated_protocol(number, pages, site) for number in numbers]
    matches, backings = _matched(numbers, rules, site, library)
    for _ in range(MORE_ROUNDS):
        pairs = ((n, b) for n, some in zip(numbers, backings, strict=True) for b in some if b.link is None)
        if not (no_logs := {b.log.path for n, b in pairs if not library.evidence(n, b)}):
            break
        site.leave_out(no_logs)
        matches, backings = _matched(numbers, rules, site, library)
    found = [
        Claim(
            number,
            matched,
            _with_repeated([e for backing in some for e in library.evidence(number, backing)]),
            rule.protocol if rule else None,
        )
        for number, matched, some, rule in zip(numbers, matches, backings, rules, strict=True)
    ]
    # What words lead to may be anything but a log.
    found = [claim for claim in found if claim.evidence or claim.match.dead or not claim.number.is_prose]
    _narrow(found)
    explain(found)
    return found


def _with_repeated(evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    return (*repeated(evidence), *evidence)


def _matched(
    numbers: Sequence[PublishedNumber], rules: Sequence[StatedProtocol | None], site: PublishedSite, library: Library
) -> tuple[list[Match], list[list[Backing]]]:
    """The logs that match each number, and all that are tried for it; the evidence of these is made."""
    matcher = Matcher(site)
    matches = [Match(rule.backings, ()) if rule else matcher.match(n) for n, rule in zip(numbers, rules, strict=True)]
    backings = [list(_backings(*pair, matcher)) for pair in zip(numbers, matches, strict=True)]
    library.prepare((number, b) for number, some in zip(numbers, backings, strict=True) for b in some)
    return matches, backings


def _narrow(found: Sequence[Claim]) -> None:
    """Of several logs that may back a number, keep that which certainly backs the same digits elsewhere on its page."""
    certain: dict[tuple[object, str], set[str]] = {}
    for claim in found:
        if len(paths := {evidence.log.path for evidence in claim.evidence}) == 1:
            certain.setdefault((claim.number.page, claim.number.digits), set()).update(paths)
    for claim in found:
        known = certain.get((claim.number.page, claim.number.digits), set())
        kept = tuple(evidence for evidence in claim.evidence if evidence.log.path in known)
        claim.evidence = kept if len({evidence.log.path for evidence in kept}) == 1 else claim.evidence


def explain(found: Sequence[Claim]) -> None:
    """Set the protocols that give the digits of claims: the stated one, or one that is found for their column."""
    for claim in found:
        _confirm(claim)
    for column in _columns(found).values():
        _explain(column)


def _confirm(claim: Claim) -> None:
    """Try the protocol that a page file states."""
    if claim.stated is None:
        return
    for evidence in claim.evidence:
        if _gives(evidence, claim.stated, claim):
            claim.explained_by, claim.recovered = evidence, Recovered(claim.stated, 1, 1, 0.0)
            return


def _gives(evidence: Evidence, protocol: Protocol, claim: Claim) -> bool:
    return evidence.digits(claim.printing(protocol)) == claim.number.digits


@cache
def _printing(protocol: Protocol, decimals: int) -> Protocol:
    """Made once, as it takes as long as to look a number up, and most numbers have the same."""
    return protocol.overridden(f"decimals={decimals}")


def _backings(number: PublishedNumber, found: Match, matcher: Matcher) -> Iterator[Backing]:
    """The logs of a number; beside one whose own name contradicts the number, those whose names do not.

    These are those that the page links to elsewhere, as its links may be swapped, and the one of the best name.
    """
    yield from found.backings
    if not number.is_prose and any(conflicts(number.case, backing.log.named) for backing in found.backings):
        yield from matcher.by_name(number)
        swapped = [backing for backing in matcher.site.backings if backing.page == number.page]
        yield from (backing for backing in swapped if is_named_for(number, backing.log))


def _columns(found: Sequence[Claim]) -> Mapping[object, list[Claim]]:
    """The claims without a stated protocol, by the format of their logs: a column's logs are all reduced alike."""
    columns: dict[object, list[Claim]] = {}
    for claim in found:
        if claim.evidence and claim.stated is None:
            key = claim.evidence[0].format, claim.number.seconds is None, claim.number.rate
            columns.setdefault(key, []).append(claim)
    return columns


def _pair(claim: Claim, evidence: Evidence, *, is_alone: bool) -> Pair:
    """What is searched for: a study is the logs in one folder of the site, a kind those on as many cards.

    Where all logs of a number are tried for no other one (``is_alone``), they are ways to make that number.
    """
    logs = _logs(claim) if is_alone else {_tried(claim, evidence)}
    return Pair(
        claim.number.digits,
        " ".join(sorted(logs)),
        evidence.searched,
        study=evidence.log.folder.partition("/")[0],
        kind=claim.number.case.get("cards"),
        tried=1 if is_alone else len({other.log.path for other in claim.evidence}),
    )


def _logs(claim: Claim) -> frozenset[str]:
    return frozenset(_tried(claim, one) for one in claim.evidence)


def _tried(claim: Claim, evidence: Evidence) -> str:
    """What is tried for a number: a log, whose several runs are ways to make it, or the only run that may be meant."""
    runs = {one.run for one in claim.evidence if one.log.path == evidence.log.path}
    return f"{evidence.reading.sha256}{evidence.run or ''}" if len(runs) == 1 else evidence.reading.sha256


def _explain(column: Sequence[Claim]) -> None:
    """Find the protocols of a column; of several logs, or ways to scale one, the first that explains counts."""
    tried = Counter(log for logs in {_logs(claim) for claim in column} for log in logs)
    owners = [(claim, evidence) for claim in column for evidence in claim.evidence]
    alone = [all(tried[log] == 1 for log in _logs(claim)) for claim, _ in owners]
    pairs = [_pair(*owner, is_alone=is_alone) for owner, is_alone in zip(owners, alone, strict=True)]
    for (claim, evidence), found in zip(owners, recover(pairs), strict=True):
        if found and not claim.recovered and _gives(evidence, found.protocol, claim):
            claim.explained_by, claim.recovered = evidence, _by_runs(evidence, found)


def _by_runs(evidence: Evidence, found: Recovered) -> Recovered:
    """What was found, with how several runs become one where they do."""
    if not isinstance(evidence, RepeatedEvidence):
        return found
    return replace(found, protocol=found.protocol.overridden(f"repeats={evidence.repeats}"))
