"""Training images made from numbers: enough for timing a data loader, worthless for learning.

A file beside them says so, and a run on them is told from one on real data by it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from pathlib import Path

from PIL import Image

from parsers.io.files import replace_file

from .recipe import MADE

_COARSE = 16  # a photograph is smooth: few random pixels are enlarged, so that files are as small as real ones
_IMAGENET_CLASSES = 1000
_CITYSCAPES_CLASSES = 19


def imagenet(out: Path, count: int, size: int) -> None:
    """Write `count` square JPEGs of `size` pixels under `out`/train, with train_list.txt and val_list.txt naming them.

    The same arguments give the same bytes. Raises OSError where `out` cannot be written.
    """
    lines = list[str]()
    for number in range(count):
        name = f"train/{number:06}.jpg"
        _save(out / name, "RGB", random.Random(number).randbytes(_COARSE * _COARSE * 3), size, size)
        lines.append(f"{name} {number % _IMAGENET_CLASSES}")
    _list(out, ("train_list.txt", "val_list.txt"), lines)


def cityscapes(out: Path, count: int, size: int) -> None:
    """Write `count` pairs of street and label PNGs, twice `size` wide and `size` high, with train.txt and val.txt.

    Folders and names under `out` are those of Cityscapes. The same arguments give the same bytes.
    Raises OSError where `out` cannot be written.
    """
    lines = list[str]()
    for number in range(count):
        name = f"train/made/made_{number:06}"
        street, labels = f"leftImg8bit/{name}_leftImg8bit.png", f"gtFine/{name}_gtFine_labelTrainIds.png"
        _save(out / street, "RGB", random.Random(number).randbytes(_COARSE * _COARSE * 3), 2 * size, size)
        classes = random.Random(number).choices(range(_CITYSCAPES_CLASSES), k=_COARSE * _COARSE)
        _save(out / labels, "L", bytes(classes), 2 * size, size)
        lines.append(f"{street} {labels}")
    _list(out, ("train.txt", "val.txt"), lines)


KINDS: dict[str, Callable[[Path, int, int], None]] = {"imagenet": imagenet, "cityscapes": cityscapes}


def _save(path: Path, mode: str, pixels: bytes, width: int, height: int) -> None:
    """Enlarge coarse pixels, smoothly unless they are labels, and save them."""
    filtered = Image.Resampling.NEAREST if mode == "L" else Image.Resampling.BICUBIC
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.frombytes(mode, (_COARSE, _COARSE), pixels).resize((width, height), filtered).save(path)


def _list(out: Path, names: tuple[str, ...], lines: Iterable[str]) -> None:
    for name in names:
        replace_file(out / name, "".join(f"{line}\n" for line in lines).encode())
    replace_file(out / MADE, b"`tachograph images` made these images from numbers.\n")
