"""Short paths: long enough to tell files apart, and no longer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.views.view import short_paths

paths = st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("/".join)


@pytest.mark.parametrize(
    ("called", "below"),
    [
        (["N1C1_log", "N1C8_log"], "suite/"),
        (["1/train.log", "2/train.log"], "suite/N1C1/"),
        (["N1C1/1/train.log", "N1C1/2/train.log", "N1C2/1/train.log"], "suite/"),
        (["r/train.log", "s/r/train.log"], ""),
    ],
    ids=["names", "repeats", "cases and repeats", "end of another"],
)
def test_a_path_is_as_long_as_tells_those_of_its_name_apart(called: list[str], below: str) -> None:
    assert short_paths({f"{below}{short}" for short in called}) == {f"{below}{short}": short for short in called}


def test_files_of_another_name_make_no_path_longer() -> None:
    assert short_paths({"s/1/train.log", "s/2/train.log", "s/1/gpu.csv"})["s/1/gpu.csv"] == "gpu.csv"


@given(st.sets(paths))
def test_no_two_paths_are_called_alike(found: set[str]) -> None:
    called = short_paths(found)
    assert len(set(called.values())) == len(found)
    assert all(f"/{path}".endswith(f"/{short}") for path, short in called.items())
