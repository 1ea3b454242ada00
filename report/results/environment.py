"""Environments: when, on which machines and with which programs runs trained, as their logs and run.json say."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeGuard, get_args

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

# A value as Markdown, or as a message whose values are Markdown.
Said = Message | str


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
    told: dict[str, dict[str, None]] = {}
    for run in runs:
        found = _versions(run)
        if (first := first_begin([run])) is not None:
            found[DATE] = str(first.astype("M8[D]"))
        for name in get_args(Circumstance):
            if name in found:
                told.setdefault(name, {})[found[name]] = None
    joined_ = {name: "/".join(values) for name, values in told.items()}
    if days := sorted(told.get(DATE, ())):
        joined_[DATE] = days[0] if len(days) == 1 else f"{days[0]}{TO}{days[-1]}"
    return {name: joined_[name] for name in get_args(Circumstance) if name in joined_}


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
    alike: dict[tuple[tuple[str, tuple[Message, ...]], ...], list[str]] = {}
    for title, each in told.items():
        if each and (said := _said_by(list(each.values()))):
            alike.setdefault(tuple(said.items()), []).append(title)
    columns = [dict(said) for said in alike]
    rows = [[[Message(name)], *([*column.get(name, (Message("–"),))] for column in columns)] for name in _ROWS]
    head = [[Message("")], *([joined("{first}, {second}", map(Message, titles))] for titles in alike.values())]
    return [head, *(row for row in rows if any(str(cell[0]) != "–" for cell in row[1:]))] if alike else []


def _said_by(runs: Sequence[RunFile]) -> dict[str, tuple[Message, ...]]:
    """What some runs say by the names of the rows, each value once."""
    found = {}
    for name, of in _ROWS.items():
        said = dict.fromkeys(value if isinstance(value, Message) else Message(value) for value in of(runs))
        if said:
            found[name] = (*[*said][:MOST_VALUES], *([Message("…")] if len(said) > MOST_VALUES else []))
    return found


def _machines(runs: Iterable[RunFile]) -> Iterator[Mapping[str, Any]]:
    """The environment of each run, and of each of its nodes."""
    for run in runs:
        nodes = run.get("nodes")
        described = nodes if isinstance(nodes, list) and nodes else [run["environment"]]
        yield from (one for one in described if isinstance(one, dict))


def _of_machines(of: Callable[[Mapping[str, Any]], Iterable[Said]]) -> Callable[[Sequence[RunFile]], Iterator[Said]]:
    return lambda runs: (said for machine in _machines(runs) for said in of(machine))


def _key(name: str) -> Callable[[Sequence[RunFile]], Iterator[Said]]:
    return _of_machines(lambda machine: [markdown.text(machine[name])] if _is_plain(machine.get(name)) else [])


def _is_plain(said: object) -> TypeGuard[str]:
    return isinstance(said, str) and 0 < len(said) <= LONGEST and printable(said) == said


def _gpus(machine: Mapping[str, Any]) -> Iterator[Said]:
    """How many of which, each with its memory."""
    cards, memory = machine.get("gpus"), machine.get("gpu_memory_mib")
    if not isinstance(cards, list):
        return
    sizes = memory if isinstance(memory, list) and len(memory) == len(cards) else [None] * len(cards)
    named = [_card(card, size) for card, size in zip(cards, sizes, strict=True) if _is_plain(card)]
    told = ", ".join(f"{named.count(name)} × {name}" for name in dict.fromkeys(named))
    yield markdown.text(told) if told else Message(NO_GPU)


def _card(name: str, mebibytes: object) -> str:
    return f"{name} ({mebibytes / MIB_OF_GIB:.0f} GiB)" if isinstance(mebibytes, int) and mebibytes > 0 else name


def _driver(machine: Mapping[str, Any]) -> Iterator[Said]:
    driver, cuda = machine.get("driver"), machine.get("cuda_driver")
    if _is_plain(driver):
        yield markdown.text(f"{driver} (CUDA {cuda})" if _is_plain(cuda) else driver)


def _processor(machine: Mapping[str, Any]) -> Iterator[Said]:
    name, cores = machine.get("cpu"), machine.get("cores")
    if _is_plain(name):
        named = markdown.text(name)
        yield Message(PROCESSOR, name=named, count=cores) if isinstance(cores, int) else named


def _memory(machine: Mapping[str, Any]) -> Iterator[Said]:
    if isinstance(size := machine.get("memory_gib"), int | float):
        yield f"{size:g} GiB"


def _frameworks(machine: Mapping[str, Any]) -> Iterator[Said]:
    """Each framework with its version, and those of CUDA, cuDNN and NCCL that it was built with."""
    frameworks = machine.get("frameworks")
    for name, build in frameworks.items() if isinstance(frameworks, dict) else ():
        if _is_plain(name) and isinstance(build, dict) and _is_plain(build.get("version")):
            titles = (("cuda", "CUDA"), ("cudnn", "cuDNN"), ("nccl", "NCCL"))
            built = [f"{title} {build[key]}" for key, title in titles if _is_plain(build.get(key))]
            yield markdown.text(
                f"{library_name(name)} {build['version']}" + (f" ({', '.join(built)})" if built else "")
            )


def _checkouts(runs: Sequence[RunFile]) -> Iterator[Said]:
    """The repository and the commit that trained, and whether its files were changed."""
    for run in runs:
        source = run.get("source")
        if not isinstance(source, dict) or not _is_plain(commit := source.get("commit")):
            continue
        # A checkout without an address is of the one that its recipe is for, at the commit that is the recipe's.
        is_pinned = commit == source.get("pinned")
        address = source.get("repository") or (source.get("recipe_repository") if is_pinned else None)
        checkout = _linked(address, commit)
        yield Message(CHANGED, checkout=checkout) if source.get("dirty") else checkout


def _linked(address: object, commit: str) -> str:
    short = commit[:SHORT_COMMIT]
    if not isinstance(address, str) or not _is_plain(address) or not address.startswith(("https://", "http://")):
        return markdown.code(short)
    home = address.removesuffix("/").removesuffix(".git")
    return markdown.link(f"{markdown.text(home.rpartition('/')[2])} {markdown.code(short)}", f"{home}/tree/{commit}")


def _data(runs: Sequence[RunFile]) -> Iterator[Said]:
    cases = (run["case"] for run in runs if isinstance(run.get("case"), dict))
    yield from (DATA[case["data"]] for case in cases if case.get("data") in DATA)


def _variables(runs: Sequence[RunFile]) -> Iterator[Said]:
    """Those that all machines of all runs set alike."""
    each = [machine.get("variables") for machine in _machines(runs)]
    told = [{f"{name}={value}" for name, value in one.items()} if isinstance(one, dict) else set() for one in each]
    shared = sorted(set.intersection(*told)) if told else []
    yield from (markdown.code(said) for said in shared if _is_plain(said))


def _tachograph(runs: Sequence[RunFile]) -> Iterator[Said]:
    for run in runs:
        version, commit = run.get("tachograph"), run.get("tachograph_commit")
        if _is_plain(version):
            yield markdown.text(f"{version} ({commit[:SHORT_COMMIT]})" if _is_plain(commit) else version)


_ROWS: Mapping[str, Callable[[Sequence[RunFile]], Iterator[Said]]] = {
    "GPU": _of_machines(_gpus),
    "Driver": _of_machines(_driver),
    "CPU": _of_machines(_processor),
    "Memory": _of_machines(_memory),
    "Operating system": _key("os"),
    "Container": _key("container"),
    "Python": _key("python"),
    "Framework": _of_machines(_frameworks),
    "Model code": _checkouts,
    "Data": _data,
    VARIABLES: _variables,
    "Tachograph": _tachograph,
}
