"""Golden logs that hold every quantity of a log."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from parsers.runs.facts import Fact, Facts
from parsers.runs.provenance import PAGE
from parsers.runs.reading import read
from report.measure.protocol import Protocol
from report.measure.run_figures import RunNumbers
from tests.commandline import PROJECT

PAGE_LOGS = PROJECT / "tests/report/golden/logs/llm"


TITAN = PAGE_LOGS / "titan_toy-8b_h100_gbs16.log"


MEGATRON = PAGE_LOGS / "megatron_toy-13b_a100_tp4-pp2-gbs128.log"


GOLDEN = PROJECT / "tests/parsers/golden"


def run(log: Path, protocol: str = "skip_records=1", rate: str = "tokens/s", **facts: Any) -> RunNumbers:
    """What is known of a run; ``facts``: what its page states of it, or None of what its log is not to state."""
    reading = read(log)
    stated = {name: Fact(name, said, PAGE) for name, said in facts.items()}

    def with_stated(own: Facts) -> Facts:
        return Facts(fact for fact in {**own, **stated}.values() if fact.value is not None)

    of_runs = tuple(map(with_stated, reading.facts_of_runs))
    known = replace(reading, facts=with_stated(reading.facts), facts_of_runs=of_runs)
    return RunNumbers(known, {}, Protocol.parse(protocol), rate)
