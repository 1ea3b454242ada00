"""A measured log as one JSON object, as ``report/show.schema.json`` describes it."""

from __future__ import annotations

from typing import Any

from parsers.io.message import Message
from parsers.scanning.cascade import Account

from ..measure.measurement import Measurement, RunOfLog
from ..measure.ranks import RankSpread
from ..results.measured_log import MeasuredLog
from ..results.telemetry import Observation


def as_json(log: MeasuredLog) -> dict[str, Any]:
    """All that is known of a log; every key is there, with null or nothing where the log does not say it."""
    reading, found = log.reading, log.measurement
    facts = {name: {"value": fact.value, "source": str(fact.source)} for name, fact in reading.facts.items()}
    return {
        "log": str(reading.path),
        "sha256": reading.sha256,
        "bytes": reading.bytes,
        "format": next(iter(log.formats), None),
        "formats": log.formats,
        "lines": _lines(reading.account),
        "facts": facts | {one.quantity.name: _observed(one) for one in log.observed.quantities},
        "events": [{"line": event.line, "event": event.event, "text": event.text} for event in reading.happened],
        "status": log.status,
        "throughput": _throughput(found) if found and not log.reason else None,
        "sides": _sides(found) if found and found.status == "contradicted" else [],
        "checks": [check.as_json() for check in found.checks] if found else [],
        "diagnostics": [one.as_json() for one in log.diagnostics],
        "options": [offer.as_json() for offer in log.options],
        "runs": [_run(run) for run in found.runs] if found else [],
        "ranks": _ranks(found.ranks) if found and found.ranks else None,
        "logs": [
            {
                "rank": one.rank,
                "log": str(one.path),
                "sha256": one.sha256,
                "bytes": one.bytes,
                "lines": _lines(one.account),
            }
            for one in reading.ranks
        ],
        "figures": {one.name: {"value": one.value, "unit": one.unit} for one in log.figures},
        "cards_of_ranks": log.cards_of_ranks.as_json() if log.cards_of_ranks else None,
        "warnings": [str(said) for said in log.warnings],
    }


def _observed(one: Observation) -> dict[str, Any]:
    return {"value": one.value, "unit": one.unit, "source": one.telemetry.path.name}


def error_as_json(log: object, error: Message | str) -> dict[str, Any]:
    """The object of a log that cannot be read."""
    return {"log": str(log), "status": "error", "error": str(error)}


def _lines(account: Account) -> dict[str, int]:
    return {name: getattr(account, name) for name in ("total", "matched", "ignored", "unmatched")}


def _throughput(found: Measurement) -> dict[str, Any]:
    return {
        "value": found.value,
        "unit": found.unit,
        "scope": found.scope,
        "source": found.estimate.name,
        "lines": list(found.ends),
        "records": found.records_used,
        "protocol": found.protocol.words(),
        "seconds_per_step": found.seconds_per_step,
    }


def _sides(found: Measurement) -> list[dict[str, Any]]:
    """The two sides of a contradiction, the second in the unit and scope of the first."""
    if found.by is None:
        return []
    first = found.estimate.as_json()
    same = {"value": found.other_value, "unit": first["unit"], "scope": first["scope"]}
    return [first, {**found.by.estimate.as_json(), **same}]


def _run(run: RunOfLog) -> dict[str, Any]:
    found, reason = run.measurement, run.reason
    return {
        "run": run.number,
        "lines": list(run.lines),
        "status": found.status if found else "refused",
        "throughput": _throughput(found) if found and found.status != "contradicted" else None,
        "sides": _sides(found) if found and found.status == "contradicted" else [],
        "diagnostics": [one.as_json() for one in found.diagnostics] if found else [reason.as_json()] if reason else [],
    }


def _ranks(ranks: RankSpread) -> dict[str, Any]:
    return {
        "unit": ranks.unit,
        "is_summed": ranks.is_summed,
        "values": {str(number): value for number, value in zip(ranks.numbers, ranks.values, strict=True)},
        "slowest": ranks.numbers[ranks.slowest],
        "median": ranks.median,
        "behind_median": ranks.imbalance,
        "slow_nodes": list(ranks.slow_nodes),
    }
