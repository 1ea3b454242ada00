"""The check of a recipe finds the line of a config that has an overridden key, and says where there is none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from checked_repository import ARGPARSE, CONFIGURED, found, write
from hypothesis import given
from hypothesis import strategies as st

from launchers.native import native_configs


def configured(tmp_path: Path, **files: str) -> None:
    write(tmp_path, {"train.py": ARGPARSE + CONFIGURED})
    for name, content in files.items():
        (tmp_path / f"{name}.yml").write_text(content, encoding="utf-8")


def test_a_key_of_a_yaml_config_is_found_with_its_line(tmp_path: Path) -> None:
    configured(tmp_path, config="model:\n  name: x\n  steps: 1\n")
    assert found(tmp_path, "python train.py -c config.yml -o model.steps=2")["-o model.steps"] == "config.yml:3"


@pytest.mark.parametrize("words", ["-omodel.steps=2", "-o other=1 model.steps=2", "--opts model.steps=2"])
def test_an_override_is_found_however_it_is_written(tmp_path: Path, words: str) -> None:
    configured(tmp_path, config="model:\n  steps: 1\nother: 1\n")
    assert "config.yml:2" in found(tmp_path, f"python train.py -c config.yml {words}").values()


def test_an_item_of_a_list_is_found_by_its_number(tmp_path: Path) -> None:
    configured(tmp_path, config="ops:\n  - Crop:\n      size: 1\n  - Flip:\n      code: 1\n")
    places = found(tmp_path, "python train.py -c config.yml -o ops.1.Flip.code=2 -o ops.2.Flip.code=2")
    assert (places["-o ops.1.Flip.code"], places["-o ops.2.Flip.code"]) == ("config.yml:5", None)


def test_a_key_of_a_base_is_found_there(tmp_path: Path) -> None:
    configured(tmp_path, config="_base_: base.yml\nmodel:\n  name: x\n", base="model:\n  steps: 1\n")
    assert found(tmp_path, "python train.py -c config.yml -o model.steps=2")["-o model.steps"] == "base.yml:2"


def test_a_mapping_that_takes_nothing_over_hides_its_base(tmp_path: Path) -> None:
    configured(tmp_path, config="_base_: [base.yml]\nmodel:\n  _inherited_: False\n", base="model:\n  steps: 1\n")
    assert found(tmp_path, "python train.py -c config.yml -o model.steps=2")["-o model.steps"] is None


def test_an_anchor_of_yaml_is_followed(tmp_path: Path) -> None:
    configured(tmp_path, config="a: &a\n  steps: 1\nb: *a\nc:\n  <<: *a\n")
    places = found(tmp_path, "python train.py -c config.yml -o b.steps=2 c.steps=2")
    assert (places["-o b.steps"], places["-o c.steps"]) == ("config.yml:2", "config.yml:2")


def test_a_key_that_only_a_program_reads_is_said_to_be_read_there(tmp_path: Path) -> None:
    configured(tmp_path, config="model:\n  name: x\n")
    with (tmp_path / "train.py").open("a", encoding="utf-8") as program:
        program.write("steps = config['model'].get('steps')\n")
    places = found(tmp_path, "python train.py -c config.yml -o model.steps=2 -o model.step=2")
    assert (places["-o model.steps"], places["-o model.step"]) == ("read by train.py:5", None)


@pytest.mark.parametrize("words", ["-o model.name=Net -o model.steps=2", "-o model.steps=2"])
def test_a_key_is_said_to_be_taken_by_the_class_that_the_config_builds(tmp_path: Path, words: str) -> None:
    configured(tmp_path, config="model:\n  name: Net\n")
    with (tmp_path / "train.py").open("a", encoding="utf-8") as program:
        program.write("class Other:\n  def __init__(self, size): ...\nclass Net:\n  def __init__(self, steps): ...\n")
    places = found(tmp_path, f"python train.py -c config.yml {words} model.size=1")
    assert (places["-o model.steps"], places["-o model.size"]) == ("taken by train.py:8", None)


def test_a_key_is_said_to_be_set_by_another_config_of_the_folder(tmp_path: Path) -> None:
    configured(tmp_path, config="model: {}\n", other="model:\n  steps: 1\n")
    with (tmp_path / "train.py").open("a", encoding="utf-8") as program:
        program.write("steps = config['model'].get('steps')\n")
    assert found(tmp_path, "python train.py -c config.yml -o model.steps=2")["-o model.steps"] == "set by other.yml:2"


def test_a_key_that_is_read_does_not_exist_where_only_keys_of_the_config_can_be_overridden(tmp_path: Path) -> None:
    configured(tmp_path, config="model:\n  name: x\n", other="steps: 1\n")
    with (tmp_path / "train.py").open("a", encoding="utf-8") as program:
        program.write("steps = config.get('steps')\ndef override(config, keys):\n    assert keys[0] in config\n")
    assert found(tmp_path, "python train.py -c config.yml -o steps=2")["-o steps"] is None


def test_a_config_that_is_not_there_does_not_exist(tmp_path: Path) -> None:
    configured(tmp_path)
    assert found(tmp_path, "python train.py -c config.yml") == {"-c": "train.py:3", "config.yml": None}


def test_a_config_that_is_not_yaml_is_refused(tmp_path: Path) -> None:
    configured(tmp_path, config="a: [")
    with pytest.raises(click.ClickException, match=r"Cannot read the config .*config\.yml: "):
        found(tmp_path, "python train.py -c config.yml -o a=1")


def test_the_keys_of_a_python_config_and_of_its_bases_are_found(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "train.py": ARGPARSE + "parser.add_argument('config')\nparser.add_argument('--cfg-options', nargs='+')\n",
            "configs/base.py": "norm = dict(type='BN')\nmodel = dict(\n    norm=norm,\n    heads=[{'classes': 19}])\n",
            "configs/own.py": "_base_ = ['./base.py']\nmodel = dict(depth=50)\n",
        },
    )
    keys = ["model.depth", "model.norm.type", "model.heads.0.classes", "model.width"]
    places = found(tmp_path, f"python train.py configs/own.py --cfg-options {' '.join(f'{key}=1' for key in keys)}")
    expected = ["configs/own.py:2", "configs/base.py:1", "configs/base.py:4", None]
    assert [places[f"--cfg-options {key}"] for key in keys] == expected


KEYS = st.text("abcdefgh_", min_size=1, max_size=4).filter(lambda key: key not in {"_base_", "no", "off", "y", "n"})
CONFIGS = st.recursive(
    st.integers(), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=12
).flatmap(lambda inner: st.dictionaries(KEYS, st.just(inner), min_size=1, max_size=3))


def paths(config: Any) -> Iterator[list[str]]:
    """Every path of keys in a config."""
    pairs = config.items() if isinstance(config, dict) else enumerate(config) if isinstance(config, list) else ()
    for key, value in pairs:
        yield [str(key)]
        yield from ([str(key), *path] for path in paths(value))


@given(config=CONFIGS)
def test_every_key_of_a_config_is_found_and_no_other_is(
    config: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("config").resolve()
    (folder / "config.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
    entries = native_configs.read(folder / "config.yml", folder)
    for path in paths(config):
        assert len(entries.find(path)) == len(path)
        assert len(entries.find([*path, "missing"])) == len(path)
