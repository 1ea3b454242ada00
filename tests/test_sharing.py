"""One way to share work: each command gives the same, byte for byte, alone, on all cores and on a Dask cluster."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from parsers.sharing.workers import MOST_TASKS, Workers, WorkersError
from tests.commandline import PROJECT, files, run
from tests.parsers.golden_logs import LOGS
from tests.parsers.shared_work import die, large

GOLDEN = PROJECT / "tests/report/golden"
SHOWN = LOGS[: 2 * MOST_TASKS]
COMMANDS = {
    "show": ["show", "logs/*", "absent.log"],
    "show --json": ["show", "logs/*", "--json"],
    "report": ["report", "site/toy.toml", "--logs", "site/logs", "--out", "out"],
    "ingest": ["ingest", "logs", "--into", "out"],
}

Outcome = tuple[int, str, str, dict[str, bytes]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """What the commands read: logs, one of them empty, one of a run and one of many runs, a page and a site."""
    shutil.copytree(GOLDEN, tmp_path / "site")
    (tmp_path / "logs/runs/1").mkdir(parents=True)
    (tmp_path / "logs/run").mkdir()
    (tmp_path / "logs/empty.log").touch()
    shutil.copy(SHOWN[0], tmp_path / "logs/run/train.log")
    (tmp_path / "logs/runs/1/run.json").write_text('{"case": {}}', encoding="utf-8")
    for number, log in enumerate(SHOWN):
        shutil.copy(log, tmp_path / f"logs/{number}.log")
    return tmp_path


def outcome(command: str, home: Path, *options: str) -> Outcome:
    """All that a command prints and writes."""
    parts = [path for part in COMMANDS[command] for path in (sorted(home.glob(part)) if "*" in part else [part])]
    done = run(
        *(os.path.relpath(part, home) if Path(part).is_absolute() else part for part in parts), *options, cwd=home
    )
    written = files(home / "out")
    shutil.rmtree(home / "out", ignore_errors=True)
    return done.returncode, done.stdout, done.stderr, written


@contextmanager
def clustered(workers: int, threads: int = 1) -> Iterator[str]:
    """The address of the scheduler of a cluster on this machine; its status page is at any port that is free."""
    distributed = pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    with distributed.LocalCluster(n_workers=workers, threads_per_worker=threads, dashboard_address=":0") as local:
        yield local.scheduler_address
        # A cluster that is closed while one of its workers is started again fails.
        with distributed.Client(local) as client:
            client.wait_for_workers(workers, timeout=60)


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """The address of a scheduler with two workers, which run in another folder than the commands."""
    with clustered(workers=2) as address:
        yield address


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_gives_the_same_on_a_cluster_and_in_two_processes_as_alone(
    command: str, home: Path, cluster: str
) -> None:
    alone = outcome(command, home, "--jobs", "1")
    assert alone[1] or alone[3]
    assert outcome(command, home, "--scheduler", cluster) == alone
    assert outcome(command, home, "--jobs", "2") == alone


@pytest.mark.slow
def test_a_cluster_reads_a_log_anew_that_changed_since_the_last_call(home: Path, cluster: str) -> None:
    log = home / "logs/0.log"
    first = outcome("show --json", home, "--scheduler", cluster)
    log.write_bytes(log.read_bytes() + b"one line more\n")
    second = outcome("show --json", home, "--scheduler", cluster)
    assert second != first
    assert second == outcome("show --json", home, "--jobs", "1")


@pytest.mark.slow
def test_workers_with_several_threads_give_the_same(home: Path) -> None:
    with clustered(workers=1, threads=4) as address:
        found = outcome("show --json", home, "--scheduler", address)
    assert found == outcome("show --json", home, "--jobs", "1")


@pytest.mark.slow
def test_workers_of_a_cluster_that_are_killed_are_told_in_a_sentence() -> None:
    with clustered(workers=1) as address:
        workers = Workers(scheduler=address)
        with pytest.raises(WorkersError, match="lost the work"), workers.each(die, [1], large) as results:
            list(results)


@pytest.mark.slow
def test_a_scheduler_that_does_not_respond_is_told_in_a_sentence(home: Path) -> None:
    pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    said = "Error: nowhere: no scheduler responds; expected tcp://host:port.\n"
    assert outcome("ingest", home, "--scheduler", "nowhere") == (2, "", said, {})
