"""SARIF 2.1.0: findings for code scanning, with fingerprints that stay when lines move."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from parsers.io.message import Message

from ...wording.words import Translate, worded
from ..finding import GOOD, OPEN, VERDICTS, Finding, Verdict

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
FINGERPRINT = "tachographNumber/v1"
SAYS = "{row}, {column}: {digits}: {verdict}. {reason}"
SAYS_OF_A_PLACE = "{digits}: {verdict}. {reason}"
LEVELS: dict[Verdict, str] = {
    **dict.fromkeys(GOOD, "none"),
    **dict.fromkeys(OPEN, "note"),
    **dict.fromkeys(("no evidence", "dead link"), "warning"),
}
WORST = "error"


def sarif(findings: Sequence[tuple[str, Finding]], translate: Translate) -> str:
    """What is to be mended, and what is accepted as suppressed, as a SARIF log in one language.

    Rules are the verdicts as programs know them. A fingerprint is of the place of a number on its page, its digits and
    its verdict, but not of its line. Addresses of files are relative to the working folder where they lie in it.
    """
    rules = list(VERDICTS)
    driver = {
        "name": "tachograph",
        "semanticVersion": version("tachograph"),
        "rules": [_rule(verdict, what, translate) for verdict, what in VERDICTS.items()],
    }
    results = [
        {"ruleIndex": rules.index(finding.verdict), **_result(page, finding, print_, translate)}
        for page, finding, print_ in _fingerprinted(findings)
    ]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _rule(verdict: Verdict, what: str, translate: Translate) -> dict[str, Any]:
    level = {"level": LEVELS.get(verdict, WORST)}
    return {"id": verdict, "shortDescription": {"text": translate(what)}, "defaultConfiguration": level}


def _fingerprinted(findings: Sequence[tuple[str, Finding]]) -> Iterator[tuple[str, Finding, str]]:
    """What is not good by itself, each with its fingerprint; those that would be alike are counted."""
    known = Counter[str]()
    for page, finding in findings:
        if not finding.is_good or finding.accepted:
            number = finding.number
            parts = (page, number.heading, number.row, number.column, number.digits, finding.verdict)
            found = sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
            known[found] += 1
            yield page, finding, f"{found}:{known[found]}"


def _result(page: str, finding: Finding, fingerprint: str, translate: Translate) -> dict[str, Any]:
    place = {
        "artifactLocation": {"uri": _uri(finding.number.page, page)},
        "region": {"startLine": finding.number.line},
    }
    result: dict[str, Any] = {
        "ruleId": finding.verdict,
        "level": LEVELS.get(finding.verdict, WORST),
        "message": {"text": _said(finding, translate)},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {FINGERPRINT: fingerprint},
    }
    if finding.accepted:
        result["suppressions"] = [{"kind": "external", "justification": finding.accepted}]
    return result


def _said(finding: Finding, translate: Translate) -> str:
    number = finding.number
    key = SAYS if number.row or number.column else SAYS_OF_A_PLACE
    told = {"row": number.row, "column": number.column, "digits": number.digits}
    return worded(Message(key, **told, verdict=Message(finding.verdict), reason=finding.reason), translate)


def _uri(file: Path, page: str) -> str:
    """Where a page lies: as seen from the working folder, else from the folder that holds all pages."""
    place = file.parent.resolve() / file.name
    here = Path.cwd()
    path = place.relative_to(here).as_posix() if place.is_relative_to(here) else page
    return quote(path.encode("utf-8", "surrogateescape"))
