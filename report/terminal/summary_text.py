"""A summary of a log for the terminal, with a small plot of how steady its throughput is."""

from collections.abc import Iterator, Mapping
from io import StringIO
from itertools import islice, pairwise

import numpy as np
from rich.console import RenderableType
from rich.table import Table

from parsers.io.console import Console, Text
from parsers.io.message import Message, joined
from parsers.runs.format_records import OWN_LINE

from ..evidence.log_summary import Summary
from ..measure.number import printed
from ..measure.statistic import median
from ..measuring.crosscheck import Check
from ..measuring.headline import RunOfLog
from ..measuring.measurement import Measurement
from ..measuring.record_columns import Columns
from ..measuring.scaling import unit_in_words
from ..wording.words import Translate, whose, worded

BARS = "▁▂▃▄▅▆▇█"
PLOT_WIDTH = 60
SHAPES_SHOWN = 8
NODES_SHOWN = 8

NO_FORMAT = "no known format"
ABOUT = "{format} · {count} bytes · sha256 {sha256}"
NO_THROUGHPUT = "no throughput: {reason}"
FROM = "{whose}, from {records} in {lines}, by {protocol}"
RECORDS, RECORD = "{count} records", "1 record"
LINES, LINE = "lines {first} to {last}", "line {line}"
CHECK = "{number} {unit}, {ratio}× (protocol: {protocol})"
PRINTED = "printed values {bars} {low} to {high} {unit}, median {median}"
COMPUTED = "computed values {bars} {low} to {high} {unit}, median {median}"
ACCOUNT = "lines: {total} = {matched} matched + {ignored} ignored + {unrecognised} unrecognised"
SHAPE = "{count} from line {line}: {text}"
OTHER_LINES, OTHER_LINE = "{count} other lines", "{count} other line"
SUM = "the sum of {count} ranks"
BY_RANK = "by rank: {ranks}"
OTHER_NODES = "{count} other nodes are not slower"
LOGS = (
    "lines of {count} ranks ({first} to {last}): {total} = {matched} matched + {ignored} ignored + {unrecognised} "
    "unrecognised"
)
OF_ONE: Mapping[str | None, str] = {"card": "that of one card × {count}", "node": "that of one node × {count}"}
RUN = "run {number}, lines {first} to {last}: {said}"
OF_RUN = "{number} {unit}{whose} (protocol: {protocol})"
BROKEN = "broken: {found}"
WARNING = "warning: {said}"


def shown(summary: Summary, translate: Translate, *, colour: bool, width: int | None = None) -> str:
    """A summary as text in one language; long lines are left to the terminal, so that what is copied is whole."""
    page = StringIO()
    console = Console(page, force_terminal=colour, color_system="standard" if colour else None, width=width)
    for part in _parts(summary, translate):
        console.print(part, soft_wrap=True)
    return page.getvalue()


def _parts(summary: Summary, translate: Translate) -> Iterator[RenderableType]:
    reading, account = summary.reading, summary.reading.account
    yield Text(reading.path, style="bold")
    names = [Message(name) for name in summary.formats] or [Message(NO_FORMAT)]
    about = Message(ABOUT, format=joined("{first} and {second}", names), count=reading.bytes, sha256=reading.sha256)
    yield Text(worded(about, translate))
    if (facts := _facts(summary, translate)).row_count:
        yield facts
    yield _throughput(summary, translate)
    yield from (Text(f"  {worded(said, translate)}", style="dim") for said in _parts_of_the_job(summary))
    yield from (Text(f"  {worded(figure.summary, translate)}") for figure in summary.figures)
    yield from (_check(check, translate) for check in (*summary.checks, *summary.own))
    yield from (_run(run, translate) for run in summary.runs)
    plot = steadiness(summary, translate)
    if plot:
        yield Text(plot)
    counts = {name: getattr(account, name) for name in ("total", "matched", "ignored", "unrecognised")}
    yield Text(worded(Message(ACCOUNT, **counts), translate))
    yield from (Text(worded(said, translate)) for said in _logs(summary))
    yield from _unrecognised(summary, translate)
    for found in summary.leftover.breaks:
        broken = worded(Message(BROKEN, found=found), translate)
        yield from (Text(line, style="yellow") for line in broken.split("\n"))
    warnings = (worded(Message(WARNING, said=warning), translate) for warning in summary.warnings)
    yield from (Text(warning, style="yellow") for warning in warnings)


def _logs(summary: Summary) -> Iterator[Message]:
    """The lines of all logs, where each rank has one of its own."""
    if logs := summary.reading.ranks:
        numbers = sorted(log.rank for log in logs)
        counts = ("total", "matched", "ignored", "unrecognised")
        sums = {name: sum(getattr(log.account, name) for log in logs) for name in counts}
        yield Message(LOGS, count=len(logs), first=numbers[0], last=numbers[-1], **sums)


def _facts(summary: Summary, translate: Translate) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, fact in summary.reading.facts.items():
        table.add_row(Text(name), Text(str(fact.value)), Text(worded(fact.source.message, translate), style="dim"))
    for name, value, witness in summary.observed.rows():
        table.add_row(Text(name), Text(value), Text(witness, style="dim"))
    return table


def _throughput(summary: Summary, translate: Translate) -> Text:
    if summary.measurement is None:
        return Text(worded(Message(NO_THROUGHPUT, reason=summary.reason), translate), style="red")
    found = summary.measurement
    number = f"{printed(found.value, summary.protocol)} {found.unit}"
    records = Message(RECORD) if found.records_used == 1 else Message(RECORDS, count=found.records_used)
    first, last = found.ends
    lines = Message(LINES, first=first, last=last) if found.records_used > 1 else Message(LINE, line=first)
    words = summary.protocol.words()
    where = Message(FROM, whose=whose(found.scope), records=records, lines=lines, protocol=words)
    return Text.assemble((number, "bold green"), worded(where, translate))


def _parts_of_the_job(summary: Summary) -> Iterator[Message]:
    """Whose numbers make the job's, all ranks' or one that stands for all cards, and how far ranks are apart."""
    found = summary.measurement
    if found and found.ranks and found.ranks.is_summed:
        yield Message(SUM, count=len(found.ranks.numbers))
    elif found and (of_one := _times(summary, found)):
        yield of_one
    if ranks := summary.ranks:
        yield Message(BY_RANK, ranks=ranks.summary)
        yield from islice(ranks.nodes_summary, NODES_SHOWN)
        if (more := len(ranks.by_node) - NODES_SHOWN) > 0:
            yield Message(OTHER_NODES, count=more)
    if cards := summary.cards:
        yield cards.summary


def _times(summary: Summary, found: Measurement) -> Message | None:
    """What a printed throughput is of, and by how many it was multiplied; None where it is the job's."""
    field = summary.part.fields.get((found.protocol.records, "throughput"))
    if field is None or found.scope != "job" or not found.protocol.reads_throughput:
        return None
    fact = summary.reading.facts.get(f"{field.scope}s")
    return Message(OF_ONE[field.scope], count=fact.value) if fact is not None and fact.value != 1 else None


def _run(run: RunOfLog, translate: Translate) -> Text:
    first, last = run.lines
    said: Message
    if (found := run.measurement) is None:
        said = Message(NO_THROUGHPUT, reason=run.reason)
    else:
        words = {"unit": found.unit, "whose": whose(found.scope), "protocol": found.protocol.words()}
        said = Message(OF_RUN, number=f"{found.value:.6g}", **words)
    return Text(
        f"  {worded(Message(RUN, number=run.number, first=first, last=last, said=said), translate)}", style="dim"
    )


def _check(check: Check, translate: Translate) -> Text:
    found = check.measurement
    number, words = f"{found.value:.6g}", found.protocol.words()
    said = Message(CHECK, number=number, unit=found.unit, ratio=f"{check.ratio:.3f}", protocol=words)
    return Text(f"  {worded(said, translate)}", style="dim")


def steadiness(summary: Summary, translate: Translate) -> str:
    """The throughput (or time of a step) of the records over the run as a line of bars, with its range."""
    kind = summary.protocol.records
    records = Columns(summary.part.table).of_kind(kind)
    if OWN_LINE in records:  # of several logs those of the one whose lines are shown
        records = records.rows(records[OWN_LINE] == records["line"])
    column = next((name for name in ("throughput", "step_time") if name in records), "")
    values = records.numbers(column) if column else np.zeros(0)
    values = values if (are_told := np.isfinite(values)).all() else values[are_told]
    if len(values) < 2:
        return ""
    field = summary.part.fields[(kind, column)]
    if column != "throughput":
        return worded(bars(values, str(field.unit), is_printed=not field.is_expected), translate)
    said = next(filter(None, records["counted"].tolist()), None) if "counted" in records else None
    unit = f"{said.lower() if said else unit_in_words(field)}/s{worded(whose(field.scope), translate)}"
    return worded(bars(values, unit), translate)


def bars(values: np.ndarray[tuple[int], np.dtype[np.float64]], unit: str, *, is_printed: bool = True) -> Message:
    """Numbers, printed or computed, in their order as a line of bars, with their range and median in a unit."""
    drawn = "".join(BARS[level] for level in _levels(values))
    ends = {"low": f"{values.min():g}", "high": f"{values.max():g}", "median": f"{median(values):g}"}
    return Message(PRINTED if is_printed else COMPUTED, bars=drawn, unit=unit, **ends)


def _levels(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[int]:
    """Heights from 0 to 7 of at most so many bars, each the mean of its share of the values."""
    largest = max(values.max(), -values.min()) or 1  # sums of the largest numbers are none
    count = min(len(values), PLOT_WIDTH)
    ends = -(-np.arange(count + 1) * len(values) // count)
    shares = [np.add.reduceat(values[a:b] / largest, [0])[0] / (b - a) for a, b in pairwise(ends.tolist())]
    low, high = values.min() / largest, values.max() / largest
    return [int((share - low) / (high - low or 1) * (len(BARS) - 1)) for share in shares]


def _unrecognised(summary: Summary, translate: Translate) -> Iterator[RenderableType]:
    found = summary.leftover
    for shape in found.shapes[:SHAPES_SHOWN]:
        said = Message(SHAPE, count=f"{shape.count:>6}", line=shape.line, text=shape.text[:100])
        yield Text(f"  {worded(said, translate)}", style="dim")
    more = sum(shape.count for shape in found.shapes[SHAPES_SHOWN:]) + found.more
    if more:
        said = Message(OTHER_LINE if more == 1 else OTHER_LINES, count=f"{more:>6}")
        yield Text(f"  {worded(said, translate)}", style="dim")
