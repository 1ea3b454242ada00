"""Far work: a process that works for many callers does what each would do itself, and keeps nothing for the next."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from parsers.runs.reading import read
from parsers.sharing.workers import Caller, FarWorkError, work_for
from tests.parsers.golden_logs import GOLDEN
from tests.parsers.toy_logs import write, write_grammar

TOYS = [b"toy %d speed 2.5\n" % number for number in range(1, 4)]


@pytest.fixture(autouse=True)
def _here() -> Iterator[None]:
    before = Path.cwd()
    yield
    assert Path.cwd() == before


def caller(folder: Path | str = GOLDEN, **variables: str) -> Caller:
    return replace(Caller.here("tcp://head:8786"), folder=str(folder), variables=variables)


def names(pattern: str) -> list[str]:
    return sorted(str(path) for path in Path().glob(pattern))


def variable(name: str) -> str | None:
    return os.environ.get(name)


def formats_of(path: Path) -> list[str]:
    return [part.format.name for part in read(path).parts if part.format]


def fail(_: object) -> None:
    raise ValueError("three")


def test_relative_paths_are_those_of_the_caller(tmp_path: Path) -> None:
    (tmp_path / "a.log").touch()
    assert work_for(caller(tmp_path), names, ["*"]) == [["a.log"]]


def test_variables_are_those_of_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TACHOGRAPH_UNPACKED_GIB", "2")
    wanted = ["TACHOGRAPH_UNPACKED_GIB", "TACHOGRAPH_FORMATS"]
    assert work_for(caller(TACHOGRAPH_FORMATS="own"), variable, wanted) == [None, "own"]
    assert [variable(name) for name in wanted] == ["2", None]


def test_an_error_leaves_folder_and_variables_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TACHOGRAPH_UNPACKED_GIB", "2")
    with pytest.raises(ValueError, match="three"):
        work_for(caller(), fail, [1])
    assert variable("TACHOGRAPH_UNPACKED_GIB") == "2"


def test_another_version_is_told_in_a_sentence() -> None:
    with pytest.raises(FarWorkError, match=r"have Tachograph .*, and this machine has 9\.9"):
        work_for(replace(caller(), version="9.9"), names, ["*"])


def test_a_grammar_that_changed_is_read_anew_in_the_next_call(tmp_path: Path) -> None:
    log = write(tmp_path, *TOYS)
    own = caller(tmp_path, TACHOGRAPH_FORMATS=".")
    write_grammar(tmp_path, "toy")
    assert work_for(own, formats_of, [log]) == [["toy"]]
    (tmp_path / "toy.lark").rename(tmp_path / "other.lark")
    assert work_for(own, formats_of, [log]) == [["toy"]]
    assert work_for(caller(tmp_path, TACHOGRAPH_FORMATS="."), formats_of, [log]) == [["other"]]
