"""What a run.json says of a run is what the native program was told."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from native_checkout import Native
from test_launched_commands import every_recipe, start

from launchers.job import Job, of_recipe
from launchers.recipes import recipe as recipes
from launchers.recipes.checkout import Checkout
from launchers.recipes.images import imagenet
from tests.commandline import run

OTHER = {
    "DATA": "other/data",
    "NODES": "4",
    "CARDS": "8",
    "BATCH_SIZE": "7",
    "STEPS": "9",
    "EPOCHS": "5",
    "ACCUMULATION": "3",
    "SEQUENCE_LENGTH": "64",
    "DALI": "off",
    "XLA": "off",
    "DEVICE": "cpu",
    "EXTRA": "--other",
    "TASKS": "card",
    "MASTER": "other:1",
    "NODE_RANK": "1",
}
# Two nodes of two cards, or two cards where several nodes are left to what starts the tasks.
MANY = {"NODES": "2", "CARDS": "4", "MASTER": "node0:29500", "NODE_RANK": "0", "PRECISION": "amp"}
ONE = {"CARDS": "2", "PRECISION": "amp"}


def command(top: Path, recipe: str, variables: dict[str, str]) -> str:
    """The native command for these variables, as a dry run of the launcher prints it."""
    answer = start(top, recipe, DRY_RUN="1", **variables)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


def job(top: Path, recipe: str, options: dict[str, str], data: Path | None = None) -> Job:
    """A job in a checkout under `top`, which has the folders that the recipe enters."""
    start(top, recipe, DRY_RUN="1")
    return of_recipe(recipes.find(recipe), Checkout(top), data, options)


def is_refused(top: Path, recipe: str, data: Path) -> bool:
    """Whether a job refuses data, which otherwise reaches its native command."""
    try:
        given = job(top, recipe, {}, data)
    except click.UsageError as refusal:
        assert "--data" in refusal.message
        return True
    assert data.name in given.command
    return False


@every_recipe
def test_data_that_is_given_reaches_the_native_program_or_is_refused(tmp_path: Path, recipe: str) -> None:
    data = tmp_path / "given_data"
    data.mkdir()
    assert is_refused(tmp_path, recipe, data) == (recipes.find(recipe).data == "synthetic")


@every_recipe
def test_synthetic_data_change_the_native_command_or_are_refused(tmp_path: Path, recipe: str) -> None:
    try:
        asked = job(tmp_path, recipe, {"DATA": "synthetic"})
    except click.UsageError as refusal:
        assert not recipes.find(recipe).can_make_data
        assert "omit --" in refusal.message
        assert start(tmp_path, recipe, DATA="synthetic").returncode == 2
    else:
        assert (asked.facts.get("data"), asked.folders) == ("synthetic", [tmp_path])
        assert asked.command != job(tmp_path, recipe, {}).command


def test_a_case_says_how_it_is_trained_unless_extra_arguments_may_set_that_otherwise(tmp_path: Path) -> None:
    case = job(tmp_path, "nvidia_tensorflow_bert", {"ACCUMULATION": "4", "XLA": "off"}).case([])
    assert (case["accumulation"], case["sequence_length"], case["xla"]) == (4, 128, "off")
    extra = "--num_accumulation_steps=2 --max_seq_length=512"
    case = job(tmp_path, "nvidia_tensorflow_bert", {"EXTRA": extra}).case([])
    assert {"accumulation", "sequence_length", "xla"} & case.keys() == {"xla"}


@pytest.mark.slow
@every_recipe
def test_every_variable_that_a_launcher_reads_changes_the_native_command(tmp_path: Path, recipe: str) -> None:
    known = recipes.find(recipe)
    base = dict(MANY if "MASTER" in known.defaults else ONE)
    first, *others = sorted(known.precisions("gpu"), reverse=True)
    base["PRECISION"] = first
    before = command(tmp_path, recipe, base)
    outside = {"REPO"} if "MASTER" in known.defaults else {"REPO", "NODES"}  # Slurm or mpirun makes nodes of tasks
    if not others:
        outside.add("PRECISION")  # a recipe of one precision refuses all others
    changed = {**OTHER, "PRECISION": "".join(others[:1])}
    read = [name for name in known.defaults if name not in outside]
    same = [name for name in read if command(tmp_path, recipe, base | {name: changed[name]}) == before]
    assert same == []


def test_a_run_says_whether_its_data_are_real_unless_extra_arguments_may_choose_others(native: Native) -> None:
    native.launch()
    assert native.facts()["case"]["data"] == "real"
    # A log of one record has no throughput, and exit status 1.
    told = json.loads(run("show", native.run, "--json").stdout)
    assert told["facts"]["data"] == {"value": "real", "witness": "run.json"}
    native.launch("--into", str(native.top / "logs/other"), "--", "--use_synthetic_data")
    (other,) = native.top.glob("logs/other/*/1/run.json")
    assert "data" not in json.loads(other.read_text(encoding="utf-8"))["case"]


def test_images_that_were_made_are_synthetic_data(native: Native) -> None:
    imagenet(native.repo / "data", 1, 8)
    native.launch()
    assert native.facts()["case"]["data"] == "synthetic"


@pytest.mark.parametrize(("extra", "said"), [("--verbose", "synthetic"), ("--data-backend dali-gpu", None)])
def test_a_recipe_that_reads_no_data_trains_on_synthetic_ones_unless_told_otherwise(
    tmp_path: Path, extra: str, said: str | None
) -> None:
    assert job(tmp_path, "nvidia_mxnet_resnet50", {"DATA": "synthetic", "EXTRA": extra}).facts.get("data") == said


def test_a_page_may_ask_for_what_the_head_of_a_recipe_states_and_for_nothing_else(tmp_path: Path) -> None:
    assert job(tmp_path, "nanogpt", {"SEQUENCE_LENGTH": "1024"}).case([])["sequence_length"] == 1024
    with pytest.raises(click.UsageError, match="does not have the option SEQUENCE_LENGTH"):
        job(tmp_path, "nanogpt", {"SEQUENCE_LENGTH": "2048"})
