"""What is exported of the golden pages, of a page with quotes, and of numbers that a test makes."""

from dataclasses import replace
from pathlib import Path

from prometheus_client import Metric as Family
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from parsers.sharing.workers import ALONE
from report.evidence.ranks.exhibits import Exhibit
from report.rendering.exporting.formats import FORMATS, exported
from report.rendering.exporting.metrics import ExportedRun, LogOptions, Metric, found_in
from tests.report.conftest import GOLDEN

PAGES = [str(GOLDEN / f"{name}.toml") for name in ("toy", "toy_gpu", "llm_example")]
SHA256 = "0123456789abcdef" * 4
EXAMPLE = Metric(
    suite="page",
    name="main/1/a",
    title="Main: 1, A",
    quantity="throughput",
    digits="100.50",
    value=100.4996,
    unit="images/s",
    scope="job",
    direction=1,
    protocol="records=step statistic=mean decimals=2",
    case={"model": "M", "framework": "F", "device": "D", "nodes": 1, "cards": 8, "precision": "fp32", "batch_size": 4},
    circumstances={"date": "2031-05-04"},
    runs=(ExportedRun("100.50", 100.4996, (Exhibit("a/train.log", SHA256, "f", 99, (7, 90), 80),)),),
)


def metrics(*sources: str | Path, logs: Path = GOLDEN / "logs") -> list[Metric]:
    """The numbers of pages and logs."""
    return list(found_in([*map(str, sources)], logs, LogOptions(), ALONE).metrics)


def files(target: str, *of: Metric) -> dict[str, str]:
    """The files that a target makes of numbers; all of its files are texts."""
    return {name: data.decode() for name, data in exported(FORMATS[target], of).files.items()}


def text(target: str, *of: Metric) -> str:
    """The only file that a target makes of numbers."""
    (found,) = files(target, *of).values()
    return found


def families(openmetrics: str) -> list[Family]:
    """What the parser of OpenMetrics of prometheus_client reads."""
    return list(text_string_to_metric_families(openmetrics))  # type: ignore[no-untyped-call]


def called(name: str, metric: Metric = EXAMPLE) -> Metric:
    """A number of which all texts that a stranger may have chosen are the same one."""
    run = metric.runs[0]
    runs = (replace(run, exhibits=(replace(run.exhibits[0], path=name),)),)
    case = {**metric.case, "model": name, "framework": name, "device": name, "precision": name}
    texts = {"suite": name, "name": name, "title": name, "unit": name, "qualifier": name}
    return replace(metric, **texts, case=case, runs=runs, remarks=(name,), parts=(name,))  # type: ignore[arg-type]
