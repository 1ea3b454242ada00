"""Circumstances: when the runs behind a number were measured and with which versions, as logs and run.json say."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, get_args

from parsers.runs.facts import value
from parsers.runs.runfile import run_file

from ..pagefile.parts import Circumstance
from .cell import Cell, Proof
from .run_begin import begin_of

DATE: Circumstance = "date"
VERSION: Circumstance = "framework_version"
LIBRARY = "library"
CIRCUMSTANCES: tuple[Circumstance, ...] = get_args(Circumstance)
DAY = "M8[D]"
# Between the first and the last of several days.
TO = " – "


def circumstances(proof: Proof) -> dict[Circumstance, str]:
    """What a run was measured with and on which day; without what neither its log nor its run.json says.

    A log is believed before the run.json beside it, but for the day; one whose run.json is of another log makes no
    number.
    """
    found = _told(proof)
    if (first := begin_of(proof)) is not None:
        found[DATE] = str(first.astype(DAY))
    return {name: found[name] for name in CIRCUMSTANCES if name in found}


def _told(proof: Proof) -> dict[str, str]:
    """All that a log states, or else the run.json beside it; no library of a version that is not known to be its."""
    told = _of_run_file(proof.reading.path, proof.reading.sha256)
    facts = {name: str(fact.value) for name, fact in proof.reading.facts.items()}
    if VERSION in facts:
        told = {name: said for name, said in told.items() if name != LIBRARY}
    return {**told, **facts}


def library_of(cell: Cell) -> str:
    """The deep-learning library of all runs behind a number, such as PyTorch; empty where it is not known of all."""
    names = {_told(proof).get(LIBRARY, "") for proof in proofs_of(cell)}
    return names.pop() if len(names) == 1 else ""


def of_cell(cell: Cell) -> dict[Circumstance, str]:
    """The same of all runs behind a number, each value once; of dates the first and the last."""
    found = [circumstances(proof) for proof in proofs_of(cell)]
    told = {name: dict.fromkeys(one[name] for one in found if name in one) for name in CIRCUMSTANCES}
    return {name: _joined(name, values) for name, values in told.items() if values}


def proofs_of(cell: Cell) -> Iterator[Proof]:
    """The runs behind a number, and behind those that it is computed from."""
    yield from cell.proofs
    for part in cell.parts:
        yield from proofs_of(part)


def _joined(name: Circumstance, values: Iterable[str]) -> str:
    if name != DATE:
        return "/".join(values)
    days = sorted(values)
    return days[0] if len(days) == 1 else f"{days[0]}{TO}{days[-1]}"


def library_name(library: str) -> str:
    """How a deep-learning library is spelt that run.json names by its module: ``torch`` is PyTorch."""
    return str(value(LIBRARY, "", library))


@cache
def _of_run_file(log: Path, _: str) -> Mapping[str, str]:
    """What the run.json beside a log of this SHA-256 says, which several tables and languages ask for."""
    run: Mapping[str, Any] = run_file(log)
    environment = run.get("environment")
    environment = environment if isinstance(environment, dict) else {}
    built = environment.get("frameworks")
    # Of several frameworks a run.json does not say which one trained.
    ((library, framework),) = built.items() if isinstance(built, dict) and len(built) == 1 else (("", {}),)
    framework = framework if isinstance(framework, dict) else {}
    said = {VERSION: framework.get("version"), "driver": environment.get("driver"), LIBRARY: library_name(library)}
    said |= {name: framework.get(name) for name in ("cuda", "cudnn")}
    return {name: value for name, value in said.items() if isinstance(value, str) and value}
