"""Why a number is what it is: what is told of it, and that it can be computed from what is told."""

import re
import shutil
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
from report.audit.recover import of_document, ruled
from report.measure.diagnostics import NoMeasurement
from report.measure.protocol import Protocol
from report.measure.statistic import reduce
from report.pagefile.page_file import find
from report.results.measured_log import measured_log
from report.results.model import Factor, Report, Result
from report.results.run import report_of_log
from report.views.view import View, ranges
from report.views.why import NoCellError, explained, named, rows
from report.wording.words import words
from tests.commandline import PROJECT, run
from tests.conftest import Compare
from tests.parsers.golden_logs import SOME_LOGS, name
from tests.report.audit.small_site import EIGHT, SPEED_UPS, make, write
from tests.report.page_checks import every_published_page
from tests.report.page_text import HEAD, column, report_of, results_of, table

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


DEMO = PROJECT / "report/pages/cpu-demo.toml"

TITLES = ("one", "two", "none")
PAGE = (
    HEAD
    + column("a", "{cards}/train.log", "tipc")
    + table(
        '{ column = "a" }, { column = "a", title = "B", protocol = "decimals=3" }',
        "",
        ", ".join(f'{{ title = "{title}", case = {{ cards = {cards} }} }}' for cards, title in enumerate(TITLES, 1)),
    )
)
TOY = GOLDEN / "logs/A100/PaddleClas_Toy50_bs64_fp32_DP_N1C1_log"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A page of six cells, of which four have a number."""
    path = tmp_path / "page.toml"
    path.write_text(PAGE, encoding="utf-8")
    for cards in ("1", "2"):
        (tmp_path / cards).mkdir()
        shutil.copy(TOY, tmp_path / cards / "train.log")
    return path


def asked(page: Path, name: str) -> str:
    """The place of the cell of a name, or what is said where there is none."""
    try:
        result = named(report_of(page, page.parent), name)
    except NoCellError as error:
        return str(error)
    return f"{result.id} {result.row} {result.column}"


@pytest.mark.parametrize("name", ["t/2/a.2", "#t/2/a.2"])
def test_a_cell_is_found_by_its_address(page: Path, name: str) -> None:
    assert asked(page, name) == "t/2/a.2 two B"


def test_a_cell_is_found_by_digits_that_no_other_prints() -> None:
    result = named(report_of(DEMO, PROJECT / "logs"), "6.523")
    assert (result.id, result.row, result.column) == ("resnet50/1/paddleclas", "1", "PaddleClas, FP32 (BS=4)")


def test_a_pattern_that_names_the_model_takes_that_of_the_page_where_the_case_states_none(page: Path) -> None:
    page.write_text(PAGE.replace("{cards}/train.log", "{model}{cards}/train.log"), encoding="utf-8")
    assert not any(one.digits for one in results_of(page, page.parent))
    for cards in ("1", "2"):
        (page.parent / cards).rename(page.parent / f"M{cards}")
    assert [bool(one.digits) for one in results_of(page, page.parent)] == [True] * 4 + [False] * 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("cpu-demo",), 2, "cpu-demo is no log; of a page pass a cell as well, such as main/1/paddle."),
        (("cpu-demo", "9.99"), 2, "No cell of the page matches '9.99'"),
        (("nowhere", "e1"), 2, "No page is named 'nowhere'"),
        (("cpu-demo", "t/1/a", "--cards", "2"), 2, "--cards is for a log; the page says it of the cell t/1/a."),
        (("nowhere.log",), 2, "nowhere.log: file not found."),
        ((str(LOG), "--logs", "logs"), 2, "of a page pass a cell as well"),
        ((str(LOG), "--protocol", "nonsense"), 2, '"nonsense" is not a named protocol'),
        (("README.md",), 1, "README.md: "),
    ],
)
def test_wrong_use_is_reported_in_one_sentence(arguments: tuple[str, ...], status: int, said: str) -> None:
    done = run("why", *arguments, cwd=PROJECT)
    assert (done.returncode, said in done.stderr, "Traceback" in done.stderr) == (status, True, False)


def explained_by_log(page: Path, name: str) -> tuple[Result, str]:
    """The number of the log that explains a number of a page, and the ruling on this."""
    _, result, _, finding = of_document(page, name, None)
    assert result is not None
    return result, str(ruled(finding))


@pytest.mark.parametrize("name", ["3119.765", "3,119.765", "8/PaddlePaddle FP32 (BS=64)", "8:3119.765"])
def test_a_number_of_a_page_is_explained_from_its_log_by_the_rule_that_gives_it(name: str, tmp_path: Path) -> None:
    result, said = explained_by_log(make(tmp_path), name)
    assert (result.digits, Path(result.column).name) == ("3119.765", EIGHT)
    assert said.startswith("proved: ")


def test_a_number_that_its_log_does_not_give_is_explained_by_what_the_log_gives(tmp_path: Path) -> None:
    _, said = explained_by_log(make(tmp_path, ("3119.765", "3500.125")), "3500.125")
    assert said.startswith("differs: ")


def test_of_several_numbers_that_are_alike_the_places_are_told(tmp_path: Path) -> None:
    page = make(tmp_path, ("3119.765", "399.532"))
    with pytest.raises(NoCellError, match=r"2 numbers .*7:399.532, 8:399.532"):
        of_document(page, "399.532", None)


@pytest.mark.parametrize(("name", "ruling"), [("2.49", "derived from unproved"), ("8:3.50", "contradicted")])
def test_a_number_without_a_log_is_explained_by_others_of_its_table(name: str, ruling: str, tmp_path: Path) -> None:
    done = run("why", write(tmp_path, page=SPEED_UPS), name)
    assert (done.returncode, done.stdout.splitlines()[1].partition(":")[0]) == (0, ruling)


def test_a_number_without_a_log_has_no_values_to_print(tmp_path: Path) -> None:
    done = run("why", write(tmp_path, page=SPEED_UPS), "2.49", "--values")
    assert (done.returncode, done.stdout) == (2, "")
