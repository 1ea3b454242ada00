"""Lines that repeat a fragment of a grammar are read as any other line, and hold no records."""

import re
import time
from pathlib import Path

import pytest

from parsers.grammar.format import METRICS
from parsers.runs.reading import known_format, survey
from parsers.scanning.detection import formats
from parsers.scanning.judging import VariantSieve
from tests.bench.adversarial import Hostile, hostile, known_lines
from tests.parsers.shaped import found_in, judge, told

pytestmark = pytest.mark.slow

SIZE = 2 << 10
SHORT = 32 << 10
DIGIT = re.compile(rb"[0-9]")


def test_repeated_texts_without_a_number_are_no_metric_line() -> None:
    for fmt in formats():
        lines = b"".join(line for one in hostile(fmt) if not DIGIT.search(line := one.line(SIZE)))
        assert [variant for _, variant in found_in(fmt, lines) if variant.record in METRICS] == [], fmt.name


def test_a_long_line_of_one_fragment_is_one_line(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_bytes(Hostile(b"loss: ").line(1 << 20))
    assert survey(log).account.total == 1


@pytest.mark.parametrize("fragment", [b"7", b"7:", b"2030-01-02 ", b"[1", b" "])
def test_what_stands_before_a_torn_line_is_looked_through_once(fragment: bytes) -> None:
    torn = b"Epoch: [0][10/100]  Time 0.100 (0.200)  Data 0.001 (0.002)  Loss 6.9 (6.9)"
    few, many = (Hostile(fragment, after=torn).line(size) for size in (SHORT, 8 * SHORT))
    variants = known_format("pytorch_imagenet").variants

    def seconds(line: bytes) -> float:
        start = time.process_time()
        judge(line).hits(VariantSieve(variants))
        return time.process_time() - start

    # The least of a few, which other programs disturb least.
    assert min(seconds(many) for _ in range(3)) < 24 * min(seconds(few) for _ in range(3))


def test_a_time_with_thousands_of_digits_is_none() -> None:
    fmt = known_format("bigdl")
    line = next(line for line in known_lines(fmt) if line.startswith(b"20"))
    stamp, rest = line[:19], line[19:]
    (hits,) = judge(Hostile(b"7", stamp + b".", rest).line(SIZE)).hits(VariantSieve(fmt.variants)).values()
    assert sum(width for _, _, spans in told(hits) for _, width in spans) < SIZE // 2
