"""Numbers that no protocol made are not proved, and those that one made which is not searched are not accused."""

import math
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from parsers.runs.facts import Fact
from parsers.runs.provenance import LABEL
from parsers.runs.reading import read
from report.audit.rules.protocols import protocols, search
from report.audit.rulings import Finding, Ruling
from report.measure.diagnostics import NoMeasurement
from report.measure.protocol import Protocol
from report.measure.records import Run
from report.measure.rule import measure_log
from report.measure.stated import measure_stated
from report.measure.statistic import reduce
from report.measure.statistic import trim as trimmed
from tests.report.audit.small_site import CARDS, Rates, findings, log_of, rates, write_site

pytestmark = pytest.mark.slow

COLUMNS = 50  # of four numbers each
NOT_SEARCHED: Mapping[str, Callable[[Rates], float]] = {
    "skip 37 %": lambda values: float(values[int(0.37 * len(values)) :].mean()),
    "every third": lambda values: float(values[::3].mean()),
    "root mean square": lambda values: float(np.sqrt((values**2).mean())),
    "mean of the ten best": lambda values: float(np.sort(values)[-10:].mean()),
    "66th percentile": lambda values: float(np.percentile(values, 66)),
    "mean of the ends": lambda values: float((values.min() + values.max()) / 2),
    "a tenth off": lambda values: float(0.9 * values[10:].mean()),
}


def protocol_of(finding: Finding) -> Protocol:
    """The protocol by which a number was found."""
    return Protocol.parse(finding.hit.name if finding.hit and finding.hit.means == "protocol" else "plain")


Made = list[tuple[str, str, Rates]]


def column(generator: np.random.Generator, number: Callable[[Rates, int], str]) -> Made:
    """Four runs on 1, 2, 4 and 8 cards: the published digits, the log, and its values."""
    level = generator.uniform(15, 900)
    runs = [rates(generator, int(generator.integers(30, 160)), level) for _ in CARDS]
    return [(number(values, cards), log_of(values), values) for cards, values in zip(CARDS, runs, strict=True)]


def of_window(values: Rates, protocol: Protocol) -> float:
    """What a protocol gives, by the window and the statistic that it states."""
    steps = protocol.skip_steps // 10  # a record is printed each ten
    start = protocol.skip_records or steps or int(protocol.skip_fraction * len(values))
    window = values[start:]
    window = window[-protocol.take_last.count :] if protocol.take_last else window
    window = window[: protocol.take_first.count] if protocol.take_first else window
    kept = trimmed(window, protocol.trim, protocol.trim_min) if protocol.trim else np.ones(len(window), np.bool_)
    return reduce(window[kept], protocol.statistic)


def by_other_rule(rule: Callable[[Rates], float], values: Rates, cards: int) -> str:
    return f"{cards * rule(values):.3f}"


def by_none(generator: np.random.Generator, values: Rates, cards: int) -> str:
    """A number at random in the range of a log, or as near to its mean as other protocols come."""
    middle, near = float(values[10:].mean()), generator.random() < 0.5
    low, high = (0.995 * middle, 1.005 * middle) if near else (values.min(), values.max())
    return f"{cards * generator.uniform(low, high):.{generator.integers(1, 4)}f}"


@pytest.mark.parametrize("count", [len(CARDS), 1], ids=["in columns", "alone"])
def test_of_two_hundred_numbers_that_no_protocol_made_at_most_one_is_proved(count: int, tmp_path: Path) -> None:
    generator = np.random.default_rng(1)
    total = COLUMNS * len(CARDS)
    columns = [column(generator, partial(by_none, generator))[:count] for _ in range(total // count)]
    write_site(tmp_path, [[(digits, log) for digits, log, _ in made] for made in columns])
    found = [finding for page in findings(tmp_path) for finding in page]
    assert len(found) == total
    assert sum(finding.ruling == Ruling.PROVED for finding in found) <= 1


def test_numbers_of_columns_that_a_protocol_made_which_is_not_searched_are_accused_of_nothing(tmp_path: Path) -> None:
    generator, columns, rules = np.random.default_rng(3), [], []
    for number in range(COLUMNS):
        rules.append(list(NOT_SEARCHED.values())[number % len(NOT_SEARCHED)])
        columns.append(column(generator, partial(by_other_rule, rules[-1])))
    write_site(tmp_path, [[(digits, log) for digits, log, _ in made] for made in columns])
    pages = findings(tmp_path)
    found = [finding for page in pages for finding in page]
    assert [finding.claim.number.text for finding in found if finding.fails()] == []
    wrong = 0
    for rule, made, page in zip(rules, columns, pages, strict=True):
        for (_, _, values), finding in zip(made, page, strict=True):
            # Of 136 records, 37 % are just the 50 that a protocol skips which is searched.
            is_same = np.isclose(of_window(values, protocol_of(finding)), rule(values), rtol=1e-12)
            wrong += finding.ruling == Ruling.PROVED and not is_same
    assert wrong <= 1


FACTS = {"cards": Fact("cards", 8, LABEL), "batch_size": Fact("batch_size", 32, LABEL)}
SPEEDS = st.lists(st.sampled_from([*range(1, 9), 250, 251.5]), min_size=1, max_size=40)

CLOCK = next(place for place, one in enumerate(protocols()) if one.estimate == "clock")
BY_RULE = next(place for place, one in enumerate(protocols()) if not one.states_rule)


@settings(max_examples=100)
@given(speeds=SPEEDS, number=st.integers(0, 10_000))
@example(speeds=[1, 1, 1], number=CLOCK)
@example(speeds=[1, 2, 3, 4], number=BY_RULE)
def test_every_window_of_short_logs_gives_what_measuring_gives(
    tmp_path_factory: object, speeds: list[float], number: int
) -> None:
    path = Path(str(tmp_path_factory.getbasetemp())) / "short.log"  # type: ignore[attr-defined]
    path.write_text(log_of(np.array(speeds)), encoding="utf-8")
    part, place = read(path).parts[0], number % len(protocols())
    try:
        run, stated = Run(1, part.table, part.fields, FACTS), protocols()[place]
        measured = (measure_stated([run], stated) if stated.states_rule else measure_log([[run]])).value
    except NoMeasurement:
        measured = math.nan
    assert np.isclose(search(part, FACTS).values[place], measured, rtol=1e-12, equal_nan=True)
