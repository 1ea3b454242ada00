"""The images that stand in for ImageNet and Cityscapes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from native_checkout import TOP, Native
from PIL import Image


def make(native: Native, kind: str, out: Path) -> None:
    """Run `tachograph images` with a few small images."""
    options = ["images", "--kind", kind, "--count", "3", "--size", "32", str(out)]
    subprocess.run([*native.command, *options], cwd=TOP, env=os.environ, check=True)


def content(folder: Path) -> dict[str, bytes]:
    """All files under a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("kind", ["imagenet", "cityscapes"])
def test_the_same_options_give_the_same_bytes(native: Native, kind: str) -> None:
    make(native, kind, native.top / "first")
    make(native, kind, native.top / "second")
    assert content(native.top / "first") == content(native.top / "second")


def test_imagenet_lists_name_every_image_with_its_class(native: Native) -> None:
    make(native, "imagenet", native.top / "out")
    expected = "train/000000.jpg 0\ntrain/000001.jpg 1\ntrain/000002.jpg 2\n"
    assert (native.top / "out" / "train_list.txt").read_text() == expected
    assert (native.top / "out" / "val_list.txt").read_text() == expected


def test_imagenet_images_are_square_jpegs_in_colour(native: Native) -> None:
    make(native, "imagenet", native.top / "out")
    with Image.open(native.top / "out" / "train" / "000002.jpg") as image:
        assert (image.format, image.mode, image.size) == ("JPEG", "RGB", (32, 32))


def test_cityscapes_lists_name_pairs_that_exist(native: Native) -> None:
    make(native, "cityscapes", native.top / "out")
    names = (native.top / "out" / "train.txt").read_text().split()
    assert len(names) == 6
    assert all((native.top / "out" / name).is_file() for name in names)


def test_cityscapes_labels_hold_only_the_nineteen_classes(native: Native) -> None:
    make(native, "cityscapes", native.top / "out")
    [label, *_] = sorted((native.top / "out" / "gtFine").rglob("*_gtFine_labelTrainIds.png"))
    with Image.open(label) as image:
        assert (image.mode, image.size) == ("L", (64, 32))
        assert set(image.tobytes()) <= set(range(19))


def test_two_images_differ(native: Native) -> None:
    make(native, "imagenet", native.top / "out")
    images = content(native.top / "out" / "train")
    assert len(set(images.values())) == 3
