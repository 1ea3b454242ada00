"""Why a number is what it is: what is told of it, and that it can be computed from what is told."""

import re
from collections.abc import Sequence
from contextlib import suppress
from math import isclose, prod
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.runs.facts import Fact
from parsers.runs.provenance import line, option
from report.measure.diagnostics import NoMeasurement
from report.measure.protocol import Protocol
from report.measure.statistic import reduce
from report.pagefile.page_file import find
from report.results.measured_log import measured_log
from report.results.model import Factor, Report
from report.results.run import report_of_log
from report.views.view import View, ranges
from report.views.why import explained, rows
from report.wording.words import words
from tests.commandline import PROJECT, run
from tests.conftest import Compare
from tests.parsers.golden_logs import SOME_LOGS, name
from tests.report.page_text import report_of
from tests.report.published_pages import every_published_page

GOLDEN = Path(__file__).parent / "golden"
LOG = Path("logs/cpu-demo/ResNet50_bs4_fp32_N1C2/1/train.log")
LOGS = Path("tests/parsers/golden")
MXNET, NANOGPT = LOGS / "mxnet_speedometer/gluon.log", LOGS / "nanogpt/current.log"
CONTRADICTED = LOGS / "yolox/starts_that_differ.log"


def report(log: Path, protocol: str = "", given: Sequence[Fact] = ()) -> Report:
    return report_of_log(str(log), measured_log(log, Protocol.parse(protocol) if protocol else None, given))


@pytest.mark.parametrize(
    ("golden", "log", "protocol", "language"),
    [
        ("rule", LOG, "", "en"),
        ("rule.zh", LOG, "", "zh"),
        ("protocol", LOG, "tipc", "en"),
        ("clock", LOG, "estimate=clock,skip_records=10", "en"),
        ("contradicted", CONTRADICTED, "", "en"),
    ],
)
def test_an_explanation_of_a_log_reads_as_the_golden_text(
    golden: str, log: Path, protocol: str, language: str, monkeypatch: pytest.MonkeyPatch, compare: Compare
) -> None:
    monkeypatch.chdir(PROJECT)
    found = report(log, protocol)
    compare(GOLDEN / f"why_{golden}.txt", explained(View(found, language), found.results[0], str(log)))


def test_an_explanation_of_a_cell_reads_as_the_golden_text(monkeypatch: pytest.MonkeyPatch, compare: Compare) -> None:
    monkeypatch.chdir(PROJECT)
    compare(GOLDEN / "why_cell.txt", run("why", "cpu-demo", "6.523", cwd=PROJECT).stdout)


PROTOCOLS = (
    "",
    "statistic=median",
    "statistic=harmonic_mean",
    "statistic=last",
    "statistic=min,significant=3",
    "trim=0.2",
    "estimate=step_time",
    "estimate=step_time,statistic=median",
    "estimate=step_time,counts=steps",
    "records=epoch,estimate=duration",
    "estimate=instant",
    "estimate=clock",
    "estimate=clock,counts=steps",
)


@pytest.mark.slow
@pytest.mark.parametrize("log", SOME_LOGS, ids=name)
def test_a_reader_can_compute_the_number_of_the_values_and_counts_that_are_told(log: Path) -> None:
    of_one_card = [Fact("cards", 4, option("cards")), Fact("batch_size", 8, option("batch-size"))]
    for rule in PROTOCOLS:
        for stated in ((), of_one_card):
            with suppress(NoMeasurement):
                found = report(log, rule, stated)
                (told,), (made,) = found.runs.values(), rows(found, found.results[0])
                columns, factor = (
                    [np.array(column) for column in zip(*made, strict=True)],
                    prod(one.value for one in told.factors),
                )
                if told.statistic:
                    value = reduce(columns[0], told.statistic)
                    value = factor / value if told.are_times else value * factor
                elif told.ranks and told.ranks.is_summed:
                    value = sum(told.ranks.values)
                else:
                    value = columns[0].sum() / columns[1].sum() * factor
                assert isclose(value, told.measured, rel_tol=1e-12), (rule, stated)


@pytest.mark.parametrize("protocol", ["", "estimate=clock", "estimate=step_time", "trim=0.1", "statistic=last"])
@pytest.mark.parametrize("log", [LOG, NANOGPT, MXNET, CONTRADICTED], ids=str)
def test_all_that_an_explanation_says_is_in_the_chinese_catalogue(log: Path, protocol: str) -> None:
    asked, chinese = list[str](), words("zh")

    class Watched(View):
        def translate(self, text: str, plural: str = "", count: int = 1, /) -> str:
            known = chinese.ngettext(text, plural, count) if plural else chinese.gettext(text) if text else ""
            if re.search("[A-Za-z]{2}", text) and known in (text, plural) and not chinese.has(text):
                asked.append(text)
            return known

    with suppress(NoMeasurement):
        found = report(PROJECT / log, protocol)
        explained(Watched(found, "zh"), found.results[0], "")
    assert asked == []


@every_published_page
def test_every_number_of_a_page_is_explained_with_what_it_is_made_of(page: str, logs: Path) -> None:
    whole = report_of(find(page), logs)
    view = View(whole, "en")
    for result in (one for one in whole.results if one.digits):
        said = explained(view, result, "")
        files = [run.log for run in whole.runs_of(result)]
        source = [whole.page.sources[result.source].url] if result.source else []
        wanted = [str(result.digits), *files, *result.operands, *source]
        assert [one for one in wanted if one not in said] == [], result.id


def test_values_prints_the_numbers_used_or_work_and_seconds_a_line_each() -> None:
    for rule, of in (("tipc", "values"), ("", "work")):
        (told,) = report(PROJECT / LOG, rule).runs.values()
        options = ("--protocol", rule) if rule else ()
        lines = run("why", LOG, *options, "--values", cwd=PROJECT).stdout.splitlines()
        kept = zip(told.records.use, getattr(told.records, of), strict=True)
        assert [float(line.split("\t")[0]) for line in lines] == [value for use, value in kept if use == "a"]


@given(st.sets(st.integers(1, 60), min_size=1))
def test_ranges_hold_just_their_numbers(numbers: set[int]) -> None:
    held = [number for first, last in ranges(sorted(numbers)) for number in range(first, last + 1)]
    assert held == sorted(numbers)


def test_the_tokens_of_a_step_are_shown_with_the_line_that_states_them() -> None:
    for protocol in ("", "estimate=step_time"):
        (told,) = report(PROJECT / NANOGPT, protocol).runs.values()
        assert told.factors == [Factor("job_batch_tokens", 245760, line(5).message)]


def test_a_run_folder_stands_for_its_log() -> None:
    log = PROJECT / "logs/cpu-demo/ResNet50_bs4_fp32_N1C1/1/train.log"
    assert run("why", log.parent).stdout == run("why", log).stdout != ""


def test_a_report_is_explained_without_its_logs(site: Path, tmp_path: Path) -> None:
    (tmp_path / "toy.report.json").write_bytes((site / "pages/toy.report.json").read_bytes())
    alone = run("why", tmp_path / "toy.report.json", "cards/8/a")
    assert (alone.returncode, alone.stdout) == (0, run("why", site / "pages/toy.zh.md", "cards/8/a").stdout)
