"""Magic numbers: the first bytes of packed files, which say how they are packed."""

_ENDINGS = {b"\x1f\x8b": ".gz", b"\xfd7zXZ\0": ".xz", b"\x28\xb5\x2f\xfd": ".zst"}


def packed_ending(head: bytes) -> str:
    """The ending that belongs to a file with these first bytes; none where it is not packed."""
    return next((ending for magic, ending in _ENDINGS.items() if head.startswith(magic)), "")


def is_packed(head: bytes) -> bool:
    """Whether a file with these first bytes is packed in a way that logs may be."""
    return bool(packed_ending(head))
