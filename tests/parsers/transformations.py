"""Harmless transformations of a log: what terminals, launchers, collectors of logs and people do to its bytes."""

import bz2
import gzip
import lzma
import re
from collections.abc import Callable, Sequence

import zstandard

from parsers.grammar.format import METRICS
from parsers.scanning.detection import formats
from tests.parsers.shaped import found_in, some_format

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
