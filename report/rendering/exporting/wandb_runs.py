"""Offline runs of Weights & Biases: a folder for each number, which `wandb sync` uploads."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from parsers.io.extras import extra

from .file_name import file_name
from .metric import Metric
from .target import Files, Target, apart

RUN_DIGITS = 16
NEEDED_BY = "Exports to Weights & Biases need"
NO_DATE = "00000000_000000"
# Nothing of the machine on which numbers are exported: they were measured on another.
OF_NO_MACHINE: Mapping[str, Any] = {
    **dict.fromkeys(("x_disable_stats", "x_disable_meta", "x_disable_machine_info", "disable_git"), True),
    **dict.fromkeys(("disable_code", "disable_job_creation", "silent"), True),
    **dict.fromkeys(("host", "username"), ""),
    "mode": "offline",
    "console": "off",
    "x_save_requirements": False,
    "program": "tachograph",
}


def files(metrics: Sequence[Metric]) -> Files:
    """``offline-run-DATE-ID/run-ID.wandb`` for each number, as wandb writes it.

    A run is called by the name of its number, in a project for each page; its only metric is called by the quantity and
    has the digits of the page. All else is in its configuration, the date of the measurement as ``began``: the time of
    the run itself is that of the export. Raises ExtraError where wandb is not installed, ExportError.
    """
    with extra("wandb", NEEDED_BY):
        import wandb  # noqa: PLC0415 - it comes with the extra
    names = apart("wandb", (metric.full_name for metric in metrics))
    numbers = [hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:RUN_DIGITS] for name in names]
    settings = wandb.Settings(**OF_NO_MACHINE)
    with TemporaryDirectory() as folder:
        for number, metric in zip(numbers, metrics, strict=True):
            options = {"project": file_name(metric.suite), "name": metric.name, "config": _configuration(metric)}
            with wandb.init(id=number, dir=folder, settings=settings, **options) as run:
                run.log({metric.quantity: metric.number})
        wandb.teardown()  # until then its service may not have written all
        found = zip(numbers, metrics, strict=True)
        return dict(_written(Path(folder), number, metric) for number, metric in found)


def _written(folder: Path, number: str, metric: Metric) -> tuple[str, bytes]:
    """The name of the file of a run, and what wandb wrote into it."""
    (file,) = folder.rglob(f"run-{number}.wandb")
    return f"offline-run-{_stamp(metric)}-{number}/{file.name}", file.read_bytes()


def _configuration(metric: Metric) -> dict[str, Any]:
    told = {name: said for name, said in metric.told.items() if name not in metric.case}
    lists = {"evidence": metric.proofs, "remarks": list(metric.remarks), "runs": [run.digits for run in metric.runs]}
    return {**told, **metric.case, **{name: said for name, said in lists.items() if said}, "began": _began(metric)}


def _began(metric: Metric) -> str:
    return min((run.time for run in metric.runs if run.time), default="")


def _stamp(metric: Metric) -> str:
    """When its first run began, as wandb writes it into names of folders."""
    digits = re.sub(r"\D", "", _began(metric))[: len(NO_DATE) - 1]
    return f"{digits[:8]}_{digits[8:]}" if len(digits) == len(NO_DATE) - 1 else NO_DATE


WANDB = Target("wandb", files, is_folder=True, is_text=False)
