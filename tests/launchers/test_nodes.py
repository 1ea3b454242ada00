"""The nodes of a job describe themselves, and what they wrote is put together."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import pytest
from native_checkout import TOP, Native

from launchers.run.nodes import collect
from parsers.runs.run_folder import PROCESS_COLUMNS, TELEMETRY_COLUMNS

HEAD = ",".join(TELEMETRY_COLUMNS) + "\n"
REST = "," * (len(TELEMETRY_COLUMNS) - 3)  # cells that a card does not tell


def put(folder: Path, node: int, *rows: str, cards: int = 2) -> None:
    """What a node with so many cards wrote."""
    (folder / f"node{node}.json").write_text(json.dumps({"node": node, "gpus": ["toy"] * cards}))
    (folder / f"node{node}.csv").write_text(HEAD + "".join(f"{row}\n" for row in rows))


def observe(native: Native, folder: Path, until: int, *options: str) -> None:
    """Run `tachograph observe` on this machine, which has two pretended cards."""
    folder.mkdir()
    environment = os.environ | native.environment | {"PYTHONPATH": str(TOP / "tests" / "launchers" / "nvml")}
    command = [*native.command, "observe", str(folder), "--node", "3", "--until", str(until), *options]
    subprocess.run(command, cwd=TOP, env=environment, check=True, stdout=subprocess.DEVNULL, timeout=60)


def test_the_descriptions_of_the_nodes_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for node in (10, 0, 9):
        put(tmp_path, node)
    assert [dict(found)["node"] for found in collect(tmp_path)[0]] == [0, 9, 10]


def test_the_cards_are_counted_on_from_node_to_node(tmp_path: Path) -> None:
    put(tmp_path, 0, f"1.0,0,5{REST}", f"1.0,1,6{REST}")
    put(tmp_path, 1, f"1.5,0,7{REST}", f"1.5,1,8{REST}")
    collect(tmp_path)
    samples = f"1.0,0,5{REST}\n1.0,1,6{REST}\n1.5,2,7{REST}\n1.5,3,8{REST}\n"
    assert (tmp_path / "gpu.csv").read_text() == HEAD + samples


def test_cards_that_no_description_names_are_counted_by_their_samples(tmp_path: Path) -> None:
    for node in (0, 1):
        put(tmp_path, node, f"1.0,0,5{REST}", f"1.0,1,6{REST}", cards=0)
        with (tmp_path / f"node{node}.csv").open("a") as file:
            file.write("2.0,0")  # a row that is cut
    collect(tmp_path)
    rows = (tmp_path / "gpu.csv").read_text().splitlines()[1:]
    assert [row.split(",")[1] for row in rows] == ["0", "1", "2", "3"]
    assert [path.name for path in tmp_path.iterdir()] == ["gpu.csv"]


def test_samples_of_processes_are_those_of_a_job_only_where_it_has_one_node(tmp_path: Path) -> None:
    head = ",".join(PROCESS_COLUMNS) + "\n"
    for nodes in (1, 2):
        (folder := tmp_path / str(nodes)).mkdir()
        for node in range(nodes):
            put(folder, node)
            (folder / f"node{node}.cpu.csv").write_text(f"{head}100.000,1,1.5,10\nx,1,1,10\n102.000,1,,12\n103.0")
        collect(folder)
    assert {path.name: path.read_text() for path in (tmp_path / "1").iterdir()} == {
        "cpu.csv": f"{head}100.000,1,1.5,10\n102.000,1,,12\n"  # what is no sample, or cut, is left out
    }
    assert list((tmp_path / "2").iterdir()) == []


def test_a_node_that_was_ended_while_it_described_itself_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "node0.half").write_text('{"gpus"')
    (tmp_path / "node1.csv").write_text("")
    assert collect(tmp_path) == ([], None)


def test_nodes_without_cards_have_no_samples(tmp_path: Path) -> None:
    (tmp_path / "node0.json").write_text('{"gpus": []}')
    assert (collect(tmp_path)[0], list(tmp_path.iterdir())) == ([{"gpus": []}], [])


@pytest.mark.slow
def test_the_samples_of_a_node_go_on_until_its_training_ends(native: Native, tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "60"]) as training:
        observe(native, tmp_path / "run", until=training.pid)
        assert json.loads((tmp_path / "run" / "node3.json").read_text())["gpus"] == ["NVIDIA H200"] * 2
        time.sleep(1.5)
        training.kill()
    time.sleep(1.2)
    samples = tmp_path / "run" / "node3.csv"
    before = samples.read_text()
    time.sleep(1.2)
    assert (len(before.splitlines()) >= 3, samples.read_text()) == (True, before)


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--without-processes",)])
def test_what_all_tasks_of_a_node_take_is_sampled_together_if_at_all(
    native: Native, tmp_path: Path, options: tuple[str, ...]
) -> None:
    with subprocess.Popen(["sleep", "60"]) as task, subprocess.Popen(["sleep", "60"]) as neighbour:
        observe(native, tmp_path / "run", task.pid, *options)
        time.sleep(1.2)
        task.kill()
        neighbour.kill()
    samples = tmp_path / "run" / "node3.cpu.csv"
    assert samples.exists() == (not options)
    if not options:
        head, first, *_ = samples.read_text().splitlines()
        assert (head, int(first.split(",")[1]) >= 2) == ("time,processes,load,memory", True)
        _, others = collect(tmp_path / "run")
        assert others is not None
        assert 0 <= others["cpu_percent"] <= 100
    assert collect(tmp_path / "run")[1] is None


@pytest.mark.parametrize("text", ["", "[1]", "7", '{"cpu_percent": "x"}', '{"cpu_percent": 1, "load_average": null}'])
def test_a_file_that_does_not_tell_what_others_took_is_ignored(tmp_path: Path, text: str) -> None:
    (tmp_path / "node0.foreign.json").write_text(text)
    put(tmp_path, 0)
    assert (collect(tmp_path)[1], list(tmp_path.iterdir())) == (None, [])
