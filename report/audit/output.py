"""Output: the findings of an audit as lines of text, as Markdown, as JSON lines, and as SARIF for code scanning.

What a finding says is made of its values for each language; nothing reads it.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from math import isfinite
from pathlib import Path
from typing import Any
from urllib.parse import quote

from parsers.io.message import Message, joined
from parsers.io.printable import printable

from ..measure.number import digits
from ..wording import markdown
from ..wording.words import Translate, worded
from .audited import FINGERPRINT, Audit, fingerprints
from .board import Kind, Verdict
from .chance import Hit, Means
from .claims import Claim
from .documents import LINE
from .evidence import GREATEST, LAST, LEAST, MEAN
from .labels import Agreement
from .number import TRUNCATED
from .rulings import GOOD, Finding, Ruling, account

VERDICT_HEAD = ("Record", "Rule", "Verdict")
# What is listed unless all is asked for; of the others the account tells how many there are.
LISTED = (Ruling.OF_UNPROVED, Ruling.AGREES, Ruling.DIFFERS, Ruling.CONTRADICTED)
SAYS = "{place}: {number}: {ruling}: {reason}"
ACCOUNT = ("{document}: {count} number = {rulings}", "{document}: {count} numbers = {rulings}")
NO_NUMBERS = "{document}: no numbers"
ALTERED = ("{account}; {count} altered line", "{account}; {count} altered lines")
OF_RULING = "{count} {ruling}"
SUM = "{first} + {second}"
ALL_DOCUMENTS = "all documents"
FILES = ("{count} data file was read.", "{count} data files were read.")
NOT_READ = ("{count} file was not read: {first}", "{count} files were not read, the first is {first}.")
ACCEPTED = "{ruling} (accepted)"
SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
BOARD = "board"
SAYS_OF_A_RULE = "{rule}: {answer}"
LEVELS = {Ruling.CONTRADICTED: "error", BOARD: "error", Ruling.OF_UNPROVED: "warning", Ruling.DIFFERS: "warning"}

# ---- what is said of a finding

# Statistics of a series in a log, and of these over several logs.
_STATISTICS: Mapping[str, str] = {
    LAST: "the last value",
    MEAN: "the mean",
    LEAST: "the least value",
    GREATEST: "the greatest value",
}
THOUSANDS = 10_000  # from which a value of a board is told without decimals
# How a value comes about.
_HOW: Mapping[Means, str] = {
    Means.RECORD: "{where} holds it",
    Means.SERIES: "{where} holds it in {series}",
    Means.STATISTIC: "{statistic} of {series} in {where}",
    Means.PROTOCOL: "{where} by {protocol}",
    Means.FORMULA: "{formula} of {operands}",
    Means.QUOTE: "{where} states it",
    Means.RENDERED: "rendered again from its page file and logs, the page says the same",
}
OF_LOGS = "{over} over {count} logs in {where} of {statistic} of {series}"
OF_RUN = (
    "{path} is the run of this row: its {series} ends with {value} in line {line}, and none of its {count} values is"
    " this number"
)
BROKEN = "{formula} of {operands} is {value}; of {count} numbers of the column {kept} keep that formula"
BROKEN_ALONE = "{formula} of {operands} is {value}"
TO_BE = "made again, it says {right} here"
TOGETHER = ("together with {count} more number", "together with {count} more numbers")
CUT = "truncated"
CHANCE = "by accident {chance}"
NEAREST = "the nearest is {value}"
TOO_FEW = "too few digits to prove it"
SCOPE = ("nothing tried in its log gives it", "nothing tried in its {count} logs gives it")
NOTHING_THERE = "no log lies beside it or is linked"
AGAINST = "the log is named for {axes}"
AXIS = "{axis} {value}"
# What the rules of a board ask for.
_RULES: Mapping[Kind, str] = {
    Kind.FILE: "a file {subject}",
    Kind.TARGET: "a mean of at most {bound}",
    Kind.P_VALUE: "a p value below {bound}",
    Kind.CAP: "{subject}: at most {bound}",
}
AT_LEAST = ("at least {count} run", "at least {count} runs")
FILE_THERE = "{status}: {path}"
COUNTED = ("{status}: {count} run", "{status}: {count} runs")
OF_RUNS = ("{status}: {value} in {count} run", "{status}: {value} in {count} runs")


def terminal(found: Audit, *, everything: bool, strict: bool, translate: Translate) -> str:
    """A line for each finding that somebody should look at, or for all, and the account of each document."""
    some = found.findings if everything else _shown(found, strict=strict)
    lines = [worded(one, translate) for one in (*map(said, some), *_accounts(found))]
    return "".join(f"{printable(line)}\n" for line in (*lines, *map(": ".join, _verdicts(found, translate))))


def as_markdown(found: Audit, translate: Translate) -> str:
    """The same as Markdown, the verdicts of a board first."""
    verdicts = _verdicts(found, translate)
    table = markdown.table([*map(translate, VERDICT_HEAD)], verdicts) + "\n\n" if verdicts else ""
    lines = (worded(one, translate) for one in (*map(said, _shown(found)), *_accounts(found)))
    return table + "".join(f"- {markdown.text(line)}\n" for line in lines)


def _shown(found: Audit, *, strict: bool = False) -> Iterator[Finding]:
    """What somebody should look at; a reason why nothing can be held against numbers is told once in a document."""
    told: set[tuple[str, str]] = set()
    for one in found.findings:
        reason = (one.claim.document, str(one.why)) if one.why else None
        if one.ruling in LISTED or one.fails(strict=strict) or (reason and reason not in told):
            yield one
        told |= {reason} if reason else set()


def as_json(found: Audit) -> Iterator[dict[str, Any]]:
    """An object for each number, then one for each document with its account, as ``audit.schema.json`` has them."""
    yield from map(number_as_json, found.findings)
    for document, some in found.by_document.items():
        numbers, lines = _split(some)
        yield {"document": document, "account": account(numbers), **({"altered_lines": lines} if lines else {})}
    yield from map(asdict, found.verdicts)


def number_as_json(finding: Finding) -> dict[str, Any]:
    """The object of one number."""
    claim, hit = finding.claim, finding.hit
    how: dict[str, Any] | None = None
    where = None
    if hit:
        how = {"means": hit.means, "of": hit.of or None, "over": hit.over or None, "name": hit.name, "logs": hit.count}
        how |= {"value": hit.value if isfinite(hit.value) else None, "rounding": hit.rounding or None}
        how["together"] = finding.together
        where = {"path": hit.path or None, "line": hit.line or None, "of": [_at(one) for one in hit.operands]}
    axes = {axis: {"label": own, "log": log} for axis, own, log in finding.labels.axes}
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
        "labels": {"agreement": finding.labels.agreement, "axes": axes},
        "chance": finding.chance,
        "logs": finding.logs,
        "accepted": finding.is_accepted,
    }


def sarif(found: Audit, translate: Translate) -> str:
    """What is not proved, and why records of a board fail, as a SARIF 2.1.0 log; what is accepted is suppressed."""
    results = []
    for one, mark in zip(found.findings, fingerprints(found.findings), strict=True):
        if one.ruling not in GOOD:
            region = {"region": {"startLine": one.claim.line, "startColumn": one.claim.column}}
            result = _sarif_result(one.ruling, worded(said(one), translate), found.root, one.claim.document, region)
            result["partialFingerprints"] = {FINGERPRINT: mark}
            results.append(result | ({"suppressions": [{"kind": "external"}]} if one.is_accepted else {}))
    for verdict in found.failed:
        told = Message(SAYS_OF_A_RULE, rule=rule_of(verdict), answer=answer_of(verdict))
        path = verdict.path or verdict.runs or verdict.record
        results.append(_sarif_result(BOARD, worded(told, translate), found.board_root, path, {}))
    rules = [{"id": rule} for rule in (*(ruling for ruling in Ruling if ruling not in GOOD), BOARD)]
    driver = {"name": "tachograph", "semanticVersion": version("tachograph"), "rules": rules}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _sarif_result(rule: str, text: str, root: Path, path: str, region: dict[str, Any]) -> dict[str, Any]:
    """A result; its file is named from the working folder where it lies in it, else from the root."""
    file = root / path
    named = file.relative_to(Path.cwd()).as_posix() if file.is_relative_to(Path.cwd()) else path
    location = {"artifactLocation": {"uri": quote(os.fsencode(named))}, **region}
    message, level = {"text": text}, LEVELS.get(rule, "note")
    return {"ruleId": rule, "level": level, "message": message, "locations": [{"physicalLocation": location}]}


def _at(claim: Claim) -> str:
    return f"{claim.line}:{claim.column}"


def said(one: Finding) -> Message:
    """What a finding says of its number, or of an altered line, and where that stands."""
    claim, ruling = one.claim, Message(one.ruling)
    ruling = Message(ACCEPTED, ruling=ruling) if one.is_accepted else ruling
    shown = repr(claim.number.text) if claim.place == LINE else claim.number.text
    number = ", ".join(filter(None, (claim.row_label, claim.col_label, shown)))
    place = f"{claim.document}:{claim.line}:{claim.column}" if claim.line else claim.document
    return Message(SAYS, place=place, number=number, ruling=ruling, reason=reason(one))


def _verdicts(found: Audit, translate: Translate) -> list[list[str]]:
    """What the records of a board say of its rules: the folder of the runs, the rule, and the answer."""
    return [
        [one.runs or one.record, worded(rule_of(one), translate), worded(answer_of(one), translate)]
        for one in found.verdicts
    ]


def _accounts(found: Audit) -> Iterator[Message]:
    """All numbers of each document, as the sum of those of each ruling; then of all, and of the files."""
    every = [(Message("{document}", document=document), some) for document, some in found.by_document.items()]
    if len(every) > 1:
        every.append((Message(ALL_DOCUMENTS), list(found.findings)))
    for document, some in every:
        numbers, lines = _split(some)
        each = [Message(OF_RULING, count=n, ruling=Message(ruling)) for ruling, n in account(numbers).items()]
        if numbers:
            said = Message.of_count(len(numbers), *ACCOUNT, document=document, rulings=joined(SUM, each))
        else:
            said = Message(NO_NUMBERS, document=document)
        yield Message.of_count(lines, *ALTERED, account=said) if lines else said
    if found.files_read or found.not_read:
        yield Message.of_count(found.files_read, *FILES)
    if found.not_read:
        yield Message.of_count(len(found.not_read), *NOT_READ, first=found.not_read[0])


def _split(findings: Sequence[Finding]) -> tuple[list[Finding], int]:
    """The findings on numbers, and how many there are on altered lines that have none."""
    numbers = [one for one in findings if one.claim.place != LINE]
    return numbers, len(findings) - len(numbers)


# ---- sentences


def reason(finding: Finding) -> Message:
    """Why a finding has its ruling; a negative one states its scope."""
    hit = finding.hit
    if finding.why:
        return finding.why
    if hit is None:
        if finding.ruling == Ruling.NO_MEASUREMENT:
            return Message(finding.claim.quantity)
        is_searched = finding.ruling == Ruling.UNEXPLAINED
        return Message.of_count(finding.logs, *SCOPE) if is_searched else Message(NOTHING_THERE)
    if finding.ruling == Ruling.CONTRADICTED:
        return _broken(hit)
    said = [*_how(hit, finding.together)]
    if finding.chance:
        said.append(Message(CHANCE, chance=f"{finding.chance:.0e}"))
    if finding.ruling == Ruling.DIFFERS:
        said.insert(0, Message(NEAREST, value=f"{hit.value:.10g}"))
    elif finding.ruling == Ruling.AGREES:
        said.append(Message(TOO_FEW))
    elif finding.labels.agreement == Agreement.CONTRADICTED:
        axes = (Message(AXIS, axis=axis.replace("_", " "), value=log) for axis, _, log in finding.labels.axes)
        said.append(Message(AGAINST, axes=joined("{first}, {second}", axes)))
    return joined("{first}; {second}", said)


def _how(hit: Hit, together: int) -> Iterator[Message]:
    """The rule that gives a value, where it stands, of how many numbers it is the rule, and how it was rounded."""
    told: dict[str, object] = {"where": f"{hit.path}:{hit.line}" if hit.line else hit.path}
    told |= {"series": hit.name, "protocol": hit.name, "formula": Message(hit.name), "operands": _operands(hit)}
    told |= {
        key: Message(_STATISTICS[of]) for key, of in (("statistic", hit.of), ("over", hit.over)) if of in _STATISTICS
    }
    yield Message(OF_LOGS if hit.over else _HOW[hit.means], **told, count=hit.count)
    if together > 1:
        yield Message.of_count(together - 1, *TOGETHER)
    if hit.rounding == TRUNCATED:
        yield Message(CUT)


def _broken(hit: Hit) -> Message:
    """What a contradicted number is to be."""
    if hit.means == Means.RENDERED:
        return Message(TO_BE, right=repr(hit.name))
    if hit.means == Means.RUN:
        told = {"path": hit.path, "line": hit.line, "series": hit.name, "count": hit.count}
        return Message(OF_RUN, value=f"{hit.value:.10g}", **told)
    kept, count = hit.peers
    told = {"formula": Message(hit.name), "operands": _operands(hit), "value": digits(hit.value)}
    return Message(BROKEN if count > 1 else BROKEN_ALONE, kept=kept, count=count, **told)


def _operands(hit: Hit) -> str:
    """Where the numbers stand that a value is computed from: all of a few, the ends of many."""
    places = [_at(one) for one in hit.operands]
    return ", ".join(places if len(places) <= 3 else (places[0], "...", places[-1]))


def rule_of(verdict: Verdict) -> Message:
    """What a rule of a board asks for."""
    if verdict.kind == Kind.SEEDS:
        return Message.of_count(int(verdict.bound or 0), *AT_LEAST)
    return Message(_RULES[verdict.kind], subject=Message(verdict.subject), bound=_plain(verdict.bound))


def answer_of(verdict: Verdict) -> Message:
    """What a record says of a rule, with its status."""
    status = Message(verdict.status)
    if verdict.kind == Kind.FILE:
        return Message(FILE_THERE, status=status, path=verdict.path) if verdict.path else status
    if verdict.value is None or verdict.kind == Kind.SEEDS:
        return Message.of_count(verdict.count, *COUNTED, status=status)
    return Message.of_count(verdict.count, *OF_RUNS, value=_plain(verdict.value), status=status)


def _plain(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= THOUSANDS else f"{value:.6g}"
