"""Ascend's cards, as `npu-smi info` tells of them.

Each chip has two rows of a table, in npu-smi 23.0 to 26.0 as Huawei documents it (Atlas 200I A2, npu-smi info):

    | NPU   Name      | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
    | Chip            | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |

and each process a row of another one, with the same two numbers:

    | NPU     Chip              | Process id    | Process name             | Process memory(MB)      |

The memory of training cards is HBM; others have no such column. Clocks are not in it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

from parsers.runs.run_folder import CardSample

from ..card_sample import CardAnswer, CardProcess, Cards

_LONGEST = 10  # seconds
_CARD = re.compile(
    r"\|\s*(?P<npu>\d+)\s+(?P<name>\S+)\s*\|[^|]*\|\s*(?P<power>[\d.]+|-|NA)\s+(?P<temperature>\d+|-|NA)\s[^|]*\|"
)
_CHIP = re.compile(
    r"\|\s*(?P<chip>\d+)(?:\s+\d+)?\s*\|[^|]*\|\s*(?P<utilisation>\d+|-|NA)\s+(?P<usages>\d+\s*/\s*\d+[^|]*)\|"
)
_PROCESSES = "Process id"
_PROCESS = re.compile(r"\|\s*(?P<npu>\d+)\s+(?P<chip>\d+)\s*\|\s*(?P<number>\d+)\s*\|[^|]*\|\s*(?P<memory>\d+)\s*\|")
_USAGE = re.compile(r"(\d+)\s*/\s*\d+")


@contextmanager
def cards() -> Iterator[Cards | None]:
    """Give all cards that npu-smi knows; None where it is not there, or knows none."""
    named = names(_printed()) if shutil.which("npu-smi") else []
    yield Cards(named, lambda: answers(_printed())) if named else None


def _printed() -> str:
    try:
        answer = subprocess.run(
            ["npu-smi", "info"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, timeout=_LONGEST
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return ""
    return answer.stdout


def names(text: str) -> list[str]:
    """Read the names of the chips from what `npu-smi info` prints, in its order."""
    return [f"Ascend {card['name']}" for card, _ in _chips(text)]


def answers(text: str) -> list[CardAnswer]:
    """Read what `npu-smi info` prints: the chips in its order, which is that of their numbers."""
    processes = [found for line in text.splitlines() if (found := _PROCESS.match(line.strip()))]
    return [
        CardAnswer(number, _sample(card, chip), _of_chip(card, chip, processes) if _PROCESSES in text else None)
        for number, (card, chip) in enumerate(_chips(text))
    ]


def _of_chip(card: re.Match[str], chip: re.Match[str], processes: list[re.Match[str]]) -> tuple[CardProcess, ...]:
    key = (card["npu"], chip["chip"])
    own = (found for found in processes if (found["npu"], found["chip"]) == key)
    return tuple(CardProcess(int(found["number"]), float(found["memory"])) for found in own)


def _sample(card: re.Match[str], chip: re.Match[str]) -> CardSample:
    return CardSample(
        utilisation=_number(chip["utilisation"]),
        # Of several usages the last is that of HBM, which stands behind that of other memory.
        memory=float(_USAGE.findall(chip["usages"])[-1]),
        power=_number(card["power"]),
        temperature=_number(card["temperature"]),
    )


def _chips(text: str) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    """The two rows of each chip."""
    for above, below in pairwise(text.splitlines()):
        if (card := _CARD.match(above.strip())) and (chip := _CHIP.match(below.strip())):
            yield card, chip


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
