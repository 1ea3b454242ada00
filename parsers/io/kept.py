"""Kept: what is worked out of files of the user's, once in each call of a command.

A process that works for many calls, such as a worker of a cluster, forgets it between them: a file may have changed.
"""

from collections import deque
from collections.abc import Callable
from functools import _lru_cache_wrapper, cache
from typing import TypeVar

Kept = TypeVar("Kept")

_LAST_CALL = deque[str](maxlen=1)
_FORGETTING: list[Callable[[], None]] = []


def kept(function: Callable[..., Kept]) -> "_lru_cache_wrapper[Kept]":
    """As ``functools.cache``, until ``keep_for`` names another call."""
    cached = cache(function)
    _FORGETTING.append(cached.cache_clear)
    return cached


def keep_for(call: str) -> None:
    """Let go of all that was kept for any other call than the one of this name."""
    if call not in _LAST_CALL:
        _LAST_CALL.append(call)
        for forget in _FORGETTING:
            forget()
