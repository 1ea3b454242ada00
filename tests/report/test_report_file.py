"""The report of a page: what it says, that its numbers follow from it alone, and what it is refused for."""

import json
import os
import re
import shutil
from collections.abc import Callable
from math import isclose
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from report.measure.diagnostics import NoMeasurement
from report.results.measured_log import measured_log
from report.results.model import SUFFIX, Report, ReportError, parsed, read_report, schema
from report.results.run import report_of_log
from report.views.publish import publish, read_pages
from tests.commandline import PROJECT
from tests.conftest import Compare
from tests.parsers.golden_logs import LOGS, SOME_LOGS
from tests.parsers.golden_logs import name as name_of_log
from tests.report.page_checks import LANGUAGES, not_recomputed, recomputed, unlike_cautions
from tests.report.published_pages import every_published_page

GOLDEN = Path(__file__).parent / "golden"
LINKED = re.compile(r"\[([0-9.]+)\]\([^)#]*#([^)]+)\)")
SEVERAL_ON_A_LINE = [log for log in LOGS if log.parent.name == "nemo_bar"]
NO_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)

every_toy = pytest.mark.parametrize("name", ["toy", "toy_gpu", "llm_example"])


def rendered(folder: Path, name: str) -> None:
    """Render a golden page beside a copy of its logs."""
    shutil.copytree(GOLDEN / "logs", folder / "logs")
    list(publish([str(GOLDEN / f"{name}.toml")], folder / "logs", [], folder / "pages"))


def report_of(page: str, logs: Path) -> Report:
    (found,) = read_pages([page], logs, logs.parent)
    return found.report


@every_toy
def test_a_page_is_its_report_in_each_language_and_every_number_leads_to_its_evidence(
    name: str, tmp_path: Path, compare: Compare
) -> None:
    rendered(tmp_path, name)
    compare(GOLDEN / f"{name}{SUFFIX}", (tmp_path / f"pages/{name}{SUFFIX}").read_text(encoding="utf-8"))
    numbers = [one for one in read_report(tmp_path / f"pages/{name}{SUFFIX}").results if one.digits]
    for language in LANGUAGES:
        page, evidence = (
            (tmp_path / f"pages/{name}{part}.{language}.md").read_text(encoding="utf-8") for part in ("", ".evidence")
        )
        sections = page.split("\n### ")[1:]
        tables = [next(part for part in section.split("\n\n") if part[0] == "|") for section in sections]
        printed = [found for table in tables for found in LINKED.findall(table)]
        assert printed == [(one.digits, one.id) for one in numbers]
        assert [one.id for one in numbers if f'<a id="{one.id}"></a>{one.digits}' not in evidence] == []


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
