"""Log sources: where the logs of a page were published, if by others."""

from typing import Annotated

from pydantic import AfterValidator

from .parts import PagePart, with_only

Address = Annotated[str, AfterValidator(with_only(("commit", "path")))]


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
