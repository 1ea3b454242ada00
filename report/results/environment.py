"""Environments: when, on which machines and with which programs runs trained, as their logs and run.json say."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, get_args

import numpy as np

from parsers.io.message import Message, joined
from parsers.io.printable import printable
from parsers.runs.facts import value
from parsers.runs.runfile import RunFile
from parsers.scanning.record_table import RecordTable

from ..pagefile.page import Page
from ..pagefile.parts import Circumstance
from ..wording import markdown
from .made import Made, MadeRun
from .telemetry import said_time

DATE: Circumstance = "date"
VERSION: Circumstance = "framework_version"
LIBRARY = "library"
# Stamps without a year are read as of this one.
NO_YEAR = np.datetime64("2000", "Y")
# Between the first and the last of several days.
TO = " – "

LONGEST = 120
MOST_VALUES = 8
SHORT_COMMIT = 10
MIB_OF_GIB = 1024
CODE, VARIABLES = "Model code", "Environment variables of all runs"
DATA = {"real": Message("real data"), "synthetic": Message("synthetic data")}

BUILT_WITH = {"cuda": "CUDA", "cudnn": "cuDNN", "nccl": "NCCL"}

Told = Mapping[str, Any]  # what a run.json says, or a part of it
Said = Message | str  # a value as Markdown, or as a message whose values are Markdown


# ---- when, and with which versions


def began(run: RunFile, records: RecordTable) -> np.datetime64 | None:
    """When a run began: UTC, or as its log says where that has no time zone; None where neither tells it with a year.

    ``run``: its run.json, empty where there is none. ``records``: those of its log.
    """
    start = stated_start(run)
    if start is not None:
        return start
    times = records["time"] if "time" in records else np.zeros(0, "M8[us]")
    known = times[~np.isnat(times)]
    first = known.min() if len(known) else None
    return first if first is not None and first.astype("M8[Y]") > NO_YEAR else None


def stated_start(run: RunFile) -> np.datetime64 | None:
    """When a run began by its run.json (UTC, or as it says); None where that tells no time."""
    start = said_time(run, "start")
    return start[0] if start else None


def first_begin(runs: Iterable[MadeRun]) -> np.datetime64 | None:
    """When the first of some runs began; None where none of them says it."""
    begins = (began(run.run_file, run.reading.parts[0].table) for run in runs)
    return min((start for start in begins if start is not None), default=None)


def circumstances(runs: Iterable[MadeRun]) -> dict[str, str]:
    """What some runs were measured with and on which days, each value once; of days the first and the last.

    A log is believed before the run.json beside it, but for the day; one whose run.json is of another log makes no
    number. What neither says is left out.
    """
    runs = list(runs)
    each = [_versions(run) for run in runs]
    values = {name: dict.fromkeys(one[name] for one in each if name in one) for name in get_args(Circumstance)}
    begins = (first_begin([run]) for run in runs)
    days = sorted({str(begin.astype("M8[D]")) for begin in begins if begin is not None})
    told = {name: "/".join(of) for name, of in values.items()} | {DATE: TO.join(dict.fromkeys((*days[:1], *days[-1:])))}
    return {name: said for name, said in told.items() if said}


def library_of(runs: Iterable[MadeRun]) -> str:
    """The deep-learning library of all of some runs, such as PyTorch; empty where it is not known of all."""
    names = {_versions(run).get(LIBRARY, "") for run in runs}
    return names.pop() if len(names) == 1 else ""


def _versions(run: MadeRun) -> dict[str, str]:
    """All that a log states, or else the run.json beside it; no library of a version that is not known to be its."""
    environment = run.run_file.get("environment")
    environment = environment if isinstance(environment, dict) else {}
    built = environment.get("frameworks")
    # Of several frameworks a run.json does not say which one trained.
    ((library, framework),) = built.items() if isinstance(built, dict) and len(built) == 1 else (("", {}),)
    framework = framework if isinstance(framework, dict) else {}
    facts = {name: str(fact.value) for name, fact in run.reading.facts.items()}
    said: dict[str, object] = {VERSION: framework.get("version"), "driver": environment.get("driver")}
    said |= {name: framework.get(name) for name in ("cuda", "cudnn")}
    if VERSION not in facts:
        said[LIBRARY] = library_name(library)
    return {name: text for name, text in said.items() if isinstance(text, str) and text} | facts


def library_name(library: str) -> str:
    """How a deep-learning library is spelt that run.json names by its module: ``torch`` is PyTorch."""
    return str(value(LIBRARY, "", library))


# ---- the machines of a page

ROWS = (
    "GPU",
    "Driver",
    "CPU",
    "Memory",
    "Operating system",
    "Container",
    "Python",
    "Framework",
    CODE,
    "Data",
    VARIABLES,
)


def environment(page: Page, made: Sequence[Made]) -> list[list[list[Message]]]:
    """A table of the machines and programs: a column for each column of the page whose runs a run.json describes.

    Rows of cells, each of several values in Markdown; the first row is the head. Columns that say the same are one.
    Empty where no run says anything.
    """
    told: dict[str, dict[str, RunFile]] = {}
    for one in made:
        runs = told.setdefault(page.columns[one.place.column.column].title, {})
        runs |= {run.log: run.run_file for run in one.all_runs if "environment" in run.run_file}
    alike: dict[tuple[tuple[Message, ...], ...], list[str]] = {}
    for title, each in told.items():
        said = _said_by([*each.values()])
        if any(cells := tuple(said.get(name, ()) for name in ROWS)):
            alike.setdefault(cells, []).append(title)
    rows = zip(ROWS, *alike, strict=True)
    shown = [[[Message(name)], *([*(said or [Message("–")])] for said in row)] for name, *row in rows if any(row)]
    titles = [[joined("{first}, {second}", map(Message, each))] for each in alike.values()]
    return [[[Message("")], *titles], *shown] if alike else []


def _said_by(runs: Sequence[RunFile]) -> dict[str, tuple[Message, ...]]:
    """What some runs, and each of their machines, say of the rows; each value once."""
    described = (
        nodes if isinstance(nodes := run.get("nodes"), list) and nodes else [run["environment"]] for run in runs
    )
    machines = [one for each in described for one in each if isinstance(one, dict)]
    found: dict[str, dict[Message, None]] = {}
    for name, said in chain(*map(_of_machine, machines), *map(_of_run, runs), _variables(machines)):
        found.setdefault(name, {})[said if isinstance(said, Message) else Message(said)] = None
    more = [Message("…")]
    return {name: (*list(said)[:MOST_VALUES], *more[: len(said) > MOST_VALUES]) for name, said in found.items()}


def _of_machine(one: Told) -> Iterator[tuple[str, Said]]:
    cards, memory = one.get("gpus"), one.get("gpu_memory_mib")
    if isinstance(cards, list):
        sizes = memory if isinstance(memory, list) and len(memory) == len(cards) else [None] * len(cards)
        named = [_card(card, size) for card, size in zip(cards, sizes, strict=True) if _plain(card)]
        told = ", ".join(f"{named.count(name)} × {name}" for name in dict.fromkeys(named))
        yield "GPU", markdown.text(told) if told else Message("none")
    if driver := _plain(one.get("driver")):
        cuda = _plain(one.get("cuda_driver"))
        yield "Driver", markdown.text(f"{driver} (CUDA {cuda})" if cuda else driver)
    if name := markdown.text(_plain(one.get("cpu"))):
        cores = one.get("cores")
        yield "CPU", Message("{name} (cores: {count})", name=name, count=cores) if isinstance(cores, int) else name
    if isinstance(size := one.get("memory_gib"), int | float):
        yield "Memory", f"{size:g} GiB"
    for row, key in (("Operating system", "os"), ("Container", "container"), ("Python", "python")):
        if said := _plain(one.get(key)):
            yield row, markdown.text(said)
    built = one.get("frameworks")
    for name, build in built.items() if isinstance(built, dict) else ():
        if _plain(name) and isinstance(build, dict) and (version := _plain(build.get("version"))):
            of = ", ".join(f"{title} {said}" for key, title in BUILT_WITH.items() if (said := _plain(build.get(key))))
            yield "Framework", markdown.text(f"{library_name(name)} {version}" + (f" ({of})" if of else ""))


def _card(name: str, mebibytes: object) -> str:
    return f"{name} ({mebibytes / MIB_OF_GIB:.0f} GiB)" if isinstance(mebibytes, int) and mebibytes > 0 else name


def _of_run(run: RunFile) -> Iterator[tuple[str, Said]]:
    """The repository and the commit that trained, whether its files were changed, and the data."""
    source, case = run.get("source"), run.get("case")
    if isinstance(source, dict) and (commit := _plain(source.get("commit"))):
        # A checkout without an address is of the one that its recipe is for, at the commit that is the recipe's.
        of_recipe = source.get("recipe_repository") if commit == source.get("pinned") else ""
        address = _plain(source.get("repository") or of_recipe).removesuffix("/").removesuffix(".git")
        checkout = markdown.code(commit[:SHORT_COMMIT])
        if address.startswith(("https://", "http://")):
            checkout = f"{markdown.text(address.rpartition('/')[2])} {checkout}"
            checkout = markdown.link(checkout, f"{address}/tree/{commit}")
        yield CODE, Message("{checkout} (changed)", checkout=checkout) if source.get("dirty") else checkout
    if isinstance(case, dict) and case.get("data") in DATA:
        yield "Data", DATA[case["data"]]


def _variables(machines: Sequence[Told]) -> Iterator[tuple[str, Said]]:
    """The environment variables that all machines of all runs set alike."""
    each = [machine.get("variables") for machine in machines]
    told = [{f"{name}={value}" for name, value in one.items()} if isinstance(one, dict) else set() for one in each]
    for said in filter(_plain, sorted(set.intersection(*told)) if told else ()):
        yield VARIABLES, markdown.code(said)


def _plain(said: object) -> str:
    """A short text that is all seen; empty where it is none."""
    return said if isinstance(said, str) and len(said) <= LONGEST and printable(said) == said else ""
