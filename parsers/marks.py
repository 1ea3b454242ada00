"""Marks: the texts by which lines are found before any regular expression runs."""

from collections.abc import Sequence

from .variant import Variant

# Trying a line costs about as much as searching this many bytes for each letter of a mark: long ones are found faster.
BYTES_PER_LETTER = 230


def marks(variants: Sequence[Variant], sample: bytes) -> dict[bytes, list[Variant]]:
    """Choose for each variant the literal by which its lines are found at least cost, judged by a sample of the log.

    A rare literal wins over a frequent one; one that another variant uses already costs no search of its own.
    Which one is chosen decides speed only, never what is found.
    """
    chosen: dict[bytes, list[Variant]] = {}
    counts: dict[bytes, int] = {}  # Many variants share a literal.

    def cost(mark: bytes) -> tuple[float, int]:
        if mark not in counts:
            counts[mark] = sample.count(mark)
        search = 0 if mark in chosen else len(sample) / (BYTES_PER_LETTER * len(mark))
        return counts[mark] + search, -len(mark)

    for variant in variants:
        texts = variant.texts
        chosen.setdefault(min(texts, key=cost) if len(texts) > 1 else texts[0], []).append(variant)
    return chosen
