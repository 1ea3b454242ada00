"""Remote files: what is read over a network through fsspec."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import fsspec
from fsspec import AbstractFileSystem

from ..io.atomic_write import begun, put
from ..io.errors import WriteError
from ..io.extras import install
from ..io.limits import downloading
from ..origins.address import public
from .candidate import NotTakenError

_OF_EXTRA = ("http", "https", "s3", "s3a")
_CHUNK = 1 << 20
_PATIENCE = 60  # seconds without any byte


def is_url(source: str) -> bool:
    """Whether a source is spelt as a URL."""
    return "://" in source


def is_web(url: str) -> bool:
    """Whether a URL is one of the web, where nothing but a slash at its end tells a folder from a file."""
    return url.startswith(("http://", "https://"))


@contextmanager
def told() -> Iterator[None]:
    """Turn any error of a file system, each of which has its own, into NotTakenError; no URL in it holds a secret."""
    try:
        yield
    except (NotTakenError, WriteError):
        raise
    except Exception as error:
        reason = public(str(error) or type(error).__name__).rstrip(".").replace("\n", " ")
        raise NotTakenError(f"cannot be read: {reason}.", is_unreadable=True) from error


def filesystem(url: str) -> tuple[AbstractFileSystem, str]:
    """The file system of a URL and the path in it; raises NotTakenError that names the extra which is missing."""
    protocol = url.partition("://")[0].rpartition("::")[2]
    try:
        fs, path = fsspec.core.url_to_fs(url, **_options(url))
    except ImportError as error:
        needed = f"run `{install('remote')}`" if protocol in _OF_EXTRA else str(error).rstrip(".")
        raise NotTakenError(f"requires packages that are not installed; {needed}.", is_unreadable=True) from error
    except ValueError as error:
        raise NotTakenError(
            f"unknown protocol {protocol}://; use http://, https://, s3:// or another one supported by fsspec.",
            is_unreadable=True,
        ) from error
    return fs, str(path)


def fetch(url: str, place: Path) -> None:
    """Copy a remote file to a local one; raises NotTakenError where it cannot be read, or is larger than 64 GiB."""
    allowance = downloading()
    with told():
        fs, path = filesystem(url)
        with fs.open(path, "rb", **({"block_size": 0} if is_web(url) else {})) as stream, begun(place) as file:
            while data := stream.read(_CHUNK):
                allowance.take(len(data))
                put(data, file)


def _options(url: str) -> dict[str, Any]:
    """A download may take hours, but not be silent for long; aiohttp would end it after five minutes."""
    if not is_web(url):
        return {}
    import aiohttp  # noqa: PLC0415 - it comes with the extra

    return {
        "client_kwargs": {"timeout": aiohttp.ClientTimeout(total=None, sock_connect=_PATIENCE, sock_read=_PATIENCE)}
    }
