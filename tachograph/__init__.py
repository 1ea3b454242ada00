"""Tachograph: benchmark pages in which every number links to the log lines it was computed from.

The names that people import are brought in on first use, so that a command starts at once. ``__init__.pyi`` lists them,
for type checkers and for this module.
"""

import re
from importlib import import_module
from pathlib import Path
from typing import Any

_STUB = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
_HOMES = {name: module for module, name in re.findall(r"^from (\S+) import (\w+) as", _STUB, re.MULTILINE)}
__all__ = sorted(_HOMES)  # noqa: PLE0605 - a list


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("tachograph")
    if name not in _HOMES:
        raise AttributeError(f"tachograph has no {name!r}; it has {', '.join(__all__)}.")
    return getattr(import_module(_HOMES[name], __name__), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
