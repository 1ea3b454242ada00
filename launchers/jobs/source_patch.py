"""What is changed in a checkout since its commit, as a patch that is kept beside the log."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from parsers.runs.run_folder import Source

from ..recipes.checkout import Checkout, describe
from ..secrets.redaction import redact_text, secret_values


def patch(repo: Path) -> bytes:
    """Return the changes of the tracked files of a checkout, without secrets; nothing where there are none."""
    redacted, _ = redact_text(Checkout(repo).patch, secret_values(os.environ))
    return redacted.encode(errors="surrogateescape")  # a changed file may hold any bytes


def described(repo: Path, changes: bytes) -> Source:
    """Describe a checkout as run.json does: `describe`, and the SHA-256 of its `changes` where there are any.

    `changes`: its `patch`, as it is kept beside the log.
    """
    found = describe(repo)
    return {**found, "patch": hashlib.sha256(changes).hexdigest()} if changes else found
