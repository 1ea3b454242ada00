"""Output: the findings of an audit as lines of text, as Markdown, as JSON lines, and as SARIF for code scanning."""

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from importlib.metadata import version
from io import StringIO
from math import isfinite
from pathlib import Path
from typing import Any
from urllib.parse import quote

from parsers.io.console import Console, Text
from parsers.io.message import Message, joined
from parsers.io.printable import printable

from ..wording import markdown
from ..wording.words import Translate, worded
from .audited import FINGERPRINT, Audit, fingerprints
from .documents import LINE
from .rulings import GOOD, Finding, Ruling, account
from .sentences import MEANINGS, answer_of, reason, rule_of

VERDICT_HEAD = ("Record", "Rule", "Verdict")
MEANINGS_HEAD = ("Ruling", "Numbers", "Meaning")
# What is listed unless all is asked for; of the others the account tells how many there are.
LISTED = (Ruling.OF_UNPROVED, Ruling.AGREES, Ruling.DIFFERS, Ruling.CONTRADICTED)
ACCOUNT = ("{document}: {count} number = {rulings}", "{document}: {count} numbers = {rulings}")
NO_NUMBERS = "{document}: no numbers"
ALTERED = ("{account}; {count} altered line", "{account}; {count} altered lines")
OF_RULING = "{count} {ruling}"
SUM = "{first} + {second}"
ALL_DOCUMENTS = "all documents"
FILES = ("{count} data file was read.", "{count} data files were read.")
NOT_READ = ("{count} file was not read: {first}", "{count} files were not read, the first is {first}.")
ACCIDENTS = "Of all that is proved, {count} numbers are expected to be accidental."
ACCEPTED = "{ruling} (accepted)"
SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
BOARD = "board"
BREAKS = "a record breaks a rule of its board"
SAYS = "{number}: {ruling}: {reason}"
SAYS_OF_A_RULE = "{rule}: {answer}"
LEVELS = {Ruling.CONTRADICTED: "error", BOARD: "error", Ruling.OF_UNPROVED: "warning", Ruling.DIFFERS: "warning"}


def terminal(found: Audit, *, everything: bool, strict: bool, colour: bool, translate: Translate) -> str:
    """A line for each finding that somebody should look at, or for all, and the account of each document."""
    out = StringIO()
    console = Console(out, force_terminal=colour)
    for one in found.findings:
        if everything or one.ruling in LISTED or one.fails(strict=strict):
            told = printable(f"{_place(one)}:{one.claim.column}: {worded(_said(one), translate)}")
            shade = "green" if one.ruling in GOOD else "red" if one.ruling == Ruling.CONTRADICTED else "yellow"
            console.print(Text(told, shade), soft_wrap=True)
    accounts = [worded(said, translate) for said in _accounts(found)]
    for said in (*accounts, *map(": ".join, _verdicts(found, translate))):
        console.print(Text(printable(said)), soft_wrap=True)
    return out.getvalue()


def as_markdown(found: Audit, translate: Translate) -> str:
    """The same as Markdown: the verdicts of a board, how many of each ruling, and what somebody should look at."""
    counts = account(one for one in found.findings if one.claim.place != LINE)
    rulings = [[translate(ruling), str(count), translate(MEANINGS[ruling])] for ruling, count in counts.items()]
    tables = ((VERDICT_HEAD, _verdicts(found, translate)), (MEANINGS_HEAD, rulings))
    listed = [one for one in found.findings if one.ruling in LISTED]
    texts = [f"{_place(one)}: {worded(_said(one), translate)}" for one in listed]
    texts += [worded(said, translate) for said in _accounts(found)]
    parts = [markdown.table([*map(translate, head)], body) for head, body in tables if body]
    return "\n\n".join([*parts, "\n".join(f"- {markdown.text(text)}" for text in texts)]) + "\n"


def as_json(found: Audit) -> Iterator[dict[str, Any]]:
    """An object for each number, then one for each document with its account, as ``audit.schema.json`` has them."""
    for finding in found.findings:
        yield number_as_json(finding)
    for document, some in found.by_document.items():
        numbers, lines = _split(some)
        altered = {"altered_lines": len(lines)} if lines else {}
        yield {"document": document, "account": account(numbers), **altered}
    for one in found.verdicts:
        yield asdict(one)


def number_as_json(finding: Finding) -> dict[str, Any]:
    """The object of one number."""
    claim, hit = finding.claim, finding.hit
    how, where = None, None
    if hit:
        rule = {key: getattr(hit.rule, key) or None for key in ("means", "of", "over")}
        value = hit.value if isfinite(hit.value) else None
        how = {**rule, "name": hit.rule.name, "logs": hit.rule.count, "value": value}
        how |= {"rounding": hit.rounding or None, "together": finding.together}
        where = {"path": hit.path or None, "line": hit.line or None, "of": list(hit.places)}
    return {
        "document": claim.document,
        "line": claim.line,
        "column": claim.column,
        "digits": claim.number.text,
        "quantity": claim.quantity if claim.place != LINE else None,
        "unit": claim.unit or None,
        "row": claim.row_label,
        "head": claim.col_label,
        "ruling": finding.ruling,
        "how": how,
        "where": where,
        "labels": {
            "agreement": finding.labels.agreement,
            "axes": {axis: {"label": own, "log": log} for axis, own, log in finding.labels.axes},
        },
        "chance": finding.chance,
        "logs": finding.logs,
        "accepted": finding.is_accepted,
    }


def sarif(found: Audit, translate: Translate) -> str:
    """What is not proved, and why records of a board fail, as a SARIF 2.1.0 log; what is accepted is suppressed."""
    results = []
    for one, mark in zip(found.findings, fingerprints(found.findings), strict=True):
        if one.ruling not in GOOD:
            result = _sarif_result(one.ruling, worded(_said(one), translate), found.root, one.claim.document)
            place = result["locations"][0]["physicalLocation"]
            place["region"] = {"startLine": one.claim.line, "startColumn": one.claim.column}
            result["partialFingerprints"] = {FINGERPRINT: mark}
            result |= {"suppressions": [{"kind": "external"}]} if one.is_accepted else {}
            results.append(result)
    for verdict in found.failed:
        said = Message(SAYS_OF_A_RULE, rule=rule_of(verdict), answer=answer_of(verdict))
        path = verdict.path or verdict.runs or verdict.record
        results.append(_sarif_result(BOARD, worded(said, translate), found.board_root, path))
    rules = {ruling: MEANINGS[ruling] for ruling in Ruling if ruling not in GOOD} | {BOARD: BREAKS}
    told = [{"id": rule, "shortDescription": {"text": translate(said)}} for rule, said in rules.items()]
    driver = {"name": "tachograph", "semanticVersion": version("tachograph"), "rules": told}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _sarif_result(rule: str, text: str, root: Path, path: str) -> dict[str, Any]:
    """A result; its file is named from the working folder where it lies in it, else from the root."""
    if (root / path).is_relative_to(Path.cwd()):
        path = (root / path).relative_to(Path.cwd()).as_posix()
    return {
        "ruleId": rule,
        "level": LEVELS.get(rule, "note"),
        "message": {"text": text},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": quote(os.fsencode(path))}}}],
    }


def _place(one: Finding) -> str:
    return f"{one.claim.document}:{one.claim.line}"


def _said(one: Finding) -> Message:
    """What a finding says of its number, or of an altered line."""
    claim, ruling = one.claim, Message(one.ruling)
    ruling = Message(ACCEPTED, ruling=ruling) if one.is_accepted else ruling
    digits = repr(claim.number.text) if claim.place == LINE else claim.number.text
    number = ", ".join(filter(None, (claim.row_label, claim.col_label, digits)))
    return Message(SAYS, number=number, ruling=ruling, reason=reason(one))


def _verdicts(found: Audit, translate: Translate) -> list[list[str]]:
    """What the records of a board say of its rules: the folder of the runs, the rule, and the answer."""
    return [
        [one.runs or one.record, worded(rule_of(one), translate), worded(answer_of(one), translate)]
        for one in found.verdicts
    ]


def _accounts(found: Audit) -> Iterator[Message]:
    by_document = found.by_document
    for document, some in by_document.items():
        yield _account(Message("{document}", document=document), some)
    if len(by_document) > 1:
        yield _account(Message(ALL_DOCUMENTS), found.findings)
    if found.files_read or found.not_read:
        yield Message.of_count(found.files_read, *FILES)
    if found.not_read:
        yield Message.of_count(len(found.not_read), *NOT_READ, first=found.not_read[0])
    if found.accidents:
        yield Message(ACCIDENTS, count=f"{found.accidents:.1g}")


def _account(document: Message, findings: Iterable[Finding]) -> Message:
    """All numbers of a document, as the sum of those of each ruling."""
    numbers, lines = _split(findings)
    if numbers:
        each = [Message(OF_RULING, count=n, ruling=Message(ruling)) for ruling, n in account(numbers).items()]
        said = Message.of_count(len(numbers), *ACCOUNT, document=document, rulings=joined(SUM, each))
    else:
        said = Message(NO_NUMBERS, document=document)
    return Message.of_count(len(lines), *ALTERED, account=said) if lines else said


def _split(findings: Iterable[Finding]) -> tuple[list[Finding], list[Finding]]:
    """The findings on numbers, and those on altered lines that have none."""
    some = list(findings)
    return [one for one in some if one.claim.place != LINE], [one for one in some if one.claim.place == LINE]
