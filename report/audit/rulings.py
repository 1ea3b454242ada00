"""Rulings: claims and evidence in, one ruling on every number out, and an account of all of them.

Evidence is asked in this order, the plainest first: a line that holds several numbers of a row, a statistic of a series
for a column or a row, a protocol for the rates of a column. What claims say of each other comes after that: formulas,
and what a linked document states. Proof flows one way: derived is only what rests on what is proved. An accusation
needs a certain link: a row that names its run, or a formula that its column keeps.
"""

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeVar

import numpy as np

from parsers.io.message import Message

from . import vocabulary as words
from .chance import Explanation, Floats, Hit, Means, Rule, accidental, explain
from .checkout import Checkout
from .claims import Claim
from .constants import FEW_VALUES, MOST_JOINED, OTHER_QUANTITY
from .documents import CELL, ITEM, KEY, PROSE, text_of
from .evidence import LAST, DataFile, Stated, Statistic, read
from .labels import Agreement, Case, Compared, case_of, case_of_log, compared
from .rules.formulas import Formulas
from .rules.mean_tests import search_tests
from .rules.protocols import ProtocolSearch, is_rate
from .rules.records import RecordSearch, row_of
from .rules.statistics import PLAINEST, StatisticSearch


class Ruling(StrEnum):
    """What is said of a number. The order is that of an account."""

    PROVED = "proved"
    DERIVED = "derived"
    OF_UNPROVED = "derived from unproved"
    AGREES = "agrees"
    DIFFERS = "differs"
    CONTRADICTED = "contradicted"
    UNEXPLAINED = "unexplained"
    NO_DATA = "no data"
    NO_MEASUREMENT = "not a measurement"


Member = TypeVar("Member")
Key = TypeVar("Key")
DEAD = "A link of its row leads to {path}, which is not there."

GOOD = (Ruling.PROVED, Ruling.DERIVED, Ruling.NO_MEASUREMENT)
MEASURED_LOSSES = (words.LOSS, words.BPB, words.SCORE)
# Of these a number that differs is shown beside what the log ends with.
COMPARED = (words.TIME, words.LOSS, words.BPB, words.SCORE, words.RATE)


@dataclass(frozen=True)
class Finding:
    """A claim and the ruling on it.

    ``hit``: the value that was found, the rule that gives it, and where it stands. ``chance``: a bound for how often
    accident would give as much; ``together``: how many numbers the rule explains. ``labels``: what the names of the log
    say to the labels. ``logs``: how many logs were held against it. ``why``: why there is nothing to hold against it.
    ``is_accepted``: whether an earlier audit found the same.
    """

    claim: Claim
    ruling: Ruling
    hit: Hit | None = None
    chance: float = 0.0
    together: int = 1
    labels: Compared = field(default_factory=Compared)
    logs: int = 0
    why: Message | None = None
    is_accepted: bool = False

    def fails(self, *, strict: bool = False, asks_proof: bool = False) -> bool:
        """Whether it makes an audit fail: what is contradicted, and in a strict one all that is not proved.

        ``asks_proof``: also what is derived from unproved, as where a board ranks records.
        """
        failing = {Ruling.CONTRADICTED, *([Ruling.OF_UNPROVED] if asks_proof else [])}
        return not self.is_accepted and (self.ruling in failing or (strict and self.ruling not in GOOD))


def account(findings: Iterable[Finding]) -> dict[Ruling, int]:
    """How many numbers have each ruling, those that occur, in order; they add up to all numbers."""
    counts = Counter(finding.ruling for finding in findings)
    return {ruling: counts[ruling] for ruling in Ruling if counts[ruling]}


@dataclass
class Referee:
    """Rules on every claim of a checkout.

    ``is_kept``: which statistics of all files somebody else needs. ``stated``: what was kept of files; ``not_read``:
    the data files that could not be read.
    """

    checkout: Checkout
    is_kept: Callable[[Statistic], bool] | None = None
    stated: dict[str, Stated] = field(default_factory=dict)
    files_read: int = 0
    not_read: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.claims = self.checkout.claims
        self.linked = [self.checkout.linked(claim) for claim in self.claims]
        known = {(claim.document, claim.links): claim for claim in self.claims}  # all with these have the same around
        around = {key: self.checkout.around(claim) for key, claim in known.items()}
        self.around = [around[claim.document, claim.links] for claim in self.claims]
        self.protocols = ProtocolSearch(self.checkout.root)
        self._found: dict[int, Finding] = {}

    def findings(self) -> list[Finding]:
        """A finding for each claim, in their order."""
        self.records = self._read()
        for number, claim in enumerate(self.claims):
            if not claim.is_measured:
                self._found[number] = Finding(claim, Ruling.NO_MEASUREMENT)
        for number, (hit, chance, together) in self.records.found().items():
            self._set(number, Ruling.PROVED, hit, chance, together)
        self._columns()
        self._protocols()
        self._rows()
        self._formulas()
        self._quotes()
        self._settle()
        self._named_runs()
        self._rest()
        return [self._labelled(self._found[number]) for number in range(len(self.claims))]

    # What is read

    def _read(self) -> RecordSearch:
        """Read every data file once, and let go of it: its statistics stay, and lines that hold numbers of rows."""
        sets: dict[frozenset[str], int] = {}
        near = [
            sets.setdefault(frozenset((*around, *linked)), len(sets))
            for around, linked in zip(self.around, self.linked, strict=True)
        ]
        records = RecordSearch(self.claims, near, list(sets))
        wanted = frozenset().union(*sets)
        for path in self.checkout.data:
            file = read(self.checkout.root, path)
            if file is None:
                self.not_read.append(path)
                continue
            self.files_read += 1
            records.add(file)
            if is_kept := self._is_kept if path in wanted else self.is_kept:
                self.stated[path] = file.stated(is_kept)
        self.search = StatisticSearch({path: one for path, one in self.stated.items() if path in wanted})
        return records

    def _is_kept(self, one: Statistic) -> bool:
        """Whether a document may state a statistic, by the name of its series; a seed names a run."""
        is_claimed = words.of_label(one.name) in words.MEASURED or bool(one.seconds) or one.name.endswith("seed")
        return is_claimed or (self.is_kept is not None and self.is_kept(one))

    # What logs prove

    def _set(self, number: int, ruling: Ruling, hit: Hit, chance: float = 0.0, together: int = 1) -> None:
        self._found.setdefault(number, Finding(self.claims[number], ruling, hit, chance, together))

    def _left(self) -> list[int]:
        return [number for number in range(len(self.claims)) if number not in self._found]

    def _columns(self) -> None:
        """Columns by themselves; then, for what is left, those of all tables of a document that have one header."""
        measured = [number for number, claim in enumerate(self.claims) if claim.is_measured]
        columns = _grouped(measured, lambda number: _column(self.claims[number]))
        headed = _grouped(
            (number for number in measured if self.claims[number].place == CELL),
            lambda number: (self.claims[number].document, self.claims[number].col_label),
        )
        wider = [some for some in headed.values() if len({self.claims[number].table for number in some}) > 1]
        for some in (*columns.values(), *wider):
            if self._is_open(some):
                links = [self.linked[n] for n in some], [self.around[n] for n in some]
                found = self.search.explain_column([self.claims[n] for n in some], *links)
                self._accept(some, Ruling.PROVED, found)

    def _protocols(self) -> None:
        """Rates by the protocols of the logs that their row leads to, or around it, which tell a speed."""
        rates = [number for number in self._left() if is_rate(self.claims[number])]
        claims, cases = [self.claims[n] for n in rates], [self._case(self.claims[n]) for n in rates]
        timed = {path for path, log in self.search.logs.items() if any(map(_tells_speed, log.statistics))}
        near = [[path for path in self.linked[n] or self.around[n] if path in timed] for n in rates]
        places = [some if len(some) <= MOST_JOINED else [] for some in near]  # of so many accident gives any number
        for place, (hit, chance, together) in self.protocols.explain(claims, cases, places).items():
            self._set(rates[place], Ruling.PROVED, hit, chance, together)
        self.not_read += self.protocols.unread

    def _is_open(self, numbers: Iterable[int]) -> bool:
        return any(number not in self._found for number in numbers)

    def _rows(self) -> None:
        """Rows: several numbers that are statistics of one log."""
        cells = [n for n, c in enumerate(self.claims) if c.is_measured and c.table >= 0 and c.place != ITEM]
        for members in _grouped(cells, lambda number: row_of(self.claims[number])).values():
            if len(members) > 1 and (paths := self.around[members[0]]) and self._is_open(members):
                found = self.search.explain_row([self.claims[n] for n in members], paths)
                self._accept(members, Ruling.PROVED, found)

    def _accept(self, members: Sequence[int], ruling: Ruling, found: Iterable[Explanation]) -> None:
        for one in found:
            for place, hit in one.hits.items():
                self._set(members[place], ruling, hit, one.chance, len(one.hits))

    # What follows from other claims

    def _formulas(self) -> None:
        for document, members in _grouped(range(len(self.claims)), lambda n: self.claims[n].document).items():
            formulas = Formulas(self.claims, members)
            formulas.search({number for number in members if number not in self._found})
            lines = text_of(self.checkout.root / document).split("\n")
            search_tests(formulas, lines)
            for number, (hit, chance) in formulas.derived.items():
                self._set(number, Ruling.DERIVED, hit, chance)
            for number, hit in formulas.exceptions.items():
                self._set(number, Ruling.CONTRADICTED, hit)

    def _quotes(self) -> None:
        """Numbers that a linked document, or one beside, states with the same or more digits."""
        by_document = _grouped(range(len(self.claims)), lambda n: self.claims[n].document)
        beside = _grouped(by_document, posixpath.dirname)
        known: dict[tuple[object, ...], tuple[list[int], Floats, Floats]] = {}  # what documents state of a quantity
        good = {n for n, one in self._found.items() if one.ruling in (Ruling.PROVED, Ruling.DERIVED)}
        is_linked = {n: bool(self.checkout.linked_documents(self.claims[n])) for n in self._left()}
        for members in _grouped(is_linked, lambda n: (_column(self.claims[n]), is_linked[n])).values():
            hits: dict[int, Hit] = {}
            chances: list[float] = []
            for place, number in enumerate(members):
                own = self.claims[number]
                documents = self._stating(number, beside)
                if (key := (own.quantity, *documents)) not in known:
                    alike = words.alike(own.quantity)
                    some = [n for d in documents for n in by_document[d] if self.claims[n].quantity in alike]
                    some.sort(key=lambda n: n not in good)
                    values = np.array([self.claims[n].number.value for n in some])
                    known[key] = some, values, np.unique(values)
                stating, values, distinct = known[key]
                chances.append(min(1.0, accidental(own.number, distinct)))
                low, high = own.number.interval
                for at in np.flatnonzero((low <= values) & (values <= high)).tolist():
                    said = self.claims[stating[at]]
                    if said.number.step <= own.number.step and own.number.rounding_of(said.number.value):
                        rule = Rule(Means.QUOTE)
                        hits[place] = Hit(said.number.value, rule, said.document, said.line, operands=(stating[at],))
                        break
            found = explain(len(members), {Means.QUOTE: hits}, lambda _, place: chances[place], lambda *_: 1)  # noqa: B023 - used here
            self._accept(members, Ruling.DERIVED, found)

    def _stating(self, number: int, beside: Mapping[str, Sequence[str]]) -> list[str]:
        """The documents that may state a number first: linked ones and those beside them, else those near its own."""
        claim = self.claims[number]
        linked = self.checkout.linked_documents(claim)
        linked += [one for document in linked for one in beside[posixpath.dirname(document)]]
        near = (*beside[posixpath.dirname(claim.document)], *self.checkout.led_to(claim.document))
        return list(dict.fromkeys(linked or [one for one in near if one != claim.document]))

    def _settle(self) -> None:
        """Derived is only what follows, in the end, from what is proved; the rest is derived from unproved."""
        derived = {n: one.hit for n, one in self._found.items() if one.ruling == Ruling.DERIVED and one.hit}
        standing = _following(derived, {n for n, one in self._found.items() if one.ruling == Ruling.PROVED})
        grounded = _following(derived, set(range(len(self.claims))) - derived.keys())
        for number in derived.keys() - standing:
            if number in grounded:
                self._found[number] = replace(self._found[number], ruling=Ruling.OF_UNPROVED)
            else:  # two that follow from each other follow from nothing
                del self._found[number]

    # What remains

    def _named_runs(self) -> None:
        """Rows that name their run by its seed, against the one log that states the same, of which all is read."""
        cells = [number for number, claim in enumerate(self.claims) if claim.place == CELL]
        for members in _grouped(cells, lambda number: row_of(self.claims[number])).values():
            seeds = (
                n for n in members if "seed" in self.claims[n].col_label.lower() and self.claims[n].number.step >= 1
            )
            if (named := next(seeds, None)) is None:
                continue
            logs = [path for path in self.around[named] if self._seed(path) == self.claims[named].number.value]
            if len(logs) != 1 or (file := read(self.checkout.root, logs[0])) is None:
                continue
            others = [one for one in self.claims if one.document == self.claims[named].document]
            for number in members:
                claim, known = self.claims[number], self._found.get(number)
                is_open = (known is None or known.ruling == Ruling.OF_UNPROVED) and not claim.is_about
                hit = _against(claim, file) if is_open else None
                # What the log says may stand elsewhere under this label: then it is of another run with this seed.
                alike = (one for one in others if claim.col_label in (one.row_label, one.col_label))
                if hit and not any(one.number.rounding_of(hit.value) for one in alike):
                    self._found[number] = Finding(claim, Ruling.CONTRADICTED, hit, logs=1)

    def _seed(self, path: str) -> float | None:
        log = self.search.logs.get(path)
        stated = (one for one in (log.statistics if log else ()) if set(one.name.split()) == {"seed"})
        return next((one.value for one in stated if one.how == LAST), None)

    def _rest(self) -> None:
        """What nothing explains: agreeing in too few digits, differing from the nearest value, or without a log."""
        for number in self._left():
            claim = self.claims[number]
            _, seen = self.records.near_hits.get(number, (None, None))
            paths = [path for path in (self.linked[number] or self.around[number]) if path in self.search.logs]
            dead = self.checkout.dead(claim)
            why = Message(DEAD, path=dead) if dead else None
            nearest = seen or (self._nearest(claim, paths) if len(paths) <= MOST_JOINED else None)
            ruling = Ruling.UNEXPLAINED if paths else Ruling.NO_DATA
            if nearest:
                ruling = Ruling.AGREES if claim.number.rounding_of(nearest.value) else Ruling.DIFFERS
            self._found[number] = Finding(claim, ruling, nearest, logs=len(paths), why=why)

    def _nearest(self, claim: Claim, paths: Sequence[str]) -> Hit | None:
        """What a number differs from: a rate from what its log gives, any other from the nearest last value."""
        if claim.quantity not in COMPARED:
            return None
        case = self._case(claim)
        if is_rate(claim) and (expected := self.protocols.expected(claim, case, paths)):
            return expected
        paths = [path for path in paths if compared(case, case_of_log(path)).agreement != Agreement.CONTRADICTED]
        hits = [
            Hit(float(value), *origin)
            for key, given in self.search.given(claim, paths)
            if key.how == LAST
            and key.over in PLAINEST
            and (claim.quantity == words.TIME or words.of_label(key.name) == claim.quantity)
            for value, origin in zip(given.values, given.origins, strict=True)
        ]
        size = abs(claim.number.value) or 1.0
        nearest = min(hits, key=lambda hit: abs(hit.value - claim.number.value), default=None)
        is_near = nearest is not None and abs(nearest.value - claim.number.value) < OTHER_QUANTITY * size
        return nearest if is_near else None

    # Labels

    def _case(self, claim: Claim) -> Case:
        """What the labels of a claim say of its case: its column, its row, then the words before its table."""
        row = f"{claim.row_title}={claim.row_label}" if claim.row_label.isdigit() else claim.row_label
        return case_of(text for text in (claim.col_label, row, *claim.heading.split(" / ")) if text)

    def _labelled(self, finding: Finding) -> Finding:
        """A finding with the places of what it is computed from; a proved one with what its log's names say."""
        if finding.hit and finding.hit.operands:
            operands = [self.claims[number] for number in finding.hit.operands]
            places = tuple(f"{one.line}:{one.column}" for one in operands)
            return replace(finding, hit=replace(finding.hit, places=places))
        if finding.ruling != Ruling.PROVED or not (finding.hit and finding.hit.path):
            return finding
        return replace(finding, labels=compared(self._case(finding.claim), case_of_log(finding.hit.path)))


def _following(derived: Mapping[int, Hit], some: set[int]) -> set[int]:
    """Some numbers, and those that follow from them in the end."""
    while more := {n for n, hit in derived.items() if n not in some and {*hit.operands} <= some}:
        some |= more
    return some


def _tells_speed(one: Statistic) -> bool:
    return bool(one.seconds) or words.of_label(one.name) == words.RATE


def _against(claim: Claim, file: DataFile) -> Hit | None:
    """The last value of the series that a label names, in a log none of whose values of it is what is claimed.

    Of a series with many values a mean of some may be meant, and what stands in brackets may say another thing.
    """
    remark = re.search(r"[(（]([^()（）]*)[)）]", claim.col_label)
    if claim.quantity not in MEASURED_LOSSES or (remark and words.of_unit(remark[1]) is None):
        return None
    qualifiers = _qualifiers(claim.col_label)
    of_quantity = [place for place, name in enumerate(file.names) if words.of_label(name) == claim.quantity]
    named = [place for place in of_quantity if _bears(file.names[place], qualifiers)]
    places = np.flatnonzero(np.isin(file.name_of, named))
    low, high = claim.number.interval
    values = file.values[places]
    if not 0 < len(values) <= FEW_VALUES or ((values >= low) & (values <= high)).any():
        return None
    last = int(places[-1])
    rule = Rule(Means.RUN, file.names[file.name_of[last]], LAST, count=len(places))
    return Hit(float(file.values[last]), rule, file.path, int(file.lines[last]))


def _bears(name: str, qualifiers: Iterable[str]) -> bool:
    """Whether a word of the name of a series begins as each of the words that qualify a label."""
    words_of_name = re.findall(r"[a-z]+", name.lower())
    return all(any(word.startswith(stem) for word in words_of_name) for stem in qualifiers)


def _qualifiers(label: str) -> list[str]:
    """The words of a label beside its quantity and its unit, by their stems, as names of series shorten them."""
    found = re.findall(r"[a-z]{2,}", re.sub(r"\(.*?\)", "", label.lower().replace("_", " ")))
    return [
        word[:4] for word in found if not words.of_label(word) and word not in ("val", "validation", "final", "exact")
    ]


def _column(claim: Claim) -> tuple[object, ...]:
    """What the column of a claim is: of a table, a key of all documents of a name, a quantity of a text."""
    if claim.place == KEY:
        key = claim.col_label if any(c.isdigit() for c in claim.row_label) else claim.row_label
        return posixpath.basename(claim.document), key
    if claim.table >= 0:
        return claim.document, claim.table, claim.col
    return claim.document, PROSE, claim.quantity


def _grouped(members: Iterable[Member], key: Callable[[Member], Key]) -> dict[Key, list[Member]]:
    found: dict[Key, list[Member]] = defaultdict(list)
    for member in members:
        found[key(member)].append(member)
    return found
