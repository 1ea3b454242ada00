"""Parsing speed, compared with Lark, a script and awk; `make bench` runs it.

Two generated logs of 100 MiB: every third line (dense) or every hundredth line (sparse) is a metric line. CPU time on
one core; all candidates take turns. Reading detects the format, reads all fields of the metric lines into typed
columns, accounts for every line and hashes the file. Lark only parses the lines; the script extracts one field, awk all
nine as texts.
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import numpy as np
from lark.exceptions import UnexpectedInput

from launchers.machine.facts import processor
from parsers.runs.reading import known_format, read, survey
from report.results.measured_log import measured_log
from report.terminal.show_json import as_json
from tests.bench.families import REAL, families, small
from tests.bench.speed import DOCUMENT, MIB, Contender, found_by, speeds_of, write_section

SIZE = 100 * MIB
WORDS_SIZE = 20 * MIB
SLICE = 2 * MIB
FORMAT = "paddleclas_static"
LOGS = {"dense": 3, "sparse": 100}
TACHOGRAPH = Path(sys.executable).with_name("tachograph")
READ = "import sys; from parsers.runs.ranks import read; read(sys.argv[1])"
PEAKS: dict[str, Sequence[str | Path]] = {
    "read": (
        sys.executable,
        "-c",
        "import sys; from parsers.runs.ranks import read; read(sys.argv[1])",
        "LOG",
    ),
    "tachograph show": (TACHOGRAPH, "show", "LOG"),
    "tachograph parse --out records.csv": (TACHOGRAPH, "parse", "LOG", "--out", "CSV"),
}

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


def table(speeds: dict[str, dict[str, float]]) -> str:
    """A Markdown table of the speeds, with their ratios to Lark and to the script."""
    columns = ["", *(f"{log}, MiB/s | x Lark | x script" for log in LOGS)]
    rows = [" | ".join(columns), " | ".join(["---", *["---:"] * 3 * len(LOGS)])]
    for name in next(iter(speeds.values())):
        cells = [name, *(_cells(speeds[log], name) for log in LOGS)]
        rows.append(" | ".join(cells))
    return "\n".join(f"| {row} |" for row in rows)


def _cells(speeds: dict[str, float], name: str) -> str:
    base, hand, own = speeds[LARK], speeds[SCRIPT], speeds[name]
    return f"{own:.1f} | {own / base:.2f} | {own / hand:.2f}"


def machine() -> str:
    """What ran this, without the name of the host."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("lark", "numpy", "pandas"))
    return f"{processor()}, one core; Python {platform.python_version()}; {packages}"


def peaks(folder: Path) -> str:
    """Peak memory of what a user calls with a dense log of 1 GiB, each in a process of its own."""
    make_log(folder / "gib.log", 1 << 30, LOGS["dense"])
    found = ", ".join(f"`{name}` {peak(folder, command):.0f} MiB" for name, command in PEAKS.items())
    return f"Peak memory with a dense log of 1 GiB: {found}."


def peak(folder: Path, command: Sequence[str | Path]) -> float:
    """Peak memory of a command in MiB."""
    files: dict[str | Path, Path] = {"LOG": folder / "gib.log", "CSV": folder / "records.csv"}
    process = subprocess.Popen([files.get(part, part) for part in command], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):  # 1: the invented clock and speeds contradict each other
        raise RuntimeError(f"{command} ended with {os.waitstatus_to_exitcode(status)}")
    return used.ru_maxrss / 1024


def compare(folder: Path) -> str:
    """Make both logs and measure all contenders on each."""
    speeds = {}
    for log, one_in in LOGS.items():
        make_log(folder / f"{log}.log", SIZE, one_in)
        speeds[log] = speeds_of(CONTENDERS, folder / f"{log}.log")
    return table(speeds)


def words(folder: Path) -> str:
    """How fast random words are read, which no format knows, compared with the script."""
    make_words(folder / "words.log")
    contenders: dict[str, tuple[Contender, int]] = {"read": (survey, WORDS_SIZE), "script": (script, WORDS_SIZE)}
    found = speeds_of(contenders, folder / "words.log")
    ratio = found["read"] / found["script"]
    return f"Random words, each line with a shape of its own: {found['read']:.1f} MiB/s, {ratio:.2f} x script."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gib", action="store_true", help="also read 1 GiB and tell the peak memory")
    parser.add_argument("--corpus", type=Path, help="also read real logs of this folder (tests/corpus/fetch.py)")
    parser.add_argument("--write", action="store_true", help=f"write it into {DOCUMENT}, too")
    options = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as folder:
        memory = [peaks(Path(folder))] if options.gib else []
        speeds = compare(Path(folder))
        unknown = words(Path(folder))
        real = [REAL, families(options.corpus, Path(folder)), small(options.corpus)] if options.corpus else []
    text = "\n\n".join([str(__doc__).strip(), speeds, *memory, unknown, *real, f"Measured on: {machine()}."])
    sys.stdout.write(f"{text}\n")
    if options.write:
        write_section("# Parsing speed", text)


if __name__ == "__main__":
    main()
