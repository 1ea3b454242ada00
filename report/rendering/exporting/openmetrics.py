"""OpenMetrics text, which Prometheus and its relatives read."""

import re
from collections.abc import Iterator, Mapping, Sequence

from .metric import Metric
from .target import Files, Target, apart

PREFIX = "tachograph"
SPELT = {"%": "percent", "×": "ratio", "MiB": "mebibytes", "W": "watts", "s": "seconds", "ms": "milliseconds"}
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


def files(metrics: Sequence[Metric]) -> Files:
    r"""One text: a gauge family for each quantity and unit, and one of ``info`` with the log lines of each number.

    The name of a family ends with its unit, which the line ``# UNIT`` repeats; in values of labels a backslash, a quote
    and a newline are escaped as ``\\``, ``\"`` and ``\n``; the text ends with ``# EOF``. OpenMetrics 1.0, sections
    "Overall Structure", "Escaping" and "Unit" (prometheus/OpenMetrics, specification/OpenMetrics.md).
    """
    apart("openmetrics", (metric.full_name for metric in metrics))
    families: dict[tuple[str, str], list[Metric]] = {}
    for metric in metrics:
        families.setdefault((metric.quantity, unit_name(metric.unit)), []).append(metric)
    lines = [line for (quantity, unit), of in families.items() for line in _family(quantity, unit, of)]
    return {"metrics.txt": "".join(f"{line}\n" for line in (*lines, *_evidence(metrics), "# EOF")).encode()}


def _family(quantity: str, unit: str, metrics: Sequence[Metric]) -> Iterator[str]:
    name = f"{PREFIX}_{quantity}_{unit}" if unit else f"{PREFIX}_{quantity}"
    yield f"# TYPE {name} gauge"
    if unit:
        yield f"# UNIT {name} {unit}"
    yield f"# HELP {name} {quantity} as the page prints it; the label unit is its unit as spelt there."
    yield from (f"{name}{_labels(_told(metric))} {metric.digits}" for metric in metrics)


def unit_name(unit: str) -> str:
    """A unit as the end of the name of a family: ``images_per_second`` for images/s, empty for none."""
    spelt = [SPELT.get(part, part) for part in unit.split("/")]
    singular = [part.removesuffix("s") if at else part for at, part in enumerate(spelt)]
    return re.sub(r"[^A-Za-z0-9]+", "_", "_per_".join(singular)).strip("_")


def _told(metric: Metric) -> dict[str, str]:
    left = ("printed", "runs", "evidence", "remarks", "computed_from")
    return _named(metric) | {key: said for key, said in metric.told.items() if key not in left}


def _named(metric: Metric) -> dict[str, str]:
    return {"suite": metric.suite, "name": metric.name}


def _evidence(metrics: Sequence[Metric]) -> Iterator[str]:
    name = f"{PREFIX}_evidence"
    if any(metric.exhibits for metric in metrics):
        yield f"# TYPE {name} info"
        yield f"# HELP {name} The log lines that a number was computed from."
    for metric in metrics:
        for number, exhibit in enumerate(metric.exhibits, 1):
            first, last = exhibit.lines
            lines = {"log": exhibit.path, "sha256": exhibit.sha256, "first_line": str(first), "last_line": str(last)}
            yield f"{name}_info{_labels({**_named(metric), 'file': str(number), **lines})} 1"


def _labels(told: Mapping[str, str]) -> str:
    return "{" + ",".join(f'{name}="{_escaped(said)}"' for name, said in told.items()) + "}"


def _escaped(text: str) -> str:
    return text.translate(_ESCAPES)


OPENMETRICS = Target("openmetrics", files)
