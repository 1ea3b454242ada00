"""The check of a recipe finds the line that defines an option, and says where there is none."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from checked_repository import ARGPARSE, found, write

from launchers.native.native_commands import NativeCommand


def test_an_option_of_argparse_is_found_with_its_line(tmp_path: Path) -> None:
    write(tmp_path, {"train.py": ARGPARSE + "parser.add_argument(\n    '-b',\n    '--batch-size')\n"})
    assert found(tmp_path, "python train.py --batch-size 4") == {"--batch-size": "train.py:5"}


def test_an_option_with_its_value_behind_an_equals_sign_is_found(tmp_path: Path) -> None:
    write(tmp_path, {"train.py": ARGPARSE + "parser.add_argument('--lr')\n"})
    assert found(tmp_path, "python train.py --lr=0.1") == {"--lr": "train.py:3"}


def test_an_option_of_a_group_is_found(tmp_path: Path) -> None:
    write(
        tmp_path, {"train.py": ARGPARSE + "group = parser.add_argument_group('data')\ngroup.add_argument('--data')\n"}
    )
    assert found(tmp_path, "python train.py --data x") == {"--data": "train.py:4"}


def test_a_short_option_with_its_value_glued_to_it_is_found(tmp_path: Path) -> None:
    write(tmp_path, {"train.py": ARGPARSE + "parser.add_argument('-j')\n"})
    assert found(tmp_path, "python train.py -j5") == {"-j": "train.py:3"}


def test_an_option_that_no_program_defines_does_not_exist(tmp_path: Path) -> None:
    write(tmp_path, {"train.py": ARGPARSE + "parser.add_argument('--lr')\n"})
    assert found(tmp_path, "python train.py --learning_rate 1") == {"--learning_rate": None}


def test_the_beginning_of_an_option_is_not_the_option(tmp_path: Path) -> None:
    write(tmp_path, {"train.py": ARGPARSE + "parser.add_argument('--batch-size')\n"})
    assert found(tmp_path, "python train.py --batch 4") == {"--batch": None}


def test_a_negative_number_is_not_an_option(tmp_path: Path) -> None:
    write(tmp_path, {"train.py": ARGPARSE + "parser.add_argument('--seed')\n"})
    assert found(tmp_path, "python train.py --seed -1") == {"--seed": "train.py:3"}


@pytest.mark.parametrize(
    ("definition", "option"),
    [
        ("import argparse\np.add_argument('--amp', action=argparse.BooleanOptionalAction)\n", "--no-amp"),
        ("from absl import flags\nflags.DEFINE_bool('amp', True, 'mixed')\n", "--noamp"),
        ("import click\n@click.option('--amp/--no-amp')\n", "--no-amp"),
    ],
)
def test_the_negative_form_of_a_boolean_option_is_found(tmp_path: Path, definition: str, option: str) -> None:
    write(tmp_path, {"train.py": f"{definition}\ndef main(): ...\n"})
    assert found(tmp_path, f"python train.py {option}") == {option: "train.py:2"}


def test_a_text_flag_of_absl_has_no_negative_form(tmp_path: Path) -> None:
    write(tmp_path, {"train.py": "from absl import flags\nflags.DEFINE_string('data', '', 'where')\n"})
    assert found(tmp_path, "python train.py --data=x --nodata") == {"--data": "train.py:2", "--nodata": None}


@pytest.mark.parametrize(
    "statement",
    [
        "import options",
        "from lib import options",
        "from lib.options import parse",
        "def late():\n    import lib.options",
    ],
)
def test_an_option_is_found_in_a_module_that_the_program_imports(tmp_path: Path, statement: str) -> None:
    place = "lib/options.py" if "lib" in statement else "tools/options.py"
    write(tmp_path, {"tools/train.py": statement, place: "p.add_argument('--lr')"})
    assert found(tmp_path, "python tools/train.py --lr 1") == {"--lr": f"{place}:1"}


def test_relative_imports_are_followed(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "lib/a/one.py": "from ..b import two",
            "lib/b/two.py": "p.add_argument('--lr')",
            "train.py": "import lib.a.one",
        },
    )
    assert found(tmp_path, "python train.py --lr 1") == {"--lr": "lib/b/two.py:1"}


def test_a_package_that_imports_its_modules_by_name_counts_with_all_of_them(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "train.py": "import models",
            "models/__init__.py": "import_module('models.' + name)",
            "models/a.py": "p.add_argument('-x')",
        },
    )
    assert found(tmp_path, "python train.py -x") == {"-x": "models/a.py:1"}


def test_a_module_beside_the_program_comes_before_one_at_the_top(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "tools/train.py": "import options",
            "options.py": "p.add_argument('--old')",
            "tools/options.py": "p.add_argument('--new')",
        },
    )
    assert found(tmp_path, "python tools/train.py --old --new") == {"--old": None, "--new": "tools/options.py:1"}


def test_nothing_outside_the_checkout_is_read(tmp_path: Path) -> None:
    write(tmp_path, {"outside.py": "p.add_argument('--lr')", "checkout/train.py": "from ..outside import p"})
    assert found(tmp_path / "checkout", "python train.py --lr 1") == {"--lr": None}


def test_nothing_of_the_checkout_is_executed(tmp_path: Path) -> None:
    write(tmp_path, {"train.py": f"open({str(tmp_path / 'made')!r}, 'w')\np.add_argument('--lr')"})
    found(tmp_path, "python train.py --lr 1")
    assert not (tmp_path / "made").exists()


def test_a_file_in_an_older_python_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path, {"train.py": "import old\np.add_argument('--lr')", "old.py": "print 'old'"})
    assert found(tmp_path, "python train.py --lr 1") == {"--lr": "train.py:2"}


def test_an_option_before_the_first_program_belongs_to_what_starts_it(tmp_path: Path) -> None:
    write(tmp_path, {"train.py": "p.add_argument('--lr')"})
    command = NativeCommand(
        f"cd {tmp_path} && env -u X python -m some.launch --nnodes=2 --rank 0 train.py --lr 1", tmp_path
    )
    assert command.starter == ["-u", "-m some.launch", "--nnodes", "--rank"]


def test_the_options_of_a_wrapper_are_its_own_or_those_of_a_later_program(tmp_path: Path) -> None:
    write(tmp_path, {"wrap.py": "p.add_argument('--nproc')", "train.py": "p.add_argument('--lr')"})
    places = found(tmp_path, "python wrap.py --nproc 8 --lr 1 train.py --lr 1 --nproc 8")
    assert places == {"--nproc": None, "--lr": "train.py:1"}


def test_a_script_that_names_a_program_passes_options_on_to_it(tmp_path: Path) -> None:
    write(tmp_path, {"train.py": "p.add_argument('--lr')"})
    (tmp_path / "runner").write_text("command = ['mpirun', 'train.py']\np.add_argument('-n')\n", encoding="utf-8")
    (tmp_path / "runner").chmod(0o755)
    assert found(tmp_path, "./runner -n 8 --lr 1") == {"-n": "runner:2", "--lr": "train.py:1"}


def test_a_program_passes_options_on_to_one_that_it_names_from_its_folder_and_this_to_another(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"bench.py": "p.add_argument('--executable', default='./runner')", "train.py": "p.add_argument('--lr')"},
    )
    (tmp_path / "runner").write_text("command = ['mpirun', 'train.py']\n", encoding="utf-8")
    assert found(tmp_path, "python bench.py --lr 1") == {"--lr": "train.py:1"}


def test_a_shell_script_passes_options_on_to_the_programs_that_it_names(tmp_path: Path) -> None:
    write(tmp_path, {"train.py": "p.add_argument('--lr')"})
    (tmp_path / "dist.sh").write_text('python -m some.launch $(dirname "$0")/train.py "$@"\n', encoding="utf-8")
    assert found(tmp_path, "bash dist.sh --lr 1") == {"--lr": "train.py:1"}


def test_a_command_without_a_program_of_the_checkout_is_refused(tmp_path: Path) -> None:
    with pytest.raises(click.ClickException, match="The native command does not run any program in"):
        found(tmp_path, "python tools/train.py --lr 1")


def test_an_option_that_a_piece_of_shell_appends_belongs_to_the_program(tmp_path: Path) -> None:
    write(tmp_path, {"train.py": "p.add_argument('--lr')\np.add_argument('--out')"})
    shell = """bash -c 'out=$(mktemp -d) && "$@" --out="$out"' fresh"""
    places = found(tmp_path, f"mpirun -np 8 {shell} python train.py --lr 1")
    assert places == {"--lr": "train.py:1", "--out": "train.py:2"}


def test_a_variable_is_an_option_where_an_executed_file_may_set_it(tmp_path: Path) -> None:
    write(tmp_path, {"train.py": "import os\nsteps = 10\nexec(open('configurator.py').read())\nlater = 1\n"})
    command = "python train.py --steps=20 --later=2 --other=3"
    assert found(tmp_path, command) == {"--steps": "train.py:2", "--later": None, "--other": None}


def test_a_variable_is_no_option_of_a_program_that_executes_no_other_file(tmp_path: Path) -> None:
    write(tmp_path, {"train.py": "import os\nsteps = 10\nprint(steps)\n"})
    assert found(tmp_path, "python train.py --steps=20") == {"--steps": None}


def test_a_field_of_a_class_that_tyro_reads_is_an_option_with_the_names_of_its_parts(tmp_path: Path) -> None:
    classes = "class Training:\n    steps: int = 10\nclass Config:\n    training: Training\n    again: Config\n"
    write(tmp_path, {"train.py": f"import tyro\n{classes}tyro.cli(Config)\n"})
    command = "python train.py --training.steps 20 --steps 20 --training.other 3"
    assert found(tmp_path, command) == {"--training.steps": "train.py:3", "--steps": None, "--training.other": None}


def test_a_field_is_no_option_where_tyro_is_not_called(tmp_path: Path) -> None:
    write(tmp_path, {"train.py": "class Config:\n    steps: int = 10\nparse(Config)\n"})
    assert found(tmp_path, "python train.py --steps 20") == {"--steps": None}


HF = "class Base:\n    seed: int = 1\nclass Arguments(Base):\n    batch_size: int = 1\n    fast: bool = True\n"


def test_the_fields_of_classes_that_a_parser_of_hugging_face_reads_are_options_and_so_are_inherited_ones(
    tmp_path: Path,
) -> None:
    write(tmp_path, {"train.py": f"{HF}parser = HfArgumentParser((Arguments,))\n"})
    command = "python train.py --batch_size 4 --batch-size 4 --seed 1 --other 2"
    places = {"--batch_size": "train.py:4", "--batch-size": "train.py:4", "--seed": "train.py:2", "--other": None}
    assert found(tmp_path, command) == places


def test_the_fields_of_classes_that_megatron_makes_options_of_have_hyphens_and_a_negative_form(tmp_path: Path) -> None:
    write(tmp_path, {"train.py": f"{HF}ArgumentGroupFactory(Arguments).build_group(parser)\n"})
    command = "python train.py --batch-size 4 --no-fast --fast --batch_size 4"
    places = {"--batch-size": "train.py:4", "--no-fast": "train.py:5", "--fast": None, "--batch_size": None}
    assert found(tmp_path, command) == places


def test_a_module_below_src_is_found(tmp_path: Path) -> None:
    write(tmp_path, {"examples/train.py": "from lib import options", "src/lib/options.py": "p.add_argument('--lr')"})
    assert found(tmp_path, "python examples/train.py --lr 1") == {"--lr": "src/lib/options.py:1"}
