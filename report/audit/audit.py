"""The audit: a verdict on every throughput in the tables of published pages."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..page import Page
from .alike import Unlike, unlike
from .claim import claims
from .evidence import Library
from .finding import Finding
from .judge import Judge
from .site import Site


@dataclass(frozen=True)
class Result:
    """What an audit found: a finding a number, and the rows that do not compare like with like."""

    findings: list[Finding]
    unlike: list[Unlike]


def audit(site: Site, pages: Sequence[Page] = (), tolerance: float = 0.0, library: Library | None = None) -> Result:
    """Judge every throughput in the tables of the pages of a site, in their order.

    ``pages``: page files that state where logs are and by which protocol numbers were made. ``tolerance``: how far, as
    a fraction, a number may be off and still be near. ``library``: evidence that was made before, for a site whose
    logs are the same.
    """
    found = claims(site, pages, library or Library())
    return Result(list(Judge(found, tolerance).findings()), list(unlike(found)))
