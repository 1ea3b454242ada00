"""Accepted findings: what somebody knows of and accepts, each with the reason, in a TOML file."""

import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from parsers.regular import text_of

from .finding import Finding, Verdict


class AcceptedError(ValueError):
    """A file of accepted findings with a mistake; one sentence says which file and what is possible."""


class Accepted(BaseModel):
    """One finding that is accepted: where the number stands, its digits, the verdict, and why that is accepted.

    A number is found by its page (as printed in the audit), row, column and digits; its line may change.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    page: str
    row: str
    column: str
    published: str
    verdict: Verdict
    reason: str = Field(min_length=1)


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    accepted: list[Accepted] = Field(default_factory=list)


def read_accepted(path: Path) -> list[Accepted]:
    """Read a file of ``[[accepted]]`` tables; raises AcceptedError."""
    try:
        return _File.model_validate(tomllib.loads(text_of(path))).accepted
    except OSError as error:
        raise AcceptedError(f"{path}: cannot be read: {error.strerror}.") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise AcceptedError(f"{path}: is no TOML: {error}.") from error
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise AcceptedError(f"{path}: {key}: {first['msg']}; an [[accepted]] table is possible.") from error


def with_accepted(
    findings: Sequence[tuple[str, Finding]], accepted: Sequence[Accepted]
) -> tuple[list[tuple[str, Finding]], list[Accepted]]:
    """The findings (each with the name of its page), those that are accepted marked so; and what is found no more."""
    reasons = {_key(a.page, a.row, a.column, a.published, a.verdict): a for a in accepted}
    used: set[Accepted] = set()
    marked = []
    for page, finding in findings:
        number = finding.number
        known = reasons.get(_key(page, number.row, number.column, number.digits, finding.verdict))
        used |= {known} if known else set()
        marked.append((page, replace(finding, accepted=known.reason) if known else finding))
    return marked, [a for a in accepted if a not in used]


def _key(*parts: str) -> tuple[str, ...]:
    return parts
