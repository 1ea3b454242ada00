"""A command line: what the words that start a training say of it, without executing any of them."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from parsers.io.input_file import opened

_ASSIGNED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_PROGRAM = re.compile(r".+\.(?:py|sh|ipynb)|python[0-9.]*|bash|sh|[\w.]+/.+\.py")
_PYTHON = re.compile(r"(?:python|pypy)[0-9.]*")
_SHEBANG = re.compile(rb"#!\s*(\S+)(?:[ \t]+(\S+))?")
_COUNT = re.compile("[1-9][0-9]{0,8}")
_VISIBLE = "CUDA_VISIBLE_DEVICES"
_ONE_CARD = re.compile("[0-9]+|(?:GPU|MIG)-[0-9A-Za-z/-]+")  # of CUDA_VISIBLE_DEVICES; -1 or a word is no card
_LONGEST_SHEBANG = 1024  # bytes


@dataclass(frozen=True)
class Starter:
    """A program that starts the processes of a training, a process a card, and the options that say how many.

    `per_node`, `nodes`, `total`, `listed`: names of options, without their dashes; `listed` names the cards of a node.
    `one_by_default`: whether without them it starts one process on one node. `elsewhere`: options that bring in nodes
    which the command does not count.
    """

    per_node: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    total: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    one_by_default: bool = False


# torch: torch/distributed/run.py, get_args_parser(); DeepSpeed: deepspeed/launcher/runner.py; Accelerate:
# accelerate/commands/launch.py; Paddle: python/paddle/distributed/launch/context/args_envs.py; Open MPI: mpirun(1);
# Horovod: horovod/runner/launch.py; Slurm: srun(1).
_TORCH = Starter(per_node=("nproc_per_node", "nproc-per-node"), nodes=("nnodes",), one_by_default=True)
_MPI = Starter(total=("np", "n", "c"))
STARTERS: Mapping[str, Starter] = {
    "torchrun": _TORCH,
    "torch.distributed.run": _TORCH,
    "torch.distributed.launch": _TORCH,
    "deepspeed": Starter(per_node=("num_gpus",), nodes=("num_nodes",), elsewhere=("hostfile", "H", "include")),
    "accelerate": Starter(total=("num_processes", "num-processes"), nodes=("num_machines", "num-machines")),
    "paddle.distributed.launch": Starter(
        listed=("gpus", "devices"), nodes=("nnodes",), elsewhere=("ips", "cluster_node_ips")
    ),
    "mpirun": _MPI,
    "mpiexec": _MPI,
    "horovodrun": Starter(total=("np", "num-proc")),
    "srun": Starter(per_node=("ntasks-per-node",), total=("n", "ntasks"), nodes=("N", "nodes")),
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
    places = [place for place, word in enumerate(words[:program]) if _starter(word)]
    if not places:
        return {}
    last = places[-1]
    starter, options = STARTERS[_starter(words[last])], dict(_options(words[last + 1 :]))
    found = dict(_counted(starter, options, _starter(words[last])))
    return found if len(places) == 1 or "nodes" in found else {}


def _starter(word: str) -> str:
    """The name of the starter that a word is, or nothing."""
    return next((name for name in (word, Path(word).name) if name in STARTERS), "")


def _counted(starter: Starter, options: Mapping[str, str], name: str) -> Iterator[tuple[str, Count]]:
    if options.keys() & set(starter.elsewhere):
        return
    nodes = _first(starter.nodes, options)
    if nodes:
        yield "nodes", nodes
    per_node = _first(starter.per_node, options) or _first_list(starter.listed, options)
    if total := _first(starter.total, options):
        yield "cards", total
    elif per_node and (nodes or not options.keys() & set(starter.nodes)):
        both = f"{per_node.words} {nodes.words}" if nodes else per_node.words
        yield "cards", Count(per_node.value * (nodes.value if nodes else 1), both)
    elif starter.one_by_default and not options.keys() & {*starter.per_node, *starter.nodes}:
        yield "cards", Count(1, name)


def _first(names: Sequence[str], options: Mapping[str, str]) -> Count | None:
    found = ((name, options[name]) for name in names if _COUNT.fullmatch(options.get(name, "")))
    return next((Count(int(value), _spelt(name, value)) for name, value in found), None)


def _first_list(names: Sequence[str], options: Mapping[str, str]) -> Count | None:
    found = ((name, options[name]) for name in names if re.fullmatch(r"[0-9]+(?:,[0-9]+)*", options.get(name, "")))
    return next((Count(value.count(",") + 1, _spelt(name, value)) for name, value in found), None)


def _spelt(name: str, value: str) -> str:
    return f"{'-' if len(name) <= 2 else '--'}{name} {value}"  # -n 8, -np 8, --nnodes 2


def _options(words: Sequence[str]) -> Iterator[tuple[str, str]]:
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
        if _PYTHON.fullmatch(Path(word).name):
            return _placed(word, folder, path)
        if _starter(word) or word == rest[0]:
            found = _placed(word, folder, path)
            if found and (interpreter := _interpreter(Path(found))):
                return interpreter
    return shutil.which("python", path=path)


def _placed(word: str, folder: Path, path: str) -> str | None:
    return str(folder / word) if os.sep in word else shutil.which(word, path=path)


def _interpreter(program: Path) -> str | None:
    """The Python in the first line of a script; None for another program."""
    try:
        with opened(program) as file:
            found = _SHEBANG.match(file.read(_LONGEST_SHEBANG))
    except OSError:
        return None
    words = [os.fsdecode(word) for word in found.groups() if word] if found else []
    named = [word for word in words if _PYTHON.fullmatch(Path(word).name)]
    return named[0] if named else None
