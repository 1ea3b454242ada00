"""Charts over time: the runs of a table that its page wants to see record by record."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..cell import Cell, Proof
from ..evidence import facts_of
from ..page import Table
from .chart import Chart
from .figure import figures
from .label import label
from .run_charts import run_charts
from .speech import Speech, speech

RUN = "Run: {run}."
NOTE_COLUMNS = 200


def over_time(table: Table, cells: Sequence[Cell], name: str, language: str) -> Iterator[Chart]:
    """The charts of the runs of a table that it names as ``over_time``, in its order.

    ``cells``: those of the page. ``name``: what the names of the charts begin with. Raises WordsError for a language
    without catalogue, LogError where a side file of a run is broken.
    """
    said = speech(language)
    for number, cell in enumerate(_wanted(table, cells), 1):
        for chart in _charts(cell, said, language):
            yield replace(chart, name=f"{name}-run-{number}-{chart.name}", table=table.name)


def _wanted(table: Table, cells: Sequence[Cell]) -> Iterator[Cell]:
    """The cells with a log whose runs are drawn, once each."""
    for figure in figures(table, cells):
        chosen = any(wanted.is_of(figure.of, figure.cell.case) for wanted in table.over_time)
        if chosen and figure.cell.proofs:
            yield figure.cell


def _charts(cell: Cell, said: Speech, language: str) -> Iterator[Chart]:
    proof = _middle(cell.proofs)
    place = (said.translate(cell.row), said.translate(cell.column), proof.log)
    note = label(" · ".join(place), NOTE_COLUMNS)
    drawn = run_charts(proof.reading, proof.measurement, language, facts=facts_of(cell, proof), note=note)
    for chart in drawn:
        told = said.sentences([chart.alternative, said.say(RUN, run=note)])
        yield replace(chart, title=f"{chart.title} · {note}", alternative=told)


def _middle(proofs: Sequence[Proof]) -> Proof:
    """Of several runs the one in the middle by throughput, the slower one of two."""
    return sorted(proofs, key=lambda proof: proof.measurement.value)[(len(proofs) - 1) // 2]
