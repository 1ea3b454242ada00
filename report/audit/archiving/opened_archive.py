"""Opening an archive: its page and its logs, unpacked for whoever makes something else of them than a verdict."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from . import checksums
from .archive_layout import PAGE, ArchiveError, files_below
from .rendered_again import inside
from .verification import page_file, unlike_listed
from .zip_archive import unpack

CHANGED = "has files that are not as they were archived ({count}); `tachograph verify` names them."


@contextmanager
def opened_archive(archive: Path) -> Iterator[str]:
    """Unpack an archive into a folder that is the current one while this lasts; gives the path of its page file.

    Logs are read by the grammars of the archive, and lie in ``LOGS``. Raises ArchiveError for what is not an archive,
    is made to do harm, or has a file that is not as its checksums say, and LogError where it cannot be read.
    """
    with TemporaryDirectory() as place:
        folder = Path(place, "archive")
        folder.mkdir()
        broken = unpack(archive, folder)
        file = page_file(archive, folder)
        listed = checksums.listed(folder, archive)
        changed = {one.file for one in unlike_listed(folder, files_below(folder), listed, broken)} | broken.keys()
        if changed:
            raise ArchiveError.at(archive, CHANGED, count=len(changed))
        with inside(folder):
            yield f"{PAGE}/{file}"
