"""The check of a recipe finds where a program has each option, and says which one it lacks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click
import pytest
from native_checkout import executable

from launchers.recipes.check import CheckOutcome, check
from launchers.recipes.command_line import words

GOLDEN = Path(__file__).parent / "golden"
CONFIGS = (".yaml", ".yml", ".toml", ".py")
PARSER = "import argparse\np = argparse.ArgumentParser()\n"
TYRO = "class Training:\n    steps: int = 1\nclass A:\n    class B:\n        training: Training\ntyro.cli(A.B)\n"
FIELDS = "class Base:\n    seed: int = 1\nclass Arguments(Base):\n    batch_size: int = 1\n    fast: bool = True\n"


def write(repo: Path, files: Mapping[str, str]) -> None:
    """Write files, folders included; those without a suffix can be executed."""
    for name, content in files.items():
        executable(repo / name, content)
        (repo / name).chmod(0o644 if Path(name).suffix else 0o755)


def checked(repo: Path, command: str) -> CheckOutcome:
    return check([f'cd "$REPO" && {command}'], repo)


FOUND: list[tuple[str, dict[str, str], str, dict[str, str | None]]] = [
    (
        "argparse",
        {"train.py": f"{PARSER}p.add_argument(\n    '-b',\n    '--batch-size')\np.add_argument('-j', '--lr')\n"},
        "python train.py --batch-size 4 --lr=0.1 -j5 --batch 4 --seed -1",
        {"--batch-size": "train.py:5", "--lr": "train.py:6", "-j5": "train.py:6", "--batch": None, "--seed": None},
    ),
    (
        "negative forms",
        {
            "train.py": "from argparse import BooleanOptionalAction\nimport flags, click_options\n"
            "p.add_argument('--amp', action=BooleanOptionalAction)\n",
            "flags.py": "flags.DEFINE_bool(\n    'xla', True)\n",
            "click_options.py": "@click.option('--dali/--no-dali')\n",
        },
        "python train.py --no-amp --noxla --xla --no-dali --nolr",
        {
            "--no-amp": "train.py:3",
            "--noxla": "flags.py:1",
            "--xla": "flags.py:1",
            "--no-dali": "click_options.py:1",
            "--nolr": None,
        },
    ),
    (
        "imported modules",
        {
            "tools/train.py": "import beside\nfrom lib import one as renamed\nfrom lib.a.two import (\n    x,\n)\n"
            "def late():\n    import lib.three\nimport far\n",
            "tools/beside.py": "p.add_argument('--beside')",
            "beside.py": "p.add_argument('--top')",
            "lib/one.py": "p.add_argument('--one')",
            "lib/a/two.py": "from ..b import four\np.add_argument('--two')",
            "lib/three.py": "p.add_argument('--three')",
            "lib/b/four.py": "p.add_argument('--four')",
            "src/far.py": "import models",
            "src/models/__init__.py": "import_module('models.' + name)",
            "src/models/five.py": "p.add_argument('--five')",
            "other.py": "p.add_argument('--other')",
        },
        "python tools/train.py --beside --one --two --three --four --five --top --other",
        {
            "--beside": "tools/beside.py:1",
            "--one": "lib/one.py:1",
            "--two": "lib/a/two.py:2",
            "--three": "lib/three.py:1",
            "--four": "lib/b/four.py:1",
            "--five": "src/models/five.py:1",
            "--top": None,
            "--other": None,
        },
    ),
    (
        "programs that start others",
        {
            "bench.py": "p.add_argument('--executable', default='./runner')",
            "runner": "#!/usr/bin/env python\ncommand = ['mpirun', 'train.py']\np.add_argument('-n')\n",
            "train.py": "p.add_argument('--lr')",
            "dist.sh": 'python -m some.launch $(dirname "$0")/other.py "$@"\n',
            "other.py": "p.add_argument('--seed')",
        },
        "bash -c 'exec \"$@\"' fresh python bench.py -n 8 --lr 1 dist.sh --seed 1 --out x",
        {"-n": "runner:3", "--lr": "train.py:1", "--seed": "other.py:1", "--out": None},
    ),
    (
        "variables that an executed file may set",
        {"train.py": "steps = 10\nexec(open('configurator.py').read())\n"},
        "python train.py --steps=20 --other=3",
        {"--steps": "train.py:1", "--other": None},
    ),
    (
        "variables of another program",
        {"train.py": "steps = 10\nprint(steps)\n"},
        "python train.py --steps=20",
        {"--steps": None},
    ),
    (
        "fields that tyro reads",
        {"train.py": TYRO},
        "python train.py --training.steps 20 --train.steps 20 --training.other 3",
        {"--training.steps": "train.py:2", "--train.steps": None, "--training.other": None},
    ),
    (
        "fields that Hugging Face's parser reads",
        {"train.py": f"{FIELDS}parser = HfArgumentParser((Arguments,))\n"},
        "python train.py --batch_size 4 --batch-size 4 --seed 1 --other 2",
        {"--batch_size": "train.py:4", "--batch-size": "train.py:4", "--seed": "train.py:2", "--other": None},
    ),
    (
        "fields that Megatron-LM makes options of",
        {"train.py": f"{FIELDS}ArgumentGroupFactory(Arguments).build_group(parser)\n"},
        "python train.py --batch-size 4 --no-fast --fats",
        {"--batch-size": "train.py:4", "--no-fast": "train.py:5", "--fats": None},
    ),
    (
        "keys of YAML, of its bases, and those that a program reads",
        {
            "train.py": f"{PARSER}p.add_argument('-c')\np.add_argument('-o')\nx = config['model'].get('depth')\n",
            "config.yml": "_base_: base.yml\nmodel:\n  name: x\nops:\n  - Crop:\n      size: 1\n",
            "base.yml": "Global: {steps: 1}\n",
        },
        "python train.py -c config.yml -o model.name=y -oops.0.Crop.size=2 Global.steps=2 model.depth=3 model.dept=3",
        {
            "-c": "train.py:3",
            "model.name": "config.yml:3",
            "ops.0.Crop.size": "config.yml:6",
            "Global.steps": "base.yml:1",
            "model.depth": "train.py:5",
            "model.dept": None,
        },
    ),
    (
        "keys of Python configs",
        {
            "train.py": f"{PARSER}p.add_argument('--cfg-options', nargs='+')\n",
            "configs/base.py": "norm = dict(type='BN')\nmodel = dict(\n    norm=norm,\n    heads=[{'classes': 19}])\n",
            "configs/own.py": "_base_ = ['./base.py']\nmodel = dict(depth=50)\n",
        },
        "python train.py configs/own.py --cfg-options model.depth=1 model.heads.0.classes=1 model.width=1",
        {"model.depth": "configs/own.py:2", "model.heads.0.classes": "configs/base.py:4", "model.width": None},
    ),
    (
        "keys without an option, and files that are not there",
        {"train.py": "print()\n", "config.yml": "epochs: 1\nbatch: 2\n"},
        "python train.py train cfg=config.yml epochs=3 bach=4 config=none.yaml data=./none.yaml",
        {"epochs": "config.yml:1", "bach": None, "none.yaml": None},
    ),
]


@pytest.mark.parametrize(("files", "command", "expected"), [row[1:] for row in FOUND], ids=[row[0] for row in FOUND])
def test_an_option_is_found_where_the_program_has_it(
    tmp_path: Path, files: dict[str, str], command: str, expected: dict[str, str | None]
) -> None:
    write(tmp_path, files)
    outcome = checked(tmp_path, command)
    found = {**outcome.known, **dict.fromkeys(outcome.unknown)}
    assert {option: found[option] for option in expected} == expected


@pytest.mark.parametrize("recipe", ["nvidia_mxnet_resnet50", "paddleclas_resnet50_static", "torchtitan_qwen3"])
def test_a_misspelt_option_of_a_recipe_is_told_with_the_one_that_exists(tmp_path: Path, recipe: str) -> None:
    blocks = (GOLDEN / f"{recipe}.txt").read_text(encoding="utf-8").split("\n\n")
    lines = [" ".join(block.splitlines()[1:]) for block in blocks if "EXTRA=" not in block]
    top = Path(words(lines[0])[0].replace("$REPO", str(tmp_path)))
    programs = {word for line in lines for word in words(line)[1] if word.endswith((".py", "runner"))}
    write(top, dict.fromkeys(programs, ""))
    options = [name for name in check(lines, tmp_path).unknown if Path(name).suffix not in CONFIGS]
    missing = max(options, key=len)
    parts = {part for name in options for part in (name.lstrip("-").split(".") if "." in name else [name])}
    for known in ({*parts}, {*parts} - {missing.rpartition(".")[2]} | {f"{missing.rpartition('.')[2]}s"}):
        lines_of = (f"    known('{n}')\n" if n.startswith("-") else f"    {n}: int = 1\n" for n in known)
        write(top, dict.fromkeys(programs, f"{''.join(lines_of)}tyro.cli(Config)\n"))
        outcome = check(lines, tmp_path)
        found = {name: outcome.unknown.get(name) for name in options}
        assert found == dict.fromkeys(options) | ({} if known == parts else {missing: f"{missing}s"})


def test_nothing_outside_the_checkout_is_read(tmp_path: Path) -> None:
    write(
        tmp_path, {"outside.py": "p.add_argument('--lr')", "checkout/train.py": "from ..outside import p\nimport link"}
    )
    (tmp_path / "checkout/link.py").symlink_to(tmp_path / "outside.py")
    outcome = checked(tmp_path / "checkout", "python train.py --lr 1")
    assert (list(outcome.unknown), outcome.searched) == (["--lr"], ["train.py"])


def test_an_option_that_a_library_may_have_is_not_called_unknown_but_a_misspelt_one_is(tmp_path: Path) -> None:
    program = "class Arguments(TrainingArguments):\n    batch_size: int = 1\nHfArgumentParser(Arguments)\n"
    write(tmp_path, {"train.py": program})
    outcome = checked(tmp_path, "python train.py --max_steps 3 --batchsize 4")
    assert (outcome.unknown, outcome.unchecked) == ({"--batchsize": "--batch_size"}, ["--max_steps"])


def test_an_option_before_the_first_program_belongs_to_what_starts_it(tmp_path: Path) -> None:
    write(tmp_path, {"train.py": "p.add_argument('--lr')", "python": ""})
    (tmp_path / "python").chmod(0o644)  # a file of this name is no program
    outcome = checked(tmp_path, "env -u X python -m some.launch --nnodes=2 --rank 0 train.py --lr 1")
    assert (outcome.unchecked, outcome.unknown) == (["-u", "-m", "--nnodes", "--rank"], {})


def test_a_command_without_a_program_of_the_checkout_is_refused(tmp_path: Path) -> None:
    with pytest.raises(click.ClickException):
        checked(tmp_path, "python tools/train.py --lr 1")
