"""Sources of what is exported: pages and logs in, their metrics and what is empty out."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from parsers.io.message import Message
from parsers.runs.facts import Fact
from parsers.runs.runfile import log_of
from parsers.sharing.workers import Workers

from ...evidence.case_evidence import cells
from ...evidence.log_summary import summarise
from ...measuring.protocol import Protocol
from ...pagefile.page_file import find, load, names
from ..publish import LOGS
from .log_metrics import log_metric
from .metric import Metric
from .page_metrics import page_metrics

EMPTY_CELLS = "{page}: {count} of {total} cells are empty and not exported."
NO_THROUGHPUT = "{log}: not exported, no throughput: {reason}"


@dataclass(frozen=True)
class LogOptions:
    """What the user says of logs: their protocol, facts and format."""

    protocol: Protocol | None = None
    given: tuple[Fact, ...] = ()
    format: str | None = None


@dataclass(frozen=True)
class Found:
    """The metrics of some sources in their order, and what is not among them, a sentence each."""

    metrics: Sequence[Metric]
    missing: Sequence[Message]


def is_page(source: str) -> bool:
    """Whether a name is that of a page: a path ending in .toml, or a page of ours where there is no such file."""
    return source.endswith(".toml") or (source in names() and not Path(source).exists())


def found_in(sources: Sequence[str], logs: Path | None, options: LogOptions, workers: Workers) -> Found:
    """The metrics of pages and logs, each source once; raises ParserError where one cannot be read.

    ``logs``: the folder of the logs of pages.
    """
    once = list(dict.fromkeys(sources))
    metrics, missing = list[Metric](), list[Message]()
    for page in filter(is_page, once):
        of_page, empty = _of_page(page, logs or LOGS, workers)
        metrics += of_page
        missing += empty
    read = partial(_of_log, options)
    with workers.each(read, [Path(source) for source in once if not is_page(source)], _bytes) as results:
        for metric, reason in results:
            metrics += [metric] if metric else []
            missing += [reason] if reason else []
    return Found(metrics, missing)


def _of_page(page: str, logs: Path, workers: Workers) -> tuple[list[Metric], list[Message]]:
    path = find(page)
    loaded = load(path)
    found = list(cells(loaded, logs, workers))
    metrics = list(page_metrics(path.stem, loaded, found))
    count = len(found) - len(metrics)
    said = [Message(EMPTY_CELLS, page=path.stem, count=count, total=len(found))]
    return metrics, said if count else []


def _of_log(options: LogOptions, path: Path) -> tuple[Metric | None, Message | None]:
    """The metric of a log, or why it has none; workers do this."""
    with suppress(OSError):  # reading it tells what is wrong
        path = log_of(path)
    summary = summarise(path, options.protocol, options.given, options.format)
    metric = log_metric(path, summary)
    return metric, None if metric else Message(NO_THROUGHPUT, log=path, reason=summary.reason)


def _bytes(path: Path) -> int:
    """The size of a log; 0 where it is gone, or a folder."""
    return path.stat().st_size if path.is_file() else 0
