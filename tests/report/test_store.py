"""The store of logs: many logs that are read at once give what each gives alone."""

import shutil
from pathlib import Path

import pytest

from parsers.io.errors import FormatError, ParserError
from parsers.runs.reading import read
from parsers.sharing.workers import MOST_TASKS
from parsers.unknown.training import Reason
from report.measure.diagnostics import say
from report.measure.measure import measure
from report.measure.protocol import Protocol
from report.results.store import LogStore, Stated, Wanted, scaled
from tests.commandline import PROJECT

LOG = PROJECT / "tests/report/golden/logs/A100/PaddleClas_Toy50_bs64_fp32_DP_N1C1_log"
STATED = Stated((("cards", 1), ("batch_size", 64)))
PLAIN = Protocol.parse("skip_records=1")


def put(folder: Path, name: str, run: str | None = None) -> Wanted:
    """A run folder with a golden log, and what is wanted of it."""
    (folder / name).mkdir()
    shutil.copy(LOG, folder / name / "train.log")
    if run is not None:
        (folder / name / "run.json").write_text(run, encoding="utf-8")
    return Wanted(f"{name}/train.log", PLAIN, STATED)


@pytest.mark.parametrize("count", [1, MOST_TASKS + 1])
def test_a_prepared_log_measures_what_it_measures_alone(count: int, tmp_path: Path) -> None:
    wanted = [put(tmp_path, str(number)) for number in range(count)]
    store = LogStore(tmp_path)
    store.prepare(wanted)
    for log in wanted:
        assert store.unfit(log.path) is None
        one, other = store.measured(log), measure(scaled(read(tmp_path / log.path), STATED), PLAIN)
        assert (one.value, one.estimate, one.lines, one.left_out) == (
            other.value,
            other.estimate,
            other.lines,
            other.left_out,
        )
        assert one.checks == other.checks


def test_what_cannot_be_read_is_reported_when_it_is_asked_for(tmp_path: Path) -> None:
    wanted = [put(tmp_path, str(number)) for number in range(MOST_TASKS)]
    broken, gone = put(tmp_path, "broken", "{"), put(tmp_path, "gone")
    (tmp_path / gone.path).unlink()
    (tmp_path / wanted[0].path).write_bytes(b"\0" * 100)
    store = LogStore(tmp_path)
    store.prepare([*wanted, broken, gone])
    with pytest.raises(ParserError, match=r"run\.json"):
        store.unfit(broken.path)
    with pytest.raises(ParserError, match="is empty"):
        store.reading(wanted[0].path)


def test_a_number_that_a_log_does_not_have_is_why_it_is_not_read() -> None:
    with pytest.raises(FormatError) as told:
        LogStore(LOG.parent).reading(LOG.name, "none=ms/step")
    assert told.value.message.values["what"] == say(Reason.NO_SUCH_TARGET, name="none").message
