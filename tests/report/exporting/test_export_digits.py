"""Every target has the digits of the page, and each is read by its consumer or fits the schema that it publishes."""

import csv
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pyarrow.parquet
import pytest

from parsers.sharing.workers import ALONE
from report.evidence.case_evidence import cells
from report.pagefile.page_file import load
from report.rendering.exporting.metric import ExportedRun, Metric
from report.rendering.exporting.target import exported
from report.rendering.exporting.targets import TARGETS
from tests.commandline import PROJECT
from tests.conftest import Compare
from tests.report.conftest import GOLDEN
from tests.report.exporting import schemas
from tests.report.exporting.exported import EXAMPLE, PAGES, families, files, metrics, text

PRINTED = metrics(*PAGES)
GAUGE = "gauge"


def rows(of_file: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(of_file)))


def samples(of_file: str, kind: str) -> list[Any]:
    return [one for family in families(of_file) if family.type == kind for one in family.samples]


def of_bencher(told: Mapping[str, Mapping[str, Mapping[str, float]]]) -> dict[str, float]:
    return {name: of["value"] for name, measures in told.items() for of in measures.values()}


# The numbers in the file of each target by their names.
READERS: dict[str, Callable[[str], dict[str, float]]] = {
    "csv": lambda said: {f"{row['suite']}/{row['name']}": float(row["printed"]) for row in rows(said)},
    "github-action-benchmark": lambda said: {one["name"]: one["value"] for one in json.loads(said)},
    "github-action-benchmark-smaller": lambda said: {one["name"]: one["value"] for one in json.loads(said)},
    "bencher": lambda said: of_bencher(json.loads(said)),
    "pytorch-benchmark": lambda said: {
        f"{one['benchmark']['name']}/{one['benchmark']['extra_info']['address']}": one["metric"]["benchmark_values"][0]
        for one in json.loads(said)
    },
    "openmetrics": lambda said: {
        f"{one.labels['suite']}/{one.labels['name']}": one.value for one in samples(said, GAUGE)
    },
}


def test_the_numbers_of_a_page_are_all_that_it_prints() -> None:
    page = load(GOLDEN / "toy.toml")
    printed = [cell.digits for cell in cells(page, GOLDEN / "logs", ALONE) if cell.digits]
    assert [metric.digits for metric in metrics(GOLDEN / "toy.toml")] == printed


@pytest.mark.parametrize("target", READERS)
def test_a_file_has_the_numbers_that_the_page_prints(target: str) -> None:
    refused = TARGETS[target].refused
    wanted = {metric.full_name: float(metric.digits) for metric in PRINTED if refused(metric) is None}
    assert READERS[target](text(target, *PRINTED)) == wanted != {}


def test_csv_and_openmetrics_have_the_very_digits_with_zeros_at_their_end() -> None:
    assert rows(text("csv", EXAMPLE))[0]["printed"] == "100.50"
    assert text("openmetrics", EXAMPLE).splitlines()[3].endswith("} 100.50")


def test_parquet_has_numbers_units_and_the_lines_of_logs() -> None:
    data = exported(TARGETS["parquet"], PRINTED).files["metrics.parquet"]
    read = pyarrow.parquet.read_table(io.BytesIO(data)).to_pylist()
    assert [(row["printed"], row["value"], row["unit"], row["scope"]) for row in read] == [
        (metric.digits, metric.value, metric.unit, metric.scope) for metric in PRINTED
    ]
    assert [[(log["path"], log["sha256"], log["first"], log["last"]) for log in row["logs"]] for row in read] == [
        [(e.path, e.sha256, *e.lines) for e in metric.exhibits] for metric in PRINTED
    ]


def test_csv_has_the_same_as_parquet() -> None:
    data = exported(TARGETS["parquet"], PRINTED).files["metrics.parquet"]
    of_parquet = pyarrow.parquet.read_table(io.BytesIO(data)).to_pylist()
    of_csv = rows(text("csv", *PRINTED))
    for name in ("name", "printed", "unit", "scope", "protocol", "device", "cards"):
        assert [row[name] for row in of_csv] == [row[name] or "" for row in of_parquet]
    assert [json.loads(row["logs"] or "[]") for row in of_csv] == [row["logs"] for row in of_parquet]


@pytest.mark.parametrize(
    ("target", "schema"),
    [
        ("bencher", schemas.BENCHER),
        ("github-action-benchmark", schemas.ACTION),
        ("github-action-benchmark-smaller", schemas.ACTION),
        ("pytorch-benchmark", schemas.DATABASE),
    ],
)
def test_json_fits_the_published_schema(target: str, schema: Mapping[str, Any]) -> None:
    told = json.loads(text(target, *PRINTED))
    jsonschema.validate(told, schema)
    assert told


def test_openmetrics_names_the_unit_in_the_family_and_in_a_label() -> None:
    (family, _) = families(text("openmetrics", EXAMPLE))
    assert (family.name, family.unit) == ("tachograph_throughput_images_per_second", "images_per_second")
    assert family.samples[0].labels["unit"] == "images/s"


def test_openmetrics_has_the_log_lines_of_every_number() -> None:
    told = samples(text("openmetrics", *PRINTED), "info")
    assert [
        (one.labels["log"], one.labels["sha256"], int(one.labels["first_line"]), int(one.labels["last_line"]))
        for one in told
    ] == [(e.path, e.sha256, *e.lines) for metric in PRINTED for e in metric.exhibits]


def test_a_perflog_is_a_table_that_pandas_reads() -> None:
    (said,) = files("reframe", EXAMPLE).values()
    (row,) = pd.read_csv(io.StringIO(said), sep="|", dtype=str).to_dict("records")
    assert (row["throughput_value"], row["throughput_unit"], row["result"]) == ("100.50", "images/s", "pass")


def test_a_series_has_a_row_for_each_run_in_the_order_of_time() -> None:
    later = ExportedRun("99.00", 99.0, "2031-06-01T00:00:00", EXAMPLE.runs[0].exhibits)
    two = replace(EXAMPLE, runs=(later, *EXAMPLE.runs))
    (said,) = (text for name, text in files("otava", two).items() if name.endswith(".csv"))
    assert [row["value"] for row in rows(said)] == ["100.50", "99.00"]


def test_times_with_and_without_a_zone_are_ordered_by_when_they_were() -> None:
    earlier, later = "2031-05-04T15:00:00+08:00", "2031-05-04T11:00:00"
    two = replace(EXAMPLE, runs=tuple(replace(EXAMPLE.runs[0], time=time) for time in (later, earlier)))
    (said,) = (text for name, text in files("otava", two).items() if name.endswith(".csv"))
    (row,) = pd.read_csv(io.StringIO(text("reframe", two)), sep="|", dtype=str).to_dict("records")
    assert [row["time"] for row in rows(said)] == [earlier, later]
    assert row["job_completion_time"] == later


def test_logs_of_one_case_are_one_series_however_long_each_warmed_up() -> None:
    case = PROJECT / "logs/cpu-demo/ResNet50_bs4_fp32_N1C1"
    runs = metrics(*(case / str(number) for number in (1, 2, 3)))
    (said,) = (text for name, text in files("otava", *runs).items() if name.endswith(".csv"))
    assert len({row["protocol"] for row in rows(said)}) == 2
    assert [float(row["value"]) for row in rows(said)] == [metric.number for metric in runs]


def test_logs_of_two_cases_are_two_series() -> None:
    case = PROJECT / "logs/cpu-demo"
    runs = metrics(case / "ResNet50_bs4_fp32_N1C1/1", case / "ResNet50_bs4_fp32_N1C2/1")
    assert len(files("otava", *runs)) == 3


def test_a_speed_line_has_the_file_name_and_the_keys_of_its_suite() -> None:
    ((name, said),) = files("tipc", EXAMPLE).items()
    told = json.loads(said)
    assert name == "index/F_M_bs4_fp32_MultiP_DP_N1C8_speed"
    assert (told["ips"], told["speed_unit"], told["device_num"]) == (100.5, "images/s", "N1C8")


def with_case(**case: object) -> Metric:
    return replace(EXAMPLE, case={**EXAMPLE.case, **case})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("target", "metric"),
    [
        ("github-action-benchmark", replace(EXAMPLE, quantity="step_time", direction=-1)),
        ("github-action-benchmark-smaller", EXAMPLE),
        ("github-action-benchmark", replace(EXAMPLE, quantity="power", direction=0)),
        ("bencher", replace(EXAMPLE, name="a" * 1024)),
        ("bencher", replace(EXAMPLE, name="a-bencher-ignore")),
        ("pytorch-benchmark", replace(EXAMPLE, case={})),
        ("otava", replace(EXAMPLE, runs=(replace(EXAMPLE.runs[0], time=""),))),
        ("mlflow", replace(EXAMPLE, runs=(replace(EXAMPLE.runs[0], time=""),))),
        ("mlperf", EXAMPLE),
        ("mlperf", replace(EXAMPLE, case={"device": "D"})),
        ("tipc", replace(EXAMPLE, scope="card")),
        ("tipc", replace(EXAMPLE, quantity="speed_up", scope="")),
        ("tipc", replace(EXAMPLE, case={"model": "M"})),
        ("tipc", with_case(tensor_parallel=2)),
        ("tipc", with_case(cards="eight")),
    ],
)
def test_what_does_not_fit_is_left_out_and_counted(target: str, metric: Metric) -> None:
    done = exported(TARGETS[target], [metric])
    assert (done.files, done.count, sum(done.left_out.values())) == ({}, 0, 1)


@pytest.mark.parametrize("target", [name for name, target in TARGETS.items() if not target.takes_quotes])
def test_a_quoted_figure_is_left_out_where_it_cannot_be_marked(target: str) -> None:
    direction = -1 if target.endswith("smaller") else 1
    done = exported(TARGETS[target], [replace(EXAMPLE, is_quoted=True, direction=direction)])
    assert (done.files, list(done.left_out)) == ({}, ["quoted from others, or computed from what is quoted"])


def test_a_quoted_figure_is_marked_in_a_table() -> None:
    assert [row["quoted"] for row in rows(text("csv", replace(EXAMPLE, is_quoted=True), EXAMPLE))] == ["true", "false"]


@pytest.mark.parametrize("target", [name for name, target in TARGETS.items() if target.is_text])
def test_a_number_of_the_golden_pages_is_exported_as_it_stands_here(target: str, compare: Compare) -> None:
    direction = -1 if target.endswith("smaller") else 1
    made = files(target, replace(EXAMPLE, direction=direction), *metrics(GOLDEN / "toy.toml"))
    said = "".join(f"==> {name} <==\n{text}\n" for name, text in made.items())
    compare(Path(__file__).parent / f"golden/{target}.txt", said)
