"""Summaries of logs of a format made for them."""

from pathlib import Path

from report.evidence.log_summary import Summary, summarise
from report.measure.protocol import Protocol

GRAMMAR = """// Toy that prints its own figures
//
// For tests.

start: step_line | epoch_line | summary_line | event_line

step_line: "step" step{"1"} "speed" throughput{images, job, instant} ("took" step_time{seconds, instant})?
epoch_line: "epoch" epoch{"1"} "speed" throughput{images, job, window_mean}
summary_line: "in all" throughput{images, job, total}
event_line: "begin" run_start{"training"}

%import .vocabulary (step, step_time, throughput, epoch, run_start)
%import .vocabulary (images, seconds, job, instant, window_mean, total, BLANK)
%ignore BLANK
"""


def grammar(folder: Path) -> Path:
    path = folder / "toy.lark"
    path.write_text(GRAMMAR, encoding="utf-8")
    return path


def speeds(*values: float) -> list[str]:
    return [f"step {number} speed {value}" for number, value in enumerate(values, 1)]


def summary(folder: Path, text: str, protocol: str = "") -> Summary:
    log = folder / "train.log"
    log.write_text(text, encoding="utf-8")
    return summarise(log, Protocol.parse(protocol) if protocol else None, ())


def value(found: Summary) -> float:
    assert found.measurement is not None
    return found.measurement.value
