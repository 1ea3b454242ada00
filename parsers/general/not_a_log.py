"""The gate: source code, a page, a configuration and the like are no logs, whatever numbers they hold."""

import json
import re
from collections.abc import Sequence

from .gathered import Gathered

SOURCE_CODE = "it is source code"
MARKDOWN = "it is a page of text"
DIFFERENCES = "it is a list of changes"
DOCUMENT = "it is one document in JSON"
_CODE = re.compile(
    r"\s*(?:def |class |import |from \w[\w.]* import|return\b|#include|(?:if|for|while|elif|with|except)\b.*:$"
    r"|else:|@\w|try:"
    r"|function |const |let |var |public |private |static |void |namespace |using |\}|//|/\*|\* |fn |use |pub )"
)
_PAGE = re.compile(r"```|#{1,5} \w|\|[ :-]+\||[-*] \[|\[!\[|<p|<img|<[a-z]+>")
_CHANGE = re.compile(r"@@ -\d|diff --git ")


def why_no_log(gathered: Gathered) -> str | None:
    """Why some lines are those of no log; None where they may be of one."""
    lines = [line for line in gathered.head if line.strip()]
    if not lines:
        return None
    if any(map(_CHANGE.match, lines)):
        return DIFFERENCES
    if _part(_CODE, lines) > 0.15 and len(lines) * _part(_CODE, lines) >= 4:
        return SOURCE_CODE
    if _part(_PAGE, lines) > 0.02 and len(lines) * _part(_PAGE, lines) >= 3:
        return MARKDOWN
    return DOCUMENT if _is_document(lines) else None


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
