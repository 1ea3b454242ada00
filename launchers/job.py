"""A job: a recipe or a command of one's own comes in, and all that a runner needs to execute it goes out."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from parsers.io.files import sha256_of
from parsers.io.git import top_of
from parsers.io.printable import printable, shell_quoted
from parsers.runs.run_folder import RunJson, Source

from .recipes import command_line
from .recipes.checkout import Checkout
from .recipes.recipe import MADE, SYNTHETIC, Recipe, dry_run
from .secrets.redaction import redact_document, redact_text, secret_values

_PLACES = {"REPO", "WORK", "MASTER", "NODE_RANK"}
# Never inherited: TF32 is for a launcher alone to forbid, and a launcher that does not read DATA refuses it.
_OURS = {"NVIDIA_TF32_OVERRIDE", "DATA"}
_COUNTS = ("NODES", "CARDS", "BATCH_SIZE", "STEPS", "EPOCHS", "ACCUMULATION", "SEQUENCE_LENGTH")
# Words of the arguments of a native program by which it may set otherwise what a recipe states.
_SETS = {"accumulation": ("accum", "merge"), "sequence_length": ("seq", "length", "block"), "dali": ("dali", "data")}
_VARIABLES = re.compile(r"\$(?:MASTER|NODE_RANK|WORK)\b")
_NAMED = ("model", "framework", "nodes", "cards", "precision", "batch_size")
_LARGEST = 1 << 24  # bytes of a file that a command names; a larger one is data
_OF_NVIDIA = ("nvidia[0-9]*", "dxg")
_ACCELERATORS = (*_OF_NVIDIA, "kfd", "davinci[0-9]*", "accel*", "dri/renderD*")


class CannotRunHere(click.UsageError):
    """A job that can run, but at another place than the one that was chosen."""


@dataclass(frozen=True)
class Job:
    """What a runner executes any number of times, at any place, and what run.json says of it.

    `name`: what messages call it. `repo`: the folder that it runs in, `checkout`: that which its program is of.
    `folders`: those that it needs apart from programs and `WORK`: its checkout, its data; none is within another.
    `environment`: that which it starts in, but for `WORK`, the folder of each run for what it writes.
    `command`: a line of shell that starts it and holds no path of a machine: it needs `REPO`, the folder that it runs
    in, and `WORK`; on several nodes `MASTER` and `NODE_RANK` as well. `cards_per_node`: what a cluster is asked for.
    `device`: what trains, cpu or gpu. `case_name`: that of the case's folder, for example ResNet50_bs4_fp32_N1C2.
    `facts`: those of run.json's case that are known before it runs. `kept`: what run.json says of what was asked for:
    as far as known, `recipe`, `command`, `native`, `variables`. `python`: the one that trains; None where none does.
    `tasks`: what it wants one task for when something starts it on several machines, node or card; `needs_starter`:
    whether something else must start it on these; `meets_by_address`: whether its nodes know each other by addresses,
    not by names, as with Paddle's launcher.
    """

    name: str
    repo: Path
    checkout: Checkout
    folders: Sequence[Path]
    environment: Mapping[str, str]
    command: str
    nodes: int
    cards_per_node: int
    device: str
    case_name: str
    facts: Mapping[str, str | int]
    kept: RunJson
    python: str | None = "python"
    tasks: str = "node"
    needs_starter: bool = False
    meets_by_address: bool = False
    recipe: Recipe | None = None

    @property
    def tasks_per_node(self) -> int:
        """How many tasks something starts on each node."""
        return self.cards_per_node if self.tasks == "card" else 1

    def case(self, gpus: Sequence[str]) -> dict[str, str | int]:
        """What is measured; `gpus`: the names of those of its first machine."""
        device = gpus[0] if self.device == "gpu" and gpus else self.device.upper()
        if self.recipe is None and device == "GPU":  # nobody said so
            return {**self.facts, **({} if _has_accelerator() else {"device": "CPU"})}
        return {**self.facts, "device": device}

    def source(self) -> tuple[Source, bytes]:
        """The checkout that it runs from now, for run.json, and as a patch without secrets what is changed in it.

        Of a recipe also what that is for; of a command of one's own the SHA-256 of each file that it names.
        """
        now = self.checkout.again()
        changes = redact_text(now.patch, secret_values(os.environ))[0].encode(errors="surrogateescape")
        found: Source = {"repository": now.repository, "commit": now.commit, "dirty": now.is_dirty}
        found |= {"patch": hashlib.sha256(changes).hexdigest()} if changes else {}
        if self.recipe:
            facts = self.recipe.facts
            origin: Source = {"recipe_repository": facts["repository"], "pinned": facts["commit"]}
            return {**found, **origin, "licence": facts["licence"]}, changes
        files = {word: sha256_of(self.repo / word) for word in self.kept["command"] if self._names_file(word)}
        return {**found, "files": files}, changes

    def differences(self, facts: Mapping[str, Any]) -> Iterator[str]:
        """What the run.json of a run says otherwise than this job, so that it is no repeat of it.

        Of a recipe its name and its variables count, but for where it runs; of a command of one's own its words, what
        they state, and the files and the commit that it is run from.
        """
        if self.recipe:
            variables = {name: value for name, value in self.kept["variables"].items() if name not in _PLACES}
            asked: dict[str, Any] = {"recipe": self.name, **variables}
            said = facts.get("variables", {})
            theirs = {"recipe": facts.get("recipe"), **{name: said.get(name) for name in variables}}
        else:
            case = {name: said for name, said in dict(facts.get("case", {})).items() if name in _NAMED}
            asked = {"case": self.facts, "command": self.kept["command"], "source": self.source()[0]}
            theirs = {"case": case, "command": facts.get("command"), "source": facts.get("source")}
        published = redact_document(asked, secret_values(os.environ))
        ours, published, theirs = _flat(asked), _flat(published), _flat(theirs)
        for name in {**ours, **theirs}:
            if theirs.get(name) not in (ours.get(name), published.get(name)):
                yield f"{name}={theirs.get(name)}, not {ours.get(name)}"

    def _names_file(self, word: str) -> bool:
        with suppress(OSError, ValueError):  # a word may be longer than a path can be
            path = self.repo / word
            return not Path(word).is_absolute() and path.is_file() and path.stat().st_size <= _LARGEST
        return False


def of_recipe(
    recipe: Recipe, checkout: Checkout | None, data: Path | None, options: Mapping[str, str], *, by_card: bool = False
) -> Job:
    """Return the job of a recipe in its checkout; None for a job whose script is only to be printed.

    `data`: None for where the recipe expects it. `options`: launcher variables that differ from the recipe's defaults,
    for example `{"CARDS": "2"}`. `by_card`: whether something else starts a task for each card, where it wants that.
    Raises click.UsageError where the recipe cannot do what the options ask.
    """
    if checkout is None:
        with TemporaryDirectory() as nowhere:
            here = Path(nowhere, recipe.facts["repository"].rpartition("/")[2])
            for below in ["", *recipe.folders]:
                (here / below).mkdir(parents=True, exist_ok=True)
            return of_recipe(recipe, Checkout(here), data, options, by_card=by_card)
    repo, tasks = checkout.repo, recipe.facts.get("tasks", "node")
    if tasks == "card" and (by_card or options.get("NODES", "1") != "1"):  # several nodes are not possible otherwise
        options = {**options, "TASKS": "card"}
    # The checkout stands by its name alone and the data as seen from it, so that no path of a machine is kept.
    seen = {"DATA": os.path.relpath(data.resolve(), repo.resolve())} if data else {}
    variables = {**recipe.defaults, **options, "REPO": repo.resolve().name, **seen}
    _refuse_impossible(recipe, data, options)
    nodes, device = int(variables["NODES"]), variables.get("DEVICE", "gpu")
    makes_data = recipe.data == SYNTHETIC or (recipe.can_make_data and variables.get("DATA") == SYNTHETIC)
    read = [repo / variables["DATA"]] if variables.get("DATA") and not makes_data else []
    inherited = {name: value for name, value in os.environ.items() if name not in _OURS}
    # What Python prints to a pipe would wait in a buffer, and standard output and error would change order.
    environment = {**inherited, "PYTHONUNBUFFERED": "1", **variables, "REPO": str(repo.resolve())}
    places = {"MASTER": "@MASTER@", "NODE_RANK": "@NODE_RANK@"} if nodes > 1 else {}
    command = re.sub(r"@(MASTER|NODE_RANK)@", r'"$\1"', dry_run(recipe, repo, {**variables, **places}).strip())
    return Job(
        name=recipe.name,
        repo=repo,
        checkout=checkout,
        folders=_outermost([repo, *read]),
        environment=environment,
        command=command,
        nodes=nodes,
        cards_per_node=int(variables["CARDS"]) // nodes,
        device=device,
        case_name="{model}_bs{BATCH_SIZE}_{PRECISION}_N{NODES}C{CARDS}".format_map({**recipe.facts, **variables}),
        facts=_recipe_facts(recipe, repo, variables, makes_data=makes_data),
        kept={
            "recipe": recipe.name,
            "launcher": recipe.sha256,
            "command": recipe.command,
            "native": command,
            "variables": variables,
        },
        tasks=tasks,
        needs_starter=nodes > 1 and (tasks == "card" or not variables.get("MASTER")),
        meets_by_address=nodes > 1 and "paddle.distributed.launch" in command,
        recipe=recipe,
    )


def _recipe_facts(
    recipe: Recipe, repo: Path, variables: Mapping[str, str], *, makes_data: bool
) -> dict[str, str | int]:
    """All facts of a recipe and its variables that a page can compare, but for those that EXTRA may set otherwise."""
    extra, stated = variables["EXTRA"].lower(), recipe.states(variables)
    sure = {name: said for name, said in stated.items() if not any(word in extra for word in _SETS.get(name, (name,)))}
    is_made = makes_data or ("DATA" in variables and (repo / variables["DATA"] / MADE).exists())
    is_sure_of_data = ("data" if makes_data else SYNTHETIC) not in extra
    return {
        "model": recipe.facts["model"],
        "framework": recipe.facts["framework"],
        "nodes": int(variables["NODES"]),
        "cards": int(variables["CARDS"]),
        "precision": variables["PRECISION"],
        "batch_size": int(variables["BATCH_SIZE"]),
        **({"data": SYNTHETIC if is_made else recipe.data} if is_sure_of_data else {}),
        **sure,
    }


def _refuse_impossible(recipe: Recipe, data: Path | None, options: Mapping[str, str]) -> None:
    """Refuse what the recipe or its native program cannot do; raises click.UsageError."""
    if recipe.data == SYNTHETIC and (data or "DATA" in options):
        said = f"{recipe.name} trains on synthetic data generated by its program"
        raise click.UsageError(f"{said}; omit --data and --synthetic.")
    if options.get("DATA") == SYNTHETIC:
        if data:
            raise click.UsageError("--synthetic and --data cannot be used together.")
        if not recipe.can_make_data:
            raise click.UsageError(f"{recipe.name} cannot generate data; omit --synthetic.")
    variables = {**recipe.defaults, **options}
    stated = {name.upper(): str(value) for name, value in recipe.states(variables).items()}
    for name in options.keys() - recipe.defaults.keys():
        if stated.get(name) != options[name]:
            known = ", ".join(recipe.defaults)
            raise click.UsageError(f"{recipe.name} does not have the option {name}; its options: {known}.")
    _check_counts(variables)
    device, precision = variables.get("DEVICE", "gpu"), variables["PRECISION"]
    if precision not in (possible := recipe.precisions(device)):
        supported = ", ".join(possible) or "none"
        raise click.UsageError(f"{recipe.name} does not support {precision} on {device}; supported: {supported}.")


def _check_counts(variables: Mapping[str, str]) -> None:
    for name in _COUNTS:
        if name in variables and not re.fullmatch("[1-9][0-9]{0,17}", variables[name]):
            raise click.UsageError(f"{name} is {variables[name]!r}; expected a whole number of at least 1.")
    _check_split(int(variables["CARDS"]), int(variables["NODES"]))
    steps, epochs = int(variables["STEPS"]), int(variables.get("EPOCHS", "1"))
    if steps % epochs:  # the native programs would train more steps than run.json says
        message = f"--steps {steps} cannot be split evenly across {epochs} epochs; use a multiple of {epochs}"
        raise click.UsageError(f"{message}, such as --steps {steps // epochs * epochs or epochs}.")


def _check_split(cards: int, nodes: int) -> None:
    if cards % nodes:
        message = f"{cards} cards cannot be split evenly across {nodes} nodes"
        raise click.UsageError(f"{message}; use a multiple of {nodes}.")


def of_command(
    words: Sequence[str],
    folder: Path,
    states: Mapping[str, str | int] | None = None,
    device: str | None = None,
    *,
    read: str | None = None,
    is_contained: bool = False,
    is_here: bool = True,
) -> Job:
    """Return the job of a command of one's own: any program that trains, started in `folder`.

    `states`: facts of run.json's case by their names, such as `{"model": "GPT-2", "cards": 8}`; further ones are those
    that the command proves. `read`: what a number of its log measures. `device`: cpu or gpu; None for gpu where this
    machine has one, or does not run it (`is_here`), else cpu. `is_contained`: whether a container runs it, whose
    programs are not known here.
    Raises click.UsageError where nothing can start it, or its cards and nodes do not fit.
    """
    states = states or {}
    program = os.fspath(folder / words[0]) if os.sep in words[0] else words[0]
    if not is_contained and shutil.which(program) is None:
        raise click.UsageError(f"{printable(words[0])} is not a program on PATH, or cannot be executed.")
    counts = command_line.counts(words, os.environ)
    in_command = counts["nodes"].value if "nodes" in counts else 1
    if states.get("nodes", in_command) != in_command:
        counts.pop("cards", None)  # those of a command that its user starts on other nodes than it says
    facts = {**{name: count.value for name, count in counts.items()}, **states}
    nodes = int(facts.get("nodes", 1))
    if "cards" not in facts and int(states.get("nodes", 1)) > 1:
        message = f"The command does not say how many cards train on {nodes} nodes"
        raise click.UsageError(f"{message}; state them with --cards.")
    cards = int(facts.get("cards", nodes))
    _check_split(cards, nodes)
    command = f'cd "$REPO" && {" ".join(_expanding(word, folder) for word in words)}'
    top = top_of(folder) or folder
    has_gpu = _has_accelerator(_OF_NVIDIA if is_contained else _ACCELERATORS)  # containers are given no others
    return Job(
        name=Path(words[0]).name,
        repo=folder,
        checkout=Checkout(top),
        folders=_outermost([top, folder]),
        environment={**os.environ, "PYTHONUNBUFFERED": "1", "REPO": str(folder)},
        command=command,
        nodes=nodes,
        cards_per_node=cards // nodes,
        device=device or ("cpu" if is_here and not has_gpu else "gpu"),
        case_name=_case_name(words, facts),
        facts=facts,
        kept={
            "case_from": {name: count.words for name, count in counts.items() if name not in states},
            "command": moved(words, folder, None),
            "native": command,
            **({"read": read} if read else {}),
        },
        python=command_line.python(words, folder, os.environ.get("PATH", os.defpath)),
    )


def _case_name(words: Sequence[str], facts: Mapping[str, str | int]) -> str:
    """The model, or the program that trains, and the facts that are known, such as GPT-2_bs32_bf16_N1C8."""
    scripts = [word for word in words if word.endswith((".py", ".sh"))]
    named = re.sub(r"[^\w.+-]+", "-", str(facts.get("model", Path([*scripts, words[0]][0]).stem))).strip("-.")
    parts = [named or "run"]
    parts += [f"bs{facts['batch_size']}"] if "batch_size" in facts else []
    parts += [str(facts["precision"])] if "precision" in facts else []
    parts += [f"N{facts.get('nodes', 1)}C{facts['cards']}"] if "cards" in facts else []
    return re.sub(r"[^\w.+-]+", "-", "_".join(parts))


def _expanding(word: str, folder: Path) -> str:
    """A word as the shell reads it: it expands $MASTER, $NODE_RANK and $WORK, and REPO stands for `folder`."""
    parts = re.split(f"({_VARIABLES.pattern}|{_path_of(folder)})", word)  # every other one is what was sought
    parts[1::2] = [f'"{found if found[0] == "$" else "$REPO"}"' for found in parts[1::2]]
    parts[::2] = [shell_quoted(part) if part else "" for part in parts[::2]]
    return "".join(parts) or shell_quoted(word)


def _path_of(folder: Path) -> str:
    """A regular expression for the path of a folder where a path begins; for nothing where that is the root."""
    return rf"(?<![\w./~-]){re.escape(str(folder))}(?=/)" if folder.parent != folder else r"(?!)"


def _flat(document: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """The values of a document of objects by their dotted keys."""
    found: dict[str, Any] = {}
    for name, value in document.items():
        found |= _flat(value, f"{above}{name}.") if isinstance(value, dict) else {f"{above}{name}": value}
    return found


def moved(words: Sequence[str], here: Path, there: Path | None) -> list[str]:
    """The words of a command with the paths of files below one folder as paths below another; None as seen from it."""
    path = re.compile(f"{_path_of(here)}/")
    return [path.sub(lambda _: f"{there}/" if there else "", word) for word in words]


def _outermost(folders: Iterable[Path]) -> list[Path]:
    """These folders without those that are within another one, links resolved."""
    found = list(dict.fromkeys(folder.resolve() for folder in folders))
    return [folder for folder in found if not any(folder.is_relative_to(other) for other in found if other != folder)]


def _has_accelerator(patterns: Sequence[str] = _ACCELERATORS) -> bool:
    return any(True for pattern in patterns for _ in Path("/dev").glob(pattern))
