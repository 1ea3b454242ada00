"""A page that compares two columns, and logs for it in which one thing at a time can differ."""

import json
from collections.abc import Mapping
from pathlib import Path

from parsers.sharing.workers import ALONE
from report.pagefile.page_file import load
from report.results.build import rows_of
from report.results.comparability import Line, lines
from report.results.resolve import resolve
from report.results.store import LogStore
from report.views.publish import publish
from tests.report.page_text import HEAD, column, table

PAGE = (
    HEAD
    + column("a", "a{cards}/*.log")
    + column("b", "b{cards}/*.log")
    + table(
        '{ column = "a" }, { column = "b" }',
        'batch_size = 64, precision = "fp32"',
        '{ title = "{cards}", case = { cards = 1 } }',
        keys='corner = "Cards"',
    )
)
TWO_ROWS = "{ cards = 1 } }, { title = '{cards}', case = { cards = 8 } }]"
STEADY = (400.0, 402.0) * 15


def make(folder: Path) -> Path:
    """Put the page file beside two logs that are alike."""
    (folder / "page.toml").write_text(PAGE, encoding="utf-8")
    put(folder, "a1")
    put(folder, "b1")
    return folder


def put(
    folder: Path,
    run: str,
    speeds: tuple[float, ...] = STEADY,
    *,
    year: int = 2031,
    cards: int = 1,
    case: Mapping[str, object] | None = None,
) -> None:
    """Make a log of single steps, whose stamps say nothing of their speed, with a run.json that tells the case."""
    (folder / "logs" / run).mkdir(parents=True, exist_ok=True)
    lines = [f"DLL {year}-05-04 11:00:00.000000 - (0, {at}) total_ips : {ips}" for at, ips in enumerate(speeds)]
    (folder / "logs" / run / "train.log").write_text(f"Num GPUs {cards}\n" + "\n".join(lines) + "\n", encoding="utf-8")
    (folder / "logs" / run / "run.json").write_text(
        json.dumps({"case": case or {}, "status": "done"}), encoding="utf-8"
    )


def edit(folder: Path, found: str, put_there: str) -> None:
    path = folder / "page.toml"
    text = path.read_text(encoding="utf-8")
    assert found in text
    path.write_text(text.replace(found, put_there), encoding="utf-8")


def unlike(folder: Path) -> list[Line]:
    page = load(folder / "page.toml")
    store = LogStore(folder / "logs", ALONE)
    made = resolve(page, store)
    return [line for table in page.tables for line in lines(page, table, rows_of(table, made), store)]


def rendered(folder: Path, language: str) -> str:
    """The text of a page in one language, and that of its evidence."""
    (page,) = publish([str(folder / "page.toml")], folder / "logs", [language], folder / "pages")
    return "\n".join(path.read_text(encoding="utf-8") for path in page.files[:2])
