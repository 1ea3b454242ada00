"""The command `tachograph show --follow`, beside programs that write its log."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.commandline import PROJECT, run
from tests.following import PATIENCE, Follower, on_a_terminal
from tests.parsers.toy_logs import step, steps, write

# They call the program.
pytestmark = pytest.mark.slow

LOG = PROJECT / "logs/cpu-demo/ResNet50_bs4_fp32_N1C2/1/train.log"
GOLDEN = PROJECT / "tests/parsers/golden"
MMCV = PROJECT / "tests/parsers/golden/mmcv/iter.log"

WRITER = """import sys, time
for line in sys.stdin.buffer.read().splitlines(keepends=True):
    for part in (line[:20], line[20:]):
        sys.stdout.buffer.write(part)
        sys.stdout.flush()
        time.sleep(0.02)
"""


def append(log: Path, *lines: bytes) -> None:
    with log.open("ab") as file:
        file.writelines(lines)


@contextmanager
def writing(log: Path, *lines: bytes) -> Iterator[None]:
    """A child process that writes each line in two parts."""
    with log.open("ab") as file:
        child = subprocess.Popen([sys.executable, "-c", WRITER], stdin=subprocess.PIPE, stdout=file)
    assert child.stdin
    child.stdin.write(b"".join(lines))
    child.stdin.close()
    yield
    assert child.wait(PATIENCE) == 0


def test_each_new_record_is_a_line(tmp_path: Path) -> None:
    with Follower(write(tmp_path, step(0, "100"), step(1, "200"))) as follower:
        assert follower.line() == "epoch 0 step 0: 100.000 images/s of the whole job, mean of the last 1 100.000\n"
        assert follower.line() == "epoch 0 step 1: 200.000 images/s of the whole job, mean of the last 2 150.000\n"


def test_each_new_record_is_a_json_object(tmp_path: Path) -> None:
    log = write(tmp_path, step(7, "100"))
    with Follower("--json", log) as follower:
        assert follower.record() == {
            "log": str(log),
            "format": "dllogger_tensorflow",
            "line": 1,
            "record": "step",
            "epoch": 0,
            "step": 7,
            "printed": 100.0,
            "throughput": {"value": 100.0, "unit": "images/s", "scope": "job"},
            "last": {"records": 1, "statistic": "mean", "value": 100.0},
        }


def test_a_program_that_writes_half_lines_loses_none(tmp_path: Path) -> None:
    log = write(tmp_path)
    with Follower("--json", log) as follower, writing(log, *steps(50)):
        assert [follower.record()["step"] for _ in range(50)] == list(range(50))


def test_a_log_that_appears_later_is_waited_for(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    with Follower(log) as follower:
        assert follower.notice() == f"{log}: The file does not exist yet; waiting for it.\n"
        write(tmp_path, step(0))
        assert follower.notice() == f"{log}: found.\n"
        assert follower.line().startswith("epoch 0 step 0: ")


def test_a_log_that_is_cut_starts_anew(tmp_path: Path) -> None:
    log = write(tmp_path, step(0, "100"), step(1, "100"))
    with Follower("--json", log) as follower:
        assert [follower.record()["line"] for _ in range(2)] == [1, 2]
        log.write_bytes(step(5, "300"))
        again = follower.record()
        assert follower.notice() == f"{log}: was truncated; new lines are treated as another run.\n"
    assert (again["line"], again["last"]["value"]) == (1, 300)


def test_a_log_that_is_rotated_goes_on(tmp_path: Path) -> None:
    log = write(tmp_path, step(0, "100"))
    with Follower("--json", log) as follower:
        follower.record()
        append(log, step(1, "200"))
        log.rename(tmp_path / "train.log.1")
        append(log, step(2, "300"))
        found = [follower.record() for _ in range(2)]
        assert follower.notice() == f"{log}: was renamed; continuing with the new file of that name.\n"
    assert [(record["step"], record["last"]["value"]) for record in found] == [(1, 150), (2, 200)]


def test_an_interrupt_ends_with_what_show_says_and_status_0(tmp_path: Path) -> None:
    with Follower(LOG, "--protocol", "tipc") as follower:
        for _ in range(32):
            follower.line()
        assert follower.interrupt() == 0
        last = follower.line()
    said = run("show", LOG, "--protocol", "tipc").stdout
    value, words = re.findall(r"^(\S+ \S+ of .*?), .*?, (by .*)$", said, re.MULTILINE)[0]
    assert last.startswith(f"{LOG}: {value}, from 12 records, {words}; mean of all 32 records 9.876 samples/s")


def test_an_interrupt_before_any_record_is_no_mistake(tmp_path: Path) -> None:
    log = write(tmp_path, b"hello\n")
    with Follower(log) as follower:
        follower.notice()
        assert follower.interrupt() == 0
        assert follower.line() == f"{log}: no throughput: No metric line of a known format so far\n"


def test_once_records_are_forgotten_it_says_what_is_shown(tmp_path: Path) -> None:
    log = write(tmp_path, step(0, "900"), *(step(number, "100") for number in range(1, 1025)))
    with Follower("--json", log, "--protocol", "skip_records=5") as follower:
        for _ in range(1025):
            follower.line()
        assert follower.interrupt() == 0
        said = follower.notice()
    assert said.startswith(
        f"{log}: mean of the 1024 last records 100.000 images/s of the whole job, 100.000 to 100.000"
    )
    assert "for the result of all records by records=step estimate=reported skip_records=5" in said
    assert "mean of all 1025 records 100.780 images/s of the whole job, 100.000 to 900.000" in said


def test_the_throughput_of_a_card_is_scaled_by_the_cards_that_are_given(tmp_path: Path) -> None:
    log = write(tmp_path, LOG.read_bytes())
    with Follower("--json", log, "--cards", "8") as follower:
        found = follower.record()
    assert found["throughput"] == {"value": pytest.approx(found["printed"] * 8), "unit": "samples/s", "scope": "job"}


def test_without_the_cards_the_throughput_is_that_of_one_and_it_says_so(tmp_path: Path) -> None:
    metric = (line for line in LOG.read_bytes().splitlines(keepends=True) if b"][Iter: " in line)
    with Follower("--json", write(tmp_path, *metric)) as follower:
        assert follower.record()["throughput"]["scope"] == "card"
        assert "The number of cards is unknown" in follower.notice()


def test_the_time_of_a_step_stands_in_for_a_throughput_that_is_not_printed() -> None:
    with Follower("--json", MMCV, "--cards", "8", "--batch-size", "2") as follower:
        found = follower.record()
    assert found["throughput"] == {"value": pytest.approx(16 / found["printed"]), "unit": "samples/s", "scope": "job"}


def test_a_log_that_prints_a_throughput_of_epochs_only_is_followed_by_these() -> None:
    with Follower("--json", GOLDEN / "dllogger/ncf.log") as follower:
        found = follower.record()
    assert (found["record"], found["throughput"]["value"]) == ("epoch", found["printed"])


def test_a_log_that_prints_no_speed_is_followed_by_its_clock_as_show_reads_it() -> None:
    log = GOLDEN / "mlperf_log/resnet.log"
    with Follower("--json", log) as follower:
        assert follower.record()["printed"] is None
        assert follower.interrupt() == 0
        last = follower.notice()
    (words,) = re.findall(r"^(\S+ \S+) of the whole job, from .*, (by .*)$", run("show", log).stdout, re.MULTILINE)
    assert last.startswith(f"{log}: {words[0]} of the whole job, from ")
    assert words[1] in last


def test_records_of_another_kind_are_reported(tmp_path: Path) -> None:
    with Follower(write(tmp_path, step(0)), "--protocol", "summary") as follower:
        assert "The log has no summary records so far; it has step records (records=step)." in follower.notice()


def test_a_terminal_shows_the_progress_and_ends_on_ctrl_c() -> None:
    shown, status = on_a_terminal(LOG, "printed values")
    assert status == 0
    assert "paddleclas · 227 lines · the last one came " in shown
    assert "9.843 samples/s of the whole job\x1b[0m at epoch 2 step 15" in shown
    assert re.search("printed values [▁▂▃▄▅▆▇█]{32} 2.43989 to 5.48032 samples/s of one card, median 5.0141", shown)
    assert shown.rstrip().endswith("mean of all 32 records 9.876 samples/s of the whole job, 4.880 to 10.961")


def test_a_terminal_shows_that_a_log_is_waited_for(tmp_path: Path) -> None:
    shown, status = on_a_terminal(tmp_path / "train.log", "waiting for it")
    assert status == 0
    assert "The file does not exist yet" in shown


def test_several_logs_cannot_be_followed() -> None:
    done = run("show", "--follow", LOG, MMCV)
    assert (done.returncode, "--follow takes one log; given: 2." in done.stderr) == (2, True)


def test_what_cannot_be_followed_is_one_sentence_and_status_2(tmp_path: Path) -> None:
    done = run("show", "--follow", tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"Error: {tmp_path}: is not a regular file; ")
