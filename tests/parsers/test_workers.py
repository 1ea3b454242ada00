"""Workers: the same results in the same order, on this machine or elsewhere."""

import os
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from uuid import uuid4

import pytest

from parsers.runs.reading import read
from parsers.sharing.workers import AHEAD, ALONE, MOST_TASKS, Caller, Workers, WorkersError, work_for
from tests.parsers.golden_logs import GOLDEN
from tests.parsers.shared_work import die, large
from tests.parsers.toy_logs import write, write_grammar

TWO = Workers(jobs=2)
COUNTS = [1, 5 * MOST_TASKS]


def small(_: object) -> int:
    return 1


def fail_on_three(number: int) -> int:
    if number == 3:
        raise ValueError("three")
    return number


@pytest.mark.parametrize("workers", [ALONE, TWO])
@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("size", [small, large])
def test_results_are_in_the_order_of_the_tasks(workers: Workers, count: int, size: "type[int]") -> None:
    with workers.each(abs, range(-count, 0), size) as results:
        assert list(results) == list(range(count, 0, -1))


@pytest.mark.parametrize("count", [4, 5 * MOST_TASKS])
def test_what_a_task_raises_is_raised_where_its_result_is_taken(count: int) -> None:
    with TWO.each(fail_on_three, range(count), large) as results:
        assert [next(results) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(ValueError, match="three"):
            next(results)


def first_slowly(number: int) -> int:
    time.sleep(0 if number else 0.2)
    return number


def test_only_so_many_tasks_are_found_before_the_first_result_is_taken() -> None:
    found = []

    def tasks() -> Iterator[int]:
        for number in range(100 * AHEAD):
            found.append(number)
            yield number

    with TWO.each(first_slowly, tasks(), large) as results:
        assert [next(results), next(results)] == [0, 1]
        assert len(found) <= AHEAD + 2


def wait_a_little(path: Path) -> None:
    time.sleep(0.05)
    path.touch()


def test_nothing_is_begun_after_an_error(tmp_path: Path) -> None:
    paths = [tmp_path / str(number) for number in range(200)]
    with pytest.raises(ValueError, match="elsewhere"), TWO.each(wait_a_little, paths, large):
        raise ValueError("elsewhere")
    left = len(list(tmp_path.iterdir()))
    time.sleep(0.2)
    assert len(list(tmp_path.iterdir())) == left < len(paths)


def test_a_process_that_is_killed_is_told_in_a_sentence() -> None:
    with pytest.raises(WorkersError, match="was killed"), TWO.each(die, range(8), large) as results:
        list(results)


TOYS = [b"toy %d speed 2.5\n" % number for number in range(1, 4)]


@pytest.fixture(autouse=True)
def _here() -> Iterator[None]:
    before = Path.cwd()
    yield
    assert Path.cwd() == before


def caller(folder: Path | str = GOLDEN, called: str = version("tachograph"), **variables: str) -> Caller:
    return "tcp://head:8786", called, uuid4().hex, str(folder), variables


def names(pattern: str) -> list[str]:
    return sorted(str(path) for path in Path().glob(pattern))


def variable(name: str) -> str | None:
    return os.environ.get(name)


def formats_of(path: Path) -> list[str]:
    return [part.format.name for part in read(path).parts if part.format]


def fail(_: object) -> None:
    raise ValueError("three")


def test_folder_and_variables_are_those_of_the_caller_while_it_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TACHOGRAPH_KERNEL", "2")
    (tmp_path / "a.log").touch()
    assert work_for(caller(tmp_path), names, ["*"]) == [["a.log"]]
    wanted = ["TACHOGRAPH_KERNEL", "TACHOGRAPH_FORMATS"]
    assert work_for(caller(TACHOGRAPH_FORMATS="own"), variable, wanted) == [None, "own"]
    with pytest.raises(ValueError, match="three"):
        work_for(caller(), fail, [1])
    assert [variable(name) for name in wanted] == ["2", None]


def test_a_worker_without_the_folder_or_of_another_version_is_told_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(WorkersError, match="cannot open"):
        work_for(caller(tmp_path / "absent"), names, ["*"])
    with pytest.raises(WorkersError, match=r"have Tachograph .*, and this machine has 9\.9"):
        work_for(caller(called="9.9"), names, ["*"])


def test_a_grammar_that_changed_is_read_anew_in_the_next_call(tmp_path: Path) -> None:
    log = write(tmp_path, *TOYS)
    own = caller(tmp_path, TACHOGRAPH_FORMATS=".")
    write_grammar(tmp_path, "toy")
    assert work_for(own, formats_of, [log]) == [["toy"]]
    (tmp_path / "toy.lark").rename(tmp_path / "other.lark")
    assert work_for(own, formats_of, [log]) == [["toy"]]
    assert work_for(caller(tmp_path, TACHOGRAPH_FORMATS="."), formats_of, [log]) == [["other"]]
