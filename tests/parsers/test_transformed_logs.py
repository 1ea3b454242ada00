"""What is done to the bytes of a log on its way, or stands before its lines, never changes a number in silence."""

import bz2
import gzip
import lzma
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
import zstandard

from parsers.grammar.format import METRICS
from parsers.io.errors import LogError, ParserError
from parsers.runs.reading import survey
from parsers.scanning.detection import formats
from parsers.scanning.prefix import without_prefix
from report.results.measured_log import MeasuredLog, measured_log
from tests.commandline import run
from tests.parsers.golden_logs import GOLDEN, LOGS, name
from tests.parsers.judging import found_in, some_format
from tests.parsers.toy_logs import write

pytestmark = pytest.mark.slow

Transformation = Callable[[bytes], bytes]

STAMPED = b"2031-02-03 04:05:06"
NOISE = (b"loading the next shard", b"using 12 workers on host node017", b"see https://example.org/a?b=1&c=2")
PYTHON = (b"/opt/a.py:12: UserWarning: something is deprecated", b"  warnings.warn(something)")
TABLE = (b"|   0  A100-SXM4-40GB      On   | 00000000:07:00.0 Off |    0 |", b"| N/A   35C    P0    52W / 400W |")
PROGRESS = b" 10%|#         | 1/10 [00:01<00:09,  1.00s/it]"


def each(change: Transformation) -> Transformation:
    """Change every line of a text, which ends with a newline, by itself."""

    def changed(text: bytes) -> bytes:
        lines = text.removesuffix(b"\n").split(b"\n")
        return b"\n".join(change(line) for line in lines) + b"\n"

    return changed


def before(prefix: bytes) -> Transformation:
    """Put a text before every line."""
    return each(lambda line: prefix + line)


def after(suffix: bytes) -> Transformation:
    """Put a text after every line."""
    return each(lambda line: line + suffix)


def between(*noise: bytes) -> Transformation:
    """Put lines after every fifth line."""

    def changed(text: bytes) -> bytes:
        lines = text.removesuffix(b"\n").split(b"\n")
        inserted = [line + (b"\n" + b"\n".join(noise) if number % 5 == 4 else b"") for number, line in enumerate(lines)]
        return b"\n".join(inserted) + b"\n"

    return changed


def fold(width: int) -> Transformation:
    """Cut every line at a width, as ``fold`` does."""
    return each(lambda line: b"\n".join(line[start : start + width] for start in range(0, len(line) or 1, width)))


def facts_doubled(text: bytes) -> bytes:
    """Print every line twice that states facts and no speed, as two ranks do that share a log."""
    numbers = [_numbers(text, kinds) for kinds in (("fact",), METRICS)]
    lines = enumerate(text.removesuffix(b"\n").split(b"\n"), 1)
    return b"".join((line + b"\n") * (2 if number in numbers[0] - numbers[1] else 1) for number, line in lines)


def _numbers(text: bytes, kinds: Sequence[str]) -> set[int]:
    variants = [variant for fmt in formats() for variant in fmt.variants if variant.record in kinds]
    return {number for number, _ in found_in(some_format(variants), text)}


def coloured_numbers(line: bytes) -> bytes:
    """Every word that ends with a digit in colours."""
    return b" ".join(b"\x1b[1;32m" + word + b"\x1b[0m" if word[-1:].isdigit() else word for word in line.split(b" "))


def utf_16(text: bytes, codec: str) -> bytes:
    return ("\ufeff" + text.decode("utf-8", "replace")).encode(codec)


TRANSFORMATIONS: dict[str, Transformation] = {
    "mpirun --tag-output": before(b"[1,0]<stdout>:"),
    "mpirun --tag-output of stderr": before(b"[1,0]<stderr>:"),
    "mpirun --timestamp-output": before(b"Mon Feb  3 04:05:06 2031[1,0]<stdout>:"),
    "srun --label": before(b"0: "),
    "srun --label of many": before(b" 0: "),
    "srun --label of tasks": before(b"task 0: "),
    "torchrun --tee": before(b"[default0]:"),
    "rank": before(b"[rank0]:"),
    "rank and blank": before(b"[rank0]: "),
    "mpirun -prepend-rank": before(b"[0] "),
    "two launchers": before(b"[1,0]<stdout>:[default0]:"),
    "two ranks of mpirun": each(lambda line: b"[1,0]<stdout>:%s\n[1,1]<stdout>:%s" % (line, line)),
    "two ranks of srun": each(lambda line: b"0: %s\n1: %s" % (line, line)),
    "two ranks, no label": each(lambda line: line + b"\n" + line),
    "CRLF": after(b"\r"),
    "CR twice": after(b"\r\r"),
    "progress before lines": before(b"\r" + PROGRESS + b"\r"),
    "progress after lines": after(b"\r" + PROGRESS),
    "progress between lines": between(b"\r".join([PROGRESS] * 20)),
    "colours of lines": each(lambda line: b"\x1b[32m" + line + b"\x1b[0m"),
    "colours of numbers": each(coloured_numbers),
    "reset at the end": after(b"\x1b[m"),
    "line cleared": before(b"\x1b[2K"),
    "line cleared after": after(b"\x1b[K"),
    "window title": before(b"\x1b]0;train\x07"),
    "NUL after lines": after(b"\0"),
    "NUL before lines": before(b"\0\0"),
    "NUL at the end": lambda text: text + b"\0" * 4096,
    "NUL at the start": lambda text: b"\0" * 64 + text,
    "order mark": lambda text: b"\xef\xbb\xbf" + text,
    "UTF-16": lambda text: utf_16(text, "utf-16-le"),
    "UTF-16, big end first": lambda text: utf_16(text, "utf-16-be"),
    "Latin-1 noise": between(b"Temp\xe9rature \xb0C d\xe9pass\xe9e"),
    "broken UTF-8 noise": between(b"\xff\xfe\xc3( broken"),
    "Chinese noise": between("训练日志: 数据加载完成".encode()),
    "blank lines": between(b"", b""),
    "every second line blank": after(b"\n"),
    "blank lines at the start": lambda text: b"\n" * 9 + text,
    "blank lines at the end": lambda text: text + b"\n" * 9,
    "indentation": before(b"    "),
    "a tab before lines": before(b"\t"),
    "blanks after lines": after(b"   "),
    "a tab after lines": after(b"\t"),
    "stamps": before(STAMPED + b" "),
    "stamps in brackets": before(b"[" + STAMPED + b"] "),
    "stamps of ts": before(b"Feb 03 04:05:06 "),
    "stamps of containers": before(b"2031-02-03T04:05:06.123456789Z "),
    "stamps of pods": before(b"2031-02-03T04:05:06.123456789Z stdout F "),
    "seconds since the start": before(b"00:01:02 "),
    "names of containers": before(b"trainer-1  | "),
    "names of files": before(b"train.log:"),
    "journal": before(b"Feb 03 04:05:06 node017 python[123]: "),
    "logging of Python": before(b"INFO:root:"),
    "quoted": before(b"> "),
    "noise of words": between(*NOISE),
    "noise of Python": between(*PYTHON),
    "noise of a table": between(*TABLE),
    "noise first": lambda text: b"\n".join(NOISE * 9) + b"\n" + text,
    "noise last": lambda text: text + b"\n".join(NOISE * 9) + b"\n",
    "a long line": between(b"x" * 20000),
    "commands of a shell": lambda text: b"+ python train.py --epochs 3\n" + text + b"+ exit 0\n",
    "script": lambda text: b"Script started on 2031-02-03\n" + text + b"\nScript done on 2031-02-03\n",
    "only an escape at the end": lambda text: text + b"\x1b[0m",
    "decimal commas": lambda text: re.sub(rb"(?<=[0-9])\.(?=[0-9])", b",", text),
    "no last newline": lambda text: text.removesuffix(b"\n"),
    "facts doubled": facts_doubled,
    "gzip": gzip.compress,
    "gzip in two parts": lambda text: gzip.compress(text[:999]) + gzip.compress(text[999:]),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstandard": zstandard.compress,
}
NAMES = ("train.txt", "log", "worker 0.out", "train.log.1", "a'b.log")


EVERY = 34
NUMBERS = re.compile(r"[0-9.]+")


def written(log: Path, folder: Path, data: bytes) -> Path:
    """A copy of a log, whose name and folder state the same, without what lies beside it."""
    (folder / log.parent.name).mkdir(exist_ok=True)
    return write(folder / log.parent.name, data, name=log.name)


def summary(log: Path, folder: Path, data: bytes) -> MeasuredLog | None:
    """The summary of such a copy; None where it is refused in a sentence."""
    try:
        return measured_log(written(log, folder, data))
    except ParserError:
        return None


def text_of(log: Path, folder: Path) -> bytes:
    """The whole lines of a log: what is put after half a line makes another one of it.

    Of a log put together of records with a rank and without, a prefix makes another one: the ranks are taken off.
    """
    data = log.read_bytes()
    text = data[: data.rfind(b"\n") + 1]
    found = summary(log, folder, text)
    has_ranks = found is not None and "rank" in found.reading.parts[0].table
    ranks = np.isnan(found.reading.parts[0].table["rank"]) if found and has_ranks else np.zeros(1)
    return text if ranks.all() or not ranks.any() else each(without_prefix)(text)


def said(found: MeasuredLog) -> Iterator[str]:
    yield from (str(one.code) for one in found.diagnostics)
    yield from (NUMBERS.sub("0", str(warning)) for warning in found.warnings)


def changed_in_silence(before: MeasuredLog | None, now: MeasuredLog | None) -> str | None:
    """What changed of the number of a log though nothing says so; None where all is well."""
    old, new = (found.measurement.value if found and found.measurement else None for found in (before, now))
    if before is None or now is None or new is None or (old is not None and abs(new - old) <= abs(old) / 1000):
        return None
    return None if set(said(now)) - set(said(before)) else f"{old} became {new}"


def changed(log: Path, folder: Path, change: Transformation, name: str | None = None) -> str | None:
    """What a transformation, or another name, changes of the number of a log in silence."""
    text = text_of(log, folder)
    before = summary(log, folder, text)
    return changed_in_silence(before, summary(log.with_name(name or log.name), folder, change(text)))


@pytest.mark.parametrize("change", TRANSFORMATIONS)
def test_a_harmless_transformation_changes_no_number_in_silence(change: str, tmp_path: Path) -> None:
    logs = LOGS[list(TRANSFORMATIONS).index(change) % EVERY :: EVERY]  # so that each log is changed in several ways
    found = {name(log): changed(log, tmp_path, TRANSFORMATIONS[change]) for log in logs}
    assert {log: said for log, said in found.items() if said} == {}


@pytest.mark.parametrize("other", NAMES)
def test_another_name_changes_no_number_in_silence(other: str, tmp_path: Path) -> None:
    found = {name(log): changed(log, tmp_path, bytes, other) for log in LOGS[::EVERY]}
    assert {log: said for log, said in found.items() if said} == {}


@pytest.mark.parametrize(
    ("log", "width"),
    [("dllogger/ncf", 60), ("dllogger/ncf", 65), ("megatron_lm/stamped", 127), ("megatron_deepspeed/pdsh", 139)],
)
def test_a_log_is_refused_whose_cut_lines_are_metric_lines_of_other_numbers(
    log: str, width: int, tmp_path: Path
) -> None:
    path = GOLDEN / f"{log}.log"
    copy = written(path, tmp_path, fold(width)(text_of(path, tmp_path)))
    with pytest.raises(ParserError):
        measured_log(copy)
    assert run("ingest", copy.parent, "--into", tmp_path / "suite").returncode == 1
    assert not list((tmp_path / "suite").rglob("*.log"))


LINE = b"Epoch: [0][ %3d/5005]\tTime  0.412 ( 1.501)\tData  0.001 ( 0.911)\tLoss 6.98 (6.99)\tAcc@1   0.39 (  0.12)\n"


def test_a_log_cut_at_one_width_is_refused_and_the_line_is_named(tmp_path: Path) -> None:
    text = b"=> creating model 'resnet50'\n" + b"".join(LINE % step for step in range(10, 200, 10))
    with pytest.raises(LogError, match=r"cut at 40 columns, first in line 2"):
        survey(write(tmp_path, fold(40)(text)))


WHOLE = b"steps: %d loss: 6.5 iter time (s): 0.640 samples/sec: 50.000\n"


@pytest.mark.parametrize(
    ("line", "following"),
    [
        (WHOLE, b"2031-02-03 04:05:06 saved\n"),
        (WHOLE, b"12 shards\n"),
        (WHOLE, b'{"saved": 1}\n'),
        (WHOLE, b"0: saved\n"),
        (LINE, b"saved\n"),
    ],
)
def test_lines_of_one_length_that_nothing_cut_are_read(line: bytes, following: bytes, tmp_path: Path) -> None:
    log = write(tmp_path, *(line % step + following for step in range(100, 130)))
    assert len(survey(log).records) == 30


# A line that begins with what its format knows.
OWN = re.compile(rb"(?i)(?:epoch|step|iter|global step|train)\b")
# A bar and what is printed behind it: the word before the bar is not of that.
TWO_OUTPUTS = re.compile(rb"(?i)%\|.*[\]\r](?:epoch|step)\W*\d")
WORDS = (b"Validation: ", b"Evaluating ", b"[val] ", b"Test | ", b"valid-", b"eval - 2031-02-03 04:05:06 - INFO - ")
TORCHVISION = "Epoch: [0]  [{n:3d}/100]  eta: 0:00:40  lr: 0.000001  loss: 1.5000 (1.5000)  time: 0.5000  data: 0.0010"
BAR = "Epoch 0: {n:3d}%|####      | {n}/100 [00:{n:02d}<00:30, 1.00it/s, loss=1.5]"


def records_of(folder: Path, log: Path, text: bytes) -> list[int]:
    """The lines of the metric records of a text, as it is read in a folder called as that of a golden log."""
    (folder / log.parent.name).mkdir(exist_ok=True)
    parts = survey(write(folder / log.parent.name, text, name=log.name)).parts
    tables = [part.records for part in parts if len(part.records)]
    return [line for table in tables for line in table["line"][table["record"].isin(METRICS)]]


def test_no_format_takes_a_line_behind_it_for_training(tmp_path: Path) -> None:
    taken = []
    for log in LOGS:
        text = log.read_bytes().rstrip(b"\n") + b"\n"
        own = [line for line in text.split(b"\n") if OWN.match(line) and not TWO_OUTPUTS.search(line)]
        behind = b"".join(word + line + b"\n" for word in WORDS for line in own)
        if records_of(tmp_path, log, text + behind) != records_of(tmp_path, log, text):
            taken.append(name(log))
    assert taken == []


@pytest.mark.parametrize("word", ["Valid-", "[Test] ", "Inference | "])
def test_a_bar_behind_it_claims_no_format(word: str, tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text("".join(f"{word}{BAR.format(n=n)}\n" for n in range(1, 50)), encoding="utf-8")
    assert survey(log).format is None


@pytest.mark.parametrize("before", ["Validation: 100%|##| 9/9 ", "done validating... ", "valid loss 1.5 "])
def test_output_that_only_ended_so_takes_nothing_from_training(before: str, tmp_path: Path) -> None:
    lines = [TORCHVISION.format(n=n) for n in range(1, 50)]
    log = tmp_path / "train.log"
    log.write_text("\n".join([*lines[:20], before + lines[20], *lines[21:], ""]), encoding="utf-8")
    assert len(survey(log).records) == 49
