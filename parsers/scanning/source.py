"""The bytes of a text: whether they are one, and what is taken off them that no eye sees."""

import re

import numpy as np

from .kernel import COMPILED, LIBRARY

BINARY = "is a binary file, not a text log."
_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_NOT_TEXT = bytes(set(range(32)) - set(b"\0\a\b\t\n\v\f\r\x1b")) + b"\x7f"
# What a terminal takes for colours, places, titles and modes (ECMA-48): a control sequence, a string, or two bytes.
ESCAPE = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[@-Z\\-_])")


def is_text(block: bytes) -> bool:
    """Whether a block of a file looks like text: hardly any control characters that no terminal prints."""
    return len(block) - len(block.translate(None, _NOT_TEXT)) <= len(block) // 50


def clean(block: bytes) -> bytes:
    """A block without NUL bytes, ANSI escapes and the byte order mark. Newlines, and so line numbers, stay."""
    if b"\0" in block:
        block = block.replace(b"\0", b"")
    if b"\x1b" in block:
        block = without_escapes(block)
    for mark in _ORDER_MARKS:
        block = block.removeprefix(mark)
    return block


def without_escapes(data: bytes, *, compiled: bool = COMPILED) -> bytes:
    """A text without the escapes of terminals."""
    if compiled and LIBRARY is not None:
        rest = np.empty(len(data), np.uint8)
        return rest[: LIBRARY.without_escapes(data, len(data), rest.ctypes.data)].tobytes()
    return ESCAPE.sub(b"", data)
