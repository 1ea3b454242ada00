"""Every target has the digits of the page, and each is read by its consumer or fits the schema that it publishes."""

import csv
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow.parquet
import pytest

from parsers.sharing.workers import ALONE
from report.evidence.case_evidence import cells
from report.pagefile.page_file import load
from report.rendering.exporting.formats import FORMATS, exported
from report.rendering.exporting.metrics import Metric
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


# The numbers in the file of each target by their names.
READERS: dict[str, Callable[[str], dict[str, float]]] = {
    "csv": lambda said: {f"{row['suite']}/{row['name']}": float(row["printed"]) for row in rows(said)},
    "github-action-benchmark": lambda said: {one["name"]: one["value"] for one in json.loads(said)},
    "github-action-benchmark-smaller": lambda said: {one["name"]: one["value"] for one in json.loads(said)},
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
    refused = FORMATS[target].refused
    wanted = {metric.full_name: float(metric.digits) for metric in PRINTED if refused(metric) is None}
    assert READERS[target](text(target, *PRINTED)) == wanted != {}


def test_csv_and_openmetrics_have_the_very_digits_with_zeros_at_their_end() -> None:
    assert rows(text("csv", EXAMPLE))[0]["printed"] == "100.50"
    assert text("openmetrics", EXAMPLE).splitlines()[3].endswith("} 100.50")


def test_parquet_has_numbers_units_and_the_lines_of_logs() -> None:
    data = exported(FORMATS["parquet"], PRINTED).files["metrics.parquet"]
    read = pyarrow.parquet.read_table(io.BytesIO(data)).to_pylist()
    assert [(row["printed"], row["value"], row["unit"], row["scope"]) for row in read] == [
        (metric.digits, metric.value, metric.unit, metric.scope) for metric in PRINTED
    ]
    assert [[(log["path"], log["sha256"], log["first"], log["last"]) for log in row["logs"]] for row in read] == [
        [(e.path, e.sha256, *e.lines) for e in metric.exhibits] for metric in PRINTED
    ]


def test_csv_has_the_same_as_parquet() -> None:
    data = exported(FORMATS["parquet"], PRINTED).files["metrics.parquet"]
    of_parquet = pyarrow.parquet.read_table(io.BytesIO(data)).to_pylist()
    of_csv = rows(text("csv", *PRINTED))
    for name in ("name", "printed", "unit", "scope", "protocol", "device", "cards"):
        assert [row[name] for row in of_csv] == [row[name] or "" for row in of_parquet]
    assert [json.loads(row["logs"] or "[]") for row in of_csv] == [row["logs"] for row in of_parquet]


@pytest.mark.parametrize(
    ("target", "schema"),
    [
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
        ("pytorch-benchmark", replace(EXAMPLE, case={})),
        ("tipc", replace(EXAMPLE, scope="card")),
        ("tipc", replace(EXAMPLE, quantity="speed_up", scope="")),
        ("tipc", replace(EXAMPLE, case={"model": "M"})),
        ("tipc", with_case(tensor_parallel=2)),
        ("tipc", with_case(cards="eight")),
    ],
)
def test_what_does_not_fit_is_left_out_and_counted(target: str, metric: Metric) -> None:
    done = exported(FORMATS[target], [metric])
    assert (done.files, done.count, sum(done.left_out.values())) == ({}, 0, 1)


@pytest.mark.parametrize("target", [name for name, target in FORMATS.items() if not target.takes_quotes])
def test_a_quoted_figure_is_left_out_where_it_cannot_be_marked(target: str) -> None:
    direction = -1 if target.endswith("smaller") else 1
    done = exported(FORMATS[target], [replace(EXAMPLE, is_quoted=True, direction=direction)])
    assert (done.files, list(done.left_out)) == ({}, ["quoted from others, or computed from what is quoted"])


def test_a_quoted_figure_is_marked_in_a_table() -> None:
    assert [row["quoted"] for row in rows(text("csv", replace(EXAMPLE, is_quoted=True), EXAMPLE))] == ["true", "false"]


@pytest.mark.parametrize("target", [name for name, target in FORMATS.items() if target.is_text])
def test_a_number_of_the_golden_pages_is_exported_as_it_stands_here(target: str, compare: Compare) -> None:
    direction = -1 if target.endswith("smaller") else 1
    made = files(target, replace(EXAMPLE, direction=direction), *metrics(GOLDEN / "toy.toml"))
    said = "".join(f"==> {name} <==\n{text}\n" for name, text in made.items())
    compare(Path(__file__).parent / f"golden/{target}.txt", said)
