"""The files of an audit: which pages it reads, and all that it finds on them."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..pagefile.page import Page
from .backing_logs import Library
from .claim import claims
from .document import DocumentError, read_document
from .favoured import Unlike, unlike
from .finding import Finding
from .judge import Judge
from .own_pages import evidence_of, own_findings
from .published_site import PublishedSite


@dataclass(frozen=True)
class Result:
    """What an audit found: a finding a number, and the rows that do not compare like with like."""

    findings: list[Finding]
    unlike: list[Unlike]


def audit(
    site: PublishedSite, pages: Sequence[Page] = (), tolerance: float = 0.0, library: Library | None = None
) -> Result:
    """Judge every throughput in the tables of the pages of a site, in their order.

    ``pages``: page files that state where logs are and by which protocol numbers were made. ``tolerance``: how far, as
    a fraction, a number may be off and still be near. ``library``: evidence that was made before, for a site whose
    logs are the same.
    """
    found = claims(site, pages, library or Library())
    return Result(list(Judge(found, tolerance, site.unfollowed).findings()), list(unlike(found)))


Named = tuple[str, Finding]


@dataclass(frozen=True)
class Audited:
    """The findings of pages, and their rows that do not compare like with like.

    Each page is named by its path below the folder that holds all of them.
    """

    findings: list[Named]
    unlike: list[Unlike]


def markdown_files(places: Sequence[Path]) -> list[Path]:
    """The Markdown files that are named, or that lie in folders that are; those in hidden folders are left out.

    Raises DocumentError where there is none.
    """
    files = list(dict.fromkeys(file for place in places for file in (_below(place) if place.is_dir() else [place])))
    if not files:
        raise DocumentError(f"There is no Markdown file in {', '.join(map(str, places))}.")
    return files


def _below(folder: Path) -> list[Path]:
    found = (path for path in sorted(folder.rglob("*")) if path.suffix.lower() == ".md" and path.exists())
    return [
        path
        for path in found
        if not path.is_dir() and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]


def audit_files(files: Sequence[Path], logs: Path | None, pages: Sequence[Page], tolerance: float) -> Audited:
    """Audit pages of one site; those that ``report`` wrote by the evidence files beside them.

    ``logs``: the folder of logs; by default the one that holds all pages. Raises DocumentError, EvidenceFileError.
    """
    root = Path(os.path.commonpath([file.resolve().parent for file in files]))
    documents = {read_document(file): evidence_of(file) for file in files}
    own = [f for document, evidence in documents.items() if evidence for f in own_findings(document, evidence, logs)]
    others = [document for document, evidence in documents.items() if not evidence]
    found = audit(PublishedSite(others, root, logs or root), pages, tolerance)
    named = [(_name(finding.number.page, root), finding) for finding in (*own, *found.findings)]
    return Audited(named, [replace(row, page=_name(Path(row.page), root)) for row in found.unlike])


def _name(page: Path, root: Path) -> str:
    return os.path.relpath(page.resolve(), root)
