"""Printed digits: published numbers that a log prints itself, beside a name, whatever a protocol makes of its records.

A number may be copied from a log as it stands there, or be the last, the least or the greatest value of one name,
rounded. That is a rule of its own: it says where the digits stand, not how they were made. Any digits stand somewhere
in a log that is long enough, so the rule is held against chance as protocols are: by how densely the values of a name
lie, times the names, the ways to read them and the columns that are tried, times the choices of as many logs.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal
from functools import cached_property
from math import comb, prod

from .protocol_search import NEARBY
from .recovery import SIGNIFICANT

LAST, LEAST, GREATEST, STANDING = "last", "least", "greatest", "standing"
HOW = (LAST, LEAST, GREATEST, STANDING)
ROUNDED = {"half_up": ROUND_HALF_UP, "truncate": ROUND_DOWN}
EXACTLY = Context(prec=60)
WAYS = (len(HOW) - 1) * len(ROUNDED) + 1


@dataclass(frozen=True)
class Name:
    """What stands beside a number: ``words`` before it, and what it counts.

    ``kind``: a quantity that labels of pages name, too, or the words themselves; ``seconds``: what its unit is in
    seconds, for times that say so.
    """

    words: str
    kind: str
    seconds: Decimal | None = None


@dataclass
class NamedValues:
    """The numbers of one name in a log, in order: their ``digits``, without commas, and their ``lines``, from 1."""

    name: Name
    digits: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Wanted:
    """Published ``digits`` of a quantity, by the ``kind`` of a name, and the logs in which they are looked for.

    ``unit``: what one of it is in the unit of a log, for times in seconds. ``column``: with which numbers it was
    probably made alike; ``logs``: what identifies a log -> its values, none of them empty.
    """

    digits: str
    kind: str
    column: object
    logs: Mapping[str, Sequence[NamedValues]]
    unit: Decimal | None = None

    @property
    def value(self) -> Decimal:
        """The number."""
        return Decimal(self.digits)

    @property
    def last(self) -> "tuple[Printed, Decimal] | None":
        """The last value of its kind in its only log, in the unit of the number; None where several names may be meant.

        That is of the name which is printed most often, and at last.
        """
        values = _Item(self).values if len(self.logs) == 1 else []
        often = max(values, key=lambda found: len(found[1].lines), default=None)
        if often is None or any(found[1].lines[-1] > often[1].lines[-1] for found in values):
            return None
        log, one, factor = often
        return Printed(log, one.lines[-1], one.name, LAST, "", 1, 1.0), Decimal(one.digits[-1]) * factor

    @property
    def step(self) -> Decimal:
        """What one more in the last digit is worth."""
        return Decimal(1).scaleb(-self.decimals)

    @property
    def decimals(self) -> int:
        """How many digits stand behind the point."""
        return len(self.digits.partition(".")[2])


@dataclass(frozen=True)
class Printed:
    """Where digits stand: in a ``log``, in a ``line`` from 1, beside a ``name``; ``how`` of ``HOW`` they were chosen.

    ``rounding``: of ``ROUNDED``, or "" where the digits are just those. ``logs``: for how many logs the same name gives
    the digits in this way. ``chance``: an upper bound for the probability that it would do so by chance.
    """

    log: str
    line: int
    name: Name
    how: str
    rounding: str
    logs: int
    chance: float


_Rule = tuple[Name, str, str]


@dataclass(frozen=True)
class _Hit:
    log: str
    line: int
    chance: float


class _Item:
    """A wanted number, and by which rules which of its logs gives it."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted

    @cached_property
    def values(self) -> list[tuple[str, NamedValues, Decimal]]:
        """The values of the kind that is wanted, with their log and what makes one of them one of the number."""
        found = []
        for log, named in self.wanted.logs.items():
            for values in (values for values in named if values.name.kind == self.wanted.kind):
                if self.wanted.unit is None and values.name.seconds is None:
                    found.append((log, values, Decimal(1)))
                elif self.wanted.unit and values.name.seconds:
                    found.append((log, values, values.name.seconds / self.wanted.unit))
        return found

    @cached_property
    def hits(self) -> Mapping[_Rule, _Hit]:
        found: dict[_Rule, _Hit] = {}
        for log, values, factor in self.values:
            for how, rounding, line in _giving(self.wanted, values, factor):
                chance = self._chance(values.name, how)
                found.setdefault((values.name, how, rounding), _Hit(log, line, chance))
        return found

    def _chance(self, name: Name, how: str) -> float:
        """That the values of a name in all logs of the number give it by chance in one way."""
        same = [(values, factor) for _, values, factor in self.values if values.name == name]
        return min(1.0, sum(_density(self.wanted, *one, how) for one in same))


def _giving(wanted: Wanted, values: NamedValues, factor: Decimal) -> Iterator[tuple[str, str, int]]:
    """How the values of a name give the digits, by which rounding, and in which line."""
    numbers = [Decimal(digits) for digits in values.digits]
    for how, place in ((LAST, -1), (LEAST, numbers.index(min(numbers))), (GREATEST, numbers.index(max(numbers)))):
        for rounding, way in ROUNDED.items():
            if (numbers[place] * factor).quantize(wanted.step, way, EXACTLY) == wanted.value:
                yield how, rounding, values.lines[place]
    if factor == 1 and wanted.digits in values.digits:
        yield STANDING, "", values.lines[values.digits.index(wanted.digits)]


def _density(wanted: Wanted, values: NamedValues, factor: Decimal, how: str) -> float:
    """The probability that a number at random is hit, near the digits or in a wider range of values: the higher one."""
    value, step = float(wanted.value), float(wanted.step)
    near = 2 * NEARBY * value
    if how != STANDING or not near:
        return step / near if near else 1.0
    numbers = {float(Decimal(digits) * factor) for digits in values.digits}
    around = sum(abs(number - value) <= near / 2 for number in numbers)
    return step * max(around / near, len(numbers) / max(near, max(numbers) - min(numbers)))


def printed_digits(wanted: Sequence[Wanted]) -> list[Printed | None]:
    """For each wanted number where a log prints it, if that is hardly by chance; for others None."""
    found: list[Printed | None] = [None] * len(wanted)
    columns: dict[object, list[int]] = {}
    for place, one in enumerate(wanted):
        columns.setdefault(one.column, []).append(place)
    items = [_Item(one) for one in wanted]
    known = [{place: items[place] for place in places if items[place].values} for places in columns.values()]
    for left in known:
        tried = sum(map(bool, known)) * WAYS * len({one.name for item in left.values() for _, one, _ in item.values})
        while best := _best(left, tried):
            (name, how, rounding), (chance, hits) = best
            for place, hit in hits.items():
                found[place] = Printed(hit.log, hit.line, name, how, rounding, len(hits), chance)
                del left[place]
    return found


def _best(left: Mapping[int, _Item], tried: int) -> tuple[_Rule, tuple[float, Mapping[int, _Hit]]] | None:
    """The rule that explains some of the numbers that are left with the least chance, if that is little enough."""
    rules: dict[_Rule, dict[int, _Hit]] = {}
    for place, item in left.items():
        for rule, hit in item.hits.items():
            rules.setdefault(rule, {})[place] = hit
    several = {frozenset(item.wanted.logs) for item in left.values()}
    known = {rule: (_chance(hits, len(several), tried), hits) for rule, hits in rules.items()}
    best = min(known.items(), key=lambda one: (one[1][0], HOW.index(one[0][1])), default=None)
    return best if best and best[1][0] < SIGNIFICANT else None


def _chance(hits: Mapping[int, _Hit], several: int, tried: int) -> float:
    """An upper bound for the probability that a rule of so many hits so many numbers; several of one log are one."""
    each: dict[str, float] = {}
    for hit in hits.values():
        each[hit.log] = max(each.get(hit.log, 0.0), hit.chance)
    return min(1.0, tried * comb(max(several, len(each)), len(each)) * prod(each.values()))
