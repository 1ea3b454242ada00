"""pandas, imported on its first use: that takes longer than to read fifty logs, and most commands make no DataFrame."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["pd"]


class _OnUse:
    """A module that is imported when something of it is used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)


if TYPE_CHECKING:
    import pandas as pd
else:
    pd = _OnUse("pandas")
