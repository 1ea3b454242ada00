"""The months in which the runs behind some numbers began, in words."""

from collections.abc import Iterable

from ..evidence.cell import Cell
from ..evidence.run_begin import first_begin
from .words import Translator

IN_MONTHS = "Runs: {first} to {last}."
IN_ONE_MONTH = "Runs: {month}."


def run_months(cells: Iterable[Cell], translator: Translator) -> str:
    """The first and the last month, as 2022-06; empty where no log and no run.json says when its run began."""
    begun = (first_begin(cell.proofs) for cell in cells)
    months = sorted({str(time.astype("M8[M]")) for time in begun if time is not None})
    if len(months) > 1:
        return translator.say(IN_MONTHS, first=months[0], last=months[-1])
    return translator.say(IN_ONE_MONTH, month=months[0]) if months else ""
