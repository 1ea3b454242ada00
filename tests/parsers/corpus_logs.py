"""The corpus of real logs, which lies beside the project and never enters it."""

import csv
import os
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
CORPUS = Path(os.environ.get("TACHOGRAPH_CORPUS") or ROOT.parent / "shared" / "corpus")
ABSENT = "the public logs are neither at ../shared/corpus nor at $TACHOGRAPH_CORPUS: make corpus-fetch"
SIGNS = tomllib.loads((ROOT / "tests/corpus/signs.toml").read_text(encoding="utf-8"))

Counts = dict[str, int]


@dataclass(frozen=True)
class RealLog:
    """One log of the corpus and the family that its index gives it."""

    family: str
    path: Path

    @cached_property
    def counts(self) -> dict[str, Counts]:
        """How many metric lines of each kind it holds, by format, as the signs in its raw bytes tell."""
        raw = self.path.read_bytes()
        found = {name: {kind: _count(sign, raw) for kind, sign in signs.items()} for name, signs in SIGNS.items()}
        return {name: {k: n for k, n in kinds.items() if n} for name, kinds in found.items() if any(kinds.values())}


def _count(sign: str, raw: bytes) -> int:
    return len(re.findall(sign.encode(), raw, re.MULTILINE))


def _index() -> Sequence[RealLog]:
    index = CORPUS / "INDEX.csv"
    if not index.is_file():
        return []
    with index.open(encoding="utf-8", newline="") as file:
        return [RealLog(row["family"], CORPUS / row["path"]) for row in csv.DictReader(file)]


def parameters(logs: Sequence[RealLog]) -> list[Any]:
    if not logs:
        return [pytest.param(None, marks=pytest.mark.skip(reason=ABSENT), id="absent")]
    return [pytest.param(log, id=f"{log.family}-{log.path.name}") for log in logs]


REAL_LOGS = _index()
every_real_log = pytest.mark.parametrize("log", parameters(REAL_LOGS))
