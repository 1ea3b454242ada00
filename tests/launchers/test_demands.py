"""What the original pages demand of their measurements, and the launch that does each."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest
from native_checkout import TOP
from test_launched_commands import start

from launchers.recipes import recipe as recipes
from tests.commandline import run

DEEPLAB = "paddlepaddle/paddle-benchmark:cuda11.0-cudnn8-runtime-ubuntu16.04-gcc82"
DEEPLAB_OPTIONS = "--net=host --shm-size=1g --ulimit memlock=-1 --ulimit stack=67108864 -e NVIDIA_VISIBLE_DEVICES=all"
FLUID = "paddlepaddle/paddle:latest-dev"
FLUID_OPTIONS = "--security-opt seccomp=unconfined -v /usr/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu"
BY_HAND = "--nodes 4 --cards 32 --node-rank 1 --master a:29500"
# The page and what it demands, the recipe with the options that do it, and what the command has for it.
DEMANDS = [
    ("guide: CycleGAN", "paddlegan_cyclegan", "configs/cyclegan_horse2zebra.yaml"),
    ("guide: SE-ResNeXt50", "paddleclas_se_resnext50", "SENet/SE_ResNeXt50_32x4d.yaml"),
    ("guide: DeepLab_V3+", "paddleseg_deeplabv3p", "deeplabv3p_resnet50_os8_cityscapes_1024x512_80k.yml"),
    ("guide: Bert", "paddlenlp_bert", "model_zoo/bert/run_pretrain.py"),
    ("guide: Transformer", "paddlenlp_transformer", "transformer/configs/transformer.big.yaml"),
    ("guide: one card in its container", f"paddleclas_se_resnext50 --container {FLUID}", FLUID_OPTIONS),
    ("ResNet50: FP32 with batch 128", "paddleclas_resnet50_static --batch-size 128", "sampler.batch_size=128"),
    ("ResNet50: half precision with batch 256", "paddleclas_resnet50_static --precision fp16", "ResNet50_amp_O2_ultra"),
    ("ResNet50: DALI, Paddle", "paddleclas_resnet50_static", "Global.use_dali=True"),
    ("ResNet50: DALI, PyTorch", "nvidia_pytorch_resnet50 --precision amp", "--data-backend dali-cpu"),
    ("ResNet50: DALI, MXNet", "nvidia_mxnet_resnet50 --precision amp", "--data-backend dali-gpu"),
    ("ResNet50: XLA, TensorFlow", "nvidia_tensorflow_resnet50 --precision amp", "--use_xla"),
    ("ResNet50: 8 cards of a machine", "paddleclas_resnet50_static --cards 8", "--nnodes 1 --nproc_per_node 8"),
    ("ResNet50: 32 cards of 4 machines", f"paddleclas_resnet50_static {BY_HAND}", "--nnodes 4 --nproc_per_node 8"),
    (
        "ResNet50: the image of NGC",
        "nvidia_pytorch_resnet50 --container nvcr.io/nvidia/pytorch:20.07-py3",
        "pytorch:20.07",
    ),
    ("VGG16: the model", "paddleclas_vgg16 --batch-size 32", "VGG/VGG16.yaml"),
    (
        "VGG16: 2 x 8 cards",
        f"paddleclas_vgg16 {BY_HAND.replace('4 --cards 32', '2 --cards 16')}",
        "--nnodes 2 --nproc_per_node 8",
    ),
    ("VGG16: AMP with batch 256", "paddleclas_vgg16 --precision amp --batch-size 256", "AMP.use_amp=True"),
    ("VGG16: DALI", "paddleclas_vgg16 -- -o Global.use_dali=True", "Global.use_dali=True"),
    ("DeepLabV3P: FP32 with batch 4", "paddleseg_deeplabv3p --batch-size 4", "--batch_size 4 --num_workers 8"),
    ("DeepLabV3P: AMP", "paddleseg_deeplabv3p --precision amp", "--precision fp16 --amp_level O1"),
    ("DeepLabV3P: 32 cards of 4 machines", f"paddleseg_deeplabv3p {BY_HAND}", "--nnodes 4 --nproc_per_node 8"),
    (
        "DeepLabV3P: its image, started as written",
        f"paddleseg_deeplabv3p --container {DEEPLAB}",
        f"{DEEPLAB_OPTIONS} {DEEPLAB}",
    ),
]


@pytest.mark.parametrize(("launch", "expected"), [row[1:] for row in DEMANDS], ids=[row[0] for row in DEMANDS])
def test_a_launch_does_what_a_page_demands(tmp_path: Path, launch: str, expected: str) -> None:
    recipe, *options = shlex.split(launch)
    start(tmp_path, recipe, DRY_RUN="1")  # which makes the folders of the checkout
    place = ["--repo", str(tmp_path), "--into", str(tmp_path / "logs")]
    if "--container" in options:
        given = json.dumps(shlex.split(FLUID_OPTIONS if FLUID in options else DEEPLAB_OPTIONS))
        (tmp_path / "site.toml").write_text(f'[container]\nruntime = "docker"\noptions = {given}\n')
        place += ["--site", str(tmp_path / "site.toml")]
    printed = run("launch", recipe, *place, "--repeats", "1", "--dry-run", *options, cwd=TOP)
    assert printed.returncode == 0, printed.stderr
    assert expected in printed.stdout


def test_vgg16_is_measured_as_fleetx_measured_it(tmp_path: Path) -> None:
    protocols = tomllib.loads((TOP / "report" / "protocols.toml").read_text(encoding="utf-8"))
    demanded = {"skip_steps": 20, "take_first": "100 steps", "statistic": "mean", "repeats": "median"}
    assert protocols["fleetx"] == demanded
    place = ["--repo", str(tmp_path), "--into", str(tmp_path / "logs")]
    printed = run("launch", "paddleclas_vgg16", *place, "--repeats", "7", "--dry-run", cwd=TOP).stdout
    assert re.findall(r"repeat (\d)$", printed, re.MULTILINE) == list("1234567")
    assert int(recipes.find("paddleclas_vgg16").defaults["STEPS"]) >= 20 + 100


def test_a_run_on_gpus_says_how_they_are_connected() -> None:
    found = [json.loads(path.read_text(encoding="utf-8")) for path in sorted((TOP / "logs").rglob("run.json"))]
    cards = [facts["environment"] for facts in found if facts.get("environment", {}).get("gpus")]
    assert cards
    assert all(len(environment["topology"]) == len(environment["gpus"]) for environment in cards)
