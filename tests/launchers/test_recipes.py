"""Each recipe turns its variables into one native command, which is what was published; one's own is as any other."""

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product, takewhile
from pathlib import Path

import click
import pytest
from checkouts import RECIPES, TACHOGRAPH, TOP, TRAIN, Native, run_file, start
from PIL import Image

from launchers.job import Job, of_recipe
from launchers.recipes.checkout import Checkout
from launchers.recipes.recipe import ROOM, Recipe, find
from tests.commandline import executable, files, git, run

GOLDEN = Path(__file__).parent / "golden"
GIVEN = {"BATCH_SIZE": "28", "STEPS": "24", "EPOCHS": "6", "DATA": "some/data", "EXTRA": "--seen 'a b'"}
GIVEN |= {"ACCUMULATION": "3", "SEQUENCE_LENGTH": "64", "DALI": "off", "XLA": "off"}
HOSTILE = """a 0'; echo foo\nb"$(touch made)"""
# Each starts several shells.
every_recipe = pytest.mark.parametrize("recipe", [pytest.param(recipe, marks=pytest.mark.slow) for recipe in RECIPES])


def started(answer: subprocess.CompletedProcess[str]) -> list[str]:
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


@every_recipe
def test_a_launcher_prints_the_expected_native_commands_and_reads_each_of_its_variables(
    tmp_path: Path, recipe: str, compare: Callable[[Path, str], None]
) -> None:
    every, known = list(cases(find(recipe))), find(recipe).defaults
    given = every[-1] | {name: value for name, value in GIVEN.items() if name in known}
    commands = [shown(tmp_path, recipe, variables) for variables in [*every, given]]
    compare(GOLDEN / f"{recipe}.txt", "\n".join(commands))
    for name in GIVEN.keys() & known.keys():
        without = {key: value for key, value in given.items() if key != name}
        assert shown(tmp_path, recipe, without).splitlines()[1:] != commands[-1].splitlines()[1:], name


def test_every_golden_file_has_its_launcher() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == {*RECIPES}


@every_recipe
def test_any_words_reach_the_native_program_as_they_are_from_a_launcher_and_from_what_its_dry_run_prints(
    tmp_path: Path, recipe: str
) -> None:
    given = ["DATA"] if "DATA" in find(recipe).defaults else []
    extra = """-o 'a b' "it's" * '$(touch made)' ;"""
    plain = started(start(tmp_path / "plain", recipe, EXTRA=extra, **dict.fromkeys(given, "DATA")))
    top, hostile = tmp_path / HOSTILE, {"EXTRA": extra, **dict.fromkeys(given, HOSTILE)}
    printed = start(top, recipe, "touch started", DRY_RUN="1", **hostile).stdout
    assert list(tmp_path.rglob("started")) == []
    words = started(start(top, recipe, **hostile))
    assert words == [word.replace("plain", HOSTILE).replace("DATA", HOSTILE) for word in plain]
    assert words[words.index("a b") - 1 :][:6] == ["-o", "a b", "it's", "*", "$(touch made)", ";"]
    path = f"{top / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {"PATH": path, "REPO": str(top), "WORK": str(top / "work")}
    executed = subprocess.run(["bash", "-c", printed], env=environment, capture_output=True, text=True, check=True)
    assert started(executed) == words
    assert list(tmp_path.rglob("made")) == []


@every_recipe
def test_a_launcher_refuses_what_it_cannot_do_and_ends_with_the_status_of_the_native_program(
    tmp_path: Path, recipe: str
) -> None:
    known = find(recipe)
    refused = [{"PRECISION": "int4"}, {"EXTRA": "'open"}]
    if {"MASTER", "TASKS"} & known.defaults.keys():  # without a place to meet, or what starts its tasks
        refused.append({"NODES": "2", "CARDS": "16"})
    answers = [start(tmp_path, recipe, **variables) for variables in refused]
    assert [(answer.returncode != 0, answer.stdout) for answer in answers] == [(True, "")] * len(refused)
    assert [word for word in known.precisions("gpu") if word not in answers[0].stderr.rpartition("PRECISION")[2]] == []
    assert "TASKS=card" in answers[-1].stderr or "TASKS" not in known.defaults
    assert (known.facts.get("tasks") == "card") == ("TASKS" in known.defaults)
    for tasks in ("node", "card") if "TASKS" in known.defaults else ("node",):
        assert start(tmp_path, recipe, "exit 7", TASKS=tasks).returncode == 7


def test_a_program_that_prints_every_ten_steps_prints_within_fewer(tmp_path: Path) -> None:
    commands = {steps: started(start(tmp_path, "paddleseg_deeplabv3p", STEPS=steps)) for steps in ("5", "500")}
    assert {words[words.index("--log_iters") + 1] for words in commands.values()} == {"5", "10"}


def test_torchtitan_is_given_the_options_that_its_checkout_has(tmp_path: Path) -> None:
    executable(tmp_path / "torchtitan" / "models" / "qwen3" / "config_registry.py", "")
    words = started(start(tmp_path, "torchtitan_qwen3", BATCH_SIZE="2"))
    assert {"--config=qwen3_0_6b", "--training.num_tokens_per_microbatch_per_dp_rank=8192"} <= {*words}
    assert start(tmp_path, "torchtitan_qwen3", DATA="elsewhere").returncode == 2  # no option is left that says where


# What stands in for every native program writes where the real one does: the folder that the option names or, where it
# is not given, the one that the program has for it, as seen from where it was started.
WRITES: dict[str, dict[str, str]] = {
    "hf_gpt2": {"--output_dir": "trainer_output"},
    "llamafactory_qwen3": {"output_dir": "saves/qwen3-4b/lora/pretrain"},
    "megatron_gpt": {},  # nothing without --save
    "mmsegmentation_deeplabv3plus": {"--work-dir": "work_dirs"},
    "nanochat": {"--model-tag": "d24"},  # in NANOCHAT_BASE_DIR/base_checkpoints, unless it is an absolute path
    "nanogpt": {"--out_dir": "out"},
    "nvidia_mxnet_resnet50": {"--workspace": ".", "-o": "report"},
    "nvidia_pytorch_bert": {"--output_dir": "results"},
    "nvidia_pytorch_bert_large": {"--output_dir": "results"},
    "nvidia_pytorch_resnet50": {"--workspace": "."},
    "nvidia_pytorch_transformer": {"--save-dir": "results"},
    "nvidia_tensorflow_bert": {"--output_dir": "results"},
    "nvidia_tensorflow_resnet50": {"--results_dir": "."},
    "paddleclas_resnet50": {"Global.output_dir": "output"},
    "paddleclas_resnet50_static": {"Global.output_dir": "output"},
    "paddleclas_se_resnext50": {"Global.output_dir": "output"},
    "paddleclas_vgg16": {"Global.output_dir": "output"},
    "paddlegan_cyclegan": {"output_dir": "output_dir"},
    "paddlenlp_bert": {"--output_dir": "output"},
    "paddlenlp_bert_static": {"--output_dir": "output"},
    "paddlenlp_qwen2": {"--output_dir": "output", "--data_cache": "../data/index-cache"},
    "paddlenlp_transformer": {"save_model of the config": "trained_models"},
    "paddleseg_deeplabv3p": {"--save_dir": "output"},
    "paddleseg_fcn_hrnetw18": {"--save_dir": "output"},
    "timm_resnet50": {"--output": "output/train"},
    "torchtitan_qwen3": {"--job.dump_folder": "outputs"},
    "ultralytics_yolo11": {"project": "runs/detect"},
}
# Those that start a process a card write as well.
STARTERS = {"paddle.distributed.launch": ("--log_dir", "log"), "multiproc.py": ("the logs of other cards", ".")}
STAND_IN = f"""#!{sys.executable} -SE
import json, os, sys
words, folders = sys.argv[1:], json.loads(os.environ["FOLDERS"])
for name, (option, folder) in {STARTERS!r}.items():
    if any(word.endswith(name) for word in words):
        folders[option] = folder
for option, folder in folders.items():
    for before, word in zip(words, words[1:] + [""]):
        if before == option or before.startswith(option + "="):
            folder = word if before == option else before.partition("=")[2]
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "written"), "w") as file:
        file.write(os.environ["RUN"])
"""


@every_recipe
def test_two_runs_at_once_write_nothing_into_the_checkout_or_the_folder_of_the_other(
    tmp_path: Path, recipe: str
) -> None:
    repo = tmp_path / "a checkout"
    start(repo, recipe, DRY_RUN="1")  # which makes its folders
    executable(repo / "bin" / "python", STAND_IN)
    executable(repo / "bin" / "mpirun", '#!/bin/sh\nuntil [ "$1" = python ]; do shift; done\nexec "$@"\n')
    (repo / "data").mkdir()
    (repo / "data" / "train_list.txt").write_text("1.jpg 1\n")
    before = files(repo)
    command = ["bash", str(TOP / "launchers" / f"{recipe}.sh")]
    given = {"PATH": f"{repo / 'bin'}{os.pathsep}{os.environ['PATH']}", "REPO": str(repo), "CARDS": "2"}
    given |= {"FOLDERS": json.dumps(WRITES[recipe])}
    given |= {"DATA": "data"} if "DATA" in find(recipe).defaults else {}
    works = {name: tmp_path / f"work of {name}" for name in ("A", "B")}
    runs = [subprocess.Popen(command, env={**given, "WORK": str(work), "RUN": name}) for name, work in works.items()]
    assert [started.wait(60) for started in runs] == [0, 0]
    assert files(repo) == before
    for name, work in works.items():
        written = {content for path, content in files(work).items() if Path(path).name == "written"}
        assert written == ({name.encode()} if WRITES[recipe] else set())


def job(top: Path, recipe: str, options: dict[str, str], data: Path | None = None) -> Job:
    """A job in a checkout under `top`, which has the folders that the recipe enters."""
    start(top, recipe, DRY_RUN="1")
    return of_recipe(find(recipe), Checkout(top), data, options)


@every_recipe
def test_data_that_are_given_or_asked_to_be_made_reach_the_native_program_or_are_refused(
    tmp_path: Path, recipe: str
) -> None:
    known, data = find(recipe), tmp_path / "given_data"
    data.mkdir()
    if known.data == "synthetic":
        with pytest.raises(click.UsageError):
            job(tmp_path, recipe, {}, data)
    else:
        assert data.name in job(tmp_path, recipe, {}, data).command
    if known.can_make_data:
        asked = job(tmp_path, recipe, {"DATA": "synthetic"})
        assert (asked.facts.get("data"), asked.folders) == ("synthetic", [tmp_path])
        assert asked.command != job(tmp_path, recipe, {}).command
    else:
        with pytest.raises(click.UsageError, match="--synthetic"):
            job(tmp_path, recipe, {"DATA": "synthetic"})
        assert start(tmp_path, recipe, DATA="synthetic").returncode == 2


def test_a_case_says_how_it_is_trained_unless_extra_arguments_may_set_that_otherwise(tmp_path: Path) -> None:
    case = job(tmp_path, "nvidia_tensorflow_bert", {"ACCUMULATION": "4", "XLA": "off"}).case([])
    assert (case["accumulation"], case["sequence_length"], case["xla"]) == (4, 128, "off")
    extra = "--num_accumulation_steps=2 --max_seq_length=512"
    case = job(tmp_path, "nvidia_tensorflow_bert", {"EXTRA": extra}).case([])
    assert {"accumulation", "sequence_length", "xla"} & case.keys() == {"xla"}
    case = job(tmp_path, "nanogpt", {"SEQUENCE_LENGTH": "1024"}).case([])  # which its head states, and no other
    assert case["sequence_length"] == 1024
    with pytest.raises(click.UsageError, match="SEQUENCE_LENGTH"):
        job(tmp_path, "nanogpt", {"SEQUENCE_LENGTH": "2048"})
    for extra, said in (("--verbose", "synthetic"), ("--data-backend dali-gpu", None)):
        facts = job(tmp_path, "nvidia_mxnet_resnet50", {"DATA": "synthetic", "EXTRA": extra}).facts
        assert facts.get("data") == said


@pytest.mark.slow
def test_a_run_says_whether_its_data_are_real_unless_extra_arguments_may_choose_others(native: Native) -> None:
    native.launch()
    assert native.facts()["case"]["data"] == "real"
    # A log of one record has no throughput, and exit status 1.
    shown_facts = json.loads(run("show", native.run, "--json").stdout)["facts"]
    assert shown_facts["data"] == {"value": "real", "source": "run.json"}
    native.launch("--into", str(native.top / "logs/other"), "--", "--use_synthetic_data")
    (other,) = native.top.glob("logs/other/*/1/run.json")
    assert "data" not in json.loads(other.read_text(encoding="utf-8"))["case"]
    native.tachograph("images", "--kind", "imagenet", "--count", "1", native.repo / "data")
    native.launch("--into", str(native.top / "logs/made"))
    (made,) = native.top.glob("logs/made/*/1/run.json")
    assert json.loads(made.read_text(encoding="utf-8"))["case"]["data"] == "synthetic"


def test_images_that_stand_in_for_data_sets_are_listed_and_the_same_each_time(tmp_path: Path) -> None:
    for out in ("first", "second"):
        for kind in ("imagenet", "cityscapes"):
            assert run("images", "--kind", kind, "--count", "3", "--size", "32", tmp_path / out / kind).returncode == 0
    made = files(tmp_path / "first")
    assert made == files(tmp_path / "second")
    top = tmp_path / "first" / "imagenet"
    for name in ("train_list.txt", "val_list.txt"):
        assert (top / name).read_text() == "train/000000.jpg 0\ntrain/000001.jpg 1\ntrain/000002.jpg 2\n"
    assert len({path.read_bytes() for path in (top / "train").iterdir()}) == 3
    with Image.open(top / "train" / "000002.jpg") as image:
        assert (image.format, image.mode, image.size) == ("JPEG", "RGB", (32, 32))
    top = tmp_path / "first" / "cityscapes"
    names = (top / "train.txt").read_text().split()
    assert (len(names), all((top / name).is_file() for name in names)) == (6, True)
    with Image.open(min((top / "gtFine").rglob("*_gtFine_labelTrainIds.png"))) as image:
        assert (image.mode, image.size, set(image.tobytes()) <= set(range(19))) == ("L", (64, 32), True)


# What was published lies in published/RECIPE.toml as `settings`: options, keys of a config and variables with their
# values, which may name variables: {DATA}. Its `commands` were published one by one: the `variables` with which the
# launcher should give it, and `settings` of its own. Each of the settings in which the command of the recipe differs
# must stand among its `differences`, with `why`.
PUBLISHED_SETTINGS = Path(__file__).parent / "published"
PUBLISHED = sorted(path.stem for path in PUBLISHED_SETTINGS.glob("*.toml"))
# Options that are followed by `key=value`: they override what a config says.
OVERRIDES = ("-o", "--override", "--opt", "--opts", "--cfg-options", "--options")
OPTION = re.compile(r"(--?[A-Za-z][^=]*)(?:=(.*))?", re.DOTALL)
ASSIGNED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
PROGRAM = re.compile(r"(?!.*multiproc\.py).*\.py|(?:.*/)?(?:runner|swift|llamafactory-cli|yolo)")
NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


def differing(published: Mapping[str, str], line: str) -> dict[str, tuple[str | None, str | None]]:
    """Map each setting that differs to its published value and that of a native command; None where one lacks it.

    `line`: what the launcher prints in a dry run. That a run writes into its own folder is no difference.
    """
    ours = settings(line)
    names = [name for name in dict.fromkeys([*published, *ours]) if ours.get(name) != "$WORK"]
    pairs = {name: (published.get(name), ours.get(name)) for name in names}
    return {name: pair for name, pair in pairs.items() if spelt(pair[0]) != spelt(pair[1])}


def settings(line: str) -> dict[str, str]:
    """What a native command sets: its program, variables of `env`, options, and keys of a config.

    What starts a process on each card, and where Python looks for modules, is no setting.
    """
    _, _folder, _, *command = shlex.split(line)
    words = takewhile(lambda word: not word.startswith("python"), command)
    variables = {found[1]: found[2] for found in map(ASSIGNED.fullmatch, words) if found and found[1] != "PYTHONPATH"}
    place = next((place for place, word in enumerate(command) if PROGRAM.fullmatch(word)), len(command) - 1)
    return {**variables, "program": Path(command[place]).name, **options(command[place + 1 :])}


def options(arguments: Iterable[str]) -> dict[str, str]:
    """Options and keys of configs with their values; several words are one value, and that of a flag is "".

    What stands before the first option is called `arguments`.
    """
    found: dict[str, list[str]] = {}
    name = "arguments"
    for argument in arguments:
        is_glued = argument[:2] in OVERRIDES and "=" in argument  # -oGlobal.epochs=1
        name, word = (argument[:2], argument[2:]) if is_glued else (name, argument)
        key, is_override, value = word.partition("=")
        if option := OPTION.fullmatch(word):
            name = option[1]
            found |= {} if name in OVERRIDES else {name: [] if option[2] is None else [option[2]]}
        elif name in ("arguments", *OVERRIDES) and is_override:
            found[key] = [value]
        else:
            found.setdefault(name, []).append(word)
    return {name: " ".join(values) for name, values in found.items()}


def spelt(value: str | None) -> str | float | None:
    """A value in one spelling."""
    return float(value) if value and NUMBER.fullmatch(value) else value and value.lower()


@pytest.mark.parametrize("recipe", PUBLISHED)
def test_a_recipe_runs_what_was_published_but_for_the_settings_that_it_says(tmp_path: Path, recipe: str) -> None:
    known = tomllib.loads((PUBLISHED_SETTINGS / f"{recipe}.toml").read_text(encoding="utf-8"))
    found = set[str]()
    for number, command in enumerate(known["commands"]):
        answer = start(tmp_path / str(number), recipe, DRY_RUN="1", **command["variables"])
        assert answer.returncode == 0, answer.stderr
        stated = {**known["settings"], **command.get("settings", {})}
        filled = {name: value.format_map(command["variables"]) for name, value in stated.items()}
        found |= differing(filled, answer.stdout).keys()
    differences = known.get("differences", [])
    reasons = [name for difference in differences for name in difference["settings"]]
    assert (found, len(reasons), all(difference["why"] for difference in differences)) == (
        set(reasons),
        len(found),
        True,
    )


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_recipe_says_where_its_configuration_was_published_or_why_none_was(recipe: str) -> None:
    said = find(recipe).facts["published"]
    assert said.startswith("https://" if recipe in PUBLISHED else "none, ")


# A recipe of one's own, a script outside of Tachograph, is launched and checked as those in it are.
@pytest.fixture
def own(native: Native) -> Path:
    """The draft of a recipe, for a program in a checkout of its own."""
    (native.repo / "train.py").write_text(TRAIN, encoding="utf-8")
    git(native.repo, "init", "-q")
    git(native.repo, "remote", "add", "origin", "https://example.com/acme/program")
    git(native.repo, "add", "-A")
    git(native.repo, "commit", "-qm", "first")
    draft = (ROOM / "recipe.sh.draft").read_text(encoding="utf-8")
    (native.top / "mine.sh").write_text(draft.replace("owner/repository", "acme/program"), encoding="utf-8")
    return native.top / "mine.sh"


def launch(native: Native, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Launch the recipe where it is."""
    options = ("--repo", "checkout", "--device", "cpu", "--steps", "40", "--repeats", "1")
    return native.tachograph("launch", "mine.sh", *options, *arguments, cwd=native.top, main=None)


@pytest.mark.slow
def test_the_draft_is_a_clean_shell_script(own: Path) -> None:
    done = subprocess.run([TACHOGRAPH.with_name("shellcheck"), own], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("", 0)


@pytest.mark.slow
def test_a_recipe_outside_is_launched_by_its_path(native: Native, own: Path) -> None:
    done = launch(native, "--", "--lr", "0.1")
    assert done.returncode == 0
    (found,) = map(run_file, native.top.glob("logs/*/*/1"))
    assert found["native"].endswith('--steps 40 --precision fp32 --device cpu --output_dir "$WORK" --lr 0.1')
    assert (found["recipe"], found["command"]) == ("mine", ["bash", "mine.sh"])
    assert found["launcher"] == hashlib.sha256(own.read_bytes()).hexdigest()
    assert str(native.top) not in json.dumps(found)
    here = ROOM.parent
    assert found.get("tachograph_commit") == (git(here, "rev-parse", "HEAD") if (here / ".git").exists() else None)


@pytest.mark.slow
def test_a_copy_of_a_recipe_finds_what_all_share_and_is_refused_for_another_checkout(native: Native, own: Path) -> None:
    own.write_bytes((ROOM / "paddleclas_vgg16.sh").read_bytes())
    done = launch(native)
    assert (done.returncode, "https://github.com/PaddlePaddle/PaddleClas" in done.stderr) == (2, True)
    git(native.repo, "remote", "set-url", "origin", "https://github.com/PaddlePaddle/PaddleClas")
    done = launch(native, "--dry-run")
    assert (done.returncode, "tools/train.py -c ppcls/configs/ImageNet/VGG/VGG16.yaml" in done.stdout) == (0, True)


@pytest.mark.slow
def test_a_script_that_lacks_what_a_recipe_says_is_refused_and_an_unknown_name_answered(own: Path) -> None:
    whole = own.read_text(encoding="utf-8")
    lacking = {
        "# licence: unknown\n": "",
        "# metric: ^step [0-9]+": "# metric: (",
        "# gpu: fp32 bf16\n# cpu: fp32\n": "",
        '"${STEPS:=200}"': "",
    }
    for before, after in lacking.items():
        assert before in whole
        own.write_text(whole.replace(before, after), encoding="utf-8")
        with pytest.raises(click.UsageError):
            find(str(own))
    with pytest.raises(click.UsageError, match="nanogpt"):
        find("nanogtp")
