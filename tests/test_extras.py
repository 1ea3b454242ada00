"""What one command alone needs is an extra: without it all else works, and that command names it in a sentence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commandline import PROJECT

EXTRAS = {
    "altair": "charts",
    "vl_convert": "charts",
    "PIL": "images",
    "pyarrow": "parquet",
    "scipy": "compare",
    "ruptures": "history",
}
LOG = PROJECT / "logs/cpu-demo/ResNet50_bs4_fp32_N1C2/1/train.log"


def without(modules: "tuple[str, ...]", *arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    """Run ``tachograph`` where these modules cannot be imported."""
    program = f"import sys; sys.modules.update(dict.fromkeys({modules!r})); import tachograph; tachograph.main()"
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": str(PROJECT), "COLUMNS": "120"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("missing", "command"),
    [
        ("PIL", "images {out} --kind imagenet"),
        ("pyarrow", "parse {log} --out {out}/a.parquet"),
        ("scipy", "compare logs/cpu-demo logs/cpu-demo --html {out}/a.html"),
        ("ruptures", "history logs/cpu-demo --store {out}/s.sqlite --html {out}/a.html"),
        ("pyarrow", "export parquet {log} --out {out}/a.parquet"),
    ],
)
def test_a_command_names_the_extra_that_it_misses_in_one_sentence(missing: str, command: str, tmp_path: Path) -> None:
    done = without((missing,), *command.format(out=tmp_path, log=LOG).split())
    (said,) = done.stderr.splitlines()
    assert f'`pip install "tachograph[{EXTRAS[missing]}]"`' in said
    assert said.startswith("Error: ")
    assert done.returncode == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        "--help",
        "show {log}",
        "report cpu-demo --out {out}",
        "why {log}",
        "parse {log} --out {out}/a.csv",
        "export csv cpu-demo",
        "formats",
        "launchers",
        "launch nanogpt --repo {out} --dry-run",
        "run --dry-run --into {out}/logs -- python --version",
    ],
)
def test_all_else_needs_no_extra(command: str, tmp_path: Path) -> None:
    assert without(tuple(EXTRAS), *command.format(out=tmp_path, log=LOG).split()).returncode == 0
