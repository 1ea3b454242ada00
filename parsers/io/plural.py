"""Counts in English, with their noun in the right number."""


def counted(count: int, noun: str) -> str:
    """A count and what it is of: ``1 record``, ``2 records``, ``3 addresses``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}{'es' if noun.endswith('s') else 's'}"
