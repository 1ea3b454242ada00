"""Training images made from numbers: enough for timing a data loader, worthless for learning.

A file beside them says so, and a run on them is told from one on real data by it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from parsers.io.atomic_write import replace_file

if TYPE_CHECKING:
    from PIL import Image

MADE = "made-images.txt"
_COARSE = 16  # a photograph is smooth: few random pixels are enlarged, so that files are as small as real ones
_IMAGENET_CLASSES = 1000
_CITYSCAPES_CLASSES = 19


def imagenet(out: Path, count: int, size: int) -> None:
    """Write `count` square JPEGs of `size` pixels under `out`/train, with train_list.txt and val_list.txt naming them.

    The same arguments give the same bytes. Raises OSError where `out` cannot be written.
    """
    lines = [_imagenet_example(out, number, size) for number in range(count)]
    _write_lists(out, ("train_list.txt", "val_list.txt"), lines)


def cityscapes(out: Path, count: int, size: int) -> None:
    """Write `count` pairs of street and label PNGs, twice `size` wide and `size` high, with train.txt and val.txt.

    Folders and names under `out` are those of Cityscapes. The same arguments give the same bytes.
    Raises OSError where `out` cannot be written.
    """
    lines = [_cityscapes_example(out, number, size) for number in range(count)]
    _write_lists(out, ("train.txt", "val.txt"), lines)


KINDS: dict[str, Callable[[Path, int, int], None]] = {"imagenet": imagenet, "cityscapes": cityscapes}


def _imagenet_example(out: Path, number: int, size: int) -> str:
    name = f"train/{number:06}.jpg"
    _save(_photograph(number, size, size), out / name)
    return f"{name} {number % _IMAGENET_CLASSES}"


def _cityscapes_example(out: Path, number: int, size: int) -> str:
    street, labels = (
        f"{folder}/train/made/made_{number:06}_{ending}.png"
        for folder, ending in (("leftImg8bit", "leftImg8bit"), ("gtFine", "gtFine_labelTrainIds"))
    )
    _save(_photograph(number, 2 * size, size), out / street)
    _save(_labels(number, 2 * size, size), out / labels)
    return f"{street} {labels}"


def _photograph(seed: int, width: int, height: int) -> Image.Image:
    from PIL import Image  # noqa: PLC0415 - it comes with the extra; launches, which read MADE here, need none

    pixels = random.Random(seed).randbytes(_COARSE * _COARSE * 3)
    return Image.frombytes("RGB", (_COARSE, _COARSE), pixels).resize((width, height), Image.Resampling.BICUBIC)


def _labels(seed: int, width: int, height: int) -> Image.Image:
    from PIL import Image  # noqa: PLC0415 - it comes with the extra

    classes = bytes(random.Random(seed).choices(range(_CITYSCAPES_CLASSES), k=_COARSE * _COARSE))
    return Image.frombytes("L", (_COARSE, _COARSE), classes).resize((width, height), Image.Resampling.NEAREST)


def _save(image: Image.Image, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path)


def _write_lists(out: Path, names: tuple[str, ...], lines: list[str]) -> None:
    for name in names:
        replace_file(out / name, "".join(f"{line}\n" for line in lines).encode())
    replace_file(out / MADE, b"`tachograph images` made these images from numbers.\n")
