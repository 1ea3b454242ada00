"""What must hold of every report: its digits follow from it alone, and all views say the same of a number."""

from html import unescape
from math import isclose
from pathlib import Path

import numpy as np
import pytest

from report.measure.statistic import reduce
from report.pagefile.page_file import names
from report.results.model import Report, Run
from report.views.html import HtmlView, page_file
from report.views.html import texts as pages_of_site
from report.views.markdown import MarkdownView
from report.views.view import sums
from report.views.why import explained
from tests.parsers.corpus_logs import ABSENT, CORPUS, ROOT

LANGUAGES = ("en", "zh")


def recomputed(run: Run) -> float:
    """What the records of a run give, without its log."""
    if run.statistic:
        of_terms = reduce(np.array([value for _, value in run.records.terms]), run.statistic)
        return run.factor / of_terms if run.are_times else of_terms * run.factor
    work, seconds = sums(run.records)
    return work / seconds * run.factor


def computable(report: Report) -> list[Run]:
    """The runs whose records are those of a statistic, or of work over time."""
    return [run for run in report.runs.values() if run.statistic or run.records.intervals]


def not_recomputed(report: Report) -> list[str]:
    """The logs of the runs whose number does not follow from their records."""
    return [run.log for run in computable(report) if not isclose(recomputed(run), run.measured, rel_tol=1e-12)]


def unlike_cautions(report: Report) -> list[str]:
    """The numbers, by language, of which page, panel and ``why`` do not say the same cautions."""
    site, unlike = pages_of_site([report], LANGUAGES), []
    for language in LANGUAGES:
        markdown, html = MarkdownView(report, language, LANGUAGES), HtmlView(report, language)
        page = unescape(site[page_file(report.page.name, language)])
        for result in (one for one in report.results if one.digits):
            notes = report.places[result.id][0].notes
            said = html.cautions(result)
            panel = page[page.index(f'<dialog id="{result.id}"') :].partition("</dialog>")[0]
            text = explained(html, result, "")
            is_noted = {number for number, _ in said} == {note.number for note in notes if result.id in note.results}
            is_told = all(one in panel and one in text for _, one in said)
            if not (is_noted and is_told and markdown.cautions(result) == said):
                unlike.append(f"{language}: {result.id}")
    return unlike


PERF = CORPUS / "PaddlePaddle-Perf"
OF_OTHERS = ("resnet50", "deeplabv3p")
ALL = {name: PERF if name in OF_OTHERS else ROOT / "logs" for name in names()}


def _page(name: str, logs: Path) -> object:
    return pytest.param(name, logs, id=name, marks=pytest.mark.skipif(not logs.is_dir(), reason=ABSENT))


every_published_page = pytest.mark.parametrize(("page", "logs"), [_page(*found) for found in ALL.items()])
