"""The layout of an archive: the names of its folders and files, which are the same in every one."""

from pathlib import Path, PurePosixPath

from parsers.grammar.format import ROOM
from parsers.io.containment import is_spelt_inside
from parsers.io.errors import ParserError

SUFFIX = ".tach.zip"
CHECKSUMS = "manifest-sha256.txt"
# The page file with its prose, the runs, the rendered pages, the grammars, and what all pages share.
PAGE, LOGS, PAGES, FORMATS, RULES = "page", "logs", "pages", "formats", "rules"
FOLDERS = (PAGE, LOGS, PAGES, FORMATS, RULES)
_REPORT = Path(__file__).parents[2]
SHARED_RULES = (*sorted(ROOM.glob("*.lark")), ROOM / "spellings.toml", *sorted(_REPORT.glob("*.toml")))
LONGEST_NAME, LONGEST_PART = 1000, 255  # characters of a name; bytes between two slashes, as file systems have it
_NEITHER = {"\\", "\x7f"}


class ArchiveError(ParserError):
    """An archive that cannot be made, or a file that is not an archive or not a safe one."""


def is_plain(name: str) -> bool:
    """Whether a name of a file can stand in an archive: relative, spelt in one way, and safe on every system."""
    is_spelt_so = name == PurePosixPath(name).as_posix() and name != "." and is_spelt_inside(name)
    is_seen = not _NEITHER & {*name} and all(character >= " " for character in name)
    return is_spelt_so and is_seen and len(name) <= LONGEST_NAME and _fits(name)


def _fits(name: str) -> bool:
    """Whether a name is one in UTF-8, of parts that a file system takes."""
    try:
        return all(len(part) <= LONGEST_PART for part in name.encode().split(b"/"))
    except UnicodeEncodeError:
        return False


def is_of_archive(name: str) -> bool:
    """Whether an archive has a place for a file of this name."""
    return name == CHECKSUMS or ("/" in name and name.partition("/")[0] in FOLDERS)


def files_below(folder: Path) -> list[str]:
    """The names of all files below a folder, in the order of an archive."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
