"""What is no log, whatever numbers it holds: source code, pages of text, lists of changes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from .log import Log
from .training import Reason

MOST_CODE = 0.15  # of the lines of a log look like code: keywords are words
FEWEST_OF_CODE = 4  # lines of a source
MOST_MARKUP = 0.02  # of the lines of a log look like markup, or two in all
FEWEST_OF_TABLE = 8  # rows of a table that a program prints; a page shows fewer
LEAST_BEHIND = 20  # records of training behind the source of the program that prints them
_CODE = re.compile(
    r"\s*(?:def |class |import |from \w[\w.]* import|return\b|#include|(?:if|for|while|elif|with|except)\b.*:$"
    r"|else:|@\w|try:|function |const |let |var |public |private |static |void |namespace |using |\}|//|/\*"
    r"|\* (?!.*\d[)%]?\s*$)|fn |use |pub )"
)
_PAGE = re.compile(r"```|#{1,5} \w[^:=]*\Z|\|[ :-]+\||[-*] \[|\[!\[|<p|<img|<[a-z]+>")
_HEADING = re.compile(r"#{1,6} [A-Za-z]|```")
_RULE_OF_TABLE = re.compile(r"\s*\|(?:\s*:?-+:?\s*\|)+\s*")
_ROW_OF_TABLE = re.compile(r"\s*\|.*\|\s*\Z")
_CHANGE = re.compile(r"@@ -\d|diff --git ")


def why_no_log(log: Log) -> Reason | None:
    """Why a text is no log; None where it may be one."""
    lines = [line for line in log.head if line.strip()]
    if any(map(_CHANGE.match, lines)):
        return Reason.CHANGES
    code, marked = (sum(bool(of.match(line)) for line in lines) for of in (_CODE, _PAGE))
    if code >= FEWEST_OF_CODE and code > MOST_CODE * len(lines):
        return None if _trains_behind_source(log) else Reason.SOURCE_CODE
    if marked > 2 and marked > MOST_MARKUP * len(lines):
        return Reason.PAGE
    rows = [row.text for table in log.tables for row in table.rows]
    if rows and all(map(_ROW_OF_TABLE.match, rows)) and _shows_table(lines):
        return Reason.PAGE
    return None


def _trains_behind_source(log: Log) -> bool:
    """Whether a log begins with the source of its program: lines of training count steps behind its last line."""
    last = max(
        (n for n, line in enumerate(log.head, 1) if _CODE.match(line) and re.search("[A-Za-z]", line)), default=0
    )
    for table in (table for table in log.tables if table.evidence):
        counts = table.step.values if table.step is not None else ()
        steps = [step for row, step in zip(table.rows, counts, strict=False) if row.line > last]
        if len(steps) >= LEAST_BEHIND and all(before < after for before, after in pairwise(steps)):
            return True
    return False


def _shows_table(lines: Sequence[str]) -> bool:
    """Whether lines hold a table as Markdown draws it, of a few rows or under a title of Markdown."""
    if not any(map(_RULE_OF_TABLE.fullmatch, lines)):
        return False
    return sum(line.lstrip().startswith("|") for line in lines) < FEWEST_OF_TABLE or any(map(_HEADING.match, lines))
