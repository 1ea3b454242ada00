"""Labels: the name of the case folder that the path of a log gives it."""

import hashlib
import re
from collections.abc import Sequence

from ..packed import SUFFIXES
from .candidate import Candidate, names

JOINT = "__"
LONGEST = 200  # bytes; a name on a disk may have 255
_ENDINGS = (".log", ".txt")
# What a shell, a pattern of logs in a page or another file system would take for more than a letter of the name.
_NOT_IN_NAMES = re.compile(r"[^\w.+=@,-]+")


def label(candidate: Candidate) -> tuple[str, int | None]:
    """The name of the case of a log, and the number of its repeat where its run folder gives one.

    The name comes from the path alone, whatever else is ingested: the names of all its folders, then that of the file
    without its ending. The log of a run folder is named after the folder.
    """
    parts = [*candidate.prefix, *names(candidate.path)]
    if not candidate.is_of_a_run:
        return _joined([*parts[:-1], _stem(parts[-1])]), None
    *case, repeat = parts[:-1] or [""]
    is_number = bool(re.fullmatch(r"[1-9][0-9]{0,8}", repeat)) and bool(case)
    return (_joined(case), int(repeat)) if is_number else (_joined([*case, repeat]), None)


def _stem(name: str) -> str:
    for endings in (SUFFIXES, _ENDINGS):
        name = next((name.removesuffix(end) for end in endings if name.endswith(end) and name != end), name)
    return name


def _joined(parts: Sequence[str]) -> str:
    said = [_NOT_IN_NAMES.sub("-", part).lstrip(".-") for part in parts]
    return _shortened(JOINT.join(filter(None, said)) or "log")


def _shortened(name: str) -> str:
    """A name that is too long keeps its end, which says most, after a digest of the whole."""
    text = name.encode()
    if len(text) <= LONGEST:
        return name
    digest = hashlib.sha256(text).hexdigest()[:8]
    return f"{digest}-{text[-LONGEST + len(digest) + 1 :].decode(errors='ignore')}"
