"""Jobs on Slurm that do not get on, that wait for nodes, and that a killed runner left."""

from __future__ import annotations

import pytest
from cluster import asked, wait_until_nothing_runs
from native_checkout import Native
from several_nodes import ON_TWO, facts_of, run_of

pytestmark = pytest.mark.slow

SLURM = [*ON_TWO, "--on", "slurm"]


def test_a_job_on_slurm_that_does_not_get_on_is_cancelled(on_slurm: Native, slurm: dict[str, str]) -> None:
    on_slurm.trains("import time\nprint('waiting', flush=True)\ntime.sleep(60)\n")
    on_slurm.launch(*SLURM, "--stall", "3", "--stall-ends")
    wait_until_nothing_runs(slurm)
    assert "no log line matching" in facts_of(on_slurm)["reason"]


def test_a_job_that_waits_for_its_nodes_has_not_stalled(on_slurm: Native, slurm: dict[str, str]) -> None:
    other = asked(slurm, "sbatch", "--parsable", "--nodes=4", "--exclusive", "--output=/dev/null", "--wrap=sleep 25")
    answer = on_slurm.launch(*SLURM, "--stall", "20", "--stall-ends")
    asked(slurm, "scancel", other.strip())
    assert (facts_of(on_slurm)["status"], b"stalled" in answer.stderr) == ("done", False)


def test_a_job_that_a_killed_runner_left_on_slurm_is_cancelled_before_its_run_is_repeated(
    on_slurm: Native, slurm: dict[str, str]
) -> None:
    unfinished = run_of(on_slurm).with_name(".1.unfinished")
    unfinished.mkdir(parents=True)
    (unfinished / "slurm.out.id").write_text(
        asked(slurm, "sbatch", "--parsable", "--output=/dev/null", "--wrap=sleep 60")
    )
    on_slurm.launch(*SLURM)
    wait_until_nothing_runs(slurm)
    assert facts_of(on_slurm)["status"] == "done"
