"""The machine of a draft: what the run.json of its runs says of hardware and software."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from parsers.io.printable import printable

LONGEST = 120
Told = tuple[str, str]  # what is told, a key of the catalogues, and what it is


def machine_of(run: Mapping[str, Any]) -> tuple[Told, ...]:
    """What a run.json says of the machine and its programs; nothing where Tachograph did not start the run."""
    environment = run.get("environment")
    if not isinstance(environment, dict):
        return ()
    told = {
        "GPU": _cards(environment),
        "Driver": environment.get("driver"),
        "CPU": environment.get("cpu"),
        "Memory": f"{environment['memory_gib']} GiB" if isinstance(environment.get("memory_gib"), float) else None,
        "Operating system": environment.get("os"),
        "Python": environment.get("python"),
        "Framework": ", ".join(_frameworks(environment)),
    }
    return tuple((name, str(said)) for name, said in told.items() if _is_plain(said))


def together(machines: Iterable[tuple[Told, ...]]) -> dict[str, list[str]]:
    """What several runs say, each value once, in the order in which one says it."""
    found: dict[str, dict[str, None]] = {}
    for machine in machines:
        for name, said in machine:
            found.setdefault(name, {})[said] = None
    return {name: list(values) for name, values in found.items()}


def _cards(environment: Mapping[str, Any]) -> str | None:
    cards = environment.get("gpus")
    if not isinstance(cards, list):
        return None
    names = [str(card) for card in cards]
    return ", ".join(f"{names.count(name)} × {name}" for name in dict.fromkeys(names))


def _frameworks(environment: Mapping[str, Any]) -> Iterator[str]:
    """Each framework with its version, and those of CUDA and cuDNN that it was built with."""
    frameworks = environment.get("frameworks")
    for name, build in frameworks.items() if isinstance(frameworks, dict) else ():
        if isinstance(build, dict) and isinstance(build.get("version"), str):
            with_ = [f"{title} {build[key]}" for key, title in (("cuda", "CUDA"), ("cudnn", "cuDNN")) if build.get(key)]
            yield f"{name} {build['version']}" + (f" ({', '.join(with_)})" if with_ else "")


def _is_plain(said: object) -> bool:
    return isinstance(said, str) and 0 < len(said) <= LONGEST and printable(said) == said
