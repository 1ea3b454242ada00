"""A command of one's own: any program that trains, run from the folder where it was started."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import click

from parsers.io.input_file import opened
from parsers.io.printable import printable, shell_quoted
from parsers.runs.git_files import top_of
from parsers.runs.run_folder import RunJson, Source

from ..recipes import command_line
from ..secrets.published_run import redact_document
from .job import outermost
from .source_patch import described, patch

_VARIABLES = re.compile(r"\$(?:MASTER|NODE_RANK)\b")
_LARGEST = 1 << 24  # bytes of a file that a command names; a larger one is data
_ACCELERATORS = ("nvidia[0-9]*", "kfd", "davinci[0-9]*", "accel*", "dri/renderD*")


@dataclass(frozen=True)
class OwnCommand:
    """The `words` of a command, which is started in the folder `repo`, and what its user `states` of it.

    `states`: facts of run.json's case by their names, such as `{"model": "GPT-2", "cards": 8}`. `device`: cpu or gpu.
    `is_contained`: whether a container runs it, whose programs are not known here.
    """

    words: Sequence[str]
    repo: Path
    states: Mapping[str, str | int] = field(default_factory=dict)
    device: str = "gpu"
    is_contained: bool = False

    def __post_init__(self) -> None:
        """Refuse a command that nothing can start; raises click.UsageError."""
        program = os.fspath(self.repo / self.words[0]) if os.sep in self.words[0] else self.words[0]
        if not self.is_contained and shutil.which(program) is None:
            raise click.UsageError(f"{printable(self.words[0])} is not a program on PATH, or cannot be executed.")
        self._check_cards()

    metric: ClassVar[None] = None
    tasks: ClassVar[str] = "node"
    needs_starter: ClassVar[bool] = False  # who starts it on several machines knows how they meet
    meets_by_address: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """Its program, without its folder."""
        return Path(self.words[0]).name

    @property
    def work_tree(self) -> Path:
        """The checkout that its folder is in."""
        return top_of(self.repo) or self.repo

    @property
    def folders(self) -> list[Path]:
        """The checkout that its folder is in."""
        return outermost([self.work_tree, self.repo])

    @property
    def python(self) -> str | None:
        """The one that its words, or the first line of its program, name."""
        return command_line.python(self.words, self.repo, os.environ.get("PATH", os.defpath))

    @property
    def start(self) -> list[str]:
        """Itself, in its folder."""
        return ["bash", "-c", 'cd -- "$REPO" && exec "$@"', self.name, *self.words]

    @property
    def environment(self) -> dict[str, str]:
        """That of the user, with its folder."""
        # What Python prints to a pipe would wait in a buffer, and standard output and error would change order.
        return {**os.environ, "PYTHONUNBUFFERED": "1", "REPO": str(self.repo)}

    @property
    def command(self) -> str:
        """Its words as the shell reads them; $MASTER and $NODE_RANK in them are expanded."""
        return f'cd "$REPO" && {" ".join(map(self._quoted, self.words))}'

    @property
    def exported(self) -> dict[str, str]:
        """MASTER and NODE_RANK where the user has set them."""
        return {name: os.environ[name] for name in ("MASTER", "NODE_RANK") if name in os.environ}

    @property
    def nodes(self) -> int:
        """As stated, or as the command says; else one."""
        return int(self._facts.get("nodes", 1))

    @property
    def cards_per_node(self) -> int:
        """As stated, or as the command says; else one."""
        return int(self._facts.get("cards", self.nodes)) // self.nodes

    @property
    def case_name(self) -> str:
        """The model, or the program that trains, and the facts that are known, such as GPT-2_bs32_bf16_N1C8."""
        facts = self._facts
        size = [f"bs{facts['batch_size']}"] if "batch_size" in facts else []
        precision = [str(facts["precision"])] if "precision" in facts else []
        cards = [f"N{self.nodes}C{facts['cards']}"] if "cards" in facts else []
        return "_".join([_file_name(str(facts.get("model", self._program))), *size, *precision, *cards])

    @property
    def kept(self) -> RunJson:
        """Its words, and what of its case they state."""
        words = [self._relative(word) for word in self.words]
        return {"case_from": self._said_by, "command": words, "native": self.command}

    def differences(self, facts: Mapping[str, Any]) -> Iterator[str]:
        """The command, what it states, and the files and the commit that it is run from."""
        case = {name: said for name, said in dict(facts.get("case", {})).items() if name in _NAMED}
        found = {"case": case, "command": facts.get("command"), "source": facts.get("source")}
        ours = {"case": self._facts, "command": self.kept["command"], "source": self.source(patch(self.work_tree))}
        public = redact_document(ours)  # as it is kept, unless its user asked for more
        differing = (name for name in ours if found[name] not in (ours[name], public[name]))
        yield from (f"{name}={found[name]}, not {ours[name]}" for name in differing)

    def case(self, gpus: Sequence[str]) -> dict[str, Any]:
        """What is stated, and the device where it is known: the first GPU, or the CPU where there is nothing else."""
        device = gpus[0] if self.device == "gpu" and gpus else None
        if self.device == "cpu" or not _has_accelerator():
            device = "CPU"
        return {**self._facts, **({"device": device} if device else {})}

    def source(self, changes: bytes) -> Source:
        """The checkout, and the SHA-256 of each file that the command names."""
        files = {word: _sha256(self.repo / word) for word in dict.fromkeys(self.words) if self._is_file(word)}
        return {**described(self.work_tree, changes), "files": files}

    def remarks(self) -> Iterator[str]:
        """Nothing: the checkout is the user's."""
        yield from ()

    def by_card(self) -> OwnCommand:
        """The same; the command itself says what it starts."""
        return self

    def moved(self, folder: Path) -> OwnCommand:
        """The same in another folder; raises click.UsageError where that lacks the program."""
        words = [word.replace(f"{self.repo}{os.sep}", f"{folder}{os.sep}") for word in self.words]
        return replace(self, words=words, repo=folder)

    def _check_cards(self) -> None:
        if "cards" not in self._facts:
            if int(self.states.get("nodes", 1)) > 1:
                message = f"The command does not say how many cards train on {self.nodes} nodes"
                raise click.UsageError(f"{message}; state them with --cards.")
        elif int(self._facts["cards"]) % self.nodes:
            message = f"{self._facts['cards']} cards cannot be split evenly across {self.nodes} nodes"
            raise click.UsageError(f"{message}; use a multiple of {self.nodes}.")

    @cached_property
    def _counts(self) -> dict[str, command_line.Count]:
        found = command_line.counts(self.words, os.environ)
        in_command = found["nodes"].value if "nodes" in found else 1
        if self.states.get("nodes", in_command) != in_command:
            found.pop("cards", None)  # those of a command that its user starts on other nodes than it says
        return found

    @property
    def _facts(self) -> dict[str, str | int]:
        return {**{name: count.value for name, count in self._counts.items()}, **self.states}

    @property
    def _said_by(self) -> dict[str, str]:
        """By what each fact is known that the user did not state: words of the command."""
        return {name: count.words for name, count in self._counts.items() if name not in self.states}

    @property
    def _program(self) -> str:
        scripts = [word for word in self.words if word.endswith((".py", ".sh"))]
        return Path(scripts[0] if scripts else self.words[0]).stem

    def _is_file(self, word: str) -> bool:
        path = self.repo / word
        return not Path(word).is_absolute() and path.is_file() and path.stat().st_size <= _LARGEST

    def _relative(self, word: str) -> str:
        """A word without the folder of this machine that the command is run from."""
        return word.replace(f"{self.repo}{os.sep}", "")

    def _quoted(self, word: str) -> str:
        relative = self._relative(word)
        parts = _VARIABLES.split(relative)
        if len(parts) == 1:
            return shell_quoted(relative)
        named = [f'"{name}"' for name in _VARIABLES.findall(relative)]
        words = [shell_quoted(part) if part else "" for part in parts]
        return "".join(a + b for a, b in zip(words, [*named, ""], strict=True))


_NAMED = ("model", "framework", "nodes", "cards", "precision", "batch_size")


def _has_accelerator() -> bool:
    return any(True for pattern in _ACCELERATORS for _ in Path("/dev").glob(pattern))


def _sha256(path: Path) -> str:
    with opened(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _file_name(text: str) -> str:
    return re.sub(r"[^\w.+-]+", "-", text).strip("-.") or "run"
