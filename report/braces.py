"""Braces: which names a text of a page file may hold in braces, to be filled in."""

from collections.abc import Callable, Iterable
from string import Formatter


def with_only(names: Iterable[str]) -> Callable[[str], str]:
    """A check that a text has no braces but these plain names: a page is data and reaches into no object.

    The check returns the text, or raises ValueError.
    """
    allowed = set(names)

    def check(text: str) -> str:
        for _, name, form, conversion in Formatter().parse(text):
            if name is not None and (name not in allowed or form or conversion):
                raise ValueError(f"{{{name}}} cannot stand in {text!r}; {', '.join(sorted(allowed))} can")
        return text

    return check
