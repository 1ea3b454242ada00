"""A page with quotes and quotients, and logs that take the place of its quotes."""

from collections.abc import Iterable
from pathlib import Path

from report.results.model import Report, Result
from report.views.publish import PublishedPage, publish
from tests.parsers.run_folders import make_run
from tests.report.page_text import HEAD, column, report_of

QUOTES = """column,cards,value,source
a,1,100.0,paper
a,8,640.00,paper
b,1,80,paper
"""
PAGE = (
    HEAD
    + """
[sources.paper]
title = "A paper"
url = "https://example.org/paper"
date = "2031-05"
note = "Nobody knows how it was made."
"""
    + column("a", "a{cards}/*.log", "decimals=1")
    + column("b", "b{cards}/*.log", "decimals=1")
    + """
[[tables]]
name = "t"
title = "Scores"
corner = "Cards"
case = { precision = "fp32" }
columns = [
    { column = "a" },
    { column = "b" },
    { column = "a", title = "A over B", quantity = "speed_up", against = { column = "b" } },
    { column = "a", quantity = "scaling_efficiency" },
]
rows = [{ title = "{cards}", case = { cards = 1 } }, { title = "{cards}", case = { cards = 8 } }]
"""
)


def make(folder: Path, found: str = "", put: str = "") -> Path:
    """Write the page and its quotes, with one change, beside an empty folder of logs."""
    assert found in PAGE + QUOTES
    (folder / "logs").mkdir(exist_ok=True)
    for name, text in (("page.toml", PAGE), ("page.quotes.csv", QUOTES)):
        (folder / name).write_text(text.replace(found, put, 1) if found else text, encoding="utf-8")
    return folder / "page.toml"


def put_run(folder: Path, run: str, speed: float, cards: int = 1, records: int = 20, **case: int | str) -> None:
    """Make the log of a run at this speed, of which stamps say nothing; ``case``: what else its run.json states."""
    speeds = [speed + (0.25 if at % 2 else -0.25) for at in range(records)]
    lines = [f"DLL 2031-05-04 11:00:00.000000 - (0, {at}) total_ips : {each}\n" for at, each in enumerate(speeds)]
    make_run(folder / "logs" / run, "".join(["Num GPUs 1\n", *lines]).encode(), case={"cards": cards, **case})


def report(folder: Path) -> Report:
    return report_of(folder / "page.toml", folder / "logs")


def row(folder: Path, number: int = 0) -> list[Result]:
    """The four results of a row: those of A and B, the speed-up, the scaling efficiency."""
    return report(folder).results[4 * number : 4 * number + 4]


def digits(found: Iterable[Result]) -> list[str | None]:
    return [one.digits for one in found]


def published(folder: Path, *languages: str) -> PublishedPage:
    (page,) = publish([str(folder / "page.toml")], folder / "logs", languages, folder / "pages")
    return page


def markdown(folder: Path, language: str = "en") -> str:
    """The text of a page and that of its evidence."""
    return "\n".join(path.read_text(encoding="utf-8") for path in published(folder, language).files[:2])
