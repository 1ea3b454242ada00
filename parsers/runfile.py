"""The run.json beside a log: what the launcher knew of the run."""

import json
from collections.abc import Iterator
from pathlib import Path

from .errors import LogError
from .facts import Fact


def run_facts(log: Path) -> Iterator[Fact]:
    """The facts of the case in the ``run.json`` of a log's folder, if any; raises LogError when it is broken."""
    path = log.parent / "run.json"
    if not path.is_file():
        return
    try:
        case = json.loads(path.read_text(encoding="utf-8"))["case"]
        facts = [
            Fact(str(name), said, "run.json") for name, said in case.items() if isinstance(said, int | float | str)
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise LogError(
            f"{path}: is no run.json of a run folder ({error}); it needs a 'case' of names and values."
        ) from error
    yield from facts
