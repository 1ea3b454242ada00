"""Lines that repeat a fragment of a grammar are read as any other line, and hold no records."""

import re
from pathlib import Path

import pytest

from parsers.detect import formats
from parsers.format import METRICS, Format
from parsers.reading import survey
from parsers.scan import Scanner
from tests.bench.adversarial import Hostile, hostile

SIZE = 2 << 10
DIGIT = re.compile(rb"[0-9]")


@pytest.mark.parametrize("fmt", formats(), ids=lambda fmt: fmt.name)
def test_repeated_texts_without_a_number_are_no_metric_line(fmt: Format) -> None:
    lines = [line for one in hostile(fmt) if not DIGIT.search(line := one.line(SIZE))]
    found = Scanner(fmt.variants).feed(b"".join(lines))
    assert not [one.numbers for one in found if one.variant.record in METRICS]


def test_a_long_line_of_one_fragment_is_one_line(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_bytes(Hostile(b"loss: ").line(1 << 20))
    assert survey(log).account.total == 1
