"""The contract of a run folder: the names of its files, their columns, and the keys of run.json, spelt here alone.

logs/README.md says what each means; a test holds both against each other.
"""

from __future__ import annotations

import re
from importlib.metadata import version
from typing import NamedTuple, TypedDict

SCHEMA = 2  # of run.json as launching and ingesting write it; older ones are read, too

LOG = "train.log"
RUN_FILE = "run.json"
CLOCK = "clock.csv"
TELEMETRY = "gpu.csv"
PROCESSES = "cpu.csv"
SIDE_FILES = (CLOCK, TELEMETRY, PROCESSES)
SCRIPT = "job.sh"
PATCH = "source.patch"

READ = "read"  # what somebody says of a number of the log: the option of ``--read``

DONE, FAILED, INTERRUPTED = "done", "failed", "interrupted"  # how a run may end


class CardSample(NamedTuple):
    """What a card reports at one moment; None where it cannot, or where what tells of it does not say."""

    utilisation: float | None = None  # %: the share of the last moment in which anything ran on the card.
    memory: float | None = None  # MiB in use by all processes.
    power: float | None = None  # W.
    sm_clock: float | None = None  # MHz.
    memory_clock: float | None = None  # MHz.
    temperature: float | None = None  # Degrees Celsius.
    throttle: float | None = None  # Why the clock is not higher: the bits of NVML's nvmlClocksEventReasons, added up.
    ecc_corrected: float | None = None  # Errors of memory that were corrected since the driver was loaded.
    ecc_uncorrected: float | None = None  # Errors of memory that could not be corrected since the driver was loaded.
    pcie_rx: float | None = None  # KB/s that the card receives.
    pcie_tx: float | None = None  # KB/s that the card sends.
    pcie_generation: float | None = None  # The generation of the bus as it runs now.
    pcie_width: float | None = None  # Lanes of the bus as it runs now.
    card_processes: float | None = None  # How many processes compute on the card.
    process_memory: float | None = None  # MiB that the process holds which holds most.


class TreeSample(NamedTuple):
    """What the processes of a run did since the sample before; None where it is not known."""

    processes: int  # How many there are.
    load: float | None  # Cores that they kept busy.
    memory: int  # MiB in main memory (resident), of all together: what several share counts for each.


CLOCK_COLUMNS = ("line", "time")
TELEMETRY_COLUMNS = ("time", "card", *CardSample._fields)
# Columns that files of older runs lack.
LATER_COLUMNS = TELEMETRY_COLUMNS[TELEMETRY_COLUMNS.index("throttle") :]
PROCESS_COLUMNS = ("time", *TreeSample._fields)

_ODD = re.compile(r"[^\w.+:@-]", re.ASCII)


def program_name(name: str) -> str:
    """The name of a program as a column has it, which may hold neither separators nor much else."""
    return _ODD.sub("_", name)[:64]


class LogFile(TypedDict, total=False):
    """The log that a run.json describes."""

    file: str
    sha256: str
    bytes: int
    lines: int


class Source(TypedDict, total=False):
    """Of a launched run the checkout that trained, of an ingested log where it was found."""

    repository: str | None
    commit: str | None
    dirty: bool | None
    patch: str
    files: dict[str, str]
    recipe_repository: str
    pinned: str
    licence: str
    url: str
    archive: str
    path: str
    changed: bool
    sha256: str
    unpacked_sha256: str
    bytes: int


class Environment(TypedDict, total=False):
    """A machine and its software."""

    os: str
    kernel: str
    cpu: str
    cores: int | None
    memory_gib: float
    container: str | None
    container_digest: str
    container_runtime: str
    python: str
    packages: dict[str, str]
    frameworks: dict[str, dict[str, str | None]]
    gpus: list[str]
    gpu_memory_mib: list[int | None]
    driver: str | None
    cuda_driver: str | None
    topology: list[list[str]]
    variables: dict[str, str]


class Scheduler(TypedDict, total=False):
    """What ran a job."""

    name: str
    job: str
    partition: str
    nodes: str


class Foreign(TypedDict):
    """What processes that are not of the run took of its machine meanwhile; with several nodes, of the worst one."""

    cpu_percent: float
    load_average: float
    gpu_processes: list[str]


class RunJson(TypedDict, total=False):
    """What run.json says, as it is written; of one that is read nothing is sure."""

    schema: int
    tachograph: str
    tachograph_commit: str
    tachograph_dirty: bool | None
    suite: str
    case: dict[str, str | int]
    repeat: int
    recipe: str
    launcher: str
    case_from: dict[str, str]
    command: list[str]
    native: str
    read: str
    variables: dict[str, str]
    environment: Environment
    nodes: list[Environment]
    scheduler: Scheduler
    foreign: Foreign
    source: Source
    ingested: Source
    start: str
    end: str
    exit_status: int
    status: str
    metric_lines: int
    redacted: int
    reason: str
    last_lines: list[str]
    log: LogFile


def heading() -> RunJson:
    """What a run.json begins with: its schema, and the version of Tachograph that writes it."""
    return {"schema": SCHEMA, "tachograph": version("tachograph")}
