"""Local files: what the folder that holds a file, or the checkout that it belongs to, says of it."""

from pathlib import Path

from .candidate import Candidate, Origin
from .checkout import checkout
from .walk import File


class LocalFiles:
    """The files below a folder."""

    def __init__(self, folder: Path) -> None:
        # A number alone tells no folder from others: it is that of a repeat.
        self._names = folder.parts[-2:] if folder.name.isdigit() else folder.parts[-1:]
        self._checkout = checkout(folder)
        self._folder = folder

    def candidate(self, file: File) -> Candidate:
        """The candidate for a file: one of a commit where git knows it, else of the folder."""
        if self._checkout is not None:
            path = str(Path(file.place).relative_to(self._checkout.top))
            if blob := self._checkout.blobs.get(path):
                origin: Origin = {
                    "repository": self._checkout.repository,
                    "commit": self._checkout.commit,
                    "path": path,
                }
                return Candidate(origin, (self._checkout.name,), file.place, file.size, blob=blob)
        path = "/".join((*(name for name in self._names if name != "/"), file.path))
        return Candidate({"path": path}, (), file.place, file.size)
