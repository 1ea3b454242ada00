"""Whole pages and their reports: as golden files, in each language, read again, and refused where they cannot be."""

import json
import os
import re
import shutil
from collections.abc import Callable
from math import isclose
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from report.measure.diagnostics import NoMeasurement
from report.pagefile.page_file import FOLDER
from report.results.measured_log import measured_log
from report.results.model import SUFFIX, Report, ReportError, parsed, read_report, schema
from report.results.run import report_of_log
from report.views.publish import PublishedPage, publish, read_pages
from tests.commandline import PROJECT
from tests.conftest import Compare
from tests.parsers.golden_logs import LOGS, SOME_LOGS
from tests.parsers.golden_logs import name as name_of_log
from tests.report.page_checks import LANGUAGES, every_published_page, not_recomputed, recomputed, unlike_cautions

GOLDEN = Path(__file__).parent / "golden"
NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?![\w])")
LINKED = re.compile(r"\[([0-9.]+)\]\([^)#]*#([^)]+)\)")
SEVERAL_ON_A_LINE = [log for log in LOGS if log.parent.name == "nemo_bar"]
NO_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@pytest.mark.parametrize("name", ["toy", "toy_gpu", "llm_example"])
def test_a_page_is_its_report_in_each_language_and_every_number_leads_to_its_evidence(
    name: str, site: Path, compare: Compare
) -> None:
    files = {path.name: path.read_text(encoding="utf-8") for path in (site / "pages").glob(f"{name}.*")}
    for file, text in files.items():
        compare(GOLDEN / file, text)
    numbers = [one for one in read_report(site / f"pages/{name}{SUFFIX}").results if one.digits]
    for language in LANGUAGES:
        page, evidence = files[f"{name}.{language}.md"], files[f"{name}.evidence.{language}.md"]
        sections = page.split("\n### ")[1:]
        shown = [next(part for part in section.split("\n\n") if part[0] == "|") for section in sections]
        assert [found for table in shown for found in LINKED.findall(table)] == [
            (one.digits, one.id) for one in numbers
        ]
        assert [one.id for one in numbers if f'<a id="{one.id}"></a>{one.digits}' not in evidence] == []
        links = re.findall(r"\]\((\.\./[^)]+)\)", evidence)
        assert [link for link in links if not (site / "pages" / unquote(link)).is_file()] == []


def text(page: PublishedPage, language: str) -> str:
    """The text of a page in a language."""
    (file,) = [path for path in page.files if path.name == f"{page.name}.{language}.md"]
    return file.read_text(encoding="utf-8")


def tables(markdown: str) -> list[list[str]]:
    """The cells of all rows of all tables, without their words."""
    rows = [line for line in markdown.splitlines() if line.startswith("|")]
    return [[" ".join(NUMBER.findall(cell)) for cell in row.split("|")] for row in rows]


@every_published_page
def test_the_published_pages_hold_the_same_figures_in_the_same_places_every_time(
    page: str, logs: Path, tmp_path: Path
) -> None:
    (published,) = publish([page], logs, ["zh", "en"], tmp_path)
    assert tables(text(published, "zh")) == tables(text(published, "en")) != []
    first = [path.read_bytes() for path in published.files]
    (again,) = publish([page], logs, ["zh", "en"], tmp_path)
    assert [path.read_bytes() for path in again.files] == first


def test_pages_with_neither_log_nor_quote_are_left_out_when_none_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in (FOLDER / "cpu-demo.toml", GOLDEN / "toy.toml"):
        shutil.copy(path, tmp_path)
    shutil.copytree(FOLDER / "cpu-demo", tmp_path / "cpu-demo")
    monkeypatch.setattr("report.pagefile.page_file.FOLDER", tmp_path)
    pages = list(publish([], GOLDEN / "logs", ["en"], tmp_path))
    assert [page.name for page in pages if not page.files] == ["cpu-demo"]


def report_of(page: str, logs: Path) -> Report:
    (found,) = read_pages([page], logs, logs.parent)
    return found.report


@every_published_page
def test_a_report_that_was_read_again_is_the_same_as_the_schema_says_and_its_numbers_follow_from_its_records(
    page: str, logs: Path
) -> None:
    report = report_of(page, logs)
    again = parsed(report.to_json(), Path("page.report.json"))
    assert again == report
    Draft202012Validator(schema()).validate(json.loads(report.to_json()))
    assert not_recomputed(again) == []
    assert unlike_cautions(report) == []  # page, panel and why say the same of a number


def test_the_published_schema_of_reports_is_that_of_the_code(compare: Compare) -> None:
    compare(PROJECT / "report/report.schema.json", json.dumps(schema(), indent=1, ensure_ascii=False) + "\n")
    Draft202012Validator.check_schema(schema())


@pytest.mark.slow
@pytest.mark.parametrize("log", [*SOME_LOGS, *SEVERAL_ON_A_LINE], ids=name_of_log)
def test_the_number_of_a_log_follows_from_its_records_alone(log: Path) -> None:
    try:
        report = report_of_log(log.name, measured_log(log))
    except NoMeasurement as error:
        assert error.diagnostic is not None
        return
    again = parsed(report.to_json(), Path("log.report.json"))
    (run,) = again.runs.values()
    value = sum(run.ranks.values) if run.ranks and run.ranks.is_summed else recomputed(run)
    assert isclose(value, run.measured, rel_tol=1e-9)


def test_a_log_whose_name_is_not_utf_8_is_listed_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    log = next((GOLDEN / "logs/A100").glob("*N1C1_log"))
    shutil.copy(log, os.fsdecode(bytes(tmp_path / "logs") + b"/\xff.log"))
    page = (GOLDEN / "toy.toml").read_text(encoding="utf-8")
    page = page.replace("{device}/PaddleClas_Toy50_bs{batch_size}_{precision}_DP_N1C{cards}_log", "*.log")
    (tmp_path / "toy.toml").write_text(page, encoding="utf-8")
    list(publish([str(tmp_path / "toy.toml")], tmp_path / "logs", ["en"], tmp_path / "pages"))
    assert [*read_report(tmp_path / f"pages/toy{SUFFIX}").logs] == ["\udcff.log"]


def with_log(told: dict[str, Any], path: str) -> None:
    """Name a log otherwise, wherever it is named."""
    first = next(iter(told["logs"]))
    told["logs"][path] = told["logs"].pop(first)
    for run in told["runs"].values():
        run["log"] = path if run["log"] == first else run["log"]


CHANGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "above": lambda told: with_log(told, "a/../../x"),
    "absolute": lambda told: with_log(told, "/x"),
    "nul": lambda told: with_log(told, "x\0"),
    "no_log": lambda told: told["logs"].clear(),
    "script": lambda told: next(iter(told["logs"].values())).update(url="javascript:alert(1)"),
    "version": lambda told: told.update(version=1),
    "protocol": lambda told: told["results"][0].update(protocol="rule=1"),
    "twice": lambda told: told["results"].append(told["results"][0]),
    "gone": lambda told: told["results"].pop(),
    "number": lambda told: told["results"][0].update(value=None),
    "digits": lambda told: told["results"][0].update(digits="1e3"),
    "infinite": lambda told: told["results"][0].update(value=float("inf")),
    "quantity": lambda told: told["results"][0].update(quantity="speed"),
    "id": lambda told: told["results"][0].update(id='a/b/"><script>'),
    "page": lambda told: told["page"].update(name="../x"),
    "sha256": lambda told: next(iter(told["logs"].values())).update(sha256="0" * 63),
    "use": lambda told: told["runs"]["r1"]["records"].update(use="a"),
    "key": lambda told: told.update({"new\x1b": 1}),
    "format": lambda told: told["page"]["tables"][0]["notes"].append(
        {"number": 9, "said": {"say": "{a:>9999999999}", "with": {"a": "1"}}, "marks": [], "results": {}}
    ),
    "attribute": lambda told: told["page"]["tables"][0]["notes"].append(
        {"number": 9, "said": {"say": "{a.__class__}", "with": {"a": "1"}}, "marks": [], "results": {}}
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_cannot_be_is_refused_in_one_printable_sentence(
    change: Callable[[dict[str, Any]], object], tmp_path: Path
) -> None:
    told = json.loads((GOLDEN / f"toy{SUFFIX}").read_text(encoding="utf-8"))
    told["page"]["tables"][0].setdefault("notes", [])
    assert parsed(json.dumps(told), tmp_path).results
    change(told)
    path = tmp_path / "changed.report.json"
    path.write_text(json.dumps(told), encoding="utf-8")
    with pytest.raises(ReportError) as raised:
        read_report(path)
    sentence = str(raised.value)
    assert sentence.startswith(str(path))
    assert sentence.isprintable()


@given(st.binary() | NO_JSON.map(lambda value: json.dumps(value).encode()) | st.just(b"[" * 100_000))
def test_whatever_a_file_holds_is_read_or_refused(raw: bytes) -> None:
    with pytest.raises(ReportError):
        parsed(raw, Path("any.report.json"))
