"""Two runs of a recipe at once, in one checkout: each writes into its own folder, and the checkout stays as it was."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from native_checkout import RECIPES, TOP, executable
from test_launched_commands import start

from launchers.recipes import recipe as recipes

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
MPIRUN = '#!/bin/sh\nuntil [ "$1" = python ]; do shift; done\nexec "$@"\n'


def files(folder: Path) -> dict[Path, bytes]:
    """All files below a folder."""
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("recipe", RECIPES)
def test_two_runs_at_once_write_nothing_into_the_checkout_or_the_folder_of_the_other(
    tmp_path: Path, recipe: str
) -> None:
    repo = tmp_path / "a checkout"
    start(repo, recipe, DRY_RUN="1")  # which makes its folders
    executable(repo / "bin" / "python", STAND_IN)
    executable(repo / "bin" / "mpirun", MPIRUN)
    (repo / "data").mkdir()
    (repo / "data" / "train_list.txt").write_text("1.jpg 1\n")
    before = files(repo)
    command = ["bash", str(TOP / "launchers" / f"{recipe}.sh")]
    given = {"PATH": f"{repo / 'bin'}{os.pathsep}{os.environ['PATH']}", "REPO": str(repo), "CARDS": "2"}
    given |= {"FOLDERS": json.dumps(WRITES[recipe])}
    given |= {"DATA": "data"} if "DATA" in recipes.find(recipe).defaults else {}
    works = {run: tmp_path / f"work of {run}" for run in ("A", "B")}
    runs = [subprocess.Popen(command, env={**given, "WORK": str(work), "RUN": run}) for run, work in works.items()]
    assert [run.wait(60) for run in runs] == [0, 0]
    assert files(repo) == before
    for run, work in works.items():
        written = {content for path, content in files(work).items() if path.name == "written"}
        assert written == ({run.encode()} if WRITES[recipe] else set())
