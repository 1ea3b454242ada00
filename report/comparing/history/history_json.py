"""A history for programs: one JSON object a case."""

from __future__ import annotations

from typing import Any

from ..output.comparison_exports import changed_json
from .case_histories import CaseHistories
from .case_history import CaseHistory, HistorySegment, HistorySeries, SpeedChange
from .run_record import RunRecord


def as_json(case: CaseHistory, found: CaseHistories) -> dict[str, Any]:
    """One case as a JSON object; times are changes of the time per unit of work, as fractions."""
    return {
        "case": case.title,
        "state": case.state,
        "reason": str(case.reason) if case.reason else None,
        "by": found.by,
        "gate": found.gate,
        "series": [_series(series) for series in case.series],
        "gaps": [{**_run(gap.run), "reason": str(gap.reason)} for gap in case.gaps],
    }


def _series(series: HistorySeries) -> dict[str, Any]:
    first, suspect = series.first, series.suspect
    return {
        "unit": first.unit,
        "scope": first.scope,
        "formats": first.formats,
        "protocol": first.protocol,
        "noise": series.noise,
        "segments": [_segment(segment) for segment in series.segments],
        "changes": [_change(one) for one in sorted((*series.steps, *series.marks), key=lambda one: one.at)],
        "suspect": {"runs": suspect[0], "time_change": suspect[1]} if suspect else None,
        "runs": [_measured(run) for run in series.runs],
    }


def _segment(segment: HistorySegment) -> dict[str, Any]:
    logs = {"first": str(segment.runs[0].log), "last": str(segment.last.log)}
    return {"runs": len(segment.runs), "throughput": segment.throughput, "noise": segment.noise, **logs}


def _change(one: SpeedChange) -> dict[str, Any]:
    return {
        "run": one.at,
        "kind": one.kind,
        "time_change": one.change,
        "p": one.p,
        "reason": str(one.reason) if one.reason else None,
        "before": str(one.before.log),
        "after": str(one.after.log),
        "environment": list(one.names),
        "differs": [changed_json(change) for change in one.changes],
    }


def _run(run: RunRecord) -> dict[str, Any]:
    told = {"log": str(run.log), "sha256": run.log_sha256 or None}
    return {**told, "began": run.began, "commit": run.commit, "version": run.version}


def _measured(run: RunRecord) -> dict[str, Any]:
    steps = None if run.first_step is None else [run.first_step, run.last_step]
    return {**_run(run), "throughput": run.throughput, "lines": [run.first_line, run.last_line], "steps": steps}
