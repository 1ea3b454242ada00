"""The native Python says what is installed there, and how its frameworks were built."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from native_checkout import TOP, executable

from launchers.machine import facts

QUESTION = TOP / "launchers" / "recipes" / "native_python.py"
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


def test_a_native_python_that_does_not_answer_is_said_in_a_sentence(tmp_path: Path) -> None:
    executable(tmp_path / "bin" / "python", "#!/bin/sh\nexit 1\n")
    with pytest.raises(click.ClickException, match=r"python"):
        facts.native_python({"PATH": str(tmp_path / "bin")})


def test_the_question_is_understood_by_python_3_6_and_answered_by_a_bare_environment(tmp_path: Path) -> None:
    ast.parse(QUESTION.read_text(encoding="utf-8"), feature_version=(3, 6))
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True)
    found = facts.native_python({"PATH": str(tmp_path / "venv" / "bin")})
    assert found["packages"].keys() <= {"pip", "setuptools"}
