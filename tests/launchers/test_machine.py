"""What is known of the machine, its cards and its Python, and what the samples of a run hold, but nothing private."""

import ast
import csv
import inspect
import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
from checkouts import TOP, Native, wait_until
from nvml import pynvml as stand_in

from launchers.machine import cards as machine_cards
from launchers.machine import facts, telemetry
from launchers.machine.cards import CardAnswer, CardProcess
from launchers.machine.telemetry import RunLoad, below, foreign_remark, program, worst
from launchers.run.nodes import collect
from parsers.runs.run_folder import PROCESS_COLUMNS, TELEMETRY_COLUMNS, CardSample, Foreign
from tests.commandline import executable

Cards = Callable[..., None]
QUESTION = TOP / "launchers" / "recipes" / "native_python.py"


def test_the_cards_their_driver_and_their_topology_are_described(
    cards: Cards, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    cards()
    found = facts.describe({}, None)
    assert (found["gpus"], found["gpu_memory_mib"]) == (["NVIDIA H200"] * 2, [143771] * 2)
    assert (found["driver"], found["cuda_driver"], found["topology"]) == ("550.54.15", "12.4", [])
    rows = [
        "\tGPU0\tGPU1\tNIC0\tCPU Affinity",
        "GPU0\t X \tNV4\tSYS\t0-63",
        "GPU1\tNV4\t X \tPIX\t0-63",
        "NIC0\tSYS\tPIX\t X",
    ]
    topology = shlex.quote("\n".join([*rows, "", "Legend:", "", "  X    = Self", ""]))
    executable(tmp_path / "nvidia-smi", f'#!/bin/sh\n[ "$*" = "topo -m" ] && echo {topology}\n')
    assert facts.describe({}, None)["topology"] == [["X", "NV4"], ["NV4", "X"]]
    cards(refused=True)
    found = facts.describe({}, None)
    assert (found["gpus"], found["topology"], found["driver"]) == ([], [], None)
    cards(lost=[0])  # which keeps its place
    found = facts.describe({}, None)
    assert json.loads(json.dumps(found)) == found
    assert (found["gpus"], found["gpu_memory_mib"]) == (["unknown", "NVIDIA H200"], [None, 143771])


def test_what_stands_in_for_nvml_takes_as_many_arguments() -> None:
    for name, answer in {**stand_in.OF_MACHINE, **stand_in.OF_CARD}.items():
        known = inspect.signature(getattr(stand_in.BINDINGS, name)).parameters
        assert len(inspect.signature(answer).parameters) == len(known) + (name in stand_in.OF_CARD)


# Variables, and what is kept of them; nothing of what is of the machine or secret.
KEPT = "NCCL_ALGO FLAGS_cudnn_exhaustive_search OMP_NUM_THREADS SLURM_NNODES TF_XLA_FLAGS TORCHINDUCTOR_MAX_AUTOTUNE"
KEPT += " NVTE_FUSED_ATTN UCX_TLS HIP_VISIBLE_DEVICES ASCEND_RT_VISIBLE_DEVICES XPU_VISIBLE_DEVICES"
PRIVATE = "AWS_SECRET_ACCESS_KEY CUDA_HOME FLAGS_cudnn_dir NCCL_COMM_ID NCCL_TOPO_FILE TORCH_HOME SLURM_SUBMIT_DIR"
PRIVATE += " PADDLE_CURRENT_ENDPOINT PADDLE_TRAINER_ENDPOINTS SLURMD_NODENAME SLURM_JOB_NODELIST"


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        *((name, "1", "1") for name in KEPT.split()),
        *((name, "1", None) for name in PRIVATE.split()),
        # of a path the last name
        ("LD_PRELOAD", "/home/me/lib/libtcmalloc.so.4:/opt/x/libb.so", "libtcmalloc.so.4:libb.so"),
        ("XLA_FLAGS", "--xla_dump_to=/scratch/me/dump --xla_gpu_level=2", "--xla_dump_to=dump --xla_gpu_level=2"),
        ("XLA_FLAGS", "--xla_a=a/b", "--xla_a=a/b"),
        ("NCCL_IB_HCA", "=mlx5_0:1,mlx5_1:1", "=mlx5_0:1,mlx5_1:1"),
        ("LD_PRELOAD", "/home/me/", ""),
    ],
)
def test_of_variables_those_that_can_change_speed_are_kept(name: str, value: str, kept: str | None) -> None:
    assert facts.matters({name: value}) == ({} if kept is None else {name: kept})


PODMAN = 'engine="podman"\nimage="docker.io/library/torch:2"\n'


@pytest.mark.parametrize(
    ("variables", "files", "expected"),
    [
        ({}, {}, None),
        ({"APPTAINER_CONTAINER": "/home/someone/torch.sif", "APPTAINER_NAME": "torch.sif"}, {}, "torch.sif"),
        ({"NVIDIA_PRODUCT_NAME": "PyTorch", "NVIDIA_PYTORCH_VERSION": "24.05"}, {}, "NVIDIA PyTorch 24.05"),
        ({}, {"run/.containerenv": PODMAN}, "docker.io/library/torch:2"),
        ({}, {"run/.containerenv": ""}, "podman"),
        ({}, {".dockerenv": ""}, "docker"),
    ],
)
def test_the_image_of_a_container_is_known(
    tmp_path: Path, variables: dict[str, str], files: dict[str, str], expected: str | None
) -> None:
    for name, text in files.items():
        executable(tmp_path / name, text)
    assert facts.container(variables, tmp_path) == expected


TORCH = """
import types
__version__ = "2.4.1+cu121"
version = types.SimpleNamespace(cuda="12.1")
backends = types.SimpleNamespace(cudnn=types.SimpleNamespace(version=lambda: 90100))
cuda = types.SimpleNamespace(nccl=types.SimpleNamespace(version=lambda: (2, 20, 5)))
"""
PADDLE = """
import types
__version__ = "2.6.2"
version = types.SimpleNamespace(cuda=lambda: "11.8", cudnn=lambda: "8.6.0", nccl=lambda: "0")
base = types.SimpleNamespace(core=types.SimpleNamespace(nccl_version=lambda: 21005))
"""
TENSORFLOW = """
import types
__version__ = "2.15.0"
build = {"cuda_version": "12.2", "cudnn_version": "8"}
sysconfig = types.SimpleNamespace(get_build_info=lambda: build)
"""
CARDS = "import os; __version__ = repr(os.environ['CUDA_VISIBLE_DEVICES'])"  # which it is not to see
LOUD = "print('Welcome'); import os; os.write(1, b'to all'); __version__ = '9.8.7'\n"
# The frameworks of one Python each, and what they say.
WELL = {
    "torch": (TORCH, {"version": "2.4.1+cu121", "cuda": "12.1", "cudnn": "9.1.0", "nccl": "2.20.5"}),
    "paddle": (PADDLE, {"version": "2.6.2", "cuda": "11.8", "cudnn": "8.6.0", "nccl": "2.10.5"}),
    "tensorflow": (TENSORFLOW, {"version": "2.15.0", "cuda": "12.2", "cudnn": "8"}),
    "mxnet": (CARDS, {"version": "''"}),
}
ILL = {
    "torch": ("raise ImportError('no libcudart.so\\nmore')", {"error": "ImportError: no libcudart.so"}),
    "paddle": (LOUD, {"version": "9.8.7", "cuda": None, "cudnn": None, "nccl": None}),
    "tensorflow": ("import os; os.abort()", {"error": "the import exited with status -6"}),
    "mxnet": ("raise SystemExit", {"error": "SystemExit: "}),
}


@pytest.mark.parametrize("frameworks", [WELL, ILL])
def test_a_python_is_asked_once_and_says_what_it_has_whatever_it_prints_at_its_start(
    tmp_path: Path, frameworks: dict[str, tuple[str, dict[str, str | None]]]
) -> None:
    executable(tmp_path / "bin/python", f'#!/bin/sh\necho asked >> "{tmp_path}/times"\nexec "{sys.executable}" "$@"\n')
    (tmp_path / "lib").mkdir()
    texts = {name: text for name, (text, _) in frameworks.items()}
    for name, text in {"sitecustomize": "import sys; sys.stdout.write('{ hello')\n", **texts}.items():
        (tmp_path / "lib" / f"{name}.py").write_text(text)
    environ = {"PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(tmp_path / "lib")}
    found = facts.native_python(environ)
    assert found["frameworks"] == {name: said for name, (_, said) in frameworks.items()}
    assert facts.native_python({**environ, "BATCH_SIZE": "64"}) == found
    assert (tmp_path / "times").read_text() == "asked\n"
    assert {"pytest", "click"} <= found["packages"].keys()
    assert list(found["packages"]) == sorted(found["packages"], key=str.lower)


def test_the_question_is_understood_by_python_3_6_and_answered_by_a_bare_environment(tmp_path: Path) -> None:
    ast.parse(QUESTION.read_text(encoding="utf-8"), feature_version=(3, 6))
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True)
    found = facts.native_python({"PATH": str(tmp_path / "venv" / "bin")})
    assert found["packages"].keys() <= {"pip", "setuptools"}


# What the samples of a run hold: gpu.csv, cpu.csv, and what others took meanwhile; on several nodes, too.
HEAD = ",".join(TELEMETRY_COLUMNS)
OF_TREE = ",".join(PROCESS_COLUMNS)
REST = "," * (len(TELEMETRY_COLUMNS) - 3)  # cells that a card does not tell
NVML = TOP / "tests" / "launchers" / "nvml"
RECORD = """
import sys, time
from pathlib import Path
from launchers.machine import cards, telemetry
path = Path(sys.argv[1])
with telemetry.recorded(path, path, None) as found:
    print(found, flush=True)
    time.sleep(float(sys.argv[2]) if found else 0)
"""
BUSY = "held = bytearray(64 * 2**20)\nprint('ready', flush=True)\nwhile True: pass\n"
SELF = Path(sys.executable).resolve().name


def rows_of(path: Path) -> list[dict[str, str]]:
    """The samples in a file."""
    return list(csv.DictReader(path.read_text().splitlines()))


def recorded(path: Path, until: int = 2) -> list[dict[str, str]]:
    """Record fifty times a second until so many rows are there, and read them."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(telemetry, "INTERVAL", 0.02)
        with telemetry.recorded(path, path.with_name("cpu.csv"), None):
            wait_until(lambda: path.exists() and path.read_text().count("\n") > until)
    return rows_of(path)


def test_every_card_is_sampled_with_its_units_and_hidden_ones_too(
    tmp_path: Path, cards: Cards, monkeypatch: pytest.MonkeyPatch
) -> None:
    cards(used=1500, power=287123, processes=2, held=1200)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    before = time.time()
    first, second, *_ = recorded(tmp_path / "gpu.csv", 6)
    assert before - 0.001 <= float(first["time"]) <= time.time() + 0.001
    values = {"utilisation": "97", "memory": "1500", "power": "287.123", "sm_clock": "1980", "memory_clock": "3201"}
    values |= {"throttle": "4", "ecc_corrected": "3", "ecc_uncorrected": "0", "pcie_rx": "51200", "pcie_tx": "2048"}
    values |= {"pcie_generation": "5", "pcie_width": "16", "card_processes": "2", "process_memory": "1200"}
    assert first == {"time": first["time"], "card": "0", **values, "temperature": "41"}
    assert second == {"time": first["time"], "card": "1", **values, "temperature": "42"}


@pytest.mark.parametrize(
    ("options", "cells"),
    [
        ({"unsupported": ["nvmlDeviceGetPowerUsage"], "utilisation": 0}, {"power": "", "utilisation": "0"}),
        ({"used": 0, "processes": 2, "held": None}, {"memory": "0", "card_processes": "2", "process_memory": ""}),
        ({"unsupported": ["nvmlDeviceGetMemoryInfo_v2"], "used": 1500}, {"memory": str(1500 + 512)}),  # older drivers
        ({"lost": [0]}, dict.fromkeys(TELEMETRY_COLUMNS[2:], "")),
    ],
)
def test_a_value_that_is_missing_is_empty_and_zero_is_a_value(
    tmp_path: Path, cards: Cards, options: dict[str, Any], cells: dict[str, str]
) -> None:
    cards(**options)
    first, second, *_ = recorded(tmp_path / "gpu.csv")
    assert ({name: first[name] for name in cells}, second["card"]) == (cells, "1")
    assert second["memory"]


@pytest.mark.parametrize("options", [{"refused": True}, {"cards": 0}])
def test_without_a_card_no_file_is_made(tmp_path: Path, cards: Cards, options: dict[str, Any]) -> None:
    cards(**options)
    with telemetry.recorded(tmp_path / "gpu.csv", tmp_path, None) as found:
        assert not found
    assert list(tmp_path.iterdir()) == []


def test_neither_a_lost_card_nor_a_full_disk_ends_the_run_and_the_threads_end_with_it(
    tmp_path: Path, cards: Cards, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telemetry, "INTERVAL", 0.02)
    cards()
    with telemetry.recorded(tmp_path / "gpu.csv", tmp_path, None) as found:
        cards(lost=[0, 1])
        time.sleep(0.1)
    last = (tmp_path / "gpu.csv").read_text().splitlines()[-1]
    assert (found, set(last.split(",")[2:])) == (True, {""})
    if Path("/dev/full").exists():
        with telemetry.recorded(Path("/dev/full"), tmp_path, None) as found:
            time.sleep(0.05)
        assert found
    assert "telemetry" not in {thread.name for thread in threading.enumerate()}


@pytest.mark.slow
def test_samples_come_once_a_second_and_a_process_that_is_killed_keeps_them(tmp_path: Path) -> None:
    path = tmp_path / "gpu.csv"
    environment = {**os.environ, "PYTHONPATH": f"{NVML}{os.pathsep}{TOP}"}
    command = [sys.executable, "-c", RECORD, str(path), "60"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "True\n"
        wait_until(lambda: path.read_text().count("\n") >= 5)
        process.send_signal(signal.SIGKILL)
    rows = rows_of(path)[:4]
    assert [row["card"] for row in rows] == ["0", "1", "0", "1"]
    assert float(rows[2]["time"]) - float(rows[0]["time"]) >= 0.9


@pytest.mark.slow
def test_the_real_cards_of_this_machine_are_sampled_each_second(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-c", RECORD, str(tmp_path / "gpu.csv"), "2.5"]
    found = subprocess.run(command, cwd=TOP, env=environment, capture_output=True, text=True, check=True).stdout
    if found != "True\n":
        pytest.skip("no card is visible here")
    samples = rows_of(tmp_path / "gpu.csv")
    assert [row for row in samples if not (float(row["memory"]) >= 0 and float(row["power"]) > 0)] == []
    assert len({row["time"] for row in samples}) in {2, 3}


class Kind(Enum):
    """Clocks, sensors and metrics, as amdsmi names them."""

    GFX, MEM, HOTSPOT, CURRENT = range(4)


# AMD: answers in the form of amdsmi 7.0.2.
ANSWERS: dict[str, Any] = {
    "power_info": {"socket_power": 0xFFFF, "current_socket_power": "N/A", "average_socket_power": 612},
    "gpu_total_ecc_count": {"correctable_count": 70000, "uncorrectable_count": 0},
    "gpu_activity": {"gfx_activity": 98, "umc_activity": 40},
    "gpu_vram_usage": {"vram_total": 196592, "vram_used": 151234},
    "clock_info": {Kind.GFX: {"clk": 2100}, Kind.MEM: {"clk": "N/A"}},
    "temp_metric": 74,
    "gpu_asic_info": {"market_name": "AMD Instinct MI300X"},
    "gpu_process_list": [
        {"name": "python3", "pid": 17, "mem": 2**34, "memory_usage": {"gtt_mem": 0, "cpu_mem": 9, "vram_mem": 2**33}},
        {"name": "N/A", "pid": 18, "mem": 0, "memory_usage": {"gtt_mem": 0, "cpu_mem": 0, "vram_mem": "N/A"}},
    ],
}
SECOND_DIE = {**ANSWERS, "power_info": {"average_socket_power": 0, "current_socket_power": "N/A", "gfx_voltage": "N/A"}}
REFUSED = dict.fromkeys(ANSWERS, RuntimeError("not supported"))
TOLD = CardSample(
    utilisation=98,
    memory=151234,
    power=612,
    sm_clock=2100,
    temperature=74,
    ecc_corrected=70000,
    ecc_uncorrected=0,
)
HELD = (CardProcess(17, 8192), CardProcess(18, None))


def bindings(answers: dict[str, Any]) -> SimpleNamespace:
    """The module amdsmi of a machine with two cards, which raises what is an error among the answers."""

    def answering(name: str) -> object:
        def answer(*arguments: object) -> object:
            found = answers[name]
            value = found[arguments[-1]] if name == "clock_info" and isinstance(found, dict) else found
            if isinstance(value, Exception):
                raise value
            return value

        return answer

    functions: dict[str, Any] = {f"amdsmi_get_{name}": answering(name) for name in answers}
    functions |= {"amdsmi_init": lambda: None, "amdsmi_shut_down": lambda: None}
    functions |= dict.fromkeys(("AmdSmiClkType", "AmdSmiTemperatureType", "AmdSmiTemperatureMetric"), Kind)
    return SimpleNamespace(**functions, amdsmi_get_processor_handles=lambda: ["a", "b"])


@pytest.mark.parametrize(
    ("answers", "name", "sample", "processes"),
    [
        (ANSWERS, "AMD Instinct MI300X", TOLD, HELD),
        (SECOND_DIE, "AMD Instinct MI300X", TOLD._replace(power=None), HELD),
        (REFUSED, "AMD GPU", CardSample(), None),
    ],
)
def test_a_card_of_amd_tells_what_it_knows_in_the_order_of_the_cards(
    cards: Cards,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    answers: Any,
    name: str,
    sample: CardSample,
    processes: Any,
) -> None:
    cards(refused=True)
    monkeypatch.setattr(machine_cards, "AMD_DRIVER", tmp_path / "kfd")
    monkeypatch.setitem(sys.modules, "amdsmi", bindings(answers))
    with machine_cards.cards() as found:  # its bindings print where a library is missing: the driver is looked for
        assert not found
    (tmp_path / "kfd").touch()
    with machine_cards.cards() as found:
        assert [card.name for card in found] == [name] * 2
        assert [card.answer() for card in found] == [CardAnswer(number, sample, processes) for number in (0, 1)]


@pytest.fixture
def busy() -> Iterator[subprocess.Popen[str]]:
    """A child that holds 64 MiB, keeps a core busy, and has a secret among its arguments."""
    command = [sys.executable, "-c", BUSY, "--token=abcdef"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        yield child
        child.kill()


def test_a_program_with_a_card_open_is_named_by_its_file_without_its_arguments(
    busy: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert program(busy.pid) is None  # a number of another machine may be that of anybody here
    monkeypatch.setattr(telemetry, "DEVICES", ("pipe:",))
    assert program(busy.pid) == SELF


@pytest.mark.parametrize(("file", "name"), [('a b,"c\nd', "a_b__c_d"), ("trainer (deleted)", "trainer"), ("é", "_")])
def test_a_name_is_one_cell_of_a_table(tmp_path: Path, file: str, name: str) -> None:
    (tmp_path / "17/fd").mkdir(parents=True)
    (tmp_path / "17/fd/3").symlink_to("/dev/nvidiactl")
    (tmp_path / "17/exe").symlink_to(f"/opt/{file}")
    assert program(17, tmp_path) == name


def test_descendants_are_sampled_with_their_load_and_memory_and_are_not_others(
    tmp_path: Path, busy: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telemetry, "INTERVAL", 0.05)
    path, here, elsewhere = tmp_path / "cpu.csv", RunLoad(below(os.getpid)), RunLoad(list)
    with telemetry.recorded(tmp_path / "gpu.csv", path, here):
        wait_until(lambda: path.exists() and path.read_text().count("\n") >= 8)
    elsewhere.sample()
    _, processes, load, memory = rows_of(path)[-1].values()
    assert (int(processes) >= 1, float(load) >= 0, int(memory) >= 64, busy.poll()) == (True, True, True, None)
    seen, others = here.foreign()["cpu_percent"], elsewhere.foreign()["cpu_percent"]
    assert seen < others  # by what the child took, which is none of the other run


def test_what_a_descendant_took_that_has_ended_is_not_that_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = iter([(100.0, 1000.0), (110.0, 1020.0)])
    monkeypatch.setattr(telemetry, "machine_seconds", machine.__next__)
    load = RunLoad(below(os.getpid))
    subprocess.run([sys.executable, "-c", "import time\nwhile time.process_time() < 0.3: pass"], check=True)
    load.sample()
    assert load.foreign()["cpu_percent"] <= 100 * (10 - 0.25) / 20


def test_a_container_has_no_processes_before_it_runs_and_after_its_end() -> None:
    numbers = iter([None, None, 0])
    assert RunLoad(below(lambda: next(numbers), with_root=True)).sample().processes == 0
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    assert RunLoad(below(lambda: child.pid, with_root=True)).sample().processes == 0
    assert RunLoad(below(lambda: child.pid)).sample().processes == 0


def test_programs_on_cards_are_others_if_they_were_first_or_have_a_name_and_are_not_of_the_run(
    busy: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(*numbers: int) -> list[CardAnswer]:
        return [
            CardAnswer(0, CardSample(), tuple(CardProcess(number, 1) for number in numbers)),
            CardAnswer(1, CardSample()),
        ]

    nobody = 2**22 + 1
    load, run = RunLoad(list), [psutil.Process(busy.pid)]
    load.see_cards(answer())
    load.see_cards(answer(nobody, busy.pid))  # numbers of the machine as seen in a container
    assert load.foreign()["gpu_processes"] == []
    load = RunLoad(list)
    load.see_cards(answer(nobody))
    load.see_cards([CardAnswer(0, CardSample())])
    assert load.foreign()["gpu_processes"] == ["unknown"]
    monkeypatch.setattr(telemetry, "DEVICES", ("pipe:",))
    for members, names in ((list, [SELF]), (run.copy, [])):
        load = RunLoad(members)
        load.see_cards(answer())
        load.see_cards(answer(busy.pid))
        assert load.foreign()["gpu_processes"] == names


@pytest.mark.parametrize(
    ("percent", "names", "named"),
    [(5.0, [], None), (0.0, ["python3"], ["python3"]), (12.3, [], ["12%", "3.1"]), (6, ["a", "b"], ["6%", "a", "b"])],
)
def test_others_are_said_from_five_percent_on_and_whenever_they_compute_on_cards(
    percent: float, names: list[str], named: list[str] | None
) -> None:
    said = foreign_remark({"cpu_percent": percent, "load_average": 3.1, "gpu_processes": names})
    assert (said is None) == (named is None)
    assert all(one in str(said) for one in named or ())


def test_of_several_nodes_the_most_loaded_one_counts_with_the_programs_of_all() -> None:
    nodes: list[Foreign] = [
        {"cpu_percent": 2.5, "load_average": 9.0, "gpu_processes": ["a"]},
        {"cpu_percent": 7.5, "load_average": 1.0, "gpu_processes": ["b", "a"]},
    ]
    assert worst(nodes) == {"cpu_percent": 7.5, "load_average": 9.0, "gpu_processes": ["a", "b"]}


def put(folder: Path, node: int, *rows: str, cards: int = 2) -> None:
    """What a node with so many cards wrote."""
    folder.mkdir(exist_ok=True)
    (folder / f"node{node}.json").write_text(json.dumps({"node": node, "gpus": ["toy"] * cards}))
    (folder / f"node{node}.csv").write_text("".join(f"{row}\n" for row in (HEAD, *rows)))


def test_the_nodes_come_in_the_order_of_their_numbers_and_their_cards_are_counted_on(tmp_path: Path) -> None:
    for node in (10, 0, 9):
        put(tmp_path, node, f"1.{node},0,5{REST}", f"1.{node},1,6{REST}")
    assert [dict(found)["node"] for found in collect(tmp_path)[0]] == [0, 9, 10]
    assert [(row["time"], row["card"], row["utilisation"]) for row in rows_of(tmp_path / "gpu.csv")] == [
        *(("1.0", "0", "5"), ("1.0", "1", "6")),
        *(("1.9", "2", "5"), ("1.9", "3", "6")),
        *(("1.10", "4", "5"), ("1.10", "5", "6")),
    ]


def test_cards_that_no_description_names_are_counted_by_their_samples(tmp_path: Path) -> None:
    for node in (0, 1):
        put(tmp_path, node, f"1.0,0,5{REST}", f"1.0,1,6{REST}", cards=0)
        with (tmp_path / f"node{node}.csv").open("a") as file:
            file.write("2.0,0")  # a row that is cut
    collect(tmp_path)
    assert [row["card"] for row in rows_of(tmp_path / "gpu.csv")] == ["0", "1", "2", "3"]
    assert [path.name for path in tmp_path.iterdir()] == ["gpu.csv"]


def test_samples_of_processes_are_those_of_a_job_only_where_it_has_one_node(tmp_path: Path) -> None:
    for nodes in (1, 2):
        for node in range(nodes):
            put(tmp_path / str(nodes), node)
            samples = tmp_path / str(nodes) / f"node{node}.cpu.csv"
            samples.write_text(f"{OF_TREE}\n100.000,1,1.5,10\nx,1,1,10\n102.000,1,,12\n103.0")
        collect(tmp_path / str(nodes))
    assert {path.name: path.read_text() for path in (tmp_path / "1").iterdir()} == {
        "cpu.csv": f"{OF_TREE}\n100.000,1,1.5,10\n102.000,1,,12\n"  # what is no sample, or cut, is left out
    }
    assert list((tmp_path / "2").iterdir()) == []


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("node1.half", '{"gpus"'),  # ended while it described itself
        ("node1.csv", ""),
        ("node0.json", '{"gpus": []}'),  # without cards
        *(("node0.foreign.json", text) for text in ("", "[1]", "7", '{"cpu_percent": "x"}')),
        ("node0.foreign.json", '{"cpu_percent": 1, "load_average": null}'),
        ("nodes.json", "{}"),
        # What a job puts in place of a description is named as well.
        ("node1.json", "[" * 100_000),
        ("node1.json", os.mkfifo),
        ("node1.json", Path.mkdir),
    ],
)
def test_what_is_no_description_of_a_node_is_left(
    tmp_path: Path, name: str, there: str | Callable[[Path], object], capsys: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path, 0)
    (tmp_path / name).write_text(there) if isinstance(there, str) else there(tmp_path / name)
    nodes, others = collect(tmp_path)
    assert (len(nodes), others) == (1, None)
    assert {path.name for path in tmp_path.iterdir()} == {name} - {"node0.json", "node0.foreign.json"}
    assert (name in capsys.readouterr().err) == (name == "node1.json")


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--without-processes",)])
def test_a_node_is_sampled_until_its_training_ends_and_all_its_tasks_together_if_at_all(
    native: Native, tmp_path: Path, options: tuple[str, ...]
) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    environment = os.environ | native.environment | {"PYTHONPATH": str(NVML)}
    with subprocess.Popen(["sleep", "60"]) as task, subprocess.Popen(["sleep", "60"]) as neighbour:
        command = [*native.command, "observe", str(folder), "--node", "3", "--until", str(task.pid), *options]
        subprocess.run(command, cwd=TOP, env=environment, check=True, stdout=subprocess.DEVNULL, timeout=60)
        assert json.loads((folder / "node3.json").read_text())["gpus"] == ["NVIDIA H200"] * 2
        wait_until(lambda: (folder / "node3.csv").read_text().count("\n") >= 3)
        task.kill()
        neighbour.kill()
    assert (folder / "node3.cpu.csv").exists() == (not options)
    if not options:
        time.sleep(1.2)
        before = (folder / "node3.csv").read_text()
        time.sleep(1.2)
        assert (folder / "node3.csv").read_text() == before
        assert int(rows_of(folder / "node3.cpu.csv")[0]["processes"]) >= 2
        _, others = collect(folder)
        assert others is not None
        assert 0 <= others["cpu_percent"] <= 100
    assert collect(folder)[1] is None
