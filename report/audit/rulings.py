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
from .chance import Explanation, Floats, Hit, Means, accidental, explain
from .checkout import Checkout
from .claims import Claim
from .documents import CELL, KEY, PROSE, text_of
from .evidence import LAST, DataFile, Stated, Statistic, read
from .labels import Agreement, Case, Compared, case_of, case_of_log, compared
from .rules.formulas import Formulas, search_tests
from .rules.protocols import ProtocolSearch, is_rate
from .rules.records import RecordSearch
from .rules.statistics import MOST_JOINED, StatisticSearch

Member = TypeVar("Member")
Key = TypeVar("Key")
DEAD = "A link of its row leads to {path}, which is not there."
# Of a number that differs, a value that is farther from it than this share of it is another quantity.
OTHER_QUANTITY = 0.25
FEW_VALUES = 3  # of a series that a run ends with, such as a score as printed and in full; means are of more
MEASURED_LOSSES = (words.LOSS, words.BPB, words.SCORE)
# Of these a number that differs is shown beside what the log ends with.
COMPARED = (words.TIME, words.RATE, *MEASURED_LOSSES)


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


GOOD = (Ruling.PROVED, Ruling.DERIVED, Ruling.NO_MEASUREMENT)


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


class Referee:
    """Rules on every claim of a checkout.

    ``is_kept``: which statistics of all files somebody else needs. ``stated``: what was kept of files; ``not_read``:
    the data files that could not be read.
    """

    def __init__(self, checkout: Checkout, is_kept: Callable[[Statistic], bool] | None = None) -> None:
        self.checkout, self.claims, self.is_kept = checkout, checkout.claims, is_kept
        self.stated: dict[str, Stated] = {}
        self.files_read = 0
        self.not_read: list[str] = []
        self._found: dict[Claim, Finding] = {}

    def findings(self) -> list[Finding]:
        """A finding for each claim, in their order."""
        self._read()
        for claim in self.claims:
            if not claim.is_measured:
                self._found[claim] = Finding(claim, Ruling.NO_MEASUREMENT)
        self._accept(Ruling.PROVED, self.records.found())
        self._columns()
        self._protocols()
        self._formulas()
        self._quotes()
        self._settle()
        self._named_runs()
        for claim in self._left():
            self._found[claim] = self._unproved(claim)
        return [self._labelled(self._found[claim]) for claim in self.claims]

    def _read(self) -> None:
        """Read every data file once, and let go of it: its statistics stay, and lines that hold numbers of rows."""
        near = [self.checkout.reach(claim).near for claim in self.claims]
        self.records = RecordSearch(self.claims, near)
        wanted = frozenset().union(*set(near))
        for path in self.checkout.data:
            file = read(self.checkout.root, path)
            if file is None:
                self.not_read.append(path)
                continue
            self.files_read += 1
            self.records.add(file)
            if is_kept := self._may_be_claimed if path in wanted else self.is_kept:
                self.stated[path] = file.stated(is_kept)
        self.search = StatisticSearch({path: one for path, one in self.stated.items() if path in wanted})
        # The runs that rows name by their seed: of each the one log that states the same.
        self.rows = _grouped((claim for claim in self.claims if claim.place == CELL), lambda claim: claim.in_row)
        self.run_of = {row: run for row, cells in self.rows.items() if (run := self._run(cells))}

    def _may_be_claimed(self, one: Statistic) -> bool:
        """Whether a document may state a statistic, by the name of its series; a seed names a run."""
        is_claimed = words.of_label(one.name) in words.MEASURED or bool(one.seconds) or one.name.endswith("seed")
        return is_claimed or (self.is_kept is not None and self.is_kept(one))

    def _left(self) -> list[Claim]:
        return [claim for claim in self.claims if claim not in self._found]

    def _accept(self, ruling: Ruling, found: Iterable[Explanation]) -> None:
        runs = set(self.run_of.values())
        for one in found:
            for claim, hit in one.hits.items():
                if hit.path not in runs or self.run_of.get(claim.in_row, hit.path) == hit.path:  # not of another run
                    self._found.setdefault(claim, Finding(claim, ruling, hit, one.chance, len(one.hits)))

    # What logs prove

    def _columns(self) -> None:
        """Columns by themselves; then, for what is left, those of all tables of a document that have one header."""
        measured = [claim for claim in self.claims if claim.may_be_proved]
        cells = [claim for claim in measured if claim.place == CELL]
        headed = _grouped(cells, lambda claim: (claim.document, claim.col_label)).values()
        wider = [some for some in headed if len({claim.table for claim in some}) > 1]
        for some in (*_grouped(measured, _column).values(), *wider):
            if not self._found.keys() >= set(some):
                self._accept(Ruling.PROVED, self.search.explain_column(some, self._logs))

    def _logs(self, claim: Claim) -> tuple[list[str], list[str]]:
        """The logs that a claim leads to, and those around it; of a row that names its run the log of that alone."""
        if run := self.run_of.get(claim.in_row):
            return [run], []
        reach = self.checkout.reach(claim)
        return reach.linked, reach.around

    def _protocols(self) -> None:
        """Rates by the protocols of the logs that their row leads to, or around it, which tell a speed."""
        timed = {path for path, log in self.search.logs.items() if any(map(_tells_speed, log.statistics))}
        near: dict[Claim, list[str]] = {}
        for claim in filter(is_rate, self._left()):
            linked, around = self._logs(claim)
            paths = [path for path in linked or around if path in timed]
            near |= {claim: paths} if len(paths) <= MOST_JOINED else {}  # of so many accident gives any number
        self.protocols = ProtocolSearch(self.checkout.root, _case)
        self._accept(Ruling.PROVED, self.protocols.explain(near))
        self.not_read += self.protocols.unread

    # What follows from other claims

    def _formulas(self) -> None:
        for document, claims in _grouped(self.claims, lambda claim: claim.document).items():
            formulas = Formulas(claims)
            formulas.search({claim for claim in claims if claim not in self._found})
            search_tests(formulas, text_of(self.checkout.root / document).split("\n"))
            for claim, (hit, chance) in formulas.derived.items():
                self._accept(Ruling.DERIVED, [Explanation(hit.name, {claim: hit}, chance)])
            for claim, hit in formulas.exceptions.items():
                self._found.setdefault(claim, Finding(claim, Ruling.CONTRADICTED, hit))

    def _quotes(self) -> None:
        """Numbers that a linked document, or one beside, states with the same or more digits."""
        by_document = _grouped(self.claims, lambda claim: claim.document)
        beside = _grouped(by_document, posixpath.dirname)
        known: dict[tuple[str, ...], tuple[list[Claim], Floats, Floats]] = {}  # what documents state of a quantity
        good = {claim for claim, one in self._found.items() if one.ruling in (Ruling.PROVED, Ruling.DERIVED)}
        open_ones = [claim for claim in self._left() if claim.may_be_proved]
        columns = _grouped(open_ones, lambda one: (_column(one), bool(self.checkout.reach(one).documents)))
        for column in columns.values():
            hits: dict[Claim, Hit] = {}
            chances: dict[Claim, float] = {}
            for claim in column:
                key = (claim.quantity, *self._stating(claim, beside))
                if key not in known:
                    alike = words.alike(claim.quantity)
                    some = [one for path in key[1:] for one in by_document[path] if one.quantity in alike]
                    some.sort(key=lambda one: one not in good)
                    values = np.array([one.number.value for one in some])
                    known[key] = some, values, np.unique(values)
                stating, values, distinct = known[key]
                chances[claim] = min(1.0, accidental(claim.number, distinct))
                low, high = claim.number.interval
                for said in (stating[at] for at in np.flatnonzero((low <= values) & (values <= high))):
                    if said.number.step <= claim.number.step and claim.number.rounding_of(said.number.value):
                        value = said.number.value
                        hits[claim] = Hit(value, Means.QUOTE, "", said.document, said.line, operands=(said,))
                        break
            found = explain(column, {Means.QUOTE: hits}, lambda _, claim: chances[claim], lambda *_: 1)  # noqa: B023 - used here
            self._accept(Ruling.DERIVED, found)

    def _stating(self, claim: Claim, beside: Mapping[str, Sequence[str]]) -> list[str]:
        """The documents that may state a number first: linked ones and those beside them, else those near its own."""
        linked = self.checkout.reach(claim).documents
        if linked:
            return list(dict.fromkeys([*linked, *(one for path in linked for one in beside[posixpath.dirname(path)])]))
        near = (*beside[posixpath.dirname(claim.document)], *self.checkout.led_to(claim.document))
        return list(dict.fromkeys(one for one in near if one != claim.document))

    def _settle(self) -> None:
        """Derived is only what follows, in the end, from what is proved; the rest is derived from unproved."""
        derived = {claim: one.hit for claim, one in self._found.items() if one.ruling == Ruling.DERIVED and one.hit}
        proved = {claim for claim, one in self._found.items() if one.ruling == Ruling.PROVED}
        grounded = _following(derived, set(self.claims) - derived.keys())
        for claim in derived.keys() - _following(derived, proved):
            if claim in grounded:
                self._found[claim] = replace(self._found[claim], ruling=Ruling.OF_UNPROVED)
            else:  # two that follow from each other follow from nothing
                del self._found[claim]

    # What remains

    def _named_runs(self) -> None:
        """Rows that name their run against the log of that, of which all is read."""
        by_document = _grouped(self.claims, lambda claim: claim.document)
        for row, run in self.run_of.items():
            file = read(self.checkout.root, run)
            for claim in self.rows[row] if file else ():
                known = self._found.get(claim)
                is_open = (known is None or known.ruling == Ruling.OF_UNPROVED) and not claim.is_about
                hit = _against(claim, file) if is_open and file else None
                # What the log says may stand elsewhere under this label: then it is of another run with this seed.
                others = by_document[claim.document]
                alike = (one for one in others if claim.col_label in (one.row_label, one.col_label))
                if hit and not any(one.number.rounding_of(hit.value) for one in alike):
                    self._found[claim] = Finding(claim, Ruling.CONTRADICTED, hit, logs=1)

    def _run(self, row: Sequence[Claim]) -> str | None:
        """The one log around a row that states the seed in it, if there is one."""
        seeds = (one for one in row if "seed" in one.col_label.lower() and one.number.step >= 1)
        if (named := next(seeds, None)) is None:
            return None
        around = [path for path in self.checkout.reach(named).around if self._seed(path) == named.number.value]
        logs = {self.search.logs[path].digest: path for path in around}  # a copy of a log is no other run
        return around[0] if len(logs) == 1 else None

    def _seed(self, path: str) -> float | None:
        stated = self.search.logs[path].statistics if path in self.search.logs else ()
        return next((one.value for one in stated if one.how == LAST and set(one.name.split()) == {"seed"}), None)

    def _unproved(self, claim: Claim) -> Finding:
        """What nothing explains: agreeing in too few digits, differing from the nearest value, or without a log."""
        _, seen = self.records.near_hits.get(claim, (None, None))
        linked, around = self._logs(claim)
        paths = [path for path in linked or around if path in self.search.logs]
        dead = self.checkout.reach(claim).dead
        nearest = seen or (self._nearest(claim, paths) if len(paths) <= MOST_JOINED else None)
        ruling = Ruling.UNEXPLAINED if paths else Ruling.NO_DATA
        if nearest:
            ruling = Ruling.AGREES if claim.number.rounding_of(nearest.value) else Ruling.DIFFERS
        return Finding(claim, ruling, nearest, logs=len(paths), why=Message(DEAD, path=dead) if dead else None)

    def _nearest(self, claim: Claim, paths: Sequence[str]) -> Hit | None:
        """What a number differs from: a rate from what its log gives, any other from the nearest last value."""
        if claim.quantity not in COMPARED:
            return None
        if is_rate(claim) and (expected := self.protocols.expected(claim, paths)):
            return expected
        case = _case(claim)
        paths = [path for path in paths if compared(case, case_of_log(path)).agreement != Agreement.CONTRADICTED]
        hits = [
            given.hit(place)
            for given in self.search.rules(claim, paths).given
            if given.rule.how == LAST
            and (claim.quantity == words.TIME or words.of_label(given.rule.name) == claim.quantity)
            for place in range(len(given.values))
        ]
        nearest = min(hits, key=lambda hit: abs(hit.value - claim.number.value), default=None)
        far = OTHER_QUANTITY * (abs(claim.number.value) or 1.0)
        return nearest if nearest is not None and abs(nearest.value - claim.number.value) < far else None

    def _labelled(self, finding: Finding) -> Finding:
        """A finding, a proved one with what the names of its log say."""
        if finding.ruling != Ruling.PROVED or not (finding.hit and finding.hit.path):
            return finding
        return replace(finding, labels=compared(_case(finding.claim), case_of_log(finding.hit.path)))


def _case(claim: Claim) -> Case:
    """What the labels of a claim say of its case: its column, its row, then the words before its table."""
    row = f"{claim.row_title}={claim.row_label}" if claim.row_label.isdigit() else claim.row_label
    return case_of(text for text in (claim.col_label, row, *claim.heading.split(" / ")) if text)


def _following(derived: Mapping[Claim, Hit], some: set[Claim]) -> set[Claim]:
    """Some claims, and those that follow from them in the end."""
    while more := {claim for claim, hit in derived.items() if claim not in some and {*hit.operands} <= some}:
        some |= more
    return some


def _tells_speed(one: Statistic) -> bool:
    return bool(one.seconds) or words.of_label(one.name) == words.RATE


def _against(claim: Claim, file: DataFile) -> Hit | None:
    """The last value of the series that a label names, in a log none of whose values of it is what is claimed.

    A series is named by each of the words of a label beside its quantity and its unit, which it may shorten. Of a
    series with many values a mean of some may be meant, and what stands in brackets may say another thing.
    """
    remark = re.search(r"[(（]([^()（）]*)[)）]", claim.col_label)
    if claim.quantity not in MEASURED_LOSSES or (remark and words.of_unit(remark[1]) is None):
        return None
    said = re.findall(r"[a-z]{2,}", re.sub(r"\(.*?\)", "", claim.col_label.lower().replace("_", " ")))
    stems = [one[:4] for one in said if not words.of_label(one) and one not in ("val", "validation", "final", "exact")]
    named = [
        place
        for place, name in enumerate(file.names)
        if words.of_label(name) == claim.quantity
        and all(any(word.startswith(stem) for word in re.findall(r"[a-z]+", name.lower())) for stem in stems)
    ]
    places = np.flatnonzero(np.isin(file.name_of, named))
    low, high = claim.number.interval
    values = file.values[places]
    if not 0 < len(values) <= FEW_VALUES or ((values >= low) & (values <= high)).any():
        return None
    last, count = int(places[-1]), len(places)
    name, line = file.names[file.name_of[last]], int(file.lines[last])
    return Hit(float(file.values[last]), Means.RUN, name, file.path, line, LAST, count=count)


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
