"""What the search gives for all its windows at once, compared with measuring by one protocol."""

import math
from pathlib import Path

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from parsers.runs.facts import Fact
from parsers.runs.provenance import LABEL
from parsers.runs.reading import read
from report.audit.rules.protocols import protocols, search
from report.measure.diagnostics import NoMeasurement
from report.measure.records import Run
from report.measure.rule import measure_log
from report.measure.stated import measure_stated
from tests.report.audit.made_columns import log_of

FACTS = {"cards": Fact("cards", 8, LABEL), "batch_size": Fact("batch_size", 32, LABEL)}
SPEEDS = st.lists(st.sampled_from([*range(1, 9), 250, 251.5]), min_size=1, max_size=40)

CLOCK = next(place for place, one in enumerate(protocols()) if one.estimate == "clock")
BY_RULE = next(place for place, one in enumerate(protocols()) if not one.states_rule)


@settings(max_examples=100)
@given(speeds=SPEEDS, number=st.integers(0, 10_000))
@example(speeds=[1, 1, 1], number=CLOCK)
@example(speeds=[1, 2, 3, 4], number=BY_RULE)
def test_every_window_of_short_logs_gives_what_measuring_gives(
    tmp_path_factory: object, speeds: list[float], number: int
) -> None:
    path = Path(str(tmp_path_factory.getbasetemp())) / "short.log"  # type: ignore[attr-defined]
    path.write_text(log_of(np.array(speeds)), encoding="utf-8")
    part, place = read(path).parts[0], number % len(protocols())
    try:
        run, stated = Run(1, part.table, part.fields, FACTS), protocols()[place]
        measured = (measure_stated([run], stated) if stated.states_rule else measure_log([[run]])).value
    except NoMeasurement:
        measured = math.nan
    assert np.isclose(search(part, FACTS).values[place], measured, rtol=1e-12, equal_nan=True)
