"""Publications: where the logs of a page, or figures that no public log gives, were published."""

from typing import Annotated

from pydantic import AfterValidator, Field

from parsers.io.validation import BROKEN, Mistake

from .parts import Case, PagePart, with_only

NOT_WEB = "{address} is not a web address; use one that starts with https://."

# As many as a float holds, and more than any throughput has.
DIGITS = r"^[0-9]{1,15}(\.[0-9]{1,15})?$"

Address = Annotated[str, AfterValidator(with_only(("commit", "path")))]


def _web(address: str) -> str:
    if not address.startswith(("https://", "http://")):
        raise Mistake(NOT_WEB, address=repr(address))
    return address


def _not_empty(text: str) -> str:
    if not text.strip():
        raise Mistake(BROKEN["string_too_short"])
    return text


WebAddress = Annotated[str, AfterValidator(_web)]


class QuoteSource(PagePart):
    """Where figures without a public log were published."""

    title: str
    """Title of the publication."""
    url: WebAddress
    """Its address, which starts with `https://` or `http://`."""
    date: Annotated[str, Field(pattern=r"^[0-9]{4}(-[0-9]{2}){0,2}$")]
    """Day, month or year of the figures, or of the quoted text where they have none."""
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


class Caution(PagePart):
    """What a reader must know of a run and its log does not say: it stands beside the numbers of the run, and findings
    compare none of them."""

    column: str
    """Name of a column of the page."""
    case: Case
    """The axes of the run; every number of its column that has them is marked."""
    text: Annotated[str, AfterValidator(_not_empty)]
    """A few words, such as `waited for data`."""

    def is_of(self, column: str, case: Case) -> bool:
        """Whether it is about a cell: of this column of the page, with at least its axes."""
        return self.column == column and self.case.items() <= case.items()


class LogSource(PagePart):
    """Where the logs were published, if by others."""

    repository: str
    """Address of the repository."""
    commit: str
    """The commit whose logs these are."""
    licence: str
    """Licence under which they were published."""
    url: Address
    """Address of one log; `{commit}` and `{path}` are filled in."""
    folder: str = ""
    """Folder of the published logs, below that of all logs, if other logs of the page are your own."""

    def has(self, log: str) -> bool:
        """Whether a log is one of those that were published."""
        return log.startswith(f"{self.folder}/") if self.folder else True
