"""An audit: the documents that are named, ruled on by the referee, and those of our own by rendering them again."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from parsers.io.errors import ParserError, reason_of
from parsers.io.files import text_of
from parsers.sharing.workers import ALL_CORES, Workers

from .board import Board, BoardError, Status, Verdict, judged, records_of
from .checkout import DOCUMENTS, Checkout
from .evidence import Stated
from .own_pages import is_own, of_own_pages
from .rulings import Finding, Referee

NO_RECORD = "No folder here is a record of this board; records are {patterns} in its checkout."
NO_SARIF = "is not what `tachograph audit --sarif` wrote: {reason}"
FINGERPRINT = "tachographNumber/v1"
NO_DOCUMENT = "There is no Markdown document in {places}."


class BaselineError(ParserError):
    """A file that is not the SARIF log of an earlier audit."""


class DocumentError(ParserError):
    """Places in which there is no document."""


@dataclass(frozen=True)
class Audit:
    """What an audit found: ``documents`` by their paths from ``root``, and their ``findings``.

    ``files_read``: how many data files were read; ``not_read``: those that were not. ``verdicts``: what the records of
    a board, by their paths from ``board_root``, say of each of its rules.
    """

    root: Path
    documents: Sequence[str]
    findings: Sequence[Finding]
    board_root: Path = Path()
    files_read: int = 0
    not_read: Sequence[str] = ()
    verdicts: Sequence[Verdict] = ()

    @property
    def failed(self) -> list[Verdict]:
        """Why records of a board fail: for what is missing in them, or as all of their series of runs break a rule.

        A record may hold runs that fail, such as ablations, beside a series of runs that does not.
        """
        broken = [one for one in self.verdicts if one.status == Status.FAILED]
        failing = {one.runs for one in broken}
        standing = {one.record for one in self.verdicts if one.runs and one.runs not in failing}
        return [one for one in broken if not one.runs or one.record not in standing]

    def failing(self, *, strict: bool = False) -> list[Finding]:
        """The findings that make it fail; the numbers of a board's records must follow from proved ones."""
        return [one for one in self.findings if one.fails(strict=strict, asks_proof=bool(self.verdicts))]

    @property
    def by_document(self) -> dict[str, list[Finding]]:
        """The findings of each document; none of one without numbers."""
        found: dict[str, list[Finding]] = {document: [] for document in self.documents}
        for finding in self.findings:
            found.setdefault(finding.claim.document, []).append(finding)
        return found

    def with_baseline(self, file: Path) -> "Audit":
        """The same, with what an earlier audit found as well marked as accepted; ``file``: the SARIF log of that.

        Raises BaselineError.
        """
        try:
            results = json.loads(text_of(file))["runs"][0]["results"]
            known = {one.get("partialFingerprints", {}).get(FINGERPRINT) for one in results}
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise BaselineError.at(file, NO_SARIF, reason=reason_of(error)) from error
        marks = zip(self.findings, fingerprints(self.findings), strict=True)
        return replace(self, findings=[replace(one, is_accepted=mark in known) for one, mark in marks])


def fingerprints(findings: Iterable[Finding]) -> Iterator[str]:
    """What each finding is known again by when its line moves; those that are alike are counted."""
    known = Counter[str]()
    for one in findings:
        claim = one.claim
        key = "\0".join((claim.document, claim.row_label, claim.col_label, claim.number.text, one.ruling))
        known[key] += 1
        yield f"{sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()}:{known[key]}"


def audited(
    places: Sequence[Path], logs: Path | None = None, *, board: Board | None = None, workers: Workers = ALL_CORES
) -> Audit:
    """Rule on all numbers of documents.

    ``logs``: the folder of evidence, by default the one that holds all documents. ``board``: the rules that the records
    among the places, or in them, are held against. Raises ParserError.
    """
    checkout = Checkout.of(places, logs, (*DOCUMENTS, *(board.claims if board else ())))
    if not checkout.documents:
        raise DocumentError(NO_DOCUMENT, places=", ".join(map(str, places)))
    own = [one for one in checkout.documents if is_own(checkout.root / one)]
    others = [one for one in checkout.documents if one not in own]
    referee = Referee(replace(checkout, documents=others), board.asks_for if board else None)
    found = [*of_own_pages(checkout.root, own, logs, workers)]
    if others:  # else no data file need be read
        found += referee.findings()
    known = {checkout.root / path: one for path, one in referee.stated.items()}
    board_root, verdicts = _verdicts(board, places, known) if board else (Path(), [])
    return Audit(checkout.root, checkout.documents, found, board_root, referee.files_read, referee.not_read, verdicts)


def _verdicts(board: Board, places: Sequence[Path], known: Mapping[Path, Stated]) -> tuple[Path, list[Verdict]]:
    """The checkout of a board, and what its records say of its rules: those that are named, or in folders that are.

    Raises BoardError where there is none.
    """
    asked = [place.resolve() for place in places]
    for root in (asked[0], *asked[0].parents):
        records = [one for one in records_of(board, root) if any(_is_in(root / one, place) for place in asked)]
        if records:
            return root, [verdict for record in records for verdict in judged(board, root, record, known)]
    raise BoardError(NO_RECORD, patterns=", ".join(board.records))


def _is_in(record: Path, place: Path) -> bool:
    return record.is_relative_to(place) or place.is_relative_to(record)
