"""A history as HTML: a page that needs nothing beside it, with a chart of each series whose points lead to the logs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from parsers.io.message import Message

from ...measure.number import signed
from ...wording.words import Translate, Translator
from ..output.comparison_html import linked, shown, template
from .case_histories import CaseHistories
from .case_history import CaseHistory, HistorySeries
from .history_rows import (
    ALL_CASES_RULE,
    ARE_NUMBERS,
    CHANGES_HEAD,
    HEAD,
    RUNS_HEAD,
    about,
    change_rows,
    in_words,
    link_to,
    numbered,
    place_of,
    remarks_of,
    run_rows,
    segment_rows,
    shared_rule,
    summary,
    unit_of,
    what_happened,
)
from .run_order import By, group_of
from .run_record import RunRecord
from .trend import TICKS, Trend, TrendGap, TrendLevel, TrendMark, TrendPoint

POINT = "{at}: {value} {unit}"
ALTERNATIVE = "{runs} runs from {first} to {last}, {low} to {high} {unit}; changes: {changes}; gaps: {gaps}."
THINNED = "Showing {drawn} of {count} points: the lowest and the highest of each interval."
CHART = "{unit}; the axis does not start at 0"
TICK = 10  # characters of a commit or version on the axis, as many as a date has
ALL_RUNS = "All runs ({count})"


def html(found: CaseHistories, language: str, folder: Path) -> str:
    """The page in one language, with links from the folder that it is in; WordsError for one without catalogue."""
    return _filled("history.html.jinja", found, language, folder)


def fragment(found: CaseHistories, language: str = "en") -> str:
    """The tables and remarks without charts, to stand in another page."""
    return _filled("history_fragment.html.jinja", found, language, Path())


def _filled(name: str, found: CaseHistories, language: str, folder: Path) -> str:
    translate = Translator(language).translate
    word, rule = partial(shown, translate=translate), shared_rule(found)
    return template(name).render(
        language=language,
        translate=translate,
        about=word(about(found)),
        summary=word(summary(found.cases)),
        head=[translate(title) for title in HEAD[1:]],
        are_numbers=ARE_NUMBERS[1:],
        changes_head=[translate(title) for title in CHANGES_HEAD[1:]],
        runs_head=[translate(title) for title in RUNS_HEAD],
        rule=word(Message(ALL_CASES_RULE, rule=rule)) if rule else "",
        cases=[_case(case, found.by, translate, folder, with_rule=rule is None) for case in found.cases],
    )


def _case(case: CaseHistory, by: By, translate: Translate, folder: Path, *, with_rule: bool) -> dict[str, Any]:
    word = partial(shown, translate=translate)
    return {
        "title": word(case.title),
        "state": case.state,
        "state_in_words": word(in_words(case.state)),
        "rows": [[linked(cell, translate, folder) for cell in row[1:]] for row in segment_rows(case, by)],
        "said": [word(one) for one in remarks_of(case, by, with_rule=with_rule)],
        "series": [_series(case, series, by, translate, folder) for series in case.series],
        "changes": [[linked(cell, translate, folder) for cell in row[1:]] for row in change_rows(case, by)],
    }


def _series(case: CaseHistory, series: HistorySeries, by: By, translate: Translate, folder: Path) -> dict[str, Any]:
    word = partial(shown, translate=translate)
    trend = _Drawing(case, series, by, translate, folder).trend()
    told = [Message(CHART, unit=unit_of(series))]
    if len(trend.drawn) < len(trend.points):
        told.append(Message(THINNED, drawn=len(trend.drawn), count=len(trend.points)))
    return {
        "svg": trend.svg(),
        "notes": list(map(word, told)),
        "alternative": word(_alternative(case, series, by)),
        "all_runs": word(Message(ALL_RUNS, count=len(series.runs))),
        "runs": [[linked(cell, translate, folder) for cell in row] for row in run_rows(series)],
    }


def _alternative(case: CaseHistory, series: HistorySeries, by: By) -> Message:
    values = [run.throughput or 0.0 for run in series.runs]
    ends = {"first": place_of(series.runs[0], by), "last": place_of(series.runs[-1], by)}
    levels = {"low": f"{min(values):.6g}", "high": f"{max(values):.6g}", "unit": unit_of(series)}
    counts = {"runs": len(series.runs), "changes": len(series.steps), "gaps": len(case.gaps)}
    return Message(ALTERNATIVE, **ends, **levels, **counts)


class _Drawing:
    """What the parts of one chart share."""

    def __init__(self, case: CaseHistory, series: HistorySeries, by: By, translate: Translate, folder: Path) -> None:
        self.case, self.series, self.by, self.folder = case, series, by, folder
        self.word = partial(shown, translate=translate)
        order = case.order
        places = np.array(order, "M8[us]").astype(np.int64).tolist() if by == "date" else list(range(len(order)))
        first, last = (places[0], places[-1]) if places else (0, 0)
        self.places = {
            name: (at - first) / (last - first) if last > first else 0.5 for name, at in zip(order, places, strict=True)
        }

    def trend(self) -> Trend:
        """The chart."""
        return Trend(list(self._points()), list(self._levels()), list(self._marks()), list(self._gaps()), self._ticks())

    def _at(self, run: RunRecord) -> float:
        return self.places[group_of(run, self.by)]

    def _address(self, run: RunRecord) -> str:
        (link,) = link_to(run, "")
        return link.address(self.folder)

    def _points(self) -> Iterator[TrendPoint]:
        suspect = len(self.series.runs) - (self.series.suspect[0] if self.series.suspect else 0)
        unit = unit_of(self.series)
        for number, run in enumerate(self.series.runs):
            said = self.word(Message(POINT, at=place_of(run, self.by), value=f"{run.throughput:.6g}", unit=unit))
            yield TrendPoint(
                self._at(run),
                run.throughput or 0.0,
                self._address(run),
                f"{said}\n{self.word(str(run.log))}",
                number >= suspect,
            )

    def _levels(self) -> Iterator[TrendLevel]:
        for segment in self.series.segments:
            yield TrendLevel(self._at(segment.runs[0]), self._at(segment.last), segment.throughput)

    def _marks(self) -> Iterator[TrendMark]:
        for number, one in enumerate(numbered(self.series), 1):
            said = self.word(what_happened(one, self.by))
            label = str(number) if one.change is None else f"{number}: {signed(one.change)}"
            yield TrendMark((self._at(one.before) + self._at(one.after)) / 2, label, one.kind, said)

    def _gaps(self) -> Iterator[TrendGap]:
        """The gaps of the case, in the chart of its newest series."""
        if self.series is self.case.series[-1]:
            for gap in self.case.gaps:
                if group_of(gap.run, self.by) in self.places:
                    said = f"{self.word(gap.reason)}\n{self.word(str(gap.run.log))}"
                    yield TrendGap(self._at(gap.run), self._address(gap.run), said)

    def _ticks(self) -> Sequence[tuple[float, str]]:
        """A few places of the axis: their dates, or the commits or versions there."""
        names = self.case.order
        if self.by == "date":
            first, last = np.array([names[0], names[-1]], "M8[us]")
            count = TICKS if last > first else 1
            found = [
                (number / max(count - 1, 1), first + (last - first) * number // max(count - 1, 1))
                for number in range(count)
            ]
            length = 10 if last - first > np.timedelta64(3, "D") else 16
            return [(at if count > 1 else 0.5, str(date)[:length].replace("T", " ")) for at, date in found]
        chosen = sorted({round(number * (len(names) - 1) / (TICKS - 1)) for number in range(TICKS)})
        return [(self.places[names[at]], self.word(names[at][:TICK])) for at in chosen]
