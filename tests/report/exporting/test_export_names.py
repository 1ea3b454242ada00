"""Names of strangers, whatever is in them: every format reads them back as they are shown, and no file name is one."""

import csv
import io
import json
from dataclasses import replace
from pathlib import PurePath

import jsonschema
import pyarrow.parquet
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from parsers.io.printable import printable
from report.rendering.exporting.formats import FORMATS, ExportError, exported, file_name
from tests.hostile_text import HOSTILE, unseen
from tests.report.exporting import schemas
from tests.report.exporting.exported import EXAMPLE, called, families, files, text

HARD = st.text(
    st.sampled_from("\n\r\t\0\x1b\x85\u2028\u202e\"'\\,;|={}[]#:-. /@+%é你\ud800") | st.characters(), max_size=40
)
TEXTS = [name for name, target in FORMATS.items() if target.is_text]


def hostile(name: str) -> str:
    """A name that fits every target, which is one that is not empty."""
    return f"n{name}n"


@given(HARD)
@example(HOSTILE)
@example("'\"\\,\n|")
def test_no_file_has_a_character_that_is_not_seen(name: str) -> None:
    metric = called(hostile(name))
    for target in TEXTS:
        for said in files(target, metric).values():
            assert unseen(said) == set()


@given(HARD)
@example(HOSTILE)
def test_openmetrics_reads_names_back(name: str) -> None:
    shown = printable(hostile(name))
    (gauge, info) = families(text("openmetrics", called(hostile(name))))
    labels = gauge.samples[0].labels
    assert {labels[key] for key in ("suite", "name", "unit", "title", "model", "qualifier")} == {shown}
    assert info.samples[0].labels["log"] == shown
    assert gauge.samples[0].value == EXAMPLE.number


@given(HARD)
@example(HOSTILE)
def test_csv_and_parquet_read_names_back(name: str) -> None:
    shown = printable(hostile(name))
    (row,) = csv.DictReader(io.StringIO(text("csv", called(hostile(name)))))
    assert {row[key] for key in ("suite", "name", "title", "unit", "model")} == {shown}
    assert json.loads(row["logs"])[0]["path"] == shown
    data = exported(FORMATS["parquet"], [called(hostile(name))]).files["metrics.parquet"]
    (told,) = pyarrow.parquet.read_table(io.BytesIO(data)).to_pylist()
    assert (told["name"], told["logs"][0]["path"], told["remarks"]) == (shown, shown, [shown])


@given(HARD)
@example(HOSTILE)
def test_json_reads_names_back_and_fits_its_schema(name: str) -> None:
    shown, metric = printable(hostile(name)), replace(called(hostile(name)), unit="images/s")
    for target, schema in (("github-action-benchmark", schemas.ACTION), ("pytorch-benchmark", schemas.DATABASE)):
        jsonschema.validate(json.loads(text(target, metric)), schema)
    assert json.loads(text("github-action-benchmark", metric))[0]["name"] == f"{shown}/{shown}"
    assert json.loads(text("pytorch-benchmark", metric))[0]["model"] == {"name": shown, "backend": shown}


@given(HARD)
@example("../../etc/passwd")
@example("")
@example(".hidden")
@example("a" * 4000)
def test_a_file_name_is_one_that_every_file_system_takes(name: str) -> None:
    made = file_name(name)
    assert made.isascii()
    assert PurePath(made).name == made
    assert not made.startswith((".", "-"))
    assert 0 < len(made) < 240


@given(HARD, HARD)
@example("a b", "a-b")
@example("a/b", "a b")
@example("a b", file_name("a b"))
def test_two_texts_have_two_file_names(one: str, other: str) -> None:
    assert (file_name(one) == file_name(other)) == (one == other)


@pytest.mark.parametrize("target", ["github-action-benchmark", "openmetrics", "tipc"])
def test_two_numbers_of_one_name_are_refused_rather_than_one_lost(target: str) -> None:
    with pytest.raises(ExportError, match="two numbers would both be called"):
        exported(FORMATS[target], [EXAMPLE, EXAMPLE])
