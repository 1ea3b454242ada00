"""Rows of numbers under a header, in logs of no format: read where the header names a unit, else refused."""

import re
from pathlib import Path

import pytest

from parsers.general.drafting import draft

STEPS = range(1, 9)
HEAD = ("Step", "Loss", "LR", "tok/s")


def rows(*cells: str, steps: range = STEPS) -> list[str]:
    """Rows of a table: of each step 10 times its number, a falling loss, and these cells."""
    return ["  ".join([f"{10 * n:6d}", f"{3 - n / 10:.4f}", *cells]) for n in steps]


def read(folder: Path, *lines: str) -> list[float | None]:
    """What is read of a column of speed; none where the log is refused."""
    log = folder / "train.log"
    log.write_text("\n".join([*lines, ""]), encoding="utf-8")
    found = draft(log)
    if not found.is_found:
        return []
    (column,) = (name for name in ("throughput", "step_time", "step_rate") if name in found.reading.records)
    return list(found.reading.records[column])


HEADERS = {
    "aligned": ("  Step    Loss      LR    tok/s", rows("1e-4", "9000.5")),
    "names_of_several_words": ("Step   Train Loss   LR   Tokens per second", rows("1e-4", "9000.5")),
    "ruled": ("Step Loss lr tok/s\n---- ---- -- -----", rows("1e-4", "9000.5")),
    "pipes": (
        "| step | loss | samples/s | ms |\n|-----:|-----:|---:|---:|",
        [f"| {n} | 1.5 | 9000.5 | {'-' if n % 2 else n} |" for n in STEPS],
    ),
    "commas": ("step,loss,img/s", [f"{n}, 1.5, 9000.5" for n in STEPS]),
    "tabs": ("epoch\tloss\timages/sec\tother", [f"{n}\t1.5\t9000.5\t1:30" for n in STEPS]),
    "times": ("step loss ms/step acc", [f"{n} 1.5 9000.5 12%" for n in STEPS]),
}


@pytest.mark.parametrize("layout", HEADERS)
def test_the_rows_under_a_header_that_names_a_unit_are_read(tmp_path: Path, layout: str) -> None:
    header, table = HEADERS[layout]
    assert read(tmp_path, "a first line", header, *table[:4], "saved a checkpoint", *table[4:]) == [9000.5] * 8


def test_whose_a_rate_is_stays_unknown_unless_the_header_says_so(tmp_path: Path) -> None:
    for name, scope in (("tok/s", "unknown"), ("tok/s/gpu", "card")):
        assert read(tmp_path, f"step loss lr {name}", *rows("1e-4", "9000.5"))
        found = draft(tmp_path / "train.log")
        assert found.is_found
        assert found.reading.fields["step", "throughput"].scope == scope


REFUSED = {
    "a_rate_without_a_unit": "step loss lr speed",
    "a_time_without_a_unit": "step loss lr time",
    "a_time_of_nobody_knows_what": "step loss lr dt(ms)",
    "a_mean": "step loss lr avg_tok/s",
    "an_evaluation": "step val_loss lr tok/s",
    "the_speed_of_an_evaluation": "step loss lr eval_tok/s",
    "a_part_of_a_step": "step loss tokens data_ms/step",
    "nothing_of_training": "step size lr_ tok/s",
    "no_counter": "size loss lr tok/s",
    "thousands": "step loss lr tok/s(K)",
    "two_rates": "step loss samples/s tok/s",
}


@pytest.mark.parametrize("why", REFUSED)
def test_a_header_that_does_not_prove_a_speed_of_training_is_refused(tmp_path: Path, why: str) -> None:
    assert read(tmp_path, REFUSED[why], *rows("100.5", "9000.5")) == []


def test_a_table_below_the_title_of_an_evaluation_is_refused(tmp_path: Path) -> None:
    assert read(tmp_path, "=== Validation ===", " ".join(HEAD), *rows("1e-4", "9000.5")) == []


def test_a_table_is_refused_where_the_same_columns_stand_below_the_title_of_an_evaluation(tmp_path: Path) -> None:
    header, table = " ".join(HEAD), rows("1e-4", "9000.5")
    assert read(tmp_path, header, *table, "Evaluation:", header, *rows("1e-4", "70000.5")) == []
    assert read(tmp_path, header, *table, "Training again:", header, *table) == [9000.5] * 16


OTHERS = {
    "below_its_title": ("=== Validation ===", "9000.5"),
    "below_a_title_before_other_lines": ("Evaluation\nmodel: a\ndtype: bf16\ndevice: cuda\nbatches: 9", "9000.5"),
    "at_another_speed": ("holdout", "30000.5"),
}


@pytest.mark.parametrize("case", OTHERS)
def test_tables_of_training_and_of_an_evaluation_under_the_same_header_are_refused(tmp_path: Path, case: str) -> None:
    title, speed = OTHERS[case]
    table = [" ".join(HEAD), *rows("1e-4", "9000.5")]
    assert read(tmp_path, *table, title, " ".join(HEAD), *rows("1e-4", speed)) == []


def test_rows_that_do_not_count_by_the_same_number_are_of_a_sweep(tmp_path: Path) -> None:
    sweep = [f"{2**n}  2.5{n}  1e-4  {n}000.5" for n in range(1, 9)]
    assert read(tmp_path, "batch loss lr tok/s", *sweep) == []


def test_the_time_of_a_step_beside_its_rate_is_read(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text("\n".join(["step loss ms/step tok/s", *rows("100.5", "9000.5"), ""]))
    found = draft(log)
    assert found.is_found
    assert {"throughput", "step_time"} <= set(found.columns)


def test_a_table_is_refused_where_another_one_has_as_many_columns(tmp_path: Path) -> None:
    other = ["step acc top1 top5", *rows("0.5", "0.7")]
    assert read(tmp_path, " ".join(HEAD), *rows("1e-4", "9000.5"), *other) == []


def test_a_table_of_other_columns_between_is_not_read(tmp_path: Path) -> None:
    other = ["step acc top5", *rows("0.7")]
    assert read(tmp_path, " ".join(HEAD), *rows("1e-4", "9000.5"), *other) == [9000.5] * 8


def test_steps_that_fall_back_without_a_new_header_are_refused(tmp_path: Path) -> None:
    table = rows("1e-4", "9000.5")
    assert read(tmp_path, " ".join(HEAD), *table, *table) == []
    assert read(tmp_path, *[" ".join(HEAD), *table] * 2) == [9000.5] * 16


def test_steps_that_fall_back_so_late_that_no_header_is_known_are_refused(tmp_path: Path) -> None:
    header, table = " ".join(HEAD), rows("1e-4", "9000.5", steps=range(1, 3002))
    assert read(tmp_path, header, *table, "Evaluation:", header, *rows("1e-4", "70000.5")) == []
    assert read(tmp_path, header, *table, header, *rows("1e-4", "9000.5", steps=range(3002, 3010))) == [9000.5] * 3009


def test_text_that_is_no_row_is_not_read(tmp_path: Path) -> None:
    table = rows("1e-4", "9000.5")
    found = read(tmp_path, " ".join(HEAD), *table, "90 1.5 1e-4", "90 1.5 1e-4 9000.5 1", "at 90 1.5 9000.5")
    assert found == [9000.5] * 8


def test_a_long_line_of_rulers_and_blanks_takes_no_long_time(tmp_path: Path) -> None:
    hostile = ["-" * 100_000 + "x", " " * 100_000 + ",", "|" * 50_000, re.sub("x", " -", "x" * 50_000) + "!"]
    assert read(tmp_path, " ".join(HEAD), *rows("1e-4", "9000.5"), *hostile * 20) == [9000.5] * 8


def test_a_header_below_the_result_of_an_evaluation_goes_on_with_training(tmp_path: Path) -> None:
    header, first, more = " ".join(HEAD), rows("1e-4", "9000.5"), rows("1e-4", "9000.5", steps=range(9, 17))
    assert read(tmp_path, header, *first, "eval loss: 2.5", header, *more) == [9000.5] * 16


def test_rows_that_count_anew_at_another_speed_may_be_of_an_evaluation(tmp_path: Path) -> None:
    header, first, more = " ".join(HEAD), rows("1e-4", "9000.5"), rows("1e-4", "9000.5", steps=range(9, 17))
    assert read(tmp_path, header, *first, header, *rows("1e-4", "9900.5"), header, *more) == []


PAGES = {
    "a title": ("# Acme", "", "| step | loss | tokens/s |", "|---|:-:|--:|", *["| {n} | 2.5 | 100{n} |"] * 12),
    "few rows": ("Results", "| step | loss | tokens/s |", "|---|:-:|--:|", *["| {n} | 2.5 | 100{n} |"] * 4),
    "units in its cells": ("# Acme", "| step | speed | loss |", "|---|---|---|", *["| {n} | 10 tokens/s | 2.5 |"] * 4),
}


@pytest.mark.parametrize("lines", PAGES.values(), ids=PAGES)
def test_a_page_in_markdown_with_a_table_is_no_log(tmp_path: Path, lines: tuple[str, ...]) -> None:
    assert read(tmp_path, *(line.format(n=number) for number, line in enumerate(lines))) == []
