"""A metric line behind the word of an evaluation is no record of training, whatever format knows it."""

import re
from pathlib import Path

import pytest

from parsers.grammar.format import METRICS
from parsers.runs.reading import survey
from tests.parsers.golden_logs import LOGS, name
from tests.parsers.toy_logs import write

pytestmark = pytest.mark.slow

# A line that begins with what its format knows.
OWN = re.compile(rb"(?i)(?:epoch|step|iter|global step|train)\b")
# A bar and what is printed behind it: the word before the bar is not of that.
TWO_OUTPUTS = re.compile(rb"(?i)%\|.*[\]\r](?:epoch|step)\W*\d")
WORDS = (b"Validation: ", b"Evaluating ", b"[val] ", b"Test | ", b"valid-", b"eval - 2031-02-03 04:05:06 - INFO - ")
LINE = "Epoch: [0]  [{n:3d}/100]  eta: 0:00:40  lr: 0.000001  loss: 1.5000 (1.5000)  time: 0.5000  data: 0.0010"
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
    lines = [LINE.format(n=n) for n in range(1, 50)]
    log = tmp_path / "train.log"
    log.write_text("\n".join([*lines[:20], before + lines[20], *lines[21:], ""]), encoding="utf-8")
    assert len(survey(log).records) == 49
