"""What the doctor finds about the cards: whether they are visible and idle, and fit the framework and each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from ..recipes.recipe import Recipe
from . import gpus
from .findings import Diagnosis, Level

_IDLE_UTILISATION = 5  # %
_IDLE_MEMORY = 1024  # MiB
# From which compute capability on Tensor Cores compute in a precision: those of Volta in FP16, of Ampere in BF16 and
# TF32 as well. https://docs.nvidia.com/cuda/cuda-c-programming-guide/#features-and-technical-specifications
_CAPABILITY = {"fp16": (7, 0), "amp": (7, 0), "bf16": (8, 0), "tf32": (8, 0)}
_THROUGH_SWITCHES = {"PSB", "PIX", "PXB"}


@dataclass(frozen=True)
class Wants:
    """What a launch would use: so many cards of this machine, a precision; None where any will do."""

    cards: int | None = None
    precision: str | None = None


ALL = Wants()


def cards_findings(
    recipe: Recipe | None,
    cards: Sequence[gpus.Card],
    frameworks: Mapping[str, Mapping[str, str | None]],
    environ: Mapping[str, str],
    wants: Wants = ALL,
) -> Iterator[Diagnosis]:
    """Examine the cards of this node, for which NVML must be open, and what `frameworks` say of their builds."""
    if not cards:
        yield _no_card(recipe)
        return
    yield from _fallen_findings(cards)
    cards = [card for card in cards if not card.has_fallen]
    if not cards:
        return
    names = sorted({card.name for card in cards})
    yield Diagnosis("cards", "ok", f"{len(cards)} of {', '.join(names)}, driver {gpus.driver()}.")
    yield from _wanted_findings(cards, wants)
    if environ.get("CUDA_VISIBLE_DEVICES") in {"", "-1"}:
        advice = "Unset it, or set it to the GPUs to train on."
        yield Diagnosis("cards", "warning", "CUDA_VISIBLE_DEVICES hides all GPUs from the native program.", advice)
    yield from _idle_findings(cards)
    for name, build in frameworks.items():
        yield from _build_findings(recipe, name, build, len(cards))
    if len(cards) > 1:
        yield _interconnect(cards)


def _fallen_findings(cards: Sequence[gpus.Card]) -> Iterator[Diagnosis]:
    for card in cards:
        if card.has_fallen:
            advice = "See `dmesg | grep Xid`; reset it with `nvidia-smi --gpu-reset`, or reboot."
            yield Diagnosis("cards", "bad", f"GPU {card.index} does not answer: it has fallen off its bus.", advice)


def _wanted_findings(cards: Sequence[gpus.Card], wants: Wants) -> Iterator[Diagnosis]:
    if wants.cards and wants.cards > len(cards):
        said = f"{wants.cards} GPUs are wanted on this machine; {len(cards)} answer."
        yield Diagnosis("cards", "bad", said, "Choose fewer with --cards, or several nodes with --nodes and --on.")
    needed = _CAPABILITY.get(wants.precision or "")
    old = [card for card in cards if needed and card.capability and card.capability < needed]
    if needed and old:
        lacks = f"{old[0].name} has no Tensor Cores for {wants.precision}"
        said = f"{lacks}, which needs compute capability {needed[0]}.{needed[1]}."
        yield Diagnosis("precision", "warning", said, "Choose another --precision.")


def _no_card(recipe: Recipe | None) -> Diagnosis:
    said = f"No NVIDIA GPU is visible ({gpus.trouble() or 'the driver does not list any'})."
    advice = "Install the driver; in a container, start it with --gpus all (Docker) or --nv (Apptainer)"
    if recipe is not None and not recipe.precisions("cpu"):
        return Diagnosis("cards", "bad", said, f"{advice}; {recipe.name} requires a GPU.")
    return Diagnosis("cards", "warning", said, f"{advice}; some recipes can train with --device cpu.")


def _idle_findings(cards: Sequence[gpus.Card]) -> Iterator[Diagnosis]:
    busy = {card.index: words for card in cards if (words := _work(card))}
    for index, words in busy.items():
        advice = "Stop these processes or wait for them; throughput measured on a shared GPU is not valid."
        yield Diagnosis("idle", "warning", f"GPU {index} is in use: {words}.", advice)
    if not busy:
        yield Diagnosis("idle", "ok", "All GPUs are idle.")


def _work(card: gpus.Card) -> str:
    """Say what goes on on a card; empty where it is idle."""
    answer = card.answer()
    sample, processes = answer.sample, len(answer.processes or ())
    utilisation, memory = sample.utilisation or 0, sample.memory or 0
    if utilisation <= _IDLE_UTILISATION and memory <= _IDLE_MEMORY and not processes:
        return ""
    return f"{utilisation}% utilization, {memory} MiB used, {processes} {'process' if processes == 1 else 'processes'}"


def _build_findings(
    recipe: Recipe | None, name: str, build: Mapping[str, str | None], cards: int
) -> Iterator[Diagnosis]:
    if "cuda" not in build:  # it does not tell
        return
    if build["cuda"] is None:
        level: Level = "bad" if recipe is not None and not recipe.precisions("cpu") else "warning"
        advice = f"Install a build of {name} for CUDA {gpus.cuda_driver()} (the driver's version) or older."
        yield Diagnosis("driver", level, f"{name} is built without CUDA and cannot use GPUs.", advice)
        return
    yield _driver(name, build["cuda"])
    if "nccl" in build and cards > 1:
        yield _nccl(name, build["nccl"])


def _driver(name: str, cuda: str) -> Diagnosis:
    """Hold a framework's CUDA against the driver's: within a major version an older driver does in most cases."""
    driver = gpus.cuda_driver()
    if driver is None:
        return Diagnosis(
            "driver", "warning", "The driver does not report its CUDA version.", "Check that `nvidia-smi` works."
        )
    said = f"The driver supports CUDA up to {driver}; {name} is built for {cuda}."
    if _numbers(cuda) <= _numbers(driver):
        return Diagnosis("driver", "ok", said)
    advice = f"Install a newer driver, or a build of {name} for CUDA {driver} or older."
    return Diagnosis("driver", "bad" if _numbers(cuda)[0] > _numbers(driver)[0] else "warning", said, advice)


def _nccl(name: str, version: str | None) -> Diagnosis:
    if version is None:
        advice = f"Install a build of {name} with NCCL."
        return Diagnosis("nccl", "bad", f"{name} is built without NCCL, which multi-GPU training requires.", advice)
    return Diagnosis("nccl", "ok", f"{name} has NCCL {version}.")


def _interconnect(cards: Sequence[gpus.Card]) -> Diagnosis:
    kinds = {first.interconnect(second) for first, second in combinations(cards, 2)}
    said = f"GPUs are connected by {', '.join(sorted(kinds))} (see `nvidia-smi topo -m`)."
    if all(kind.startswith("NV") or kind in _THROUGH_SWITCHES for kind in kinds):
        return Diagnosis("interconnect", "ok", said)
    advice = "Traffic through the CPU is slow; select nearby GPUs with CUDA_VISIBLE_DEVICES, and note it on the page."
    return Diagnosis("interconnect", "warning", said, advice)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
