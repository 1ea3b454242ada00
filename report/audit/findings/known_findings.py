"""Known findings: those that an audit is to accept, because somebody says so, or because they were there before."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from parsers.io.printable import printable_lines

from ..finding import Accepted, Finding, Verdict, path_from
from .allowance import NO_LOG, NO_NUMBERS
from .missing_logs import NO_LOG_FOUND

HEAD = "# Findings that were there when this baseline was written; `tachograph audit --baseline` accepts them."
IN_BASELINE = "in the baseline"
KINDS: Mapping[Verdict, str] = {"no numbers": NO_NUMBERS, "no evidence": NO_LOG}
ALLOWED = "--allow {what}"


def baseline(findings: Sequence[tuple[str, Finding]], folder: Path) -> str:
    """The text of a file of accepted findings with all that is to be mended now, each once; ``folder``: where it lies.

    Pages are called by their paths from there, so that it holds whichever pages are audited.
    """
    entries = dict.fromkeys(
        _entry(path_from(folder, finding.number.page), finding) for _, finding in findings if not finding.is_good
    )
    return printable_lines("\n\n".join([HEAD, *entries])) + "\n"


def _entry(page: str, finding: Finding) -> str:
    number = finding.number
    told = {"page": page, "table": number.heading, "row": number.row, "column": number.column}
    keys = {**told, "published": number.digits, "verdict": finding.verdict, "reason": IN_BASELINE}
    return "\n".join(["[[accepted]]", *(f"{key} = {_quoted(value)}" for key, value in keys.items())])


def _quoted(text: str) -> str:
    """A text as TOML spells it, which is as JSON does; what is no UTF-8 with backslashes."""
    return json.dumps(text.encode("utf-8", "backslashreplace").decode(), ensure_ascii=False)


def of_others(entries: Sequence[Accepted], folder: Path, files: Collection[Path]) -> set[Accepted]:
    """The findings among some accepted ones whose pages are there, and were not audited.

    ``folder``: that of the file of what is accepted. ``files``: the pages that were audited.
    """
    audited = {file.absolute() for file in files}
    there = {page: folder / page for page in {entry.page for entry in entries}}
    others = {page for page, path in there.items() if path.absolute() not in audited and path.is_file()}
    return {entry for entry in entries if entry.page in others}


def allowed(findings: Sequence[tuple[str, Finding]], allow: Collection[str]) -> Iterator[tuple[str, Finding]]:
    """The findings, those of kinds that need not fail marked as accepted; ``allow``: some of ``ALLOWABLE``."""
    for page, finding in findings:
        kind = _kind(finding)
        yield page, replace(finding, accepted=ALLOWED.format(what=kind)) if kind in allow else finding


def _kind(finding: Finding) -> str | None:
    kind = KINDS.get(finding.verdict)
    return kind if kind != NO_LOG or finding.reason.key in NO_LOG_FOUND else None
