"""Caches: what takes long to work out or to import, made on first use; what is kept for one call of a command."""

import functools
import os
from collections import deque
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

Kept = TypeVar("Kept")

_last_call = deque[str](maxlen=1)
_forgetting: list[Callable[[], None]] = []


def kept(function: Callable[..., Kept]) -> "functools._lru_cache_wrapper[Kept]":
    """As ``functools.cache``, until ``keep_for`` names another call: a file of the user's may have changed by then."""
    cached = functools.cache(function)
    _forgetting.append(cached.cache_clear)
    return cached


def keep_for(call: str) -> None:
    """Let go of all that was kept for any other call than the one of this name."""
    if call not in _last_call:
        _last_call.append(call)
        for forget in _forgetting:
            forget()


def caches() -> Path:
    """The folder of caches of the user, as the XDG base directory specification has it."""
    return Path(os.environ.get("XDG_CACHE_HOME") or f"{os.environ.get('HOME', '/nonexistent')}/.cache")


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
    # pandas takes longer than to read fifty logs, and most commands make no DataFrame; zstandard comes with an extra.
    pd = _OnUse("pandas")
    zstandard = _OnUse("zstandard")

__all__ = ["caches", "keep_for", "kept", "pd", "zstandard"]
