"""The telemetry beside a log: what its graphics cards did."""

import re
from pathlib import Path

import pandas as pd
import pytest

from parsers.io.errors import LogError
from parsers.runs.run_folder import LATER_COLUMNS, TELEMETRY_COLUMNS
from parsers.runs.runfile import sha256_of
from parsers.runs.side_files import Telemetry, telemetry
from tests.parsers.run_folders import make_run, put_gpu

OLD_COLUMNS = [name for name in TELEMETRY_COLUMNS if name not in LATER_COLUMNS]
ROW = "1935619200.123,0,97,30000,312.45,1980,2619,55"


def found(folder: Path, *rows: str) -> Telemetry | None:
    log = make_run(folder, b"a log\n")
    put_gpu(log, *rows)
    return telemetry(log, sha256_of(log))


def samples(folder: Path, *rows: str) -> pd.DataFrame:
    table = found(folder, *rows)
    assert table is not None
    return table.samples


def test_a_sample_has_its_line_and_all_that_the_card_tells(tmp_path: Path) -> None:
    (row,) = samples(tmp_path, ROW).to_dict("records")
    time = pd.Timestamp("2031-05-04 00:00:00.123")
    told = {name: value for name, value in row.items() if name not in LATER_COLUMNS}
    assert told == dict(zip(("line", *OLD_COLUMNS), (2, time, 0, 97, 30000, 312.45, 1980, 2619, 55), strict=True))


def test_a_file_of_this_version_has_further_columns(tmp_path: Path) -> None:
    log = make_run(tmp_path, b"a log\n")
    text = f"{','.join(TELEMETRY_COLUMNS)}\n{ROW},4,3,0,51200,2048,5,16,1,1200\n"
    log.with_name("gpu.csv").write_text(text, encoding="utf-8")
    told = telemetry(log, sha256_of(log))
    assert told is not None
    (row,) = told.samples.to_dict("records")
    assert [row[name] for name in LATER_COLUMNS] == [4, 3, 0, 51200, 2048, 5, 16, 1, 1200]


def test_a_value_that_a_card_cannot_tell_is_nan(tmp_path: Path) -> None:
    row = samples(tmp_path, "1935619200.123,0,,,,,,").iloc[0]
    assert row[list(TELEMETRY_COLUMNS[2:])].isna().all()


def test_a_run_without_telemetry_has_none(tmp_path: Path) -> None:
    log = make_run(tmp_path, b"a log\n")
    assert telemetry(log, sha256_of(log)) is None


def test_telemetry_beside_another_log_is_not_used(tmp_path: Path) -> None:
    log = make_run(tmp_path, b"a log\n")
    put_gpu(log, ROW)
    assert telemetry(log, "0" * 64) is None


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("x,0,97,30000,312.45,1980,2619,55", "line 3: time is 'x'; expected a number."),
        ("1935619200,,97,30000,312.45,1980,2619,55", "line 3: card is ''; expected a number."),
        ("1935619200,-1,97,30000,312.45,1980,2619,55", "line 3: card is -1; expected a card number from 0."),
        ("1935619200,0.5,97,30000,312.45,1980,2619,55", "line 3: card is 0.5; expected a card number from 0."),
        ("1935619200,0,97,30000,[N/A],1980,2619,55", "line 3: power is '[N/A]'; expected a number."),
        ("1935619200,0,97", "line 3 has 3 columns; expected 8."),
    ],
)
def test_broken_telemetry_is_an_error_that_names_file_and_line(row: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(LogError, match=re.escape(f"{tmp_path / 'gpu.csv'}: {said}")):
        found(tmp_path, ROW, row)
