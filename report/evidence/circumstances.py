"""Circumstances: when the runs behind a number were measured and with which versions, as logs and run.json say."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, get_args

import numpy as np

from parsers.runs.runfile import run_file

from ..pagefile.parts import Circumstance
from .cell import Cell, Proof

DATE: Circumstance = "date"
CIRCUMSTANCES: tuple[Circumstance, ...] = get_args(Circumstance)
# Stamps without a year are read as of this one.
NO_YEAR = np.datetime64("2000", "Y")
DAY = "M8[D]"
# Between the first and the last of several days.
TO = " – "


def began(proofs: Iterable[Proof]) -> np.datetime64 | None:
    """When the first record of the first of runs was printed; None where no log says it with a year."""
    times = [proof.columns["time"] for proof in proofs if "time" in proof.columns]
    known = np.concatenate([np.zeros(0, "M8[us]"), *(found[~np.isnat(found)] for found in times)])
    first = known.min() if len(known) else None
    return first if first is not None and first.astype("M8[Y]") > NO_YEAR else None


def circumstances(proof: Proof) -> dict[Circumstance, str]:
    """What a run was measured with and on which day; without what neither its log nor its run.json says.

    A log is believed before the run.json beside it; one whose run.json is of another log makes no number.
    """
    told = _of_run_file(proof.reading.path, proof.reading.sha256)
    found = {**told, **{name: str(fact.value) for name, fact in proof.reading.facts.items()}}
    if (first := began([proof])) is not None:
        found[DATE] = str(first.astype(DAY))
    return {name: found[name] for name in CIRCUMSTANCES if name in found}


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


@cache
def _of_run_file(log: Path, _: str) -> Mapping[str, str]:
    """What the run.json beside a log of this SHA-256 says, which several tables and languages ask for."""
    run: Mapping[str, Any] = run_file(log)
    environment = run.get("environment")
    environment = environment if isinstance(environment, dict) else {}
    built = environment.get("frameworks")
    # Of several frameworks a run.json does not say which one trained.
    (framework,) = built.values() if isinstance(built, dict) and len(built) == 1 else ({},)
    framework = framework if isinstance(framework, dict) else {}
    said = {"framework_version": framework.get("version"), "driver": environment.get("driver")}
    said |= {name: framework.get(name) for name in ("cuda", "cudnn")}
    said[DATE] = _day(run.get("start"))
    return {name: value for name, value in said.items() if isinstance(value, str) and value}


def _day(stamp: object) -> str | None:
    return stamp[:10] if isinstance(stamp, str) and _is_day(stamp[:10]) else None


def _is_day(text: str) -> bool:
    try:
        return str(np.datetime64(text, "D")) == text
    except ValueError:
        return False
