"""The commands of this room, and their options."""

from __future__ import annotations

import json
import os
import random
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from functools import cached_property, partial, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from parsers.io.errors import extra
from parsers.io.files import replace_file
from parsers.io.printable import Unreadable, say, say_text, shell_quoted

from .recipes.checkout import Checkout
from .recipes.recipe import MADE, SUFFIX, SYNTHETIC, find, is_known, read_all

if TYPE_CHECKING:
    from .backends.place import Place
    from .run.series import PlannedRun, WantedRun

# What a page lacks, by its name or file, the folder of logs, the repeats and the cases that are asked for.
Lacking = Callable[[str, Path, int | None, Mapping[str, str]], "Sequence[WantedRun]"]
# What the finished runs of a case give, in a language, and whether each of them gives a throughput.
Measured = Callable[[Path, str], tuple[str, bool]]
Command = Callable[..., None]
_FOUND_BAD = 1
_COUNT = click.IntRange(min=1)
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_THERE = click.Path(exists=True, file_okay=False, resolve_path=True, path_type=Path)
_OUT = click.Path(file_okay=False, path_type=Path)
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_COARSE = 16  # a photograph is smooth: few random pixels are enlarged, so that files are as small as real ones
_IMAGENET_CLASSES = 1000
_CITYSCAPES_CLASSES = 19


class Values(click.ParamType):  # type: ignore[type-arg]  # click before 8.4 takes no argument
    """One value, or several between commas, each of a type: a case of each is launched."""

    def __init__(self, each: click.ParamType[Any], name: str) -> None:
        self._each, self.name = each, name

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> list[str]:
        """The values as texts, in their order."""
        words = [str(self._each.convert(word.strip(), param, ctx)) for word in str(value).split(",")]
        if len({*words}) < len(words):
            self.fail(f"{value} states a value more than once.", param, ctx)
        return words


_COUNTS = Values(_COUNT, "N,...")
_SWITCH = Values(click.Choice(["on", "off"]), "on|off,...")
_PRECISIONS = Values(click.STRING, "TEXT,...")
_DEVICE = click.Choice(["cpu", "gpu"])


def _filter(_context: click.Context, _option: click.Parameter, text: str | None) -> dict[str, str]:
    """`cards=8,precision=amp` as a mapping."""
    pairs = [pair.partition("=") for pair in text.split(",")] if text else []
    if not all(axis and value for axis, _, value in pairs):
        raise click.BadParameter(f"{text!r} is not a filter; expected AXIS=VALUE pairs, such as cards=8,precision=amp.")
    chosen = {axis.strip(): value.strip() for axis, _, value in pairs}
    if len(chosen) < len(pairs):
        raise click.BadParameter(f"{text!r} sets an axis more than once; give one value per axis.")
    return chosen


_ON = click.option("--on", type=click.Choice(["slurm", "mpirun", "kubernetes"]), help="Multi-node launcher.")
_SITE = click.option("--site", type=_FILE, help="Site file.  [default: ~/.config/tachograph/site.toml, if it exists]")
_CONTAINER = click.option("--container", metavar="IMAGE", help="Run in a container of this image.")


def _of_both(command: Command) -> Command:
    """Add the options of where and how a run takes place, whatever is run."""
    options = (
        _ON,
        click.option("-H", "--hosts", help="Hosts and slots for --on mpirun, such as a:8,b:8."),
        _SITE,
        _CONTAINER,
        click.option("--parallel", type=_COUNT, help="Submit all runs to Slurm, so many of them side by side."),
        click.option("--detach", is_flag=True, help="Submit all runs to Slurm and exit; see `collect`."),
        click.option("--timeout", type=_COUNT, help="Time limit of a run in seconds."),
        click.option("--stall", type=_COUNT, metavar="SECONDS", help="Stop a run that prints nothing for so long."),
        click.option("--dry-run", is_flag=True, help="Print the commands as a standalone script; run nothing."),
        click.option("--fills", type=_OUT, hidden=True),
        click.option("--no-redact", is_flag=True, help="Do not redact likely secrets in logs and run.json."),
    )
    return reduce(lambda made, option: option(made), reversed(options), command)


@dataclass
class Executor:
    """Where and how runs take place, as the options say that both commands have.

    `fills`: the folder of the only run that is to be executed, which a submitted job is for.
    """

    on: str | None = None
    hosts: str | None = None
    site: Path | None = None
    container: str | None = None
    parallel: int | None = None
    detach: bool = False
    timeout: int | None = None
    stall: int | None = None
    dry_run: bool = False
    no_redact: bool = False
    fills: Path | None = None

    @classmethod
    def of(cls, given: dict[str, Any]) -> Executor:
        """Take these options out of those that a command is given."""
        return cls(**{field.name: given.pop(field.name) for field in fields(cls)})

    @cached_property
    def place(self) -> Place:
        """Where they take place; for a dry run the programs need not be here.

        Raises click.UsageError where the options contradict each other, the site file cannot be read, or a program is
        missing.
        """
        if (self.on == "mpirun") != bool(self.hosts):
            raise click.UsageError("--on mpirun and -H must be used together, such as --on mpirun -H a:8,b:8.")
        if self.container and self.on == "mpirun":
            raise click.UsageError("--container does not go with --on mpirun.")
        if self.site and not (self.on or self.container):
            raise click.UsageError("--site requires --on or --container.")
        from .backends.place import Kubernetes, Local, MpiRun

        if not (self.on or self.container):
            return Local()
        from .backends import site_file
        from .backends.containers import contained
        from .backends.slurm import Slurm

        site, image, is_dry = site_file.read(self.site, os.environ), self.container, self.dry_run
        if self.on == "kubernetes":
            return Kubernetes(site, image or site.kubernetes.image or "")
        container = contained(image, site.container, on_slurm=self.on == "slurm", is_dry=is_dry) if image else None
        if self.on is None:
            return Local(container)
        program = "mpirun" if self.on == "mpirun" else "sbatch"
        if not (is_dry or shutil.which(program)):
            raise click.UsageError(f"{program} is not on PATH; without it, the job can only run on this machine.")
        return MpiRun(str(self.hosts), site) if self.on == "mpirun" else Slurm(site, container)

    def execute(self, planned: Sequence[PlannedRun]) -> bool:
        """Execute or submit runs, or print their script; returns whether they have ended."""
        from .backends.slurm import allocation
        from .run.folder import RunFolder
        from .run.runner import Runner
        from .run.screen import Screen
        from .run.series import PlannedRun, Series, wait

        if self.fills:
            of_case = (run.job for run in planned if run.folder.path.parent.resolve() == self.fills.parent)
            planned = [PlannedRun(job, RunFolder(self.fills)) for job in of_case][:1]
        submits = self.detach or self.parallel is not None or (self.on == "slurm" and not allocation())
        screen = Screen(sys.stdout.fileno())
        series = Series(Runner(self.place, screen, self.timeout, not self.no_redact, self.stall), planned)
        if self.dry_run:
            say_text("".join(series.script()))
        elif self.place.only_writes:
            raise click.UsageError(self.place.only_writes)
        elif self.fills or not submits:
            series.execute()
        else:
            submitted = series.submit(self.parallel if self.detach else self.parallel or 1)
            if not self.detach:
                wait(submitted, screen)
            elif submitted:
                top = os.path.commonpath([folder.path.parent.parent for folder in submitted])
                say(f"Show them with `tachograph collect {shell_quoted(top)}`.", err=True)
        return not (self.dry_run or self.detach or self.fills)


@click.command()
@click.argument("target", metavar="RECIPE|PAGE")
@click.option("--repo", "repos", type=_FOLDER, multiple=True, help="Checkout; --dry-run needs none.")
@click.option("--data", type=_FOLDER, help="Training data.  [default: set by the recipe or page]")
@click.option("--cards", type=_COUNTS, help="Total number of GPUs (or processes).")
@click.option("--nodes", type=_COUNTS, help="Number of nodes; GPUs are split evenly.")
@click.option("--precision", type=_PRECISIONS, help="Precision: fp32, tf32, amp (mixed) or fp16 (pure).")
@click.option("--batch-size", type=_COUNTS, help="Batch size per GPU (or process).")
@click.option("--steps", type=_COUNT, help="Total number of training steps.")
@click.option("--epochs", type=_COUNT, help="Number of epochs; steps are split evenly.")
@click.option("--device", type=_DEVICE, help="Device to train on.")
@click.option("--synthetic", is_flag=True, help="Train on data that the program generates, if the recipe can.")
@click.option("--accumulation", type=_COUNTS, help="Forward passes per optimizer step.")
@click.option("--sequence-length", type=_COUNTS, help="Tokens per sequence.")
@click.option("--dali", type=_SWITCH, help="Load images with DALI.")
@click.option("--xla", type=_SWITCH, help="Compile with XLA.")
@click.option("--repeats", type=_COUNT, help="Runs per case.  [default: 3, or set by the page]")
@click.option("--only", callback=_filter, metavar="AXIS=VALUE,...", help="Run only these cases of a page.")
@click.option("--into", type=_OUT, help="Suite folder; of a page, all logs.  [default: logs/RECIPE, or logs]")
@click.option("--master", metavar="HOST:PORT", help="Rendezvous address, to start each node by hand.")
@click.option("--node-rank", type=click.IntRange(min=0), help="Rank of this node with --master, from 0.")
@_of_both
@click.argument("extra", nargs=-1, type=click.UNPROCESSED)
def launch(
    target: str,
    *,
    repos: tuple[Path, ...],
    data: Path | None,
    extra: tuple[str, ...],
    synthetic: bool,
    into: Path | None,
    repeats: int | None,
    only: dict[str, str],
    page_names: Callable[[], list[str]],
    lacking: Lacking,
    measured: Measured,
    **values: Any,
) -> None:
    """Run RECIPE, or the missing cases of PAGE, and keep the logs.

    Omitted options use the recipe's defaults; EXTRA, after --, is passed to the native program. A page file sets how
    its cases run. Finished runs are not repeated, so run the same command again to resume. RECIPE is a name or the path
    of a script (.sh) of your own. At the end of a recipe its throughput is printed, with its spread over the runs.

    Several values between commas are a case each. Cases take turns, each time in the opposite order (A B B A), so that
    a drift of the machine meets all of them. With two checkouts of the repository of a recipe, its runs take turns in
    these, and are kept in FOLDER@CHECKOUT.

    \b
    Examples:
      tachograph launch paddleclas_resnet50 --repo PaddleClas --cards 8 --precision amp --repeats 7
      tachograph launch paddleclas_resnet50 --repo PaddleClas --cards 1,2,4,8 --batch-size 64,128
      tachograph launch report/pages/cpu-demo.toml --repo PaddleClas --repo PaddleSeg --dry-run
      tachograph launch paddleclas_resnet50 --repo before/ --repo after/ --repeats 5
      tachograph launch paddleclas_resnet50 --repo PaddleClas --nodes 4 --cards 32 --on slurm
      tachograph launch my-page.toml --repo PaddleClas --on slurm --detach; tachograph collect
      tachograph launch paddleclas_resnet50 --repo PaddleClas --nodes 2 --cards 16 --on mpirun -H a:8,b:8
    """
    from .run.series import Planner

    executor = Executor.of(values)
    if not (is_recipe := is_known(target)):
        _check_page(target, page_names)
    if not (repos or executor.dry_run):
        raise click.UsageError("--repo is missing: the checkout of the native repository.")
    planner = Planner(executor.place, list(map(Checkout, repos)), data)
    said = {name.upper(): value for name, value in values.items() if value is not None}
    options = {name: value if isinstance(value, list) else [str(value)] for name, value in said.items()}
    options |= {"EXTRA": [shlex.join(extra)]} if extra else {}
    options |= {"DATA": [SYNTHETIC]} if synthetic else {}
    if is_recipe:
        if only:
            raise click.UsageError("--only selects cases of a page; a recipe runs the cases that its options set.")
        suite = into or Path("logs", Path(target).stem if target.endswith(SUFFIX) else target)
        if values["node_rank"]:  # the suite of a further node is its own, because all nodes may share one disk
            suite = suite.with_name(f"{suite.name}-node{values['node_rank']}")
        planned = planner.of_recipe(target, options, suite, repeats or 3)
    elif options:
        names = ", ".join(name.lower().replace("_", "-") for name in options)
        raise click.UsageError(f"A page file sets how its cases run, not {names}; select cases with --only.")
    else:
        planned = planner.of_page(lacking(target, into or Path("logs"), repeats, only))
    if executor.execute(planned) and is_recipe:
        for folder in dict.fromkeys(run.folder.path.parent for run in planned):
            say_text(measured(folder, "en")[0])


def _check_page(target: str, page_names: Callable[[], list[str]]) -> None:
    """Raise click.UsageError, with the nearest name, for what is no page."""
    if target.endswith(".toml") or target in (pages := page_names()):
        return
    names = [*(recipe.name for recipe in read_all()), *pages]
    near = get_close_matches(target, names, 1) or [f"{', '.join(names)}, or a path ending in .toml"]
    raise click.UsageError(f"No recipe or page is named {target}; did you mean {near[0]}?")


@click.command(context_settings={"allow_interspersed_args": False})
@click.option("--model", help="Name of the model.")
@click.option("--framework", help="Framework, or repository of the training program.")
@click.option("--cards", type=_COUNT, help="Total number of GPUs (or processes).  [default: as the command says]")
@click.option("--nodes", type=_COUNT, help="Number of nodes.  [default: as the command says]")
@click.option("--precision", help="Precision, such as fp32, tf32, amp, fp16 or bf16.")
@click.option("--batch-size", type=_COUNT, help="Batch size per GPU (or process).")
@click.option("--device", type=_DEVICE, help="What it trains on.  [default: gpu if there is one, or --on]")
@click.option("--repeats", type=_COUNT, help="Number of runs.  [default: 1, or 3 per side with --against]")
@click.option("--into", type=_OUT, help="Suite folder.  [default: logs/ and the name of this folder]")
@click.option("--against", type=_THERE, help="Run it alternately there, such as in a worktree of another commit.")
@click.option("--read", metavar="NAME=UNIT", help="What a number of the log measures, such as dt=ms/step.")
@_of_both
@click.option("--lang", "language", default="en", show_default=True, help="Language of the summary at the end.")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, required=True, metavar="COMMAND...")
def run(
    words: tuple[str, ...],
    *,
    device: str | None,
    repeats: int | None,
    into: Path | None,
    against: Path | None,
    read: str | None,
    language: str,
    measured: Measured,
    comparison: Callable[[str], Callable[[Path, Path], str]],
    **states: Any,
) -> None:
    """Run COMMAND, any program that trains, in this folder, and keep its log.

    What is not stated is taken from the command and the log. Each call adds runs; runs of the same command, commit and
    files are repeats of each other. Exit status 1 if a log gives no throughput.

    '$WORK' in the command is a temporary folder for what the program writes, a new one for each run; it is removed when
    the run is done.

    With --against, run it alternately (A B B A) in that folder (A) and here (B), and compare them. The runs of A are
    kept beside those of B, in FOLDER@NAME.

    \b
    Examples:
      tachograph run -- python train.py --batch-size 32
      tachograph run --against ../before --repeats 3 -- python train.py --out '$WORK'
      tachograph run --model GPT-2 --repeats 3 -- torchrun --nproc_per_node 8 train.py
      tachograph run --nodes 2 --cards 16 --on slurm -- bash train.sh
    """
    from .job import moved, of_command
    from .run.series import Planner, alternating, suite_of

    here, executor = Path.cwd(), Executor.of(states)
    facts = {name: value for name, value in states.items() if value is not None}
    place = executor.place
    is_contained = bool(place.container or place.only_writes)
    if read is not None:
        from parsers.unknown.option import parse_option

        parse_option(read)
    of_words = partial(
        of_command, states=facts, device=device, read=read, is_contained=is_contained, is_here=place.is_here
    )
    suite, planner = into or Path("logs", here.name), Planner(place)
    cases = [planner.of_command(of_words(words, here), suite, repeats or (3 if against else 1))]
    if against:
        there = of_words(moved(words, here, against), against)
        cases.insert(0, planner.of_command(there, suite_of(suite, against.name), repeats or 3))
        tell = comparison(language)
    if not executor.execute(alternating(cases)):
        return
    ended = [case[0].folder.path.parent for case in cases]
    if against:
        say_text(tell(*ended))
        return
    text, is_whole = measured(ended[0], language)
    say_text(text)
    sys.exit(0 if is_whole else _FOUND_BAD)


@click.command()
@click.argument("folder", type=_FOLDER, default="logs")
def collect(folder: Path) -> None:
    """Show what became of submitted runs below FOLDER.  [default: logs]

    \b
    Examples:
      tachograph launch my-page.toml --repo PaddleClas --on slurm --detach
      tachograph collect
    """
    from .run.series import collect_below

    collect_below(folder)


@click.command(name="launchers")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
def list_launchers(*, as_json: bool) -> None:
    """List the recipes: model, framework, repository with its pinned commit, precisions, and requirements.

    A recipe of your own is one script (.sh) whose head says what it needs; `launch` takes its path.

    \b
    Examples:
      tachograph launchers
      tachograph launchers --json
    """
    from tabulate import tabulate

    rows = []
    for recipe in read_all():
        facts = recipe.facts
        stated = {device: " ".join(recipe.precisions(device)) for device in ("gpu", "cpu")}
        rows.append(
            {
                "recipe": recipe.name,
                "model": facts["model"],
                "framework": facts["framework"],
                "repository": f"{'/'.join(facts['repository'].split('/')[-2:])}@{facts['commit'][:7]}",
                "precisions": "; ".join(f"{device}: {names}" for device, names in stated.items() if names),
                "data": f"{recipe.data}, {SYNTHETIC}" if recipe.can_make_data else recipe.data,
                "needs": facts["needs"],
            }
        )
    table = tabulate(rows, "keys", "simple", maxcolwidths=[*[None] * 6, 40], disable_numparse=True)
    say_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows) if as_json else f"{table}\n")


@click.command()
@click.argument("recipe", required=False, metavar="[RECIPE]")
@click.option("--repo", type=_FOLDER, help="Checkout of the native repository.")
@click.option("--data", type=_FOLDER, help="Training data.")
@click.option("--cards", type=_COUNT, help="Total number of GPUs that a launch would use.")
@click.option("--nodes", type=_COUNT, default=1, show_default=True, help="Number of nodes.")
@click.option("--device", type=_DEVICE, help="Device that a launch would train on.")
@click.option("--synthetic", is_flag=True, help="A launch would train on data that the program generates.")
@_ON
@_SITE
@_CONTAINER
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
def doctor(recipe: str | None, site: Path | None, container: str | None, *, as_json: bool, **wanted: Any) -> None:
    """Check for problems that would stop or slow down a launch.

    With options of a launch, check what it would use. Exit status 1 if a problem would stop it.

    \b
    Examples:
      tachograph doctor
      tachograph doctor paddleclas_resnet50 --repo PaddleClas --data PaddleClas/dataset/ILSVRC2012
      tachograph doctor paddleclas_resnet50 --cards 8 --container IMAGE
    """
    from .backends import site_file
    from .backends.containers import contained
    from .job import of_command
    from .machine.doctor import Launch, examine, shown

    if wanted["synthetic"] and wanted["data"]:
        raise click.UsageError("--synthetic and --data cannot be used together.")
    said, inside = site_file.read(site, os.environ), None
    if container and wanted["on"] != "kubernetes":
        image = contained(container, said.container, on_slurm=wanted["on"] == "slurm")
        if shutil.which(image.runtime):  # else only the nodes of a cluster can ask its Python
            folder = wanted["repo"] or Path.cwd()
            job = of_command(("python",), folder, device=wanted["device"], is_contained=True)
            inside = partial(image.native_python, job)
    findings = list(examine(Launch(os.environ, find(recipe) if recipe else None, inside=inside, **wanted)))
    as_lines = (f"{json.dumps(finding._asdict(), ensure_ascii=False)}\n" for finding in findings)
    say_text("".join(as_lines) if as_json else shown(findings))
    sys.exit(_FOUND_BAD if any(finding.level == "bad" for finding in findings) else 0)


@click.command(hidden=True)
@click.argument("folder", type=_FOLDER)
@click.option("--node", type=click.IntRange(min=0), required=True)
@click.option("--until", type=click.IntRange(min=1), required=True)
@click.option("--without-processes", is_flag=True)
def observe(folder: Path, node: int, until: int, *, without_processes: bool) -> None:
    """Describe this machine in FOLDER, and sample its cards and the job in the background as long as UNTIL lives."""
    from .run import nodes

    nodes.observe(folder, node, until, finds_processes=not without_processes)


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
    with extra("images", "Images need"):  # before anything is written
        import PIL  # noqa: F401
    # A file beside the images says what they are: a run on them is told from one on real data by it.
    lists = ("train_list.txt", "val_list.txt") if kind == "imagenet" else ("train.txt", "val.txt")
    try:
        lines = "".join(f"{_image(kind, number, size, out)}\n" for number in range(count))
        for name in lists:
            replace_file(out / name, lines.encode())
        replace_file(out / MADE, b"`tachograph images` made these images from numbers.\n")
    except OSError as error:  # which names no file where a disk is full
        raise Unreadable(f"{error.filename or out}: cannot be written: {error.strerror}.") from error


def _image(kind: str, number: int, size: int, out: Path) -> str:
    """Write the image of a number, for Cityscapes with its labels, and return its line of the lists.

    They are made from numbers: enough for timing a data loader, worthless for learning.
    """
    pixels = random.Random(number).randbytes(_COARSE * _COARSE * 3)
    if kind == "imagenet":
        name = f"train/{number:06}.jpg"
        _save(out / name, "RGB", pixels, size, size)
        return f"{name} {number % _IMAGENET_CLASSES}"
    name = f"train/made/made_{number:06}"
    street, labels = f"leftImg8bit/{name}_leftImg8bit.png", f"gtFine/{name}_gtFine_labelTrainIds.png"
    classes = random.Random(number).choices(range(_CITYSCAPES_CLASSES), k=_COARSE * _COARSE)
    _save(out / street, "RGB", pixels, 2 * size, size)
    _save(out / labels, "L", bytes(classes), 2 * size, size)
    return f"{street} {labels}"


def _save(path: Path, mode: str, pixels: bytes, width: int, height: int) -> None:
    """Enlarge coarse pixels, smoothly unless they are labels, and save them."""
    from PIL import Image

    filtered = Image.Resampling.NEAREST if mode == "L" else Image.Resampling.BICUBIC
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.frombytes(mode, (_COARSE, _COARSE), pixels).resize((width, height), filtered).save(path)


commands = [launch, run, collect, list_launchers, doctor, observe, images]
