"""The environment of a page: on which machines and with which programs its runs trained, as their run.json says."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeGuard

from parsers.io.message import Message, joined
from parsers.io.printable import printable
from parsers.runs.runfile import run_file

from ..evidence.cell import Cell
from ..evidence.circumstances import library_name, proofs_of
from ..pagefile.page import Page
from ..wording import markdown

LONGEST = 120
MOST_VALUES = 8
SHORT_COMMIT = 10
MIB_OF_GIB = 1024
PROCESSOR = "{name} (cores: {count})"
NO_GPU = "none"
CHANGED = "{checkout} (changed)"
VARIABLES = "Environment variables of all runs"
DATA = {"real": Message("real data"), "synthetic": Message("synthetic data")}

RunFile = Mapping[str, Any]
# A value as Markdown, or as a message whose values are Markdown.
Said = Message | str


def environment(page: Page, cells: Sequence[Cell]) -> list[list[list[Message]]]:
    """A table of the machines and programs: a column for each column of the page whose runs a run.json describes.

    Rows of cells, each of several values in Markdown; the first row is the head. Columns that say the same are one.
    Empty where no run says anything.
    """
    told: dict[str, dict[str, RunFile]] = {}
    for place, cell in zip(page.places(), cells, strict=True):
        runs = told.setdefault(page.columns[place.column.column].title, {})
        described = (run_file(proof.reading.path) for proof in proofs_of(cell))
        runs |= {str(run): run for run in described if "environment" in run}
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
    told = [{f"{name}={value}" for name, value in _items(variables)} for variables in each]
    shared = sorted(set.intersection(*told)) if told else []
    yield from (markdown.code(said) for said in shared if _is_plain(said))


def _items(said: object) -> Iterable[tuple[str, object]]:
    return said.items() if isinstance(said, dict) else ()


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
