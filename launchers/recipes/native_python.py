"""What the native Python says of itself. It is started as `python native_python.py` and never imported.

It prints one line of JSON: the version of Python, the installed packages, and what each framework says of its build.
It needs Python 3.6 and the standard library, for native programs are older than this project.

With the name of a framework it answers for that one. Each is asked in a process of its own: two frameworks may not
live side by side, and one that crashes must not take the answer with it.
"""

import json
import os
import re
import subprocess
import sys
from contextlib import suppress
from importlib import import_module, util
from typing import Any

_LONGEST = 120  # seconds that a framework may take to import
_FOLDERS = re.compile(r"(?<![^\s'\":(=])(?:/[^/:'\"]+)+/")  # what is before a file's name


def _main() -> "None":
    # Frameworks greet on standard output; their greetings go to standard error, and the answer where it is expected.
    with os.fdopen(os.dup(1), "w") as answer:
        os.dup2(2, 1)
        here = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120  as sys.path spells it
        sys.path[:] = [folder for folder in sys.path if folder != here]  # modules beside this file are not native
        os.environ["CUDA_VISIBLE_DEVICES"] = ""  # a framework that sees no card takes no memory of one
        found = _build(sys.argv[1]) if sys.argv[1:] else _everything()
        answer.write("\n" + json.dumps(found) + "\n")


def _everything() -> "dict[str, object]":
    names = [name for name in _BUILDS if util.find_spec(name)]
    return {
        "python": ".".join(map(str, sys.version_info[:3])),
        "packages": _packages(),
        "frameworks": {name: _asked_apart(name) for name in names},
    }


def _packages() -> "dict[str, str]":
    try:
        metadata = import_module("importlib.metadata")
        pairs = [(found.metadata["Name"], found.version) for found in metadata.distributions()]
    except ImportError:  # Python 3.6 and 3.7
        pairs = [(found.project_name, found.version) for found in import_module("pkg_resources").working_set]
    # Of two with one name the first is imported; a broken one has no name.
    kept = {name: version for name, version in reversed(pairs) if name and version}
    return {name: kept[name] for name in sorted(kept, key=str.lower)}


def _asked_apart(name: "str") -> "dict[str, str | None]":
    command = [sys.executable, os.path.abspath(__file__), name]  # noqa: PTH100
    try:
        answer = subprocess.run(command, stdout=subprocess.PIPE, timeout=_LONGEST, check=False)
        return dict(json.loads(answer.stdout.decode().splitlines()[-1]))
    except subprocess.TimeoutExpired:
        return {"error": f"the import took longer than {_LONGEST} seconds"}
    except (ValueError, IndexError):
        return {"error": f"the import exited with status {answer.returncode}"}


def _build(name: "str") -> "dict[str, str | None]":
    try:
        framework = import_module(name)
        return {key: _first_known(framework, paths) for key, paths in _BUILDS[name].items()}
    except BaseException as error:  # noqa: BLE001  whatever an import ends with is what is told
        first = (str(error).splitlines() or [""])[0]
        return {"error": _FOLDERS.sub("", f"{type(error).__name__}: {first}")}


def _first_known(framework: "Any", paths: "list[str]") -> "str | None":
    for path in paths:
        value = framework
        with suppress(Exception):  # a build without CUDA may answer with any error
            for name in path.split("."):
                value = value[name] if isinstance(value, dict) else getattr(value, name)
                value = value() if callable(value) else value
            version = _dotted(value)
            if version is not None:
                return version
    return None


def _dotted(version: "Any") -> "str | None":
    """Spell a version with dots; CUDA's libraries tell 8902, "21005" or a tuple, 0 or False where they are missing."""
    if isinstance(version, tuple):
        return ".".join(map(str, version))
    if str(version) in {"None", "False", "0", ""}:
        return None
    if not str(version).isdigit() or int(version) < 1000:
        return str(version)
    number = int(version)
    unit = 10000 if number >= 10000 else 1000
    return f"{number // unit}.{number % unit // 100}.{number % 100}"


# Where frameworks tell their versions: attributes, keys, and functions that are called. The first that tells counts.
_BUILDS = {
    "torch": {
        "version": ["__version__"],
        "cuda": ["version.cuda"],
        "cudnn": ["backends.cudnn.version"],
        "nccl": ["cuda.nccl.version"],
    },
    "paddle": {
        "version": ["__version__"],
        "cuda": ["version.cuda"],
        "cudnn": ["version.cudnn"],
        "nccl": ["base.core.nccl_version", "fluid.core.nccl_version", "version.nccl"],
    },
    "tensorflow": {
        "version": ["__version__"],
        "cuda": ["sysconfig.get_build_info.cuda_version", "python.platform.build_info.cuda_version_number"],
        "cudnn": ["sysconfig.get_build_info.cudnn_version", "python.platform.build_info.cudnn_version_number"],
    },
    "mxnet": {"version": ["__version__"]},
}

if __name__ == "__main__":
    _main()
