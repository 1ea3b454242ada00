"""Output: the findings of an audit for a terminal, as Markdown, as JSON lines, and as SARIF for code scanning."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from functools import cache
from importlib.metadata import version
from io import StringIO
from math import isfinite
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rich.console import JustifyMethod

from parsers.io.console import Console, Text
from parsers.io.message import Message, joined
from parsers.io.printable import printable

from ..terminal.aligned_rows import GAP, aligned
from ..wording import markdown
from ..wording.markdown import clean
from ..wording.words import Translate, worded
from .audited import FINGERPRINT, Audit, fingerprints
from .documents import LINE
from .rulings import GOOD, Finding, Ruling, account
from .sentences import MEANINGS, answer_of, reason, rule_of, shown, title

COLOURS = {
    **dict.fromkeys(GOOD, "green"),
    Ruling.CONTRADICTED: "red",
}
DOUBTED = "yellow"
HEAD_STYLE = "bold"
WIDTH = 160  # of what is printed into a file or a pipe
HEAD: Mapping[str, JustifyMethod] = {
    "Ruling": "left",
    "Where": "left",
    "Row": "left",
    "Column": "left",
    "Published": "right",
    "Found": "right",
    "Reason": "left",
}
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
SAYS = "{row}, {column}: {digits}: {ruling}. {reason}"
SAYS_OF_A_RULE = "{rule}: {answer}"
LEVELS = {Ruling.CONTRADICTED: "error", BOARD: "error", Ruling.OF_UNPROVED: "warning", Ruling.DIFFERS: "warning"}


def terminal(found: Audit, *, everything: bool, strict: bool, colour: bool, translate: Translate) -> str:
    """A table of the findings that somebody should look at, or of all, and the account of each document."""
    out = StringIO()
    console = Console(out, force_terminal=colour, width=None if colour else WIDTH)
    listed = [one for one in found.findings if everything or one.ruling in LISTED or one.fails(strict=strict)]
    if listed:
        rows = [[printable(cell) for cell in _row(finding, translate)] for finding in listed]
        styles = [HEAD_STYLE, *(COLOURS.get(finding.ruling, DOUBTED) for finding in listed)]
        right = [side == "right" for side in HEAD.values()]
        head = [translate(title) for title in HEAD]
        for style, lines in zip(styles, aligned([head, *rows], right, console.width), strict=True):
            for first, *rest in lines:
                told = [_styled(first, style) if colour else first, *rest]
                out.write(f"{GAP.join(told)}\n")
        out.write("\n")
    for said in _accounts(found):
        console.print(Text(worded(said, translate)))
    for row in _verdicts(found, translate):
        console.print(Text("{}: {}: {}".format(*row)))
    return out.getvalue()


def as_markdown(found: Audit, translate: Translate) -> str:
    """The same as Markdown: how many of each ruling, and what somebody should look at."""
    counts = account(one for one in found.findings if one.claim.place != LINE)
    rulings = [[translate(ruling), str(count), translate(MEANINGS[ruling])] for ruling, count in counts.items()]
    rows = [_row(finding, translate) for finding in found.findings if finding.ruling in LISTED]
    accounts = [f"- {clean(worded(said, translate))}" for said in _accounts(found)]
    tables = ((VERDICT_HEAD, _verdicts(found, translate)), (MEANINGS_HEAD, rulings), (tuple(HEAD), rows))
    parts = [markdown.table([*map(translate, head)], body) for head, body in tables if body]
    return "\n\n".join([*parts, "\n".join(accounts)]) + "\n"


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
        rule = {key: value or None for key, value in asdict(hit.rule).items() if key not in ("count", "peers")}
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
    rules = {ruling: MEANINGS[ruling] for ruling in Ruling if ruling not in GOOD} | {BOARD: BREAKS}
    results = []
    for one, mark in zip(found.findings, fingerprints(found.findings), strict=True):
        if one.ruling not in GOOD:
            claim = one.claim
            told = {"row": claim.row_label, "column": claim.col_label, "digits": title(one)}
            said = Message(SAYS, ruling=Message(one.ruling), reason=reason(one), **told)
            result = _sarif_result(one.ruling, worded(said, translate), found.root, claim.document)
            place = result["locations"][0]["physicalLocation"]
            place["region"] = {"startLine": claim.line, "startColumn": claim.column}
            result["partialFingerprints"] = {FINGERPRINT: mark}
            if one.is_accepted:
                result["suppressions"] = [{"kind": "external"}]
            results.append(result)
    for verdict in found.failed:
        said = Message(SAYS_OF_A_RULE, rule=rule_of(verdict), answer=answer_of(verdict))
        path = verdict.path or verdict.runs or verdict.record
        results.append(_sarif_result(BOARD, worded(said, translate), found.board_root, path))
    driver = {
        "name": "tachograph",
        "semanticVersion": version("tachograph"),
        "rules": [{"id": rule, "shortDescription": {"text": translate(said)}} for rule, said in rules.items()],
    }
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


def _row(finding: Finding, translate: Translate) -> list[str]:
    """The cells of a finding, as those of ``HEAD``."""
    claim, ruling = finding.claim, Message(finding.ruling)
    ruling = Message(ACCEPTED, ruling=ruling) if finding.is_accepted else ruling
    place = f"{claim.document}:{claim.line}"
    cells = [claim.row_label, claim.col_label, title(finding), shown(finding.hit) or "-"]
    return [worded(ruling, translate), place, *cells, worded(reason(finding), translate)]


@cache
def _styled(text: str, style: str) -> str:
    """A text with the codes of a terminal around it."""
    console = Console(StringIO(), force_terminal=True, width=WIDTH)
    with console.capture() as captured:
        console.print(Text(text, style), end="")
    return captured.get()
