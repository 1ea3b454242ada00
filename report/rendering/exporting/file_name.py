"""File names of exported files: they hold what any file system takes, and stay apart."""

import hashlib
import re

# A key of YAML is on one line, and a path below what systems allow, with a digest and an ending behind it.
MOST_CHARACTERS = 100
DIGITS = 16
_ENDS_AS_OURS = re.compile(rf"-[0-9a-f]{{{DIGITS}}}\Z")
_OTHERS = re.compile(r"[^A-Za-z0-9._=-]+")


def file_name(text: str) -> str:
    """A text as the name of a file of ASCII letters, digits and ``._=-``, never a hidden one.

    Where anything of the text is lost, the name ends with the first 16 digits of its SHA-256, so that two texts never
    have one name; that of a text which ends so itself does, too.
    """
    kept = _OTHERS.sub("-", text).strip(".-")[:MOST_CHARACTERS]
    if kept == text and text and not _ENDS_AS_OURS.search(text):
        return kept
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]
    return f"{kept}-{digest}" if kept else digest
