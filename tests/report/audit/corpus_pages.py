"""Pages in several styles of tables, made of every published cell that the corpus lists."""

import csv
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from report.published.document import Document, parse_document
from report.published.published_site import PublishedSite
from tests.parsers.corpus_logs import CORPUS

PERF = CORPUS / "PaddlePaddle-Perf"

Cells = Sequence["CorpusCell"]


@dataclass(frozen=True)
class CorpusCell:
    """One row of published.csv."""

    page: str
    table: str
    model: str
    framework: str
    device: str
    cards: int
    precision: str
    batch_size: int
    unit: str
    published: str
    log: str | None
    comes_out: bool
    reduction: str
    remark: str

    @property
    def possible(self) -> set[str]:
        """The verdicts that agree with what the corpus says of the cell."""
        if "CONTRADICTS LOG on batch size" in self.remark:
            return {"mislabelled"}
        if self.comes_out:
            return {"unexplained"} if self.remark.startswith("FITTED") else {"exact"}
        if self.remark.startswith("STALE"):
            return {"unexplained"}
        if self.remark.startswith("NOT REPRODUCIBLE"):
            return {"impossible"}
        return {"unexplained"} if "reproduced" in self.remark else {"unexplained", "impossible"}


def corpus_cells() -> list[CorpusCell]:
    """Every published cell of the corpus; none where there is no corpus."""
    if not PERF.is_dir():
        return []
    with (PERF / "published.csv").open(encoding="utf-8") as file:
        return [_cell(row) for row in csv.DictReader(file)]


def _cell(row: dict[str, str]) -> CorpusCell:
    exists = (PERF / row["log_path"]).is_file()
    return CorpusCell(
        page=row["page"],
        table=row["table_heading"],
        model=row["model"],
        framework=row["framework"],
        device=row["gpu_type"],
        cards=int(row["cards"]),
        precision=row["precision"],
        batch_size=int(row["batch_size"]),
        unit=row["unit"],
        published=row["published"],
        log=row["log_path"] if exists else None,
        comes_out=row["exact_match"] == "yes",
        reduction=row["reduction"],
        remark=row["remark"],
    )


def site(style: Callable[[Cells], str], cells: Cells) -> PublishedSite:
    """The site of all pages in one style, with the logs of the corpus."""
    return PublishedSite([document(style, page, cells) for page in dict.fromkeys(c.page for c in cells)], PERF, PERF)


def document(style: Callable[[Cells], str], page: str, cells: Cells) -> Document:
    """One page in one style: each table under its heading, and the links to the logs that the page has."""
    mine = [cell for cell in cells if cell.page == page]
    parts = [f"# {mine[0].model if page.count('/') else 'Benchmarks'}"]
    for table in dict.fromkeys(cell.table for cell in mine):
        rows = [cell for cell in mine if cell.table == table]
        parts += [f"## {rows[0].model}: {table}", caption(rows), style(rows)]
    return parse_document("\n\n".join([*parts, "## Logs", links(page, mine)]) + "\n", PERF / page)


def caption(cells: Cells) -> str:
    """The words before a table."""
    return f"- {cells[0].device}上训练吞吐率({cells[0].unit})如下:"


def links(page: str, cells: Cells) -> str:
    """A link to every log below the folder of the page, with the case in its words."""
    own = {c.log: c for c in cells if c.log and _is_below(c.log, page)}
    return "\n".join(f"- [{c.device}-{c.cards}卡 {c.precision} 日志]({_relative(log, page)})" for log, c in own.items())


def folder(cell: CorpusCell) -> str:
    """The address of the pages of the framework of a cell, as its page links to it."""
    name = {"NGC TensorFlow 1.15": "TensorFlow", "NGC PyTorch": "PyTorch", "NGC MXNet": "MxNet"}.get(cell.framework)
    return _relative(f"{cell.model}/OtherReports/{name}" if name else cell.model, cell.page)


def _is_below(log: str, page: str) -> bool:
    return str(Path(page).parent) in [str(parent) for parent in Path(log).parents] and page.count("/") > 0


def _relative(path: str, page: str) -> str:
    return os.path.relpath(path, Path(page).parent)


def chinese(cells: Cells) -> str:
    """Cards down, framework and precision across, marks and dashes in cells; some pipes are missing."""
    columns = list(dict.fromkeys((c.framework, c.precision, c.batch_size) for c in cells))
    by_place = {(c.cards, c.framework, c.precision, c.batch_size): c for c in cells}
    first = {column: next(c for c in cells if (c.framework, c.precision, c.batch_size) == column) for column in columns}
    head = [f"[{f}]({folder(first[f, p, b])}) {p}(BS={b})" for f, p, b in columns]
    body = []
    for cards in dict.fromkeys(c.cards for c in cells):
        found = [by_place.get((cards, *column)) for column in columns]
        body.append([str(cards), *(f"{c.published} " if c else "——" for c in found)])
    return "\n".join(f"|{' | '.join(row)} |" for row in [["卡数", *head], [":---:"] * (1 + len(head)), *body])


def long(cells: Cells) -> str:
    """A row a number, its case in columns of their own, and the link to its log in the cell."""
    head = ["Framework", "Precision", "GPUs", "Batch size / GPU", "Throughput [images/s]"]
    body = [
        [f"[{c.framework}]({folder(c)})", c.precision, str(c.cards), str(c.batch_size), f"{c.published} (1)"]
        for c in cells
    ]
    return _table(head, ["---"] * len(head), body)


def _table(head: Iterable[str], marks: Iterable[str], body: Iterable[Iterable[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in [list(head), list(marks), *map(list, body)])


STYLES = (chinese, long)
