"""Packages that are imported on their first use.

pandas takes longer than to read fifty logs, and most commands make no DataFrame; zstandard comes with an extra.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["pd", "zstandard"]


class _OnUse:
    """A module that is imported when something of it is used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)


if TYPE_CHECKING:
    import pandas as pd
    import zstandard
else:
    pd = _OnUse("pandas")
    zstandard = _OnUse("zstandard")
