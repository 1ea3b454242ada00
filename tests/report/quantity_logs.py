"""Golden logs that hold every quantity of a log."""

from pathlib import Path
from typing import Any

from report.measure.quantities.run_figure import RunNumbers

from parsers.runs.facts import Fact
from parsers.runs.provenance import PAGE
from parsers.runs.reading import read
from report.measure.protocol import Protocol
from tests.commandline import PROJECT

PAGE_LOGS = PROJECT / "tests/report/golden/logs/llm"


TITAN = PAGE_LOGS / "titan_toy-8b_h100_gbs16.log"


MEGATRON = PAGE_LOGS / "megatron_toy-13b_a100_tp4-pp2-gbs128.log"


GOLDEN = PROJECT / "tests/parsers/golden"


def run(log: Path, protocol: str = "skip_records=1", rate: str = "tokens/s", **facts: Any) -> RunNumbers:
    """What is known of a run; ``facts``: what its page states of it, or None of what its log is not to state."""
    reading = read(log)
    stated = {name: Fact(name, said, PAGE) for name, said in facts.items()}
    known = {name: fact for name, fact in {**reading.facts, **stated}.items() if fact.value is not None}
    return RunNumbers(reading.parts, reading.happened, known, {}, Protocol.parse(protocol), rate)
