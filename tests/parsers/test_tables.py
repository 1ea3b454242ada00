"""The table of records: arrays, and the same as a DataFrame when it is asked for."""

import pickle

import numpy as np

from parsers.runs.reading import read
from parsers.scanning.record_table import RecordTable
from tests.parsers.golden_logs import LOGS

TABLES = [part.table for log in LOGS[:40] for part in read(log).parts]


def test_the_dataframe_has_the_columns_of_the_table() -> None:
    for table in TABLES:
        assert list(table.frame) == list(table)
        assert table.frame["line"].tolist() == table["line"].tolist()


def test_the_records_of_a_kind_are_those_that_the_dataframe_calls_so() -> None:
    for table in TABLES:
        for kind in ("step", "epoch", "summary"):
            assert table.are(kind).tolist() == (table.frame["record"] == kind).tolist()


def test_a_table_goes_to_another_process_without_its_dataframe() -> None:
    table = RecordTable({"line": np.arange(1, 4), "record": np.zeros(3, np.int8)})
    before = pickle.dumps(table)
    assert len(table.frame) == 3
    assert pickle.dumps(table) == before


def test_a_column_more_is_in_another_table() -> None:
    table = RecordTable({"line": np.arange(1, 4), "record": np.zeros(3, np.int8)})
    assert table.having("loss", np.ones(3))["loss"].tolist() == [1, 1, 1]
    assert "loss" not in table
