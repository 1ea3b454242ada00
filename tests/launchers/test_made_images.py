"""The images that stand in for ImageNet and Cityscapes."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from tests.commandline import run


def made(kind: str, out: Path) -> dict[str, bytes]:
    """All files that `tachograph images` makes."""
    assert run("images", "--kind", kind, "--count", "3", "--size", "32", out).returncode == 0
    return {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}


@pytest.mark.parametrize("kind", ["imagenet", "cityscapes"])
def test_the_same_options_give_the_same_bytes(tmp_path: Path, kind: str) -> None:
    assert made(kind, tmp_path / "first") == made(kind, tmp_path / "second")


def test_imagenet_lists_name_every_image_with_its_class(tmp_path: Path) -> None:
    files = made("imagenet", tmp_path / "out")
    expected = b"train/000000.jpg 0\ntrain/000001.jpg 1\ntrain/000002.jpg 2\n"
    assert (files["train_list.txt"], files["val_list.txt"]) == (expected, expected)
    assert len({content for name, content in files.items() if name.startswith("train/")}) == 3
    with Image.open(tmp_path / "out" / "train" / "000002.jpg") as image:
        assert (image.format, image.mode, image.size) == ("JPEG", "RGB", (32, 32))


def test_cityscapes_lists_name_pairs_of_images_and_labels_of_the_nineteen_classes(tmp_path: Path) -> None:
    files = made("cityscapes", tmp_path / "out")
    names = files["train.txt"].decode().split()
    assert (len(names), set(names) <= files.keys()) == (6, True)
    [label, *_] = sorted((tmp_path / "out" / "gtFine").rglob("*_gtFine_labelTrainIds.png"))
    with Image.open(label) as image:
        assert (image.mode, image.size) == ("L", (64, 32))
        assert set(image.tobytes()) <= set(range(19))
