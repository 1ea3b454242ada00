"""Intel's cards, as `xpu-smi dump` tells of them, a line each a second.

Of its metrics, by the numbers that all versions have (XPU Manager 34c32c6, docs/sphinx/xpu-smi/dump.rst): 0 GPU
Utilization (%), 1 GPU Power (W), 2 GPU Frequency (MHz), 3 GPU Core Temperature (Celsius), 18 GPU Memory Used (MiB). The
lines are `Timestamp, DeviceId, ` and the metrics in that order (ial/cmn/cmd_dump.cpp); N/A stands for what is not told.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from parsers.runs.run_folder import CardSample

from ..card_sample import CardAnswer, Cards

_COMMAND = ("xpu-smi", "dump", "--device", "-1", "--metrics", "0,1,2,3,18")
_COLUMNS = ("utilisation", "power", "sm_clock", "temperature", "memory")
_NAME = re.compile(r"^\|\s*\d+\s*\|\s*Device Name: *(.+?)\s*\|", re.MULTILINE)
_PATIENCE = 5.0  # seconds until it prints something


@contextmanager
def cards() -> Iterator[Cards | None]:
    """Give all cards, with the newest line of each since it was asked last; None where xpu-smi tells of none."""
    if shutil.which(_COMMAND[0]) is None:
        yield None
        return
    process = subprocess.Popen(_COMMAND, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    newest: dict[int, CardSample] = {}
    begun = threading.Event()
    reader = threading.Thread(target=_follow, args=(process, newest, begun), name="xpu-smi", daemon=True)
    reader.start()
    try:
        begun.wait(_PATIENCE)
        yield Cards(names(_discovered()), lambda: _taken(newest)) if newest else None
    finally:
        process.terminate()
        process.wait()
        reader.join()


def samples(lines: Iterable[str]) -> Iterator[tuple[int, CardSample]]:
    """Read the lines of `xpu-smi dump`, each with the number of its card; what is no such line is left out."""
    for line in lines:
        cells = [cell.strip() for cell in line.split(",")]
        if len(cells) == len(_COLUMNS) + 2 and cells[1].isdigit():
            yield int(cells[1]), CardSample(**dict(zip(_COLUMNS, map(_number, cells[2:]), strict=True)))


def names(text: str) -> list[str]:
    """Read the names of the cards from what `xpu-smi discovery` prints, in its order (ial/cmn/cmd_discovery.cpp)."""
    return _NAME.findall(text)


def _discovered() -> str:
    try:
        answer = subprocess.run(
            [_COMMAND[0], "discovery"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=True,
            timeout=_PATIENCE,
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return ""
    return answer.stdout


def _follow(process: subprocess.Popen[bytes], newest: dict[int, CardSample], begun: threading.Event) -> None:
    if process.stdout:
        with process.stdout as lines:
            for card, sample in samples(line.decode(errors="replace") for line in lines):
                newest[card] = sample
                begun.set()
    begun.set()


def _taken(newest: dict[int, CardSample]) -> list[CardAnswer]:
    """Take the lines away, so that one that does not come is not passed off as the one before."""
    return [CardAnswer(card, sample) for card in sorted(newest) if (sample := newest.pop(card, None))]


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
