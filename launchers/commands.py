"""The commands of this room."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from . import recipes

_COUNT = click.IntRange(min=1)
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command(context_settings={"show_default": True})
@click.argument("recipe", type=click.Choice(recipes.names()))
@click.option("--repo", type=_FOLDER, required=True, help="Checkout of the native repository.")
@click.option("--data", type=_FOLDER, required=True, help="Training data, laid out as the native repository expects.")
@click.option("--cards", type=_COUNT, help="Cards (processes) in all.")
@click.option("--nodes", type=_COUNT, help="Nodes that share the cards.")
@click.option("--precision", help="fp32, amp (mixed) or fp16 (pure).")
@click.option("--batch-size", type=_COUNT, help="Batch size per card.")
@click.option("--steps", type=_COUNT, help="Training steps in all.")
@click.option("--epochs", type=_COUNT, help="Epochs that share the steps.")
@click.option("--device", type=click.Choice(["cpu", "gpu"]), help="What trains.")
@click.option("--repeats", type=_COUNT, default=3, help="How often the case is run.")
@click.option("--into", type=click.Path(path_type=Path), default=Path("logs/local"), help="Folder of the suite.")
@click.argument("extra", nargs=-1, type=click.UNPROCESSED)
def launch(
    recipe: str, repo: Path, data: Path, repeats: int, into: Path, extra: tuple[str, ...], **options: str | int | None
) -> None:
    """Run RECIPE and keep its logs.

    Options that are not given have the recipe's defaults; EXTRA, after --, goes to the native program.
    A run that is done is not repeated, so the same command goes on where it stopped.

    \b
    Examples:
      tachograph launch paddleclas_resnet50 --repo PaddleClas --data PaddleClas/dataset/ILSVRC2012 --cards 8
      tachograph launch paddleseg_deeplabv3p --repo PaddleSeg --data PaddleSeg/data/generated --device cpu --steps 16
    """
    from . import runner
    from .jobs import Job

    given = {name.upper(): str(value) for name, value in options.items() if value is not None}
    job = Job(recipes.read(recipe), repo, data, {**given, "EXTRA": shlex.join(extra)})
    for folder in runner.folders(job, into, repeats):
        if folder.status() == "done":
            click.echo(f"{folder.path} is done already.", err=True)
            continue
        status = runner.run(job, folder, sys.stdout.buffer)
        if status != "done":
            raise click.ClickException(f"{folder.log} ends there: {status}; the same command runs it again.")


@click.command()
@click.option("--kind", type=click.Choice(["imagenet", "cityscapes"]), required=True, help="Layout of the data set.")
@click.option("--count", type=_COUNT, default=64, show_default=True, help="Number of images.")
@click.option("--size", type=_COUNT, default=64, show_default=True, help="Height in pixels.")
@click.argument("out", type=click.Path(file_okay=False, path_type=Path))
def images(kind: str, count: int, size: int, out: Path) -> None:
    """Write training images into OUT; the same options give the same bytes.

    \b
    Examples:
      tachograph images --kind imagenet --count 64 --size 64 PaddleClas/dataset/generated
      tachograph images --kind cityscapes --count 16 --size 128 PaddleSeg/data/generated
    """
    from .images import KINDS

    KINDS[kind](out, count, size)


commands = [launch, images]
