"""Small logs for the tests that are about one fact; the shape is that of the shortest known format."""

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import zstandard

FORMAT = "dllogger_tensorflow"
OTHER_NOISE = b"something else\n"


def step(number: int, ips: str = "1000.5") -> bytes:
    """One step line."""
    return f"DLL 2031-05-17 09:30:{number % 60:02d}.000001 - (0, {number}) total_ips : {ips} images/s\n".encode()


def steps(count: int) -> list[bytes]:
    """So many step lines."""
    return [step(number) for number in range(count)]


def write(folder: Path, *lines: bytes, name: str = "train.log") -> Path:
    """A log of these lines."""
    path = folder / name
    path.write_bytes(b"".join(lines))
    return path


GRAMMAR = """// Toy format
//
// For tests.

start: step_line

step_line: "{word}" step{{"1"}} "speed" throughput{{samples, job, instant}}

%import .vocabulary (step, throughput, samples, job, instant, BLANK)
%ignore BLANK
"""


def write_grammar(folder: Path, name: str, word: str = "toy") -> Path:
    """A grammar of lines such as ``toy 1 speed 2.5``."""
    path = folder / f"{name}.lark"
    path.write_text(GRAMMAR.format(word=word), encoding="utf-8")
    return path


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.compress,
}


MEGATRON = (
    " [2031-05-17 09:3{minute}:00] iteration {step:8d}/     100 | consumed samples: {done:12d} | elapsed time per "
    "iteration (ms): {took:.1f} | learning rate: 1.0E-04 | global batch size: {size:5d} | lm loss: 2.5E+00 |\n"
)


def megatron(*records: tuple[int, float, int]) -> str:
    return "".join(
        MEGATRON.format(minute=at, step=step, done=step * size, took=took, size=size)
        for at, (step, took, size) in enumerate(records)
    )
