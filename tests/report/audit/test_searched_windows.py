"""What the search gives for all its windows at once, compared with measuring by one protocol."""

import math
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.runs.facts import Fact
from parsers.runs.provenance import LABEL
from parsers.runs.reading import read
from report.audit.rules.protocol_search import search, search_step_times
from report.measure.diagnostics import NoMeasurement
from report.measure.records import Run
from report.measure.stated import measure_stated
from tests.report.audit.made_columns import log_of

FACTS = {"cards": Fact("cards", 8, LABEL), "batch_size": Fact("batch_size", 32, LABEL)}
SPEEDS = st.lists(st.sampled_from([*range(1, 9), 250, 251.5]), min_size=1, max_size=40)


def measured(path: Path, number: int, *, of_steps: bool) -> tuple[float, float]:
    """What a protocol, by its number, gives for a log: by the search, and measured; NaN where it gives nothing."""
    part = read(path).parts[0]
    searched = search_step_times(part, FACTS, 1.0) if of_steps else search(part, FACTS)
    place = number % len(searched.protocols)
    try:
        found = measure_stated([Run(1, part.table, part.fields, FACTS)], searched.protocols[place]).value
    except NoMeasurement:
        return float(searched.values[place]), math.nan
    return float(searched.values[place]), 1 / found if of_steps else found


@settings(max_examples=100)
@given(speeds=SPEEDS, number=st.integers(0, 10_000), of_steps=st.booleans())
def test_every_window_of_short_logs_gives_what_measuring_gives(
    tmp_path_factory: object, speeds: list[float], number: int, of_steps: bool
) -> None:
    path = Path(str(tmp_path_factory.getbasetemp())) / "short.log"  # type: ignore[attr-defined]
    path.write_text(log_of(np.array(speeds)), encoding="utf-8")
    searched, one_by_one = measured(path, number, of_steps=of_steps)
    assert np.isclose(searched, one_by_one, rtol=1e-12, equal_nan=True)
