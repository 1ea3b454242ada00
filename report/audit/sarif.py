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

from ..wording.words import Translate, worded
from .audited import Audit
from .board import Verdict
from .rulings import GOOD, Finding, Ruling
from .sentences import MEANINGS, answer_of, reason, rule_of, title

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
FINGERPRINT = "tachographNumber/v1"
SAYS = "{row}, {column}: {digits}: {ruling}. {reason}"
SAYS_OF_A_PLACE = "{digits}: {ruling}. {reason}"
SAYS_OF_A_RULE = "{rule}: {answer}"
BOARD = "board"
BREAKS = "a record breaks a rule of its board"
LEVELS = {Ruling.CONTRADICTED: "error", Ruling.OF_UNPROVED: "warning", Ruling.DIFFERS: "warning"}
LEAST = "note"


def sarif(found: Audit, translate: Translate) -> str:
    """What is not proved, and why records of a board fail, as a SARIF log in one language.

    What is accepted is suppressed. Rules are the rulings as programs know them. A fingerprint is of the row, the
    column, the digits and the ruling of a number, but not of its line. Addresses of files are relative to the working
    folder where they lie in it.
    """
    rulings = list(Ruling)
    driver = {
        "name": "tachograph",
        "semanticVersion": version("tachograph"),
        "rules": [
            *(_rule(ruling, translate) for ruling in rulings),
            *([_of_board(translate)] if found.verdicts else []),
        ],
    }
    results = [
        {"ruleIndex": rulings.index(finding.ruling), **_result(finding, fingerprint, found.root, translate)}
        for finding, fingerprint in _fingerprinted(found.findings)
    ]
    results += [
        {"ruleIndex": len(rulings), **_result_of_board(verdict, found.board_root, translate)}
        for verdict in found.failed
    ]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _rule(ruling: Ruling, translate: Translate) -> dict[str, Any]:
    level = {"level": "none" if ruling in GOOD else LEVELS.get(ruling, LEAST)}
    return {"id": ruling, "shortDescription": {"text": translate(MEANINGS[ruling])}, "defaultConfiguration": level}


def _of_board(translate: Translate) -> dict[str, Any]:
    level = {"level": "error"}
    return {"id": BOARD, "shortDescription": {"text": translate(BREAKS)}, "defaultConfiguration": level}


def _result_of_board(verdict: Verdict, root: Path, translate: Translate) -> dict[str, Any]:
    said = Message(SAYS_OF_A_RULE, rule=rule_of(verdict), answer=answer_of(verdict))
    key = "\0".join((verdict.record, verdict.runs, verdict.kind, verdict.subject))
    place = {"artifactLocation": {"uri": _uri(root, verdict.path or verdict.runs or verdict.record)}}
    return {
        "ruleId": BOARD,
        "level": "error",
        "message": {"text": worded(said, translate)},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {FINGERPRINT: sha256(key.encode("utf-8", "surrogatepass")).hexdigest()},
    }


def _fingerprinted(findings: Sequence[Finding]) -> Iterator[tuple[Finding, str]]:
    """What is not good by itself, each with its fingerprint; those that would be alike are counted."""
    known = Counter[str]()
    for finding in findings:
        if finding.ruling not in GOOD:
            claim = finding.claim
            parts = (claim.document, claim.row_label, claim.col_label, claim.number.text, finding.ruling)
            found = sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
            known[found] += 1
            yield finding, f"{found}:{known[found]}"


def _result(finding: Finding, fingerprint: str, root: Path, translate: Translate) -> dict[str, Any]:
    claim = finding.claim
    region = {"startLine": claim.line, "startColumn": claim.column}
    place = {"artifactLocation": {"uri": _uri(root, claim.document)}, "region": region}
    result: dict[str, Any] = {
        "ruleId": finding.ruling,
        "level": LEVELS.get(finding.ruling, LEAST),
        "message": {"text": _said(finding, translate)},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {FINGERPRINT: fingerprint},
    }
    if finding.accepted:
        result["suppressions"] = [{"kind": "external", "justification": finding.accepted}]
    return result


def _said(finding: Finding, translate: Translate) -> str:
    claim = finding.claim
    key = SAYS if claim.row_label or claim.col_label else SAYS_OF_A_PLACE
    told = {"row": claim.row_label, "column": claim.col_label, "digits": title(finding)}
    return worded(Message(key, **told, ruling=Message(finding.ruling), reason=reason(finding)), translate)


def _uri(root: Path, document: str) -> str:
    """Where a document lies: as seen from the working folder, else from the folder that holds all documents."""
    place, here = root / document, Path.cwd()
    path = place.relative_to(here).as_posix() if place.is_relative_to(here) else document
    return quote(path.encode("utf-8", "surrogateescape"))
