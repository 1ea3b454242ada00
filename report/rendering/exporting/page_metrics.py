"""The metrics of a page: its cells that have a number."""

from collections.abc import Iterator, Sequence

from parsers.runs.facts import Value

from ...evidence.cell import Cell, Proof
from ...evidence.circumstances import of_cell, proofs_of
from ...measuring.number import printed
from ...measuring.protocol import Protocol
from ...pagefile.page import SEVERAL, Page
from .metric import ExportedRun, Metric
from .run_time import begin_in_words

# What a page need not state and its logs may.
OF_LOGS = ("model", "framework", "device")


def page_metrics(name: str, page: Page, cells: Sequence[Cell]) -> Iterator[Metric]:
    """The cells of a page that print a number, in its order; ``name`` is that of its page file."""
    titles = {table.name: table.title for table in page.tables}
    for cell in cells:
        if cell.digits is not None and cell.value is not None:
            quantity = cell.shown.quantity
            yield Metric(
                suite=name,
                name=cell.slug,
                series=f"{name}/{cell.slug}",
                title=f"{titles[cell.table]}: {cell.row}, {cell.column}",
                quantity=quantity.name,
                digits=cell.digits,
                value=cell.value,
                unit=cell.shown.unit,
                scope=quantity.scope,
                direction=quantity.direction,
                protocol=cell.words,
                case=_case(page, cell),
                circumstances={str(key): said for key, said in of_cell(cell).items()},
                runs=tuple(_run(cell, proof) for proof in cell.proofs),
                parts=tuple(part.slug for part in cell.parts),
                is_quoted=cell.rests_on_quotes,
                source=_source(page, cell),
                qualifier=str(cell.qualifier or ""),
                remarks=tuple(cell.said),
            )


def _source(page: Page, cell: Cell) -> str:
    """Where a quoted figure was published; empty for any other."""
    if cell.quoted is None:
        return ""
    source = page.sources[cell.quoted.source]
    return f"{source.title}, {source.url}"


def _run(cell: Cell, proof: Proof) -> ExportedRun:
    digits = printed(proof.value, cell.shown.printing(cell.protocol or Protocol()))
    return ExportedRun(digits, proof.value, begin_in_words(proof), proof.exhibits, proof.reading.path)


def _case(page: Page, cell: Cell) -> dict[str, Value]:
    """The case of a cell; what it leaves open as all its logs say it, and the model as the page says it of all."""
    found: dict[str, Value] = {} if SEVERAL in page.model else {"model": page.model}
    for name in OF_LOGS:
        said = {fact.value for proof in proofs_of(cell) if (fact := proof.reading.facts.get(name))}
        if len(said) == 1:
            found[name] = said.pop()
    return found | dict(cell.stated)
