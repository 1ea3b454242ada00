"""Site files: what is said of them where they are wrong, and what of them is in a job script."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from native_checkout import Native
from several_nodes import ON_TWO, dry_run, facts_of, run_of, telling, told

from launchers.backends.site_file import NO_SITE, read

SLURM = [*ON_TWO, "--on", "slurm"]


def site(native: Native, text: str) -> list[str]:
    """Write a site file; returns the options that name it."""
    path = native.top / "site.toml"
    path.write_text(text, encoding="utf-8")
    return [*SLURM, "--site", str(path)]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[slurm]\npartion = 'a'", "slurm.partion"),
        ("partition = 'a'", "partition"),
        ("[slurm]\npartition = 'a b'", "slurm.partition"),
        ("[slurm]\npartition = 3", "slurm.partition"),
        ("slurm = 'a'", "slurm"),
        ("[slurm]\nextra = '--qos=high'", "slurm.extra"),
        ('[slurm]\nextra = ["--qos=high\\nrm -rf /"]', "slurm.extra.0"),
        ("[kubernetes.labels]\n'a b' = 'c'", "kubernetes.labels.a b"),
        ("[slurm", "is not valid TOML"),
        (None, "cannot be read"),
    ],
)
def test_what_is_wrong_is_said_with_file_and_key(tmp_path: Path, text: str | None, key: str) -> None:
    path = tmp_path / "site.toml"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(click.UsageError) as error:
        read(path, {})
    assert error.value.message.startswith(str(path))
    assert key in error.value.message


def test_the_usual_site_file_is_read_from_the_configuration_of_its_user_where_it_is(tmp_path: Path) -> None:
    assert read(None, {"HOME": str(tmp_path)}) == NO_SITE
    (tmp_path / ".config/tachograph").mkdir(parents=True)
    (tmp_path / ".config/tachograph/site.toml").write_text("modules = ['cuda/12']", encoding="utf-8")
    for environ in ({"HOME": str(tmp_path)}, {"XDG_CONFIG_HOME": str(tmp_path / ".config")}):
        assert read(None, environ).modules == ["cuda/12"]


def test_a_job_script_has_what_the_site_says(native: Native) -> None:
    text = """
modules = ["cuda/12.4", "nccl"]
setup = ["ulimit -l unlimited"]
[slurm]
partition = "gpu"
account = "lab"
time = "02:00:00"
gres = "gpu:a100"
extra = ["--qos=high"]
"""
    lines = dry_run(native, *site(native, text), "--device", "gpu", "--precision", "amp").splitlines()
    directives = [line.removeprefix("#SBATCH ") for line in lines if line.startswith("#SBATCH ")]
    assert directives[-4:] == ["--mem=0", "--partition=gpu", "--time=02:00:00", "--qos=high"]
    assert "--gres=gpu:a100:2" in directives
    assert {"module load cuda/12.4 nccl", "ulimit -l unlimited"} <= set(lines)
    assert " --account=lab " in next(line for line in lines if line.startswith("sbatch "))


@pytest.mark.slow
def test_a_job_runs_as_the_site_says_also_where_slurm_gives_a_job_no_environment(on_slurm: Native) -> None:
    on_slurm.environment |= {
        "BASH_FUNC_module%%": "() { export LOADED=$2; }",
        "SBATCH_EXPORT": "NONE",
        "SLURM_EXPORT_ENV": "NONE",
    }
    on_slurm.trains(telling("LOADED"))
    slurm = "[slurm]\naccount = 'secret-lab'\npartition = 'all'\nextra = ['--comment=x']\n"
    on_slurm.launch(*site(on_slurm, f"modules = ['cuda/12']\n{slurm}"))
    assert "secret-lab" not in "".join(path.read_text() for path in run_of(on_slurm).iterdir())
    assert facts_of(on_slurm)["scheduler"]["partition"] == "all"
    assert told(on_slurm) == [["0", "cuda/12"], ["1", "cuda/12"]]


@pytest.mark.slow
def test_a_partition_that_there_is_not_is_refused_by_slurm(on_slurm: Native) -> None:
    answer = on_slurm.launch(*site(on_slurm, "[slurm]\npartition = 'none'\n"), "--detach")
    assert (answer.returncode, b"invalid partition specified: none" in answer.stderr) == (1, True)


def test_a_site_file_needs_a_place(native: Native) -> None:
    assert native.launch(*site(native, "")[len(SLURM) :]).returncode == 2
