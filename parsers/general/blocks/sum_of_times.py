"""The sum of times: where the log tells what the whole run took, and times of blocks make that, they hold all of it.

So nothing else took time, whatever stands between the lines of a block: an evaluation is part of what its time covers.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from ...naming.vocabulary import listed, split
from ..gathered import Spoken
from ..line_form import LineForm
from .block_lines import BlockLines

MAKES = (0.98, 1.001)  # of the total


def make_the_total(lines: BlockLines, turn: Sequence[int]) -> bool:
    """Whether the times at some places make the time that a line behind them says the whole run took."""
    took = sum(seconds for place in turn for seconds in list(_seconds(lines.rows[place]))[:1])
    totals = (total for row in lines.rows[turn[-1] + 1 :] if _tells_of_all(row.form) for total in _seconds(row))
    return any(MAKES[0] <= took / total <= MAKES[1] for total in totals if total > 0)


def _tells_of_all(form: LineForm) -> bool:
    """Whether lines of a form tell of the whole run: `Total training time`."""
    words = {word for sense in (*form.speeds, *form.clocks) for word in split(sense.name)}
    counts = form.counter or form.first("epoch")
    return not (counts or form.is_bar or form.is_of_other) and bool(words & (listed("summary") | listed("training")))


def _seconds(row: Spoken) -> Iterator[float]:
    """The times of a line whose unit is known."""
    for sense, slot in (*row.form.speeds.items(), *row.form.clocks.items()):
        if sense.factor is not None and np.isfinite(row.number(slot)):
            yield row.number(slot) * sense.factor
