"""Quotes: published figures that no public log gives, and where they were published."""

from typing import Annotated

from pydantic import AfterValidator, Field

from parsers.io.validation import Mistake

from .parts import Case, PagePart

NOT_WEB = "{address} is not a web address; use one that starts with https://."

# As many as a float holds, and more than any throughput has.
DIGITS = r"^[0-9]{1,15}(\.[0-9]{1,15})?$"


def _web(address: str) -> str:
    if not address.startswith(("https://", "http://")):
        raise Mistake(NOT_WEB, address=repr(address))
    return address


class QuoteSource(PagePart):
    """Where figures without a public log were published."""

    title: str
    """Title of the publication."""
    url: Annotated[str, AfterValidator(_web)]
    """Its address, which starts with `https://` or `http://`."""
    date: Annotated[str, Field(pattern=r"^[0-9]{4}(-[0-9]{2}){0,2}$")]
    """Day, month or year of the quoted text."""
    commit: str | None = None
    """Its commit, if it is in a repository."""
    note: str
    """Note for readers about its figures, for example why there is no log."""


class Quote(PagePart):
    """One published figure, in the unit of the page, for the cells of a column that have this case."""

    column: str
    """Name of a column of the page."""
    case: Case
    """The axes of the figure; it is shown in every cell of its column that has them."""
    value: Annotated[str, Field(pattern=DIGITS)]
    """Its digits as printed."""
    source: str
    """Name of one of the `sources` of the page."""

    def is_of(self, column: str, case: Case) -> bool:
        """Whether the figure is that of a cell: of this column of the page, with at least the axes of the quote."""
        return self.column == column and self.case.items() <= case.items()
