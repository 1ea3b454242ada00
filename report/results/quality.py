"""Quality beside speed: what a reader must know of how the runs behind a number train, held against a reference."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from glob import escape
from pathlib import Path
from typing import Any

from parsers.io.errors import ParserError
from parsers.io.files import data_of
from parsers.runs.facts import Fact
from parsers.runs.provenance import Provenance
from parsers.runs.reading import Reading

from ..measure.diagnostics import Diagnostic, NoMeasurement, say
from ..measure.number import signed
from ..measure.protocol import Protocol
from ..pagefile.page import CellPlace, Page
from ..pagefile.parts import Case
from .agreement import LossCurve, incomparable, loss_agreement, loss_curve, stated_by
from .convergence import OWN_RULES, convergence_test, mllog_convergence
from .made import MadeRun
from .remarks import NoEvidenceError, Remark
from .store import LogStore, logs_of, outside

RUN_VARIABLES = "variables"


def quality_remarks(
    page: Page, place: CellPlace, runs: Sequence[MadeRun], protocol: Protocol, store: LogStore
) -> Iterator[Diagnostic]:
    """What the page's check of quality says of the runs behind a number; nothing where the page states none.

    ``protocol``: says which run of each log is meant.
    """
    if (quality := page.quality_of(place.column.column)) is None:
        return
    case = page.of_model(place.case)
    checks: list[tuple[str, Callable[[], Diagnostic]]] = []  # each with the code of what is said where it is not made
    if quality.loss is not None and quality.reference is not None:
        told = quality.reference, float(quality.loss[:-1]) / 100
        checks.append(("loss_not_compared", partial(_of_losses, *told, case, runs, protocol, store)))
    if quality.convergence_points is not None:
        checks.append(("convergence_not_tested", partial(_of_mlperf, quality.convergence_points, case, runs, store)))
    for not_made, check in checks:
        try:
            yield check()
        except NoEvidenceError as error:
            yield say(not_made, reason=error.message)


def reference_logs(page: Page, logs: Path) -> Iterator[str]:
    """The files below the folder of logs that the checks of quality of a page read."""
    for place in page.places():
        quality = page.quality_of(place.column.column)
        patterns = (quality.reference, quality.convergence_points) if quality else ()
        for pattern in filter(None, patterns):
            try:
                yield from _files(pattern, page.of_model(place.case), logs)
            except NoEvidenceError:
                continue


def _of_losses(
    pattern: str, tolerance: float, case: Case, runs: Sequence[MadeRun], protocol: Protocol, store: LogStore
) -> Diagnostic:
    """What the losses say beside those of the logs of a pattern; raises NoEvidenceError where they say nothing."""
    references = [(path, _reading(store, path)) for path in _files(pattern, case, store.folder)]
    found = loss_agreement(
        [_loss(path, one, None) for path, one in references],
        [_loss(run.log, run.reading, protocol.run) for run in runs],
        tolerance,
    )
    sides = [one for _, one in references], [run.reading for run in runs]
    a, b = (stated_by(fact for one in side for fact in _facts(one)) for side in sides)
    stated = {name: (a.get(name, set()), b.get(name, set())) for name in {**a, **b}}
    reason = found.reason if found.verdict == "NaN" else incomparable(stated) or found.reason
    if reason is not None or found.change is None or found.steps is None:
        return say("not_the_training" if found.verdict == "NaN" else "loss_not_compared", reason=reason or "")
    told = {"change": signed(found.change), "tolerance": f"{100 * tolerance:g}%", "kind": found.kind}
    code = "loss_differs" if found.is_wrong else Remark.LOSS_AGREES
    return say(code, **told, first=found.steps[0], last=found.steps[1])


def _of_mlperf(pattern: str, case: Case, runs: Sequence[MadeRun], store: LogStore) -> Diagnostic:
    """What the RCP test says; raises NoEvidenceError where it cannot be made."""
    told = _json_of(store.folder, _files(pattern, case, store.folder)[0])
    each = [mllog_convergence(run.reading.path) for run in runs]
    ((benchmark, batch_size), *others) = {(run.benchmark, run.batch_size) for run in each}
    if others or benchmark is None or batch_size is None or benchmark in OWN_RULES:
        raise NoEvidenceError("no_benchmark")
    for made, run in zip(runs, each, strict=True):
        if run.is_done and run.last is None:
            raise NoEvidenceError("no_evaluation", log=made.log)
    mean, lowest = convergence_test(told, benchmark, batch_size, [run.converged for run in each])
    return say("converges_too_fast" if mean < lowest else Remark.CONVERGES, mean=f"{mean:.4g}", lowest=f"{lowest:.4g}")


def _files(pattern: str, case: Case, logs: Path) -> Sequence[str]:
    """The files of a pattern of a case; raises NoEvidenceError where there are none."""
    try:
        filled = pattern.format_map({str(axis): escape(str(value)) for axis, value in case.items()})
    except KeyError as error:
        raise NoEvidenceError("pattern_needs_axis", pattern=pattern, axis=error.args[0]) from None
    if not (paths := logs_of(logs, filled)):
        raise NoEvidenceError("no_reference", pattern=filled)
    return paths


def _reading(store: LogStore, path: str) -> Reading:
    try:
        if store.unfit(path) is None:
            return store.reading(path)
    except (ParserError, OSError):
        pass
    raise NoEvidenceError("unusable_reference", log=path)


def _loss(path: str, reading: Reading, run: Any) -> LossCurve:
    try:
        found = loss_curve(Path(path), reading, run)
    except NoMeasurement:
        raise NoEvidenceError("uncounted_steps", log=path) from None
    if found is None:
        raise NoEvidenceError("no_loss", log=path)
    return found


def _json_of(logs: Path, path: str) -> Any:
    try:
        if outside(logs, path) is None:
            return json.loads(data_of(logs / path))
    except (OSError, ValueError, RecursionError):
        pass
    raise NoEvidenceError("no_json", file=path)


def _facts(reading: Reading) -> Iterator[Fact]:
    """The facts of a run, and the variables that its run.json says it was launched with."""
    yield from reading.facts.values()
    variables = reading.run_file.get(RUN_VARIABLES)
    if isinstance(variables, dict):
        for name, value in variables.items():
            yield Fact(f"{RUN_VARIABLES}.{name}", str(value), Provenance("run_file"))
