"""A command line: what the words that start a training say of it, without executing any of them."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from parsers.io.input_file import opened

ARGUMENTS = "arguments"  # what stands before the first option, as `options` names it
# Options that are followed by `key=value`: they override what a config says.
_OVERRIDES = ("-o", "--override", "--opt", "--opts", "--cfg-options", "--options")
_OPTION = re.compile(r"(--?[A-Za-z][^=]*)(?:=(.*))?", re.DOTALL)
_ASSIGNED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_PROGRAM = re.compile(r".+\.(?:py|sh|ipynb)|python[0-9.]*|bash|sh|[\w.]+/.+\.py")
_PYTHON = re.compile(r"(?:python|pypy)[0-9.]*")
_SHEBANG = re.compile(rb"#!\s*(\S+)(?:[ \t]+(\S+))?")
_COUNT = re.compile("[1-9][0-9]{0,8}")
_LIST = re.compile("[0-9]+(?:,[0-9]+)*")
_VISIBLE = "CUDA_VISIBLE_DEVICES"
_ONE_CARD = re.compile("[0-9]+|(?:GPU|MIG)-[0-9A-Za-z/-]+")  # of CUDA_VISIBLE_DEVICES; -1 or a word is no card
_LONGEST_SHEBANG = 1024  # bytes


# The programs that start the processes of a training, one a card, and what their options say, without their dashes:
# how many processes in `total` or `per_node`, on how many `nodes`, or in a list; or that nodes come from `elsewhere`.
# torch: torch/distributed/run.py, get_args_parser(); DeepSpeed: deepspeed/launcher/runner.py; Accelerate:
# accelerate/commands/launch.py; Paddle: python/paddle/distributed/launch/context/args_envs.py; Open MPI: mpirun(1);
# Horovod: horovod/runner/launch.py; Slurm: srun(1).
_TORCH = {"nproc_per_node": "per_node", "nproc-per-node": "per_node", "nnodes": "nodes"}
_DEEPSPEED = {"num_gpus": "per_node", "num_nodes": "nodes", **dict.fromkeys(("hostfile", "H", "include"), "elsewhere")}
_ACCELERATE = {"num_processes": "total", "num-processes": "total", "num_machines": "nodes", "num-machines": "nodes"}
_PADDLE = {"gpus": "list", "devices": "list", "nnodes": "nodes", "ips": "elsewhere", "cluster_node_ips": "elsewhere"}
_MPI = {"np": "total", "n": "total", "c": "total"}
_SRUN = {"ntasks-per-node": "per_node", "n": "total", "ntasks": "total", "N": "nodes", "nodes": "nodes"}
STARTERS: Mapping[str, Mapping[str, str]] = {
    **dict.fromkeys(("torchrun", "torch.distributed.run", "torch.distributed.launch"), _TORCH),
    "deepspeed": _DEEPSPEED,
    "accelerate": _ACCELERATE,
    "paddle.distributed.launch": _PADDLE,
    **dict.fromkeys(("mpirun", "mpiexec"), _MPI),
    "horovodrun": {"np": "total", "num-proc": "total"},
    "srun": _SRUN,
}


class Count(NamedTuple):
    """A whole number of at least one that a command states, and the words that state it."""

    value: int
    words: str


def counts(words: Sequence[str], environment: Mapping[str, str]) -> dict[str, Count]:
    """How many `cards` (processes that train) and `nodes` a command starts, as far as its words prove it.

    `environment`: the one that it is started in; its CUDA_VISIBLE_DEVICES, or that of the command, proves one card
    where it names one.
    """
    assigned, rest = _assignments(words)
    found = _started(rest)
    visible = assigned.get(_VISIBLE, environment.get(_VISIBLE, ""))
    if "cards" not in found and _ONE_CARD.fullmatch(visible):
        found["cards"] = Count(1, f"{_VISIBLE}={visible}")
    return found


def _started(words: Sequence[str]) -> dict[str, Count]:
    """What the last of several starters, each of which starts the next one, says; it must say its nodes then."""
    program = next((place for place, word in enumerate(words) if word.endswith(".py")), len(words))
    starters = [(place, name) for place, word in enumerate(words[:program]) if (name := _starter(word))]
    if not starters:
        return {}
    place, name = starters[-1]
    stated: dict[str, Count | None] = {}  # None for a value that is no count
    for option, value in _given(words[place + 1 :]):
        if meaning := STARTERS[name].get(option):
            count = value.count(",") + 1 if _LIST.fullmatch(value) and meaning == "list" else 0
            count = int(value) if _COUNT.fullmatch(value) and meaning != "list" else count
            dashes = "-" if len(option) <= 2 else "--"  # -n 8, -np 8, --nnodes 2
            stated[meaning] = Count(count, f"{dashes}{option} {value}") if count else None
    if "elsewhere" in stated:
        return {}
    nodes, per_node = stated.get("nodes"), stated.get("per_node") or stated.get("list")
    found = {"nodes": nodes} if nodes else {}
    if total := stated.get("total"):
        found["cards"] = total
    elif per_node and nodes:
        found["cards"] = Count(per_node.value * nodes.value, f"{per_node.words} {nodes.words}")
    elif per_node and "nodes" not in stated:
        found["cards"] = per_node
    elif STARTERS[name] is _TORCH and not stated:
        found["cards"] = Count(1, name)  # by default
    return found if len(starters) == 1 or nodes else {}


def _starter(word: str) -> str:
    """The name of the starter that a word is, or nothing."""
    return next((name for name in (word, Path(word).name) if name in STARTERS), "")


def _given(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The options of a starter with their values: those before the program that it starts."""
    for place, word in enumerate(words):
        if _PROGRAM.fullmatch(Path(word).name) or _PROGRAM.fullmatch(word):
            return
        if word.startswith("-"):
            name, equals, value = word.lstrip("-").partition("=")
            yield name, value if equals else next(iter(words[place + 1 : place + 2]), "")


def _assignments(words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """The variables that `env` sets for a command, and the words after them."""
    if not words or Path(words[0]).name != "env":
        return {}, list(words)
    found = [match for match in takewhile(bool, map(_ASSIGNED.fullmatch, words[1:])) if match]
    return {match[1]: match[2] for match in found}, list(words[1 + len(found) :])


def python(words: Sequence[str], folder: Path, path: str) -> str | None:
    """The Python that a command starts, as its words or the first line of its program say; None where there is none.

    `folder`: where it is started; `path`: the PATH of its environment. A shell script may start the one on `path`.
    """
    _, rest = _assignments(words)
    for word in rest:
        program = str(folder / word) if os.sep in word else shutil.which(word, path=path)
        if _PYTHON.fullmatch(Path(word).name):
            return program
        if program and (_starter(word) or word == rest[0]) and (interpreter := _interpreter(Path(program))):
            return interpreter
    return shutil.which("python", path=path)


def _interpreter(program: Path) -> str | None:
    """The Python in the first line of a script; None for another program."""
    try:
        with opened(program) as file:
            found = _SHEBANG.match(file.read(_LONGEST_SHEBANG))
    except OSError:
        return None
    words = [os.fsdecode(word) for word in found.groups() if word] if found else []
    return next((word for word in words if _PYTHON.fullmatch(Path(word).name)), None)


def words(line: str) -> tuple[str, list[str]]:
    """Return the folder and the words of a native command, as a dry run prints it, with $REPO and $WORK in them."""
    _, folder, _, *command = shlex.split(line)
    return folder, command


def options(arguments: Iterable[str]) -> dict[str, str]:
    """Options and keys of configs with their values; several words are one value, and that of a flag is "".

    What stands before the first option is called `arguments`.
    """
    found: dict[str, list[str]] = {}
    name = ARGUMENTS
    for argument in arguments:
        is_glued = argument[:2] in _OVERRIDES and "=" in argument  # -oGlobal.epochs=1
        name, word = (argument[:2], argument[2:]) if is_glued else (name, argument)
        key, is_override, value = word.partition("=")
        if option := _OPTION.fullmatch(word):
            name = option[1]
            found |= {} if name in _OVERRIDES else {name: [] if option[2] is None else [option[2]]}
        elif name in (ARGUMENTS, *_OVERRIDES) and is_override:
            found[key] = [value]
        else:
            found.setdefault(name, []).append(word)
    return {name: " ".join(values) for name, values in found.items()}
