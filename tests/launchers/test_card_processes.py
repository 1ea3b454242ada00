"""Which processes compute on the cards, and what each holds: what a run's gpu_processes.csv says."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from launchers.machine import card_processes
from launchers.machine.card_processes import CardProcesses, program
from launchers.machine.card_sample import CardAnswer, CardProcess
from parsers.runs.run_folder import CardSample, ProcessRow


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every process runs python3."""
    monkeypatch.setattr(card_processes, "program", lambda _: "python3")


def answer(card: int, held: dict[int, float | None] | None) -> CardAnswer:
    processes = None if held is None else tuple(CardProcess(*one) for one in held.items())
    return CardAnswer(card, CardSample(), processes)


def told(*moments: list[CardAnswer]) -> list[list[ProcessRow]]:
    """What is written at each moment."""
    processes = CardProcesses()
    return [list(processes.changes(moment)) for moment in moments]


@pytest.mark.usefixtures("named")
def test_a_process_has_a_row_when_it_comes_and_when_its_memory_changes() -> None:
    moments = told([answer(0, {7: 100})], [answer(0, {7: 100})], [answer(0, {7: 300})])
    assert moments == [[ProcessRow(0, 7, "python3", 100)], [], [ProcessRow(0, 7, "python3", 300)]]


@pytest.mark.usefixtures("named")
def test_a_process_that_has_gone_holds_nothing() -> None:
    assert told([answer(0, {7: 100})], [answer(0, {})])[1] == [ProcessRow(0, 7, "python3", 0)]


@pytest.mark.usefixtures("named")
@pytest.mark.parametrize(("held", "memory"), [((100, 20), 120), ((None, 20), None), ((100, None), None)])
def test_shares_of_a_process_in_parts_of_a_card_add_up(held: tuple[float | None, ...], memory: float | None) -> None:
    found = CardAnswer(0, CardSample(), tuple(CardProcess(7, share) for share in held))
    assert told([found]) == [[ProcessRow(0, 7, "python3", memory)]]


@pytest.mark.usefixtures("named")
def test_a_card_that_does_not_answer_has_not_lost_its_processes() -> None:
    assert told([answer(0, {7: 100})], [answer(0, None)], [answer(0, {7: 100})])[1:] == [[], []]


@pytest.fixture
def process(tmp_path: Path) -> Iterator[int]:
    """A process with a secret among its arguments."""
    command = [sys.executable, "-c", "print(flush=True); import time; time.sleep(60)", "--token=abcdef"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as started:
        assert started.stdout
        started.stdout.readline()
        yield started.pid
        started.kill()


def test_a_program_is_named_by_its_file_without_its_arguments(process: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card_processes, "_DEVICES", ("pipe:",))
    assert program(process) == Path(sys.executable).resolve().name


def test_a_process_that_has_no_card_open_is_another_one_and_is_not_named(process: int) -> None:
    assert program(process) is None


@pytest.mark.parametrize(("file", "name"), [('a b,"c\nd', "a_b__c_d"), ("trainer (deleted)", "trainer"), ("é", "_")])
def test_a_name_is_one_cell_of_a_table(tmp_path: Path, file: str, name: str) -> None:
    (tmp_path / "17/fd").mkdir(parents=True)
    (tmp_path / "17/fd/3").symlink_to("/dev/nvidiactl")
    (tmp_path / "17/exe").symlink_to(f"/opt/{file}")
    assert program(17, tmp_path) == name
