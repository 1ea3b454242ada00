"""Each launcher turns its variables into one native command; golden/<recipe>.txt holds what is expected."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import pytest
from native_checkout import RECIPES, TOP, executable

from launchers.recipes.recipe import Recipe, find

pytestmark = pytest.mark.slow

GOLDEN = Path(__file__).parent / "golden"
GIVEN = {"BATCH_SIZE": "32", "STEPS": "20", "EPOCHS": "2", "DATA": "some/data", "EXTRA": "--seen 'a b'"}
HOSTILE = """a 0'; echo foo\nb"$(touch made)"""
# What stands in for every program that a launcher may start: it tells the folder, its own name and its arguments.
TELL = """printf '%s\\0' "$PWD" "${0##*/}" "$@\""""

every_recipe = pytest.mark.parametrize("recipe", RECIPES)


def start(top: Path, recipe: str, body: str = TELL, **variables: str) -> subprocess.CompletedProcess[str]:
    """Start a launcher in a checkout at `top`, where every native program is a shell script with this body."""
    script = (TOP / "launchers" / f"{recipe}.sh").read_text(encoding="utf-8")
    folders = [top, *(top / name for name in re.findall(r'cd "\$REPO/([^"$]+)"', script))]
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    for program in ("bin/python", "bin/mpirun", "bin/torchrun", "bin/horovodrun"):
        executable(top / program, f"#!/bin/sh\n{body}\n")
    executable(top / "bin" / "shuf", "#!/bin/sh\n")
    path = f"{top / 'bin'}{os.pathsep}{os.environ['PATH']}"
    command = ["bash", str(TOP / "launchers" / f"{recipe}.sh")]
    environment = {"PATH": path, "REPO": str(top), "WORK": str(top / "work"), **variables}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def told(answer: subprocess.CompletedProcess[str]) -> list[str]:
    """The folder, the name and the arguments of the native program that was started."""
    return answer.stdout.split("\0")[:-1]


def shown(top: Path, recipe: str, variables: dict[str, str]) -> str:
    """One case of a golden file: the variables, then the command with an argument a line."""
    heading = f"# {' '.join(f'{name}={value}' for name, value in variables.items())}"
    answer = start(top, recipe, DRY_RUN="1", **variables)
    cd, folder, then, *words = shlex.split(answer.stdout)
    return "\n".join([heading, f"{cd} {folder} {then}", *map(shlex.quote, words), ""])


def cases(recipe: Recipe) -> Iterator[dict[str, str]]:
    """Each device and precision that a recipe states, on 1 card, 8 cards, and 2 nodes of 8 cards."""
    sizes = [{"NODES": "1", "CARDS": cards, "TASKS": "node"} for cards in ("1", "8")]
    if "TASKS" in recipe.defaults:  # only something else starts its tasks on several nodes
        sizes += [{"NODES": nodes, "CARDS": cards, "TASKS": "card"} for nodes, cards in (("1", "8"), ("2", "16"))]
    elif "MASTER" in recipe.defaults:
        sizes += [{"NODES": "2", "CARDS": "16", "MASTER": "node0:29500", "NODE_RANK": "0"}]
    for device in ("gpu", "cpu"):
        for precision, size in product(recipe.precisions(device), sizes):
            wanted = {"DEVICE": device, "PRECISION": precision, **size}
            yield {name: value for name, value in wanted.items() if name in recipe.defaults}


def combinations(name: str) -> Iterator[dict[str, str]]:
    """Every case of a recipe with its defaults, and the last one with all other options given."""
    recipe = find(name)
    given = {variable: value for variable, value in GIVEN.items() if variable in recipe.defaults}
    every = list(cases(recipe))
    yield from [*every, every[-1] | given]


@every_recipe
def test_a_launcher_prints_the_expected_native_commands(
    tmp_path: Path, recipe: str, compare: Callable[[Path, str], None]
) -> None:
    commands = [shown(tmp_path, recipe, variables) for variables in combinations(recipe)]
    compare(GOLDEN / f"{recipe}.txt", "\n".join(commands))


def test_every_golden_file_has_its_launcher() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} <= {*RECIPES}


@every_recipe
def test_a_launcher_starts_the_command_that_a_dry_run_prints_and_a_dry_run_starts_nothing(
    tmp_path: Path, recipe: str
) -> None:
    printed = start(tmp_path, recipe, "touch started", DRY_RUN="1")
    assert list(tmp_path.rglob("started")) == []
    started_in, *command = told(start(tmp_path, recipe))
    executed = subprocess.run(
        ["bash", "-c", printed.stdout],
        env={
            "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "REPO": str(tmp_path),
            "WORK": str(tmp_path / "work"),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert told(executed) == [started_in, *command]


@every_recipe
def test_a_launcher_works_in_a_folder_with_a_hostile_name(tmp_path: Path, recipe: str) -> None:
    given = ["DATA"] if "DATA" in find(recipe).defaults else []
    plain = told(start(tmp_path / "plain", recipe, **dict.fromkeys(given, "DATA")))
    expected = [word.replace("plain", HOSTILE).replace("DATA", HOSTILE) for word in plain]
    assert told(start(tmp_path / HOSTILE, recipe, **dict.fromkeys(given, HOSTILE))) == expected != []


@every_recipe
def test_a_launcher_passes_extra_arguments_as_a_shell_would_split_them_and_executes_nothing_in_them(
    tmp_path: Path, recipe: str
) -> None:
    words = told(start(tmp_path, recipe, EXTRA="""-o 'a b' "it's" * '$(touch made)' ;"""))
    assert words[words.index("a b") - 1 :][:6] == ["-o", "a b", "it's", "*", "$(touch made)", ";"]
    assert list(tmp_path.rglob("made")) == []
    answer = start(tmp_path, recipe, EXTRA="'open")
    assert (answer.returncode != 0, answer.stdout) == (True, "")


@every_recipe
def test_a_launcher_refuses_an_unknown_precision_and_says_which_are_possible(tmp_path: Path, recipe: str) -> None:
    answer = start(tmp_path, recipe, PRECISION="int4")
    assert (answer.returncode != 0, answer.stdout) == (True, "")
    possible = answer.stderr.rpartition("PRECISION")[2]
    assert [word for word in find(recipe).precisions("gpu") if word not in possible] == []


MANY = {name: {"MASTER", "TASKS"} & find(name).defaults.keys() for name in RECIPES}


@pytest.mark.parametrize("recipe", [name for name, needs in MANY.items() if needs])
def test_a_launcher_refuses_several_nodes_without_a_place_to_meet_or_what_starts_its_tasks(
    tmp_path: Path, recipe: str
) -> None:
    answer = start(tmp_path, recipe, NODES="2", CARDS="16")
    assert (answer.returncode != 0, answer.stdout) == (True, "")
    assert "TASKS=card" in answer.stderr or "TASKS" not in MANY[recipe]


def test_a_recipe_states_that_it_wants_a_process_a_card_just_where_it_can_be_told_so() -> None:
    for known in map(find, RECIPES):
        assert (known.facts.get("tasks") == "card") == ("TASKS" in known.defaults), known.name


@every_recipe
def test_a_launcher_ends_with_the_exit_status_of_the_native_program(tmp_path: Path, recipe: str) -> None:
    for tasks in ("node", "card") if "TASKS" in find(recipe).defaults else ("node",):
        assert start(tmp_path, recipe, "exit 7", TASKS=tasks).returncode == 7


def test_a_program_that_prints_every_ten_steps_prints_within_fewer(tmp_path: Path) -> None:
    commands = {steps: told(start(tmp_path, "paddleseg_deeplabv3p", STEPS=steps)) for steps in ("5", "500")}
    assert {words[words.index("--log_iters") + 1] for words in commands.values()} == {"5", "10"}


def test_torchtitan_is_given_the_options_that_its_checkout_has(tmp_path: Path) -> None:
    executable(tmp_path / "torchtitan" / "models" / "qwen3" / "config_registry.py", "")
    words = told(start(tmp_path, "torchtitan_qwen3", BATCH_SIZE="2"))
    assert {"--config=qwen3_0_6b", "--training.num_tokens_per_microbatch_per_dp_rank=8192"} <= {*words}
    assert start(tmp_path, "torchtitan_qwen3", DATA="elsewhere").returncode == 2  # no option is left that says where
