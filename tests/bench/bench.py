"""Parsing speed, compared with Lark, a script and awk; `make bench` runs it.

Two generated logs of 100 MiB: every third line (dense) or every hundredth line (sparse) is a metric line. CPU time on
one core; all candidates take turns. Reading detects the format, reads all fields of the metric lines into typed
columns, accounts for every line and hashes the file. Lark only parses the lines; the script extracts one field, awk all
nine as texts. Random words: each line has a shape of its own, which no format knows.
"""

import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from lark.exceptions import UnexpectedInput

from parsers.runs.reading import known_format, read, survey
from report.results.measured_log import measured_log
from report.terminal.show_json import as_json
from tests.bench.speed import MIB, Contender, found_by, is_written, machine, speeds_of, table, tell

SIZE = 100 * MIB
WORDS_SIZE = 20 * MIB
SLICE = 2 * MIB
FORMAT = "paddleclas_static"
LOGS = {"dense": 3, "sparse": 100}

METRIC = (
    "[2031/05/{day:02d} {hour:02d}:{minute:02d}:{second:02d}] ppcls INFO: epoch:{epoch:<3d} train step:{step:<4d}"
    " lr: 0.100000, loss: {loss:7.4f} top1: {top1:7.4f} top5: {top5:7.4f} batch_cost: {cost:.5f} s,"
    " reader_cost: {reader:.5f} s, ips: {ips:.5f} samples/sec.\n"
)
BANNER = """LAUNCH INFO 2031-05-17 09:30:01,310 -----------  Configuration  ----------------------
LAUNCH INFO 2031-05-17 09:30:01,310 devices: 0,1,2,3
LAUNCH INFO 2031-05-17 09:30:01,310 ips: 127.0.0.1
LAUNCH INFO 2031-05-17 09:30:01,310 nnodes: 1
LAUNCH INFO 2031-05-17 09:30:01,310 training_script_args: ['-o', 'DataLoader.Train.sampler.batch_size=256']
[2031/05/17 09:30:01] ppcls INFO:     use_amp : False
"""
NOISE = (
    "I0517 09:30:{second:02d}.123456 {step:5d} executor.cc:237] a remark of the runtime on operator {step}\n",
    "W0517 09:30:{second:02d}.123456 {step:5d} gpu_resources.cc:275] WARNING: a warning of the runtime, which is long"
    " because it says what to do about it, and that it may be switched off\n",
    "[2031/05/{day:02d} 09:30:{second:02d}] ppcls INFO: Already save model in ./output/toy/{step}\n",
    "not ready endpoints:['127.0.0.1:6{step:04d}', '127.0.0.1:6{step:04d}', '127.0.0.1:6{step:04d}']\n",
    "/opt/python/site-packages/toy/layers.py:{step}: UserWarning: the dtype of left and right are not the same\n",
    "  format(lhs_dtype, rhs_dtype, lhs_dtype))\n",
    "\n",
)


def make_log(path: Path, size: int, one_in: int) -> None:
    """Write a log of about so many bytes, one in so many lines of it a metric line."""
    numbers = np.random.default_rng(one_in)
    chunk = "".join(_line(numbers, i, one_in) for i in range(30_000)).encode()
    with path.open("wb") as file:
        file.write(BANNER.encode())
        while file.tell() < size:
            file.write(chunk)


def _line(numbers: np.random.Generator, i: int, one_in: int) -> str:
    shape = METRIC if i % one_in == 0 else NOISE[i % len(NOISE)]
    loss, top1, top5, cost, reader = numbers.random(5).tolist()
    clock = {"day": 1 + i // 86400, "hour": i // 3600 % 24, "minute": i // 60 % 60, "second": i % 60}
    losses = {"loss": 7 * loss, "top1": top1, "top5": top5, "cost": cost + 0.1, "reader": reader}
    return shape.format(**clock, **losses, epoch=i // 5000, step=i % 5000, ips=256 / (cost + 0.1))


def make_words(path: Path) -> None:
    """Write a log of random words, in which each line has a shape of its own."""
    numbers = np.random.default_rng(0)
    text = numbers.integers(ord("a"), ord("z") + 1, WORDS_SIZE, np.uint8)
    text[numbers.random(WORDS_SIZE) < 1 / 7] = ord(" ")
    text[numbers.random(WORDS_SIZE) < 1 / 56] = ord("\n")
    path.write_bytes(text.tobytes())


def show(path: Path) -> object:
    """What `tachograph show --json` prints."""
    return as_json(measured_log(path))


def lark(path: Path) -> int:
    """Lark's parser on every line of the first MiBs."""
    parse, refused = known_format(FORMAT).judge.parse, 0
    for line in path.read_bytes()[:SLICE].decode().split("\n"):
        try:
            parse(line)
        except UnexpectedInput:
            refused += 1
    return refused


def script(path: Path) -> list[str]:
    """What people write by hand, for one field."""
    return found_by(r"ips: (\S+)", path)


AWK = r"""match($0, /epoch:/) && /samples\/sec/ { split(substr($0, RSTART), a, /[:, ]+/);
print a[2], a[5], a[7], a[9], a[11], a[13], a[15], a[18], a[21] }"""


def awk(path: Path) -> bytes:
    """All fields, as people write it by hand in a shell."""
    return subprocess.run(["awk", AWK, path], capture_output=True, check=True).stdout


def grep(path: Path) -> bytes:
    """The fastest look at a log that there is."""
    return subprocess.run(["grep", "-c", "samples/sec", path], capture_output=True, check=True).stdout


LARK, SCRIPT = "Lark, line by line", "a script: `re.findall` for one field"
CONTENDERS: dict[str, tuple[Contender, int]] = {
    "read: records, facts, account, sha256": (read, SIZE),
    "show: that, and the throughput": (show, SIZE),
    LARK: (lark, SLICE),
    SCRIPT: (script, SIZE),
    "`awk`, all fields as texts": (awk, SIZE),
    "`grep -c`": (grep, SIZE),
}


def main() -> None:
    write = is_written(__doc__)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as folder:
        path, speeds = Path(folder, "train.log"), []
        for one_in in LOGS.values():
            make_log(path, SIZE, one_in)
            speeds.append(speeds_of(CONTENDERS, path))
        make_words(path)
        words = speeds_of({"read": (survey, WORDS_SIZE), "script": (script, WORDS_SIZE)}, path)
    rows = ["|".join(["", *(f" {log}, MiB/s | x Lark | x script " for log in LOGS)]).strip()]
    for name in CONTENDERS:
        cells = (f"{of[name]:.1f} | {of[name] / of[LARK]:.2f} | {of[name] / of[SCRIPT]:.2f}" for of in speeds)
        rows.append(" | ".join([name, *cells]))
    of_words = f"Random words: {words['read']:.1f} MiB/s, {words['read'] / words['script']:.2f} x script."
    tell("# Parsing speed", __doc__, table(*rows), of_words, machine(), write=write)


if __name__ == "__main__":
    main()
