"""A format claims a log by its metric lines alone; what is like one and tells of something else is not broken."""

from pathlib import Path

import pytest

from parsers.runs.reading import survey
from tests.parsers.toy_logs import write

# What programs without a grammar print and others do, too; the numbers are made up.
UNCLAIMED = {
    "a trainer of reinforcement learning that saves a model": [
        b"(TaskRunner pid=4711) step:1 - actor/loss:0.125 - perf/throughput:811.25 - timing_s/step:20.5\n",
        b"(WorkerDict pid=4712) Saving model to /toy/global_step_1/actor/model_world_size_8_rank_0.pt\n",
        b"Saving model to /toy/global_step_1/huggingface\n",
    ],
    "a small trainer that tells how long it took": [
        b"step 00010/00100 (10.00%) | loss: 9.125 | dt: 250.25ms | tok/sec: 2,100,000 | mfu: 41.25\n",
        b"Training time: 0:20:05\n",
        b"Training time 0:20:05\n",
    ],
    "a fine-tuning on questions": [
        b"01/02/2035 10:00:00 - INFO - __main__ -   ***** Running training *****\n",
        b"01/02/2035 10:00:00 - INFO - __main__ -     Num split examples = 4096\n",
        b"01/02/2035 10:05:00 - INFO - __main__ -   Saving model checkpoint to /toy\n",
        b"***** Running training *****\n",
    ],
}


@pytest.mark.parametrize("lines", UNCLAIMED.values(), ids=UNCLAIMED)
def test_events_that_many_programs_print_make_no_format(tmp_path: Path, lines: list[bytes]) -> None:
    found = survey(write(tmp_path, *lines))
    assert (found.format, found.account.matched, found.account.unrecognised) == (None, 0, len(lines))


STEP = (
    b"DLL 2035-06-07 10:00:1%d.5 - Epoch: 0 Iteration: %d  train.loss : 6.5 None train.total_ips : 3832.25 images/s\n"
)
OTHERS = {
    "an evaluation": b"DLL 2035-06-07 10:00:20.5 - Epoch: 0 Iteration: 3  val.total_ips : 9831.25 images/s : :\n",
    "its mean": b"DLL 2035-06-07 10:00:20.5 - Epoch: 0  val.top1 : 6.75 val.compute_ips : 9931.25 : images/s\n",
    "computing alone": b"DLL 2035-06-07 10:00:20.5 - Epoch: 0 Iteration: 2 train.compute_ips : 3932.25 : img/s\n",
}


@pytest.mark.parametrize("line", OTHERS.values(), ids=OTHERS)
def test_a_whole_line_that_tells_of_something_else_is_not_broken(tmp_path: Path, line: bytes) -> None:
    found = survey(write(tmp_path, STEP % (0, 1), line, STEP % (1, 2)))
    assert (found.leftover.broken, found.account.unrecognised, len(found.records)) == (0, 1, 2)


def test_a_metric_line_that_is_cut_is_still_broken(tmp_path: Path) -> None:
    found = survey(write(tmp_path, STEP % (0, 1), STEP[:90] % (1, 2) + b"\n", STEP % (2, 3)))
    assert found.leftover.broken == 1
