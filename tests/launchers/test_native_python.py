"""The native Python says what is installed there, and how its frameworks were built."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from native_checkout import TOP, executable

from launchers.machine import facts

QUESTION = TOP / "launchers" / "native" / "native_python.py"
LOUD = "print('Welcome'); import os; os.write(1, b'to all'); __version__ = '9.8.7'\n"
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


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """An environment with a `python` on PATH, and a folder from which it imports frameworks."""
    executable(tmp_path / "bin" / "python", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (tmp_path / "lib").mkdir()
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return {"PATH": path, "PYTHONPATH": str(tmp_path / "lib")}


def frameworks(tmp_path: Path, environ: dict[str, str], **texts: str) -> Any:
    for name, text in texts.items():
        (tmp_path / "lib" / f"{name}.py").write_text(text)
    return facts.native_python(environ)["frameworks"]


def test_all_packages_of_the_native_python_are_listed(environ: dict[str, str]) -> None:
    packages = facts.native_python(environ)["packages"]
    assert {"pytest", "click"} <= packages.keys()
    assert list(packages) == sorted(packages, key=str.lower)


def test_a_native_python_that_does_not_answer_is_said_in_a_sentence(tmp_path: Path, environ: dict[str, str]) -> None:
    executable(tmp_path / "bin" / "python", "#!/bin/sh\nexit 1\n")
    with pytest.raises(click.ClickException, match=r"python"):
        facts.native_python(environ)


def test_the_native_python_is_asked_once(tmp_path: Path, environ: dict[str, str]) -> None:
    python = f'#!/bin/sh\necho asked >> "{tmp_path}/times"\nexec "{sys.executable}" "$@"\n'
    executable(tmp_path / "bin" / "python", python)
    facts.native_python(environ)
    facts.native_python({**environ, "BATCH_SIZE": "64"})
    assert (tmp_path / "times").read_text() == "asked\n"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("torch", TORCH, {"version": "2.4.1+cu121", "cuda": "12.1", "cudnn": "9.1.0", "nccl": "2.20.5"}),
        ("paddle", PADDLE, {"version": "2.6.2", "cuda": "11.8", "cudnn": "8.6.0", "nccl": "2.10.5"}),
        ("tensorflow", TENSORFLOW, {"version": "2.15.0", "cuda": "12.2", "cudnn": "8"}),
        ("mxnet", "__version__ = '1.9.1'", {"version": "1.9.1"}),
        ("paddle", LOUD, {"version": "9.8.7", "cuda": None, "cudnn": None, "nccl": None}),
        ("torch", "raise ImportError('no libcudart.so\\nmore')", {"error": "ImportError: no libcudart.so"}),
        ("torch", "import os; os.abort()", {"error": "the import exited with status -6"}),
        ("torch", "raise SystemExit", {"error": "SystemExit: "}),
        ("mxnet", "import os; __version__ = repr(os.environ['CUDA_VISIBLE_DEVICES'])", {"version": "''"}),
    ],
)
def test_a_framework_says_of_its_build(
    tmp_path: Path, environ: dict[str, str], name: str, text: str, expected: dict[str, str | None]
) -> None:
    assert frameworks(tmp_path, environ, **{name: text})[name] == expected


def test_what_python_prints_at_its_start_does_not_break_the_answer(tmp_path: Path, environ: dict[str, str]) -> None:
    (tmp_path / "lib" / "sitecustomize.py").write_text("import sys; sys.stdout.write('{ hello')\n")
    assert frameworks(tmp_path, environ, mxnet="__version__ = '1.9.1'")["mxnet"] == {"version": "1.9.1"}


def test_the_question_is_understood_by_python_3_6() -> None:
    ast.parse(QUESTION.read_text(encoding="utf-8"), feature_version=(3, 6))


def test_the_question_is_answered_by_a_bare_virtual_environment(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True)
    found = facts.native_python({"PATH": str(tmp_path / "venv" / "bin")})
    assert found["packages"].keys() <= {"pip", "setuptools"}
