"""What is no log, or not from its first line: source code, pages of text, lists of changes, documents in JSON."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from .gathered import Gathered

FEWEST_OF_CODE = 4  # lines of a source
LEAST_BEHIND = 20  # lines of training behind a source
# What is no log, whatever numbers it holds.
SOURCE_CODE = "it is source code"
MARKDOWN = "it is a page of text"
DIFFERENCES = "it is a list of changes"
DOCUMENT = "it is one document in JSON"
_CODE = re.compile(
    r"\s*(?:def |class |import |from \w[\w.]* import|return\b|#include|(?:if|for|while|elif|with|except)\b.*:$"
    r"|else:|@\w|try:"
    r"|function |const |let |var |public |private |static |void |namespace |using |\}|//|/\*"
    r"|\* (?!.*\d[)%]?\s*$)|fn |use |pub )"
)
_PAGE = re.compile(r"```|#{1,5} \w|\|[ :-]+\||[-*] \[|\[!\[|<p|<img|<[a-z]+>")
_PIPES = re.compile(r"\s*\|(?:\s*:?-+:?\s*\|)+\s*")
_PIPES_OF_ROW = re.compile(r"\s*\|.*\|\s*\Z")
_HEADING = re.compile(r"#{1,6} [A-Za-z]|```")
FEWEST_OF_LOG = 8  # lines of a table
_CHANGE = re.compile(r"@@ -\d|diff --git ")


def why_no_log(gathered: Gathered) -> str | None:
    """Why some lines are those of no log; None where they may be of one."""
    lines = [line for line in gathered.head if line.strip()]
    if not lines:
        return None
    if any(map(_CHANGE.match, lines)):
        return DIFFERENCES
    if _part(_CODE, lines) > 0.15 and len(lines) * _part(_CODE, lines) >= FEWEST_OF_CODE:
        return SOURCE_CODE
    if _part(_PAGE, lines) > 0.02 and len(lines) * _part(_PAGE, lines) >= 3:
        return MARKDOWN
    if gathered.spoken and all(_PIPES_OF_ROW.match(row.text) for row in gathered.spoken) and is_page_with_table(lines):
        return MARKDOWN
    return DOCUMENT if _is_document(lines) else None


def behind_its_source(gathered: Gathered) -> Gathered:
    """What a log holds behind the source of its program, where that wrote it first; else all of it.

    Lines of training count steps behind the last line of the source.
    """
    code = [place for place, line in enumerate(gathered.head, 1) if _CODE.match(line) and re.search("[A-Za-z]", line)]
    behind = [row for row in gathered.spoken if len(code) >= FEWEST_OF_CODE and row.line > code[-1]]
    steps = [row.number(row.form.counter) for row in behind if row.form.has_loss and row.form.counter]
    if len(steps) < LEAST_BEHIND or not all(before < after for before, after in pairwise(steps)):
        return gathered
    head = [*[""] * code[-1], *gathered.head[code[-1] :]]
    found = replace(gathered, spoken=behind, head=head)
    before = Counter(row.form for row in gathered.spoken if row.line <= code[-1])
    return replace(found, counts=gathered.counts - before, evidence=sum(row.form.has_evidence for row in behind))


def _part(pattern: re.Pattern[str], lines: Sequence[str]) -> float:
    return sum(bool(pattern.match(line)) for line in lines) / len(lines)


def _is_document(lines: Sequence[str]) -> bool:
    if lines[0].strip()[:1] not in ("{", "[") or len(lines) < 2:
        return False
    try:
        json.loads("\n".join(lines))
    except ValueError:
        return False
    except RecursionError:  # brackets in brackets, and so on
        return True
    return True


def is_page_with_table(lines: Sequence[str]) -> bool:
    """Whether lines hold a table as Markdown draws it, of a few rows or under a title of Markdown."""
    if not any(map(_PIPES.fullmatch, lines)):
        return False
    return sum(line.lstrip().startswith("|") for line in lines) < FEWEST_OF_LOG or any(map(_HEADING.match, lines))
