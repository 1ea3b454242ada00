"""A reading as HTML for notebooks: its facts with their sources, its first records, its lines and its warnings."""

from __future__ import annotations  # pd.DataFrame in a signature would import pandas

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

from ...io.lazy import pd
from ...io.message import Message
from ...io.printable import printable
from ...scanning.account import Account
from ..facts import Fact

RECORDS_SHOWN = 5
FORMAT = "{format} · {records} records"
NO_FORMAT = "no known format"
LINES = "lines: {total} = {matched} matched + {ignored} ignored + {unrecognised} unrecognised"
WARNING = "warning: {said}"


def reading_html(
    path: Path,
    format_: str | None,
    facts: Iterable[Fact],
    records: pd.DataFrame,
    account: Account,
    warnings: Sequence[Message],
) -> str:
    """What was read of a log, in English; ``format_``: the name of its format. Nothing of the log acts in it."""
    told = (_paragraph(WARNING.format(said=said)) for said in warnings)
    return "\n".join([*_about(path, format_, len(records), account), _facts(facts), _first(records), *told])


def _about(path: Path, format_: str | None, records: int, account: Account) -> Iterator[str]:
    yield f"<p><b>{_text(path)}</b></p>"
    yield _paragraph(FORMAT.format(format=format_, records=records) if format_ else NO_FORMAT)
    counts = {name: getattr(account, name) for name in ("total", "matched", "ignored", "unrecognised")}
    yield _paragraph(LINES.format(**counts))


def _facts(facts: Iterable[Fact]) -> str:
    return _table(("fact", "value", "source"), ((fact.name, fact.value, fact.source.message) for fact in facts))


def _first(records: pd.DataFrame) -> str:
    return _table(records.columns, records.head(RECORDS_SHOWN).astype(object).itertuples(index=False))


def _paragraph(said: str) -> str:
    return f"<p>{_text(said)}</p>"


def _table(head: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    found = [_row("td", row) for row in rows]
    return "\n".join(["<table>", _row("th", head), *found, "</table>"]) if found else ""


def _row(kind: str, cells: Iterable[object]) -> str:
    return f"<tr>{''.join(f'<{kind}>{_text(cell)}</{kind}>' for cell in cells)}</tr>"


def _text(said: object) -> str:
    return escape(printable(said))
