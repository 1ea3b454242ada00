"""Tables: a header becomes a grammar that reads the steps and the time of each row, or the speeds that it names."""

import re
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from operator import sub

from ..io.message import Message
from ..naming.sense import EVIDENCE, RATE, SPEEDS, STEP_RATE, STEP_TIME, sense
from .bars.training_bar import APART
from .grammar_columns import are_numbers, cells, row_of_columns, rows_of_columns, so_many_cells, told
from .no_log import is_page_with_table
from .spoken_series import AGREE

DELIMITERS = (",", "\t", ";")
FEWEST_ROWS, FEWEST_CELLS, MOST_NAMED, MOST_HEADERS = 3, 3, 12, 9
# How columns are called that count steps, the surest first. W&B's own counts what was logged.
STEPS = ("trainer/global_step", "train/global_step", "global_step", "global step", "step", "iteration", "iter", "_step")
EPOCHS = ("epoch", "train/epoch", "trainer/epoch")
# Those of moments or of the time since the start; which of both the numbers show. A moment may stand in any column.
CLOCKS = ("_timestamp", "timestamp", "wall_time", "wall time", "walltime", "_runtime", "runtime", "elapsed", "time")
# Those of seconds: W&B's, and those that say so.
_OF_SECONDS = re.compile(
    r"(?i)_runtime|(?:elapsed|time|runtime|wall[ _]?time|elapsed[ _]time|time[ _]elapsed)[ _]?"
    r"(?:[\[(]s(?:ec(?:ond)?s?)?[\])]|(?<=[ _])s(?:ec(?:ond)?s?)?)|seconds"
)
_OF_TRAINING = re.compile(r"(?i)(?<![a-z])(?:loss|acc|accuracy|lr|learning_rate|perplexity|reward|grad_norm)(?![a-z])")
_NAME = re.compile(r"[A-Za-z_][^\d\s,;\"][^,;\"\n]*|[A-Za-z_]")
TAGS = ("tag",)  # of TensorBoard, which has a row for each number
_TAG = re.compile(r"[\w/. -]+")
_COUNT = re.compile(r"[0-9]{1,15}")
_SECONDS = re.compile(r"[0-9]{1,9}(?:\.[0-9]+)?")
_UNIX = re.compile(r"[0-9]{10}(?:\.[0-9]+)?")
_STAMP = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(?:Z|[-+][0-9]{2}:[0-9]{2})?"
)
# Rows of numbers under a header amid other lines: what separates their cells.
SIGNS = ("|", *DELIMITERS, " ")
LONGEST_ROW, MOST_BEFORE = 400, 10
_RULER = re.compile(r"(?=.*?[-=─━]{3})[\s|+=:─━-]+")
_OF_OTHER = re.compile(r"(?i)(?<![a-z])(?:eval|valid|test|infer|predict)|验证|评估|测试|推理")
_TITLE = re.compile(
    r"(?i)[^a-z0-9]*(?:(?:start|begin|run)\w* )?(?:evaluation|evaluating|validation|testing|test|inference)[^a-z0-9]*"
)

NO_CLOCK = "it is a table of the columns {columns}, none of which is known to be a time"
NO_STEPS = "it is a table of the columns {columns}, none of which counts steps"
NOT_RISING = "it is a table whose column {column} does not rise from row to row"
QUOTED = "it is a table with quoted text, which is not supported"
IS_STEP = "the column {column} counts the steps of training"
IS_LOGGED = "the column {column}, which W&B raises whenever something is logged, counts the steps of training"
NO_UNIT = "it is a table whose column {column} has no unit; rename it {column}_s if it is in seconds"


@dataclass(frozen=True)
class CsvGrammar:
    """The ``text`` of a grammar for a table, and what is ``assumed`` of its columns."""

    text: str
    assumed: tuple[Message, ...]


@dataclass(frozen=True)
class _Table:
    """The head of a table: its names as they are told, and the first rows, as texts by column.

    ``tag``: the text by which the rows of one series are told from others, after its place.
    """

    delimiter: str
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    tag: tuple[int, str] | None = None

    @property
    def clocks(self) -> list[int]:
        """The places of columns that may be a clock, the surest first."""
        names = [name.lower() for name in self.names]
        named = [names.index(name) for name in CLOCKS if name in names]
        others = (place for place, name in enumerate(names) if place not in named)
        return [*named, *(place for place in others if _OF_SECONDS.fullmatch(names[place]) or self._are_moments(place))]

    def _are_moments(self, place: int) -> bool:
        texts = [row[place] for row in self.rows if row[place]]
        return bool(texts) and all(map(_STAMP.fullmatch, texts))

    def place(self, known: Sequence[str]) -> int | None:
        """The place of the first column of known names that there is."""
        names = [name.lower() for name in self.names]
        return next((names.index(name) for name in known if name in names), None)

    @property
    def called(self) -> str:
        """The names of its first columns."""
        more = ["…"] if len(self.names) > MOST_NAMED else []
        return ", ".join([*filter(None, self.names[:MOST_NAMED]), *more])

    @property
    def is_of_training(self) -> bool:
        """Whether it counts steps or epochs, and a name says what only training has."""
        counts = self.place(STEPS) is not None or self.place(EPOCHS) is not None
        return counts and any(map(_OF_TRAINING.search, (*self.names, *(self.tag or ())[1:])))

    def of_training(self, tag: int) -> "_Table":
        """The rows with the first tag that only training has; all of them where none has one."""
        tags = (row[tag] for row in self.rows if _OF_TRAINING.search(row[tag]) and _TAG.fullmatch(row[tag]))
        first = next(tags, None)
        if first is None:
            return self
        return replace(self, rows=tuple(row for row in self.rows if row[tag] == first), tag=(tag, first))

    def values(self, place: int, other: int) -> list[str]:
        """The texts of a column in the rows that have two of them."""
        return [row[place] for row in self.rows if row[place] and row[other]]


def csv_grammar(lines: Sequence[str]) -> CsvGrammar | Message | None:
    """A grammar for the table that some first lines of a file are, or hold; None where they hold none of a training.

    A message says why the table of a training gives no speed.
    """
    found = _of_clock(lines)
    others = (_of_speeds(lines, sign) for sign in SIGNS)
    return found if isinstance(found, CsvGrammar) else next(filter(None, others), found)


def _of_clock(lines: Sequence[str]) -> CsvGrammar | Message | None:
    """The same for a table that is all of the lines, by its clock."""
    table = next(filter(None, (_table(lines, delimiter) for delimiter in DELIMITERS)), None)
    if table is None:
        return None
    if (tag := table.place(TAGS)) is not None:
        table = table.of_training(tag)
    if not table.is_of_training:
        return None
    step, columns = table.place(STEPS), table.called
    if not table.clocks:
        return Message(NO_CLOCK, columns=columns)
    if step is None:
        return Message(NO_STEPS, columns=columns)
    if any('"' in line for line in lines):
        return Message(QUOTED)
    found = [_grammar(table, step, clock) for clock in table.clocks]
    return next((one for one in found if isinstance(one, CsvGrammar)), found[0])


def _table(lines: Sequence[str], delimiter: str) -> _Table | None:
    """The table of some lines; None where the first is no header, or rows are of other lengths.

    The first column may have no name: pandas numbers the rows there.
    """
    rows = [tuple(part.strip() for part in line.rstrip("\r").split(delimiter)) for line in lines if line.strip()]
    if len(rows) <= FEWEST_ROWS or len(rows[0]) < 2 or not all(map(_NAME.fullmatch, rows[0][not rows[0][0] :])):
        return None
    is_whole = all(len(row) == len(rows[0]) for row in rows[:-1])  # the last may be cut
    return _Table(delimiter, rows[0], tuple(rows[1:-1])) if is_whole and len(set(rows[0])) == len(rows[0]) else None


def _grammar(table: _Table, step: int, clock: int) -> CsvGrammar | Message:
    counts, times = table.values(step, clock), table.values(clock, step)
    if not all(map(_COUNT.fullmatch, counts)) or not _rise(list(map(int, counts))):
        return Message(NOT_RISING, column=table.names[step])
    held = _held(times)
    if held is None or (held == "elapsed{NUMBER}" and not _is_clock(list(map(int, counts)), list(map(float, times)))):
        return Message(NOT_RISING, column=table.names[clock])
    counter, name = table.names[step], table.names[clock]
    if held == "elapsed{NUMBER}" and not _OF_SECONDS.fullmatch(name):
        return Message(NO_UNIT, column=name)
    assumed = Message(IS_LOGGED if counter == "_step" else IS_STEP, column=counter)
    tags = {table.tag[0]: f'"{table.tag[1]}"'} if table.tag else {}
    return CsvGrammar(_text(table, {step: 'step{"0"}', clock: held, **tags}), (assumed,))


def _held(times: Sequence[str]) -> str | None:
    """What the times of rows are, as a grammar says it; None where they do not rise."""
    if times and all(map(_STAMP.fullmatch, times)):
        return "time{STAMP}" if list(times) == sorted(times) else None
    for pattern, held in ((_UNIX, "time{UNIX_SECONDS}"), (_SECONDS, "elapsed{NUMBER}")):
        if times and all(map(pattern.fullmatch, times)):
            return held if _rise(list(map(float, times))) else None
    return None


def _is_clock(steps: Sequence[int], times: Sequence[float]) -> bool:
    """Whether times go on with the steps and began with them; the times of single steps do not."""
    pairs = zip(pairwise(steps), pairwise(times), strict=True)
    goes_on = all(later > time for (step, following), (time, later) in pairs if following > step)
    return goes_on and times[0] <= times[-1] - times[0]


def _rise(numbers: Sequence[float]) -> bool:
    return bool(numbers) and list(numbers) == sorted(numbers) and numbers[0] < numbers[-1]


def _text(table: _Table, columns: Mapping[int, str]) -> str:
    """The grammar of the rows: columns that are not read may be empty."""
    sign = {"\t": r"\t"}.get(table.delimiter, table.delimiter)
    row, terminals = row_of_columns(columns, len(table.names), f"[^{sign}\\n]*+", sign, f'"{sign}"')
    words = {word for held in columns.values() if held[0] != '"' for word in re.findall(r"[A-Za-z_]+", held)}
    body = [f"// A table: {table.called}", "", "start: step_line", "", f"step_line: {row}", ""]
    imported = ", ".join(sorted({*words, "INTEGER", "SPACE"}))
    # A comma ends a column, and begins no fraction of a second.
    own = [f"%override STAMP: /{_STAMP.pattern}/"] if "STAMP" in words else []
    return "\n".join([*body, *terminals, "", f"%import .vocabulary ({imported})", *own, "%ignore SPACE", ""])


def _of_speeds(lines: Sequence[str], sign: str) -> CsvGrammar | None:
    """A grammar for rows under the first header whose names say what is counted a second, or what a step takes."""
    if is_page_with_table(lines):
        return None
    lines = [line for line in lines if line.strip() and len(line) <= LONGEST_ROW and not _RULER.fullmatch(line)]
    begins = (place for place, pair in enumerate(pairwise(lines)) if _begins(*pair, sign))
    return next(filter(None, (_of_header(lines, place, sign) for place in islice(begins, MOST_HEADERS))), None)


def _of_header(lines: Sequence[str], place: int, sign: str) -> CsvGrammar | None:
    """None where another header has as many columns, or where the rows are no training, or none that goes on."""
    names = so_many_cells(lines[place], sign, len(cells(lines[place + 1], sign)))
    senses = {at: found for at, name in enumerate(names) if (found := sense(name, "", is_strong=True))}
    columns = {at: held for at, found in senses.items() if (held := told(found))}
    roles = Counter(senses[at].role for at in columns)
    is_told = {RATE, STEP_TIME, STEP_RATE} & set(roles) and EVIDENCE & set(roles) and max(roles.values()) == 1
    counters = [at for at in columns if senses[at].role in ("epoch", "step")]
    every = [so_many_cells(line, sign, len(names)) for line in lines]
    headers = (at for at, row in enumerate(every) if row == names)
    if not is_told or any(_follows_title(lines, at, is_on=_is_on(every, at, counters)) for at in headers):
        return None
    rows = [row for row in every if row]
    others = (row for row in rows if row != names and not are_numbers(row))
    speed = next(at for at in columns if senses[at].role in SPEEDS)
    is_read = not any(map(_is_header, others)) and _goes_on(rows, names, counters, speed)
    return CsvGrammar(rows_of_columns(names, columns, sign), ()) if is_read else None


def _follows_title(lines: Sequence[str], place: int, *, is_on: bool) -> bool:
    """Whether a line just before a header tells of an evaluation, or a title of one stands farther before.

    Where the steps go on below it, a line with a number is no title of what follows, but a result: `eval loss: 2.5`.
    """
    before = lines[max(place - MOST_BEFORE, 0) : place]
    near = [line for line in before[-3:] if not (is_on and re.search(r"\d", line))]
    return any(map(_OF_OTHER.search, near)) or any(map(_TITLE.fullmatch, before))


def _is_on(rows: Sequence[tuple[str, ...]], place: int, counters: Sequence[int]) -> bool:
    """Whether the first row below a header counts on from the last one above it."""
    above = next((row for row in reversed(rows[:place]) if row and are_numbers(row)), ())
    below = next((row for row in rows[place + 1 :] if row and are_numbers(row)), ())
    counts = [[row[at] for at in counters] for row in (above, below) if row]
    if len(counts) < 2 or not all(_COUNT.fullmatch(count) for row in counts for count in row):
        return False
    return list(map(int, counts[0])) < list(map(int, counts[1]))


def _is_header(row: Sequence[str]) -> bool:
    """Whether cells are names, one of which means something."""
    are_names = all(re.search("[A-Za-z一-鿿]", cell) for cell in row)
    return are_names and any(sense(cell, "", is_strong=True) for cell in row)


def _begins(line: str, row: str, sign: str) -> bool:
    """Whether a line is the header of a table of training, and the next its first row."""
    first = cells(row, sign)
    names = so_many_cells(line, sign, len(first)) if len(first) >= FEWEST_CELLS and are_numbers(first) else ()
    return _is_header(names) and len(set(names)) == len(names)


def _goes_on(rows: Sequence[tuple[str, ...]], header: tuple[str, ...], counters: Sequence[int], speed: int) -> bool:
    """Whether the rows below each header count steps or epochs up, as a rule by the same number, at similar speeds."""
    begins = [0, *(place for place, row in enumerate(rows) if row == header), len(rows)]
    tables = [[row for row in rows[begin:end] if are_numbers(row)] for begin, end in pairwise(begins)]
    texts = [[[row[place] for place in counters] for row in table] for table in tables]
    if sum(map(len, tables)) < FEWEST_ROWS or not all(
        _COUNT.fullmatch(n) for table in texts for row in table for n in row
    ):
        return False
    counts = [[list(map(int, row)) for row in table] for table in texts]
    following = [pair for table in counts for pair in pairwise(table)]
    grown = Counter(tuple(map(sub, after, before)) for before, after in following)
    is_even = not grown or grown.most_common(1)[0][1] > len(following) / 2
    speeds = [[float(row[speed]) for row in table if _SECONDS.fullmatch(row[speed])] for table in tables]
    filled = [table for table in counts if table]
    begins_anew = any(after[0] <= before[-1] for before, after in pairwise(filled))
    # Rows that count anew may be of an evaluation without a title.
    fewest, apart = (1, 1 + AGREE) if begins_anew else (FEWEST_ROWS, APART)
    usual = [statistics.median(table) for table in speeds if len(table) >= fewest]
    is_one = not usual or max(usual) <= apart * min(usual)
    return is_even and is_one and all(before < after for before, after in following)
