"""Claims: a document in, every number in it out, with its place, digits, labels, links and what it counts."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from . import vocabulary as words
from .documents import CELL, CODE, HEADER, HEADING, TEXTS, Passage, Place, Places, passages_of, text_of
from .number import CLOCK, DATE, DURATION, PLAIN, Number, Printed, numbers_in

AROUND = 60  # characters in front of a number that may name it, and behind it that may hold its unit
WORDY = 24  # characters beside the number of a cell, from which the words there say what it counts, not the header
DATA_SHEET = 2  # columns of a table that only data sheets have (price, TDP, clock), from which it is one


@dataclass(eq=False, kw_only=True)
class Claim(Place):
    """A number of a document, with its place and labels.

    ``quantity``: of ``vocabulary``. ``unit``: as it is printed beside the number or in a label, without blanks around
    its strokes; ``unit_seconds``: of a time. ``is_about``: whether the document itself says that it is not exact.
    """

    document: str
    line: int
    column: int
    number: Number
    quantity: str = words.BARE
    unit: str = ""
    unit_seconds: float | None = None
    is_about: bool = False

    @property
    def is_measured(self) -> bool:
        """Whether it claims a measurement."""
        return self.quantity in words.MEASURED

    @property
    def may_be_proved(self) -> bool:
        """Whether it claims a measurement in at least two digits that inform: one digit is of anything."""
        return self.is_measured and self.number.digits > 1

    @property
    def in_row(self) -> tuple[object, ...]:
        """What identifies its row: of a table, or the line of a text."""
        return (self.document, self.table, self.row) if self.table >= 0 else (self.document, "line", self.line)


def claims_of(root: Path, document: str) -> list[Claim]:
    """Every number of a document, in order; raises OSError where it cannot be read."""
    text = text_of(root / document)
    places, found = Places(text), dict[tuple[int, int], Claim]()
    for passage in passages_of(document, text):
        for printed in numbers_in(passage.shown):
            line, column = place = places.of(passage.offset + printed.start)
            if place not in found:  # a number of a list is one of its line, too
                labels = vars(passage.place)
                claim = Claim(**labels, document=document, line=line, column=column, number=printed.number)
                found[place] = Context(claim, passage, printed).classified()
    claims = [found[place] for place in sorted(found)]
    _mark_data_sheets(claims)
    return claims


# --- what a number counts --------------------------------------------------------------------------------------------
_ABOUT = re.compile(
    r"(?:[~≈<>≤≥]|about|around|roughly|approx\w*\.?|up to|at (?:least|most)|over|more than|\d\s?[-–—~]"
    r"|约|近|最高|最多|至少|超过|高达)\s*$",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"([A-Za-z_µσ\u4e00-\u9fff][\w%µσ\u4e00-\u9fff./-]*"
    r"(?:[ _][A-Za-z\u4e00-\u9fff(][\w%)-]*){0,3})\W{0,6}$"
)
_SPREAD = re.compile(r"\d\s{0,3}[A-Za-z%]{0,8}\s{0,3}(?:±|\+/?-)\s*$")
_LETTERS = re.compile(r"[A-Za-z\u4e00-\u9fff]{2}")
_OF_DATA_SHEETS = (words.FLOPS, words.BYTES, words.RATE, words.POWER)
# Of code, a claim is what has a unit of these, and a comment that tells a result.
_IN_CODE = (words.TIME, words.RATE)
_RESULT = re.compile(r"^\s*p\s*[=:]|tensor\(|(?:loss|time|mean|std|acc)\w{0,20}\s{0,3}[=:]", re.IGNORECASE)


class Context:
    """A claim and the text before and behind its number; says what the number counts.

    The nearest words decide: the unit, the name in front, the column, the row, the heading, in this order.
    """

    def __init__(self, claim: Claim, passage: Passage, printed: Printed) -> None:
        shown, self.claim, self.form = passage.shown, claim, printed.form
        before = shown[max(0, printed.start - AROUND) : printed.start]
        self.before = before.strip() if claim.place == CELL else before
        self.behind = shown[printed.end : printed.end + AROUND].rstrip()
        # Whether a number of code may be a claim without a unit.
        self.is_result = claim.place != CODE or bool(_RESULT.search(shown.partition("#")[2]))
        self.own_name = found[1] if (found := _NAME.search(self.before)) else ""
        beside = (self.before, self.behind) if claim.place == CELL else ()
        # Whether there are words beside the number that may name it, and whether the number names a row itself.
        self.is_wordy = claim.place in (*TEXTS, HEADER) or any(map(_LETTERS.search, beside))
        self.names_row = claim.place == CELL and claim.col == 0

    def classified(self) -> Claim:
        """The claim with its quantity and unit."""
        claim = self.claim
        claim.is_about = bool(_ABOUT.search(self.before[-12:]))
        may_be_claim = self.is_result or self.form == DURATION or words.of_unit(self.behind) in _IN_CODE
        claim.quantity = self._quantity() if may_be_claim else words.CODE
        if claim.place == HEADER and claim.is_measured:  # it names its column, as 95% does
            claim.quantity = words.IDENTIFIER
        if claim.is_measured and _SPREAD.search(self.before):
            claim.quantity = words.SPREAD
        labels = (self.own_name, claim.col_label, claim.row_label, claim.heading)
        is_time_of_day = self.form in (DURATION, CLOCK)
        if claim.is_measured:
            said = words.unit_behind(self.behind)
            within = (unit for label in labels if (unit := words.unit_within(label, claim.quantity)))
            is_own = said is not None and said[0] == claim.quantity
            claim.unit = "s" if is_time_of_day else said[1] if said and is_own else next(within, "")
        if claim.quantity == words.TIME:
            claim.unit_seconds = words.seconds_of(self.behind[:16], *labels)
            claim.unit_seconds = 1.0 if is_time_of_day else claim.unit_seconds
        return claim

    def _known(self) -> list[str]:
        """What labels say is counted, the nearest first; a long text in a cell speaks for itself.

        Of headings, which are sentences, only what is measured.
        """
        claim = self.claim
        if self.names_row:
            labels = [claim.col_label]
        elif claim.place == CELL and self.is_wordy and len(self.before) + len(self.behind) > WORDY:
            return []
        else:
            labels = [claim.col_label, claim.row_label]
        said = [words.of_label(label) for label in labels]
        if claim.place == CELL and not self.names_row:
            said += [one for part in claim.heading.split(" / ") if (one := words.of_label(part)) in words.MEASURED]
        return [one for one in said if one and one != words.VALUE]

    def _quantity(self) -> str:
        claim = self.claim
        of_column = words.of_label(claim.col_label)
        if claim.place == CELL and words.GOAL in (of_column, words.of_label(claim.row_label)):
            return words.GOAL
        if self.form != PLAIN:
            # A duration is a time, a clock is one where a label says so, else a time of day.
            labels = (self.own_name, claim.col_label, claim.row_label)
            is_time = self.form == DURATION or words.TIME in map(words.of_label, labels)
            return words.TIME if is_time and self.form != DATE else words.DATE
        if of_unit := words.of_unit(self.behind):
            return words.RATIO if of_unit == words.COUNT and claim.number.step < 1 else of_unit
        if self.is_wordy and not self.names_row and (of_name := words.of_label(self.own_name)):
            return of_name
        known = self._known()
        quantity = known[0] if known else words.IDENTIFIER if claim.place == HEADING else words.BARE
        if claim.place != CELL or self.names_row or self.is_wordy:
            return quantity
        return self._quantity_in_grid(quantity, known, of_column)

    def _quantity_in_grid(self, quantity: str, known: Sequence[str], of_column: str | None) -> str:
        """A table of settings by settings holds what its heading, column or row names that is measured.

        Where nothing is named, digits that nobody would choose are of a measurement.
        """
        if of_column == words.VALUE and quantity == words.SETTING:  # the row names it
            return words.AMOUNT if _is_fine(self.claim.number) else quantity
        is_case = of_column is None or bool(re.search(r"[=\d]", self.claim.col_label))  # the column names no quantity
        if is_case and quantity == words.SETTING:
            quantity = next((one for one in known if one in words.MEASURED), quantity)
        # A column that is called "pp 512" holds a case of a setting, and not the setting.
        is_unnamed = quantity == words.BARE or (quantity == words.SETTING and is_case)
        if is_unnamed and _is_fine(self.claim.number):
            return words.SCORE if self.claim.number.value < 1 else words.RATE
        return quantity


def _is_fine(number: Number) -> bool:
    """Whether nobody would choose such digits: at least three, of which two inform, or four before a point.

    A zero that is printed behind a point was measured as the digits in its place in other rows were.
    """
    if number.step >= 1:
        return number.digits >= 4
    printed = len(re.sub(r"\D", "", number.text.lower().partition("e")[0]).lstrip("0"))
    return printed >= 3 and number.digits >= 2


def _mark_data_sheets(claims: Sequence[Claim]) -> None:
    """What the maker of a card says is no measurement: in a table with columns or rows that only data sheets have."""
    tables: dict[int, list[Claim]] = defaultdict(list)
    for claim in claims:
        if claim.place == CELL:
            tables[claim.table].append(claim)
    for some in tables.values():
        for labels in ({one.col_label for one in some}, {one.row_label for one in some}):
            known = [label for label in labels if words.of_label(label) == words.SPECIFICATION]
            for claim in some if len(known) >= DATA_SHEET else ():
                if claim.quantity in _OF_DATA_SHEETS:
                    claim.quantity, claim.unit = words.SPECIFICATION, ""
