"""Formulas: numbers of a document that follow from others of it.

Numbers that one rule may give, such as a column, are a group, and ``chance.explain`` says which rules of it are beyond
accident. Where most of a column keep a rule, a number that breaks it by more than the rounding of all its operands
allows is an exception: the document contradicts itself.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from statistics import median

from parsers.io.extras import ExtraError

from ..chance import Explanation, Hit, Means, Rule, explain
from ..claims import CELL, CODE, ITEM, PROSE, Claim
from ..constants import LINES_BEHIND, MAJORITY, NEARBY, ROUNDINGS, TEST_BEHIND
from ..number import Number
from .arithmetic import SPREADS, Formula, Outcome, outcome
from .mean_tests import Sample, Trial, formula_of, samples_of, spoken, stated
from .tables import Table, Way, asked

_OF_A_LIST = (Formula.MEAN, Formula.STD, Formula.STD_OF_ALL, Formula.MEDIAN, Formula.LEAST, Formula.GREATEST)

# What the label of a row says that follows a rule of its own: means of rows, another base, or a remark in brackets.
_OF_ITS_OWN = re.compile(
    r"(?<![a-z])(?:mean|avg|average|geo\w*|total|sum|overall|median|all|vs|versus|over|than|against|relative|compared"
    r"|after|from|base\w*)(?![a-z])|平均|合计|总|中位|对比|相比|[(（]",
    re.IGNORECASE,
)
_TESTS = re.compile(r"ttest\w*|wilcoxon|mannwhitney\w*|ks_\w+|f_oneway|bootstrap", re.IGNORECASE)


@dataclass(frozen=True)
class Derivation:
    """How a claim follows from others (``hit.operands``), and how often accident would give that."""

    hit: Hit
    chance: float


@dataclass(frozen=True)
class Breach:
    """What the formula that a claim breaks gives, of which claims, and how many of how many keep it (``share``)."""

    formula: str
    value: float
    operands: tuple[int, ...]
    share: tuple[int, int]


@dataclass
class Group:
    """Claims that one rule may give, each with its ways.

    ``span``: as a share of a number, how far numbers of its kind lie from it; ``spread``: in their unit, where that is
    known to be less. ``least``: how many of them a rule must give.
    """

    span: float
    spread: float = float("inf")
    least: int = 1
    ways: dict[int, list[Way]] = field(default_factory=dict)


class Formulas:
    """The arithmetic of one document: what follows (``derived``), and what should and does not (``exceptions``).

    Claims are known by their numbers in ``claims``; those of the document are ``members``. ``samples``: what the logs
    that belong to it measured, for its tests of means.
    """

    def __init__(
        self, claims: Sequence[Claim], members: Sequence[int], text: str, samples: Sequence[Sample] = ()
    ) -> None:
        self.claims, self.members, self.lines = claims, members, text.split("\n")
        self.samples = samples
        self.derived: dict[int, Derivation] = {}
        self.exceptions: dict[int, Breach] = {}
        self.tables: dict[int, Table] = {}
        for member in members:
            if claims[member].place == CELL:
                self.tables.setdefault(claims[member].table, Table(claims)).add(member)

    def search(self, unexplained: set[int]) -> None:
        """Look for formulas: those that labels and tests ask for of all numbers, others of what is ``unexplained``.

        Without SciPy no p value is computed.
        """
        for group in self._behind_lists(unexplained):
            self._explain(group)
        for table in self.tables.values():
            for group in self._rows(table, unexplained):
                self._explain(group)
        for group in self._compared(by_build=True):
            self._except(group, self._explain(group))
        for group in self._compared(by_build=False):
            self._explain(group)
        for table in self.tables.values():
            for group in self._quantities(table, unexplained):
                self._explain(group)
        with suppress(ExtraError):
            self._stated_tests()
            self._spoken_tests()

    # -- groups

    def _behind_lists(self, unexplained: set[int]) -> Iterator[Group]:
        """What a document prints between a list and the next: the statistics of the lists there prove each other."""
        items: dict[tuple[int, int], list[int]] = defaultdict(list)
        for member in self.members:
            if self.claims[member].place == ITEM:
                items[self.claims[member].table, self.claims[member].col].append(member)
        lists = sorted((self.claims[some[0]].line, tuple(some)) for some in items.values())
        starts = [line for line, _ in lists]
        groups: dict[int, Group] = {}
        for member in sorted(unexplained & set(self.members)):
            claim = self.claims[member]
            end = bisect_left(starts, claim.line)
            if end and claim.place in (CODE, PROSE) and self._is_fine(member):
                near = [some for line, some in lists[:end] if line >= starts[end - 1] - LINES_BEHIND]
                ways = [Way("list", formula, some) for some in near for formula in _OF_A_LIST]
                groups.setdefault(end, Group(NEARBY[2])).ways[member] = ways
        yield from groups.values()

    def _rows(self, table: Table, unexplained: set[int]) -> Iterator[Group]:
        """Rows that reduce the rows above them, such as a row of means."""
        for row, cells in table.rows.items():
            left = [one for one in cells.values() if one in unexplained and self._is_fine(one)]
            ways = {one: list(table.reductions(row, self.claims[one].col, self.derived)) for one in left}
            yield Group(NEARBY[0], ways=ways)

    def _compared(self, *, by_build: bool) -> Iterator[Group]:
        """Numbers whose labels say that they follow from others: by tables of one build, then of all."""
        groups: dict[Hashable, Group] = {}
        for table in self.tables.values():
            build = table.build if by_build else ()
            for (row, col), member in table.cells.items():
                formulas, kind = asked(self.claims[member].col_label)
                if formulas and self.claims[member].is_measured:
                    group = groups.setdefault((formulas, kind, build), Group(NEARBY[2]))
                    group.ways[member] = list(table.comparisons(row, col))
        for group in groups.values():
            group.least = min(2, len(group.ways))
            if not group.ways.keys() <= self.derived.keys():
                yield group

    def _quantities(self, table: Table, unexplained: set[int]) -> Iterator[Group]:
        """Columns of rates and times that follow from others by their dimensions, or keep a factor to another.

        A total is that of a card times the cards, the time of a run its steps over its rate; the use of a machine, or
        the days that a run will take, go with the rate from row to row. Most of a column has to follow, as numbers of a
        row go together anyway: the 95th percentile of a latency is near its mean, which is the batch over the rate.
        """
        for col, column in table.columns.items():
            values = [self.claims[one].number.value for one in column.values()]
            left = {row: one for row, one in column.items() if one in unexplained and self._is_fine(one)}
            members = {row: one for row, one in left.items() if table.is_quantity(one)}
            most = max(2, len(members) // 2 + 1)
            products = {one: list(table.products(row, col)) for row, one in members.items()}
            yield Group(NEARBY[0], least=min(most, len(members)), ways=products)
            proportions = {one: list(table.proportions(row, col)) for row, one in members.items()}
            yield Group(NEARBY[2], max(values) - min(values), most, proportions)

    def _is_fine(self, member: int) -> bool:
        """Whether something is measured, and its digits tell more than its size."""
        return self.claims[member].is_measured and self.claims[member].number.digits > 1

    # -- judging

    def _outcome(self, member: int, way: Way) -> Outcome | None:
        scale, numbers = 1.0, [self._operand(one) for one in way.operands]
        if way.formula in (Formula.PRODUCT, Formula.RATIO) and not asked(self.claims[member].col_label)[0]:
            scale = self._seconds(member) ** -1 * self._seconds(way.operands[0])
            scale *= self._seconds(way.operands[1]) ** (1 if way.formula is Formula.PRODUCT else -1)
        elif len({self._seconds(one) for one in way.operands}) > 1:  # times of several units are compared in seconds
            numbers = [_times(one, self._seconds(of)) for one, of in zip(numbers, way.operands, strict=True)]
        return outcome(way.formula, numbers, scale)

    def _operand(self, member: int) -> Number:
        """A number as it was computed with: what is counted, one by one, is not rounded."""
        claim = self.claims[member]
        is_exact = not claim.is_measured and claim.number.step == 1
        return replace(claim.number, step=0.0) if is_exact else claim.number

    def _seconds(self, member: int) -> float:
        return self.claims[member].unit_seconds or 1.0

    def _explain(self, group: Group) -> list[Explanation]:
        """The rules of a group that are beyond accident; what they give is derived. Hits are by place in the group."""
        hits: dict[Hashable, dict[int, Hit]] = defaultdict(dict)
        sure: dict[Hashable, dict[int, Hit]] = defaultdict(dict)  # what accident would give as well, and proves nothing
        chances: dict[tuple[Hashable, int], float] = defaultdict(float)
        distances: dict[Hashable, int] = {}
        usual = median(abs(self.claims[one].number.value) for one in group.ways) if group.ways else 0.0
        for place, (member, ways) in enumerate(group.ways.items()):
            number = self.claims[member].number
            size = 2 * (abs(number.value) or usual)
            for way in ways:
                if found := self._outcome(member, way):
                    span = NEARBY[2] if way.formula in SPREADS else group.span  # a spread is near no value
                    around = min(span * size, group.spread)
                    distances[way.rule] = way.distance
                    width = found.high - found.low + ROUNDINGS * number.step
                    # 1 is what all that is compared says of its base, and tells nothing.
                    is_sure = width >= around or not way.is_telling or number.value == 1
                    chances[way.rule, place] += 0.0 if is_sure else width / around
                    if found.may_be(number):
                        hit = Hit(found.value, Rule(Means.FORMULA, way.formula), operands=way.operands)
                        (sure if is_sure else hits)[way.rule].setdefault(place, hit)
        explanations = _beyond_accident(len(group.ways), hits, chances, distances, group.least)
        explanations = [self._with_sure(list(group.ways), one, sure[one.rule]) for one in explanations]
        self._derive(list(group.ways), explanations)
        return explanations

    def _with_sure(self, members: Sequence[int], one: Explanation, sure: Mapping[int, Hit]) -> Explanation:
        """What a rule explains, with what it is sure to give to the others under the same headers."""
        headers = {self._header_of(members[place]) for place in one.hits}
        others = {place: hit for place, hit in sure.items() if self._header_of(members[place]) in headers}
        return replace(one, hits={**others, **one.hits})

    def _header_of(self, member: int) -> tuple[str, str]:
        return _header(self.claims[member].col_label), self.claims[member].quantity

    def _derive(self, members: Sequence[int], explanations: Sequence[Explanation]) -> None:
        for one in explanations:
            for place, hit in one.hits.items():
                self.derived.setdefault(members[place], Derivation(hit, one.chance))

    def _except(self, group: Group, explanations: Sequence[Explanation]) -> None:
        """The numbers that break the rule which most of those under one header keep, and that no other rule gives."""
        members = list(group.ways)
        explained = {members[place] for one in explanations for place in one.hits}
        peers: dict[tuple[str, str], set[int]] = defaultdict(set)
        for member in members:
            if self.claims[member].number.value != 1:
                peers[self._header_of(member)].add(member)
        for some in peers.values():
            kept = [(sum(members[place] in some for place in one.hits), one.rule) for one in explanations]
            count, rule = max(kept, key=lambda pair: pair[0], default=(0, None))
            if count < 2 or count <= MAJORITY * len(some):
                continue
            left = some - explained
            broken: dict[int, Breach] = {}
            for member in left - self._meant_otherwise(group, left):
                way = next((way for way in group.ways[member] if way.rule == rule), None)
                if way and (given := self._broken(member, way)) and self._is_as_its_peers(member, some & explained):
                    broken[member] = Breach(way.formula, given.value, way.operands, (count, len(some)))
            # Several that do not keep to a base row may have a base of their own, which the table does not show.
            has_base = any(way.has_base for member in broken for way in group.ways[member] if way.rule == rule)
            if len(broken) == 1 or not has_base:
                self.exceptions |= broken

    def _is_as_its_peers(self, member: int, peers: set[int]) -> bool:
        """Whether a row is in the units of those that keep a rule, and its label says nothing that excuses it.

        A row of means, a row that is compared with another one, or that is explained in brackets follows a rule of its
        own.
        """
        label = self.claims[member].row_label
        return not _OF_ITS_OWN.search(label) and self._units(member) in {self._units(peer) for peer in peers}

    def _units(self, member: int) -> tuple[object, ...]:
        """The quantities and units of the measurements of a row, by column."""
        claim = self.claims[member]
        row = [self.claims[one] for one in self.tables[claim.table].rows.get(claim.row, {}).values()]
        return tuple((one.col, one.quantity, one.unit, one.unit_seconds) for one in row if one.is_measured)

    def _meant_otherwise(self, group: Group, members: set[int]) -> set[int]:
        """Those that another rule, of two measurements of one kind, gives along with others: a column is mixed up."""
        given: dict[Hashable, set[int]] = defaultdict(set)
        for member in members:
            for way in group.ways[member]:
                first, second = (self.claims[one] for one in way.operands[:2])
                if first.quantity == second.quantity and first.is_measured:
                    found = self._outcome(member, way)
                    if found and found.may_be(self.claims[member].number):
                        given[way.rule].add(member)
        return {member for some in given.values() if len(some) > 1 for member in some}

    def _broken(self, member: int, way: Way) -> Outcome | None:
        """What a way gives for a claim that it should give and does not, if nothing excuses that."""
        claim, used = self.claims[member], (member, *way.operands)
        table = self.tables[claim.table]
        is_vague = any(self.claims[one].is_about for one in used) or not table.crowded.isdisjoint(used)
        if is_vague or (way.has_base and not table.has_unlike_rows):
            return None
        found = self._outcome(member, way)
        if found is None or any(one.may_be(claim.number) for one in found.told):
            return None
        if way.has_base and self._has_another_base(member, way):
            return None
        return found

    def _has_another_base(self, member: int, way: Way) -> bool:
        """Whether the same formula over another row gives a claim: people change what they compare with."""
        table, claim = self.tables[self.claims[member].table], self.claims[member]
        for row in table.rows.values():
            of_row = [
                one if self.claims[one].row == claim.row else row.get(self.claims[one].col) for one in way.operands
            ]
            operands = tuple(one for one in of_row if one is not None)
            if len(operands) == len(way.operands) and operands != way.operands:
                found = self._outcome(member, replace(way, operands=operands))
                if found and found.may_be(claim.number):
                    return True
        return False

    # -- tests of means

    def _stated_tests(self) -> None:
        """The p values that are printed behind a test that the document names."""
        p_values = sorted((self.claims[one].line, one) for one in self.members if self._formula(one) is Formula.P_VALUE)
        for line, trial, alternative in stated(self.lines, samples_of(self.claims, self.members, self.lines)):
            at = bisect_left(p_values, (line, -1))
            if at == len(p_values) or p_values[at][0] > line + TEST_BEHIND:
                continue
            member = p_values[at][1]
            steps = [self.claims[one].number.step for sample in trial.samples for one in sample.claims]
            given = trial.p_value(alternative, max(steps))
            if given.may_be(self.claims[member].number):
                self.derived[member] = Derivation(_hit(trial, Formula.P_VALUE, given.value), 0.0)
            elif not self._is_changed(trial, self.claims[member].line):
                self.exceptions[member] = Breach(Formula.P_VALUE, given.value, trial.claims, (1, 1))

    def _is_changed(self, trial: Trial, line: int) -> bool:
        """Whether the lines from the lists of a test to its p value do more than print it, such as change a list."""
        between = "\n".join(self.lines[min(sample.line for sample in trial.samples) : line])
        names = "|".join(re.escape(sample.name) for sample in trial.samples if sample.name)
        uses = rf"\b(?:{names})\b(?!\s*[,)])" if names else "$^"
        return len(_TESTS.findall(between)) > 1 or bool(re.search(uses, between))

    def _spoken_tests(self) -> None:
        """What a text says of tests, by those that all samples allow: of what follows from nothing else."""
        left = [one for one in self.members if one not in self.derived]
        members = {one: formula for one in left if (formula := self._formula(one))}
        samples = [*samples_of(self.claims, left, self.lines), *self.samples]
        trials = spoken(self.claims, left, samples, self.lines) if members else []
        hits: dict[Hashable, dict[int, Hit]] = defaultdict(dict)
        chances: dict[tuple[Hashable, int], float] = defaultdict(float)
        for rule, trial in enumerate(trials):
            for place, (member, formula) in enumerate(members.items()):
                number = self.claims[member].number
                size = abs(number.value)
                if formula is Formula.P_VALUE:
                    size = min(size, 1 - size)  # tests that are far from 1 on one side are as near to it on the other
                for value in trial.outcomes(formula):
                    width = ROUNDINGS * number.informative_step
                    chances[rule, place] += width / size if width < size else 1.0
                    if number.rounding_of(value):
                        hits[rule].setdefault(place, _hit(trial, formula, value))
        equally_far: dict[Hashable, int] = dict.fromkeys(range(len(trials)), 0)
        self._derive(list(members), _beyond_accident(len(members), hits, chances, equally_far, 1))

    def _formula(self, member: int) -> Formula | None:
        return formula_of(self.claims[member], self.lines)


def _beyond_accident(
    size: int,
    hits: Mapping[Hashable, Mapping[int, Hit]],
    chances: Mapping[tuple[Hashable, int], float],
    distances: Mapping[Hashable, int],
    least: int,
) -> list[Explanation]:
    """``explain`` of rules that are tried by their distances; ``chances`` are by rule and place in the group."""
    ranks = sorted(distances.values())

    def chance_of(rule: Hashable, place: int) -> float:
        return min(1.0, chances.get((rule, place), 0.0))

    def tried(rule: Hashable, *_: object) -> int:
        return bisect_right(ranks, distances[rule])

    return explain(size, hits, chance_of, tried, least) if hits else []


def _hit(trial: Trial, formula: Formula, value: float) -> Hit:
    path = next((sample.path for sample in trial.samples if sample.path), "")
    count = sum(len(sample.values) for sample in trial.samples)
    return Hit(value, Rule(Means.FORMULA, formula, of=trial.kind, count=count), path, operands=trial.claims)


def _times(number: Number, factor: float) -> Number:
    return replace(number, value=number.value * factor, step=number.step * factor)


def _header(label: str) -> str:
    """The words of a header, without what stands in brackets."""
    return re.sub(r"[^a-z\u4e00-\u9fff]+", " ", re.sub(r"\(.*?\)", "", label.lower())).strip()
