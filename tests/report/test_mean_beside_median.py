"""A mean that a few records make is warned of, with what leaves them out."""

import numpy as np
import pandas as pd
import pytest

from parsers.grammar.field import Field
from parsers.io.message import Message
from parsers.runs.facts import Fact
from parsers.runs.provenance import FILE_NAME, line
from report.measure.protocol import Protocol
from report.measuring import caveats
from report.measuring.measurement import measure

FIELDS = {
    ("step", "throughput"): Field("throughput", "NUMBER", unit="images", scope="card", kind="window_mean"),
    ("step", "step_time"): Field("step_time", "NUMBER", unit="seconds", kind="window_mean"),
}
EIGHT = {"cards": Fact("cards", 8, FILE_NAME), "batch_size": Fact("batch_size", 4, line(3))}
SLOW_START = [1.0, 2, 10, 10, 10, 10]


def warnings(text: str, **columns: list[float]) -> list[Message]:
    records = pd.DataFrame({"record": "step", **columns})
    records["line"] = np.arange(1, len(records) + 1)
    return [*measure(records, FIELDS, EIGHT, Protocol.parse(text)).warnings]


@pytest.mark.parametrize(
    ("protocol", "columns", "keys"),
    [
        ("plain", {"throughput": SLOW_START}, [caveats.SLOW_START]),
        ("skip_records=2", {"throughput": SLOW_START}, []),
        ("statistic=median", {"throughput": SLOW_START}, []),
        ("plain", {"throughput": [99.0, 100, 101, 105]}, []),
        ("estimate=step_time", {"step_time": [1.0, 1, 16, 1, 1]}, [caveats.UNEVEN]),
        ("estimate=step_time", {"step_time": [1.0] * 8 + [4.0] * 8}, [caveats.TWO_SPEEDS]),
        ("estimate=step_time", {"step_time": [float(value) for value in range(10, 30)]}, []),
        ("estimate=step_time", {"step_time": [1.0, 4.0] * 4}, []),
    ],
)
def test_a_mean_that_a_few_records_make_is_warned_of(
    protocol: str, columns: dict[str, list[float]], keys: list[str]
) -> None:
    assert [said.key for said in warnings(protocol, **columns)] == keys


def test_records_to_skip_are_counted_from_the_first_of_the_log() -> None:
    (warning,) = warnings("skip_records=1", throughput=SLOW_START)
    assert "skip_records=2" in str(warning)
