"""Environments: when, on which machines and with which programs runs trained, as their logs and run.json say."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
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
PROCESSOR = "{name} (cores: {count})"
NO_GPU = "none"
CHANGED = "{checkout} (changed)"
VARIABLES = "Environment variables of all runs"
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
    try:
        start = datetime.fromisoformat(str(run["start"]))
        return np.datetime64(start.astimezone(UTC).replace(tzinfo=None) if start.tzinfo else start, "us")
    except (KeyError, ValueError, OverflowError):
        return None


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
        if any(said := [_said_by([*each.values()], name) for name in ROWS]):
            alike.setdefault(tuple(said), []).append(title)
    rows = zip(ROWS, *alike, strict=True)
    shown = [[[Message(name)], *([*(said or [Message("–")])] for said in row)] for name, *row in rows if any(row)]
    titles = [[joined("{first}, {second}", map(Message, each))] for each in alike.values()]
    return [[[Message("")], *titles], *shown] if alike else []


def _said_by(runs: Sequence[RunFile], name: str) -> tuple[Message, ...]:
    """What some runs say of a row, each value once."""
    of, is_of_machines = ROWS[name]
    each = of(_machines(runs) if is_of_machines else runs)
    said = [*dict.fromkeys(value if isinstance(value, Message) else Message(value) for value in each)]
    return (*said[:MOST_VALUES], *([Message("…")] if len(said) > MOST_VALUES else []))


def _machines(runs: Iterable[RunFile]) -> list[Told]:
    """The environment of each run, and of each of its nodes."""
    described = (
        nodes if isinstance(nodes := run.get("nodes"), list) and nodes else [run["environment"]] for run in runs
    )
    return [one for each in described for one in each if isinstance(one, dict)]


def _plain(said: object) -> str:
    """A short text that is all seen; empty where it is none."""
    return said if isinstance(said, str) and len(said) <= LONGEST and printable(said) == said else ""


def _key(name: str) -> Callable[[Sequence[Told]], Iterator[Said]]:
    return lambda machines: (markdown.text(said) for one in machines if (said := _plain(one.get(name))))


def _gpus(machines: Sequence[Told]) -> Iterator[Said]:
    """How many of which, each with its memory."""
    for machine in machines:
        cards, memory = machine.get("gpus"), machine.get("gpu_memory_mib")
        if isinstance(cards, list):
            sizes = memory if isinstance(memory, list) and len(memory) == len(cards) else [None] * len(cards)
            named = [_card(card, size) for card, size in zip(cards, sizes, strict=True) if _plain(card)]
            told = ", ".join(f"{named.count(name)} × {name}" for name in dict.fromkeys(named))
            yield markdown.text(told) if told else Message(NO_GPU)


def _card(name: str, mebibytes: object) -> str:
    return f"{name} ({mebibytes / MIB_OF_GIB:.0f} GiB)" if isinstance(mebibytes, int) and mebibytes > 0 else name


def _drivers(machines: Sequence[Told]) -> Iterator[Said]:
    for driver, cuda in ((_plain(one.get("driver")), _plain(one.get("cuda_driver"))) for one in machines):
        if driver:
            yield markdown.text(f"{driver} (CUDA {cuda})" if cuda else driver)


def _processors(machines: Sequence[Told]) -> Iterator[Said]:
    for name, cores in ((markdown.text(_plain(one.get("cpu"))), one.get("cores")) for one in machines):
        if name:
            yield Message(PROCESSOR, name=name, count=cores) if isinstance(cores, int) else name


def _memory(machines: Sequence[Told]) -> Iterator[Said]:
    yield from (f"{size:g} GiB" for one in machines if isinstance(size := one.get("memory_gib"), int | float))


def _frameworks(machines: Sequence[Told]) -> Iterator[Said]:
    """Each framework with its version, and those of CUDA, cuDNN and NCCL that it was built with."""
    for built in (one.get("frameworks") for one in machines):
        for name, build in built.items() if isinstance(built, dict) else ():
            if _plain(name) and isinstance(build, dict) and (version := _plain(build.get("version"))):
                told = ", ".join(
                    f"{title} {said}" for key, title in BUILT_WITH.items() if (said := _plain(build.get(key)))
                )
                yield markdown.text(f"{library_name(name)} {version}" + (f" ({told})" if told else ""))


def _checkouts(runs: Sequence[Told]) -> Iterator[Said]:
    """The repository and the commit that trained, and whether its files were changed."""
    for source in (run.get("source") for run in runs):
        if isinstance(source, dict) and (commit := _plain(source.get("commit"))):
            # A checkout without an address is of the one that its recipe is for, at the commit that is the recipe's.
            of_recipe = _plain(source.get("recipe_repository")) if commit == source.get("pinned") else ""
            address = _plain(source.get("repository")) if source.get("repository") else of_recipe
            checkout = markdown.code(commit[:SHORT_COMMIT])
            if address.startswith(("https://", "http://")):
                home = address.removesuffix("/").removesuffix(".git")
                checkout = markdown.link(
                    f"{markdown.text(home.rpartition('/')[2])} {checkout}", f"{home}/tree/{commit}"
                )
            yield Message(CHANGED, checkout=checkout) if source.get("dirty") else checkout


def _data(runs: Sequence[Told]) -> Iterator[Said]:
    cases = (run["case"] for run in runs if isinstance(run.get("case"), dict))
    yield from (DATA[case["data"]] for case in cases if case.get("data") in DATA)


def _variables(machines: Sequence[Told]) -> Iterator[Said]:
    """Those that all machines of all runs set alike."""
    each = [machine.get("variables") for machine in machines]
    told = [{f"{name}={value}" for name, value in one.items()} if isinstance(one, dict) else set() for one in each]
    shared = sorted(set.intersection(*told)) if told else []
    yield from (markdown.code(said) for said in shared if _plain(said))


def _tachograph(runs: Sequence[Told]) -> Iterator[Said]:
    for version, commit in ((_plain(run.get("tachograph")), _plain(run.get("tachograph_commit"))) for run in runs):
        if version:
            yield markdown.text(f"{version} ({commit[:SHORT_COMMIT]})" if commit else version)


# What each row is made of, and whether of what describes machines or of whole runs.
ROWS: Mapping[str, tuple[Callable[[Sequence[Told]], Iterator[Said]], bool]] = {
    "GPU": (_gpus, True),
    "Driver": (_drivers, True),
    "CPU": (_processors, True),
    "Memory": (_memory, True),
    "Operating system": (_key("os"), True),
    "Container": (_key("container"), True),
    "Python": (_key("python"), True),
    "Framework": (_frameworks, True),
    "Model code": (_checkouts, False),
    "Data": (_data, False),
    VARIABLES: (_variables, True),
    "Tachograph": (_tachograph, False),
}
