"""Pieces: data that a page loads on demand, as scripts because a browser fetches no other file from ``file://``."""

import json
from pathlib import Path
from typing import Any

from parsers import whole


def script_json(data: Any) -> str:
    """JSON that can stand in a script or in the script element of a page: nothing in it ends that element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    # Names that are no UTF-8 have halves of characters, which no file can hold but JSON can spell.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def write(folder: Path, name: str, data: Any) -> None:
    """Write a piece as NAME.js below a folder; the script hands it over under that name. Raises WriteError."""
    whole.write(folder, f"{name}.js", f"tachograph.receive({script_json(name)},{script_json(data)});\n".encode())
