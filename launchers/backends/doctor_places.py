"""What the doctor finds about a place where jobs run: its programs, whether it answers, and what its site file says."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator

from ..machine.findings import Diagnosis, Level
from .site_file import Site

_PROGRAMS = {"slurm": "sbatch", "mpirun": "mpirun", "kubernetes": "kubectl"}
_ADVICE = {
    "slurm": "Start from a login node of the cluster.",
    "mpirun": "Install Open MPI, or load its module.",
    "kubernetes": "Install it; manifests can be written without.",
}
_LONGEST = 30  # seconds


def place_findings(on: str, site: Site) -> Iterator[Diagnosis]:
    """Look at what `--on` needs: its program on PATH, and of Slurm an answer and the partition of the site file."""
    program = _PROGRAMS[on]
    if shutil.which(program) is None:
        level: Level = "warning" if on == "kubernetes" else "bad"
        yield Diagnosis(on, level, f"{program} is not on PATH.", _ADVICE[on])
    elif on == "slurm":
        yield _slurm(site)
    else:
        yield Diagnosis(on, "ok", f"{program} is on PATH.")


def _slurm(site: Site) -> Diagnosis:
    try:
        command = ["sinfo", "--noheader", "--format=%R|%a"]
        answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_LONGEST).stdout
    except (OSError, subprocess.SubprocessError):
        return Diagnosis("slurm", "bad", "Slurm does not answer.", "Check that `sinfo` works.")
    states = dict(line.split("|") for line in answer.split())
    wanted = site.slurm.partition
    if wanted is not None and wanted not in states:
        advice = f"Choose one of {', '.join(sorted(states)) or 'none'} in the site file."
        return Diagnosis("slurm", "bad", f"Slurm has no partition {wanted}.", advice)
    if wanted is not None and states[wanted] != "up":
        return Diagnosis("slurm", "bad", f"The partition {wanted} is {states[wanted]}.", "Choose another one.")
    return Diagnosis("slurm", "ok", f"Slurm answers; partitions: {', '.join(sorted(states))}.")
