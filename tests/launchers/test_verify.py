"""A log is held against what was asked before its run is done; only what cannot be otherwise is a fault."""

import json
import random
import shutil
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from launchers.run.verify import faults
from parsers.runs.run_folder import LOG, RUN_FILE

LOGS = Path(__file__).parents[2] / "logs"
START = datetime(2026, 11, 28, 9, 0)


def asked(steps: int = 8, *, epochs: int = 1, batch: int = 4, cards: int = 1, extra: str = "") -> dict[str, Any]:
    """What run.json says of a run of ten minutes."""
    variables = {"STEPS": steps, "EPOCHS": epochs, "BATCH_SIZE": batch, "CARDS": cards, "EXTRA": extra}
    start, end = (f"{moment.isoformat()}+00:00" for moment in (START, START + timedelta(minutes=10)))
    said = {name: str(value) for name, value in variables.items()}
    return {"case": {"cards": cards, "batch_size": batch}, "variables": said, "start": start, "end": end}


def trained(
    seed: int,
    steps: int = 8,
    *,
    epochs: int = 1,
    batch: int = 4,
    label: str = "",
    every: int = 1,
    zone: timedelta = timedelta(),
) -> list[str]:
    """The lines of PaddleClas, each after a step of its own length."""
    chance, lines, at = random.Random(seed), [], START + timedelta(seconds=20) + zone  # noqa: S311 - the same each time
    for epoch in range(1, epochs + 1):
        for step in range(steps // epochs):
            cost = chance.uniform(0.7, 0.9)
            at += timedelta(seconds=cost)
            if step % every == 0:
                lines.append(
                    f"{label}[{at:%Y/%m/%d %H:%M:%S}] ppcls INFO: [Train][Epoch {epoch}/{epochs}][Iter: "
                    f"{step}/{steps // epochs}]lr(PiecewiseDecay): 0.1, loss: {7 - step / 100:.5f}, batch_cost: "
                    f"{cost:.5f}s, reader_cost: 0.00012, ips: {batch / cost:.5f} samples/s"
                )
    return lines


def megatron(seed: int, label: str, digits: int, count: int = 40) -> list[str]:
    """The lines of Megatron-LM, whose times and losses are those of all ranks, and which print no stamp."""
    chance = random.Random(seed)  # noqa: S311 - the same each time
    return [
        f"{label} iteration {step}/ {count} | consumed samples: {step * 8} | elapsed time per iteration (ms): "
        f"{chance.uniform(300, 310):.{digits}f} | learning rate: 1.0E-04 | global batch size: 8 | lm loss: 6.1E+00 |"
        for step in range(1, count + 1)
    ]


def pids(*numbers: int) -> list[str]:
    """The lines of nanoGPT, each printed by a process of this number."""
    return [f"(train pid={pid}) iter {step}: loss 6.1, time 12.3{step}ms" for step, pid in enumerate(numbers)]


def in_turns(*logs: list[str]) -> list[str]:
    """Lines of several logs as they come in one."""
    return [line for lines in zip(*logs, strict=True) for line in lines]


OWN, OTHER = trained(1), trained(2)
SHARED = in_turns(OWN, OTHER)
LATE = trained(1, zone=timedelta(hours=-1))
TWO_BATCHES = in_turns(trained(1, batch=2), trained(2, batch=3))
OF_RANKS = in_turns(trained(1, label="0: "), trained(2, label="1: "))
COPIED_RANK = in_turns(trained(1, label="0: "), trained(1, label="1: "))
REDUCED = in_turns(megatron(1, "0:", 5), megatron(1, "1:", 5))
AFTER_ANOTHER = trained(3, 16) + trained(1, 32)
OF_ANY: dict[str, Any] = {"case": {}}
ON_TWO = asked(cards=2)

# name: the log, what was asked, the codes of the faults, and the log of another run where there is one
HELD: Mapping[str, tuple[Any, ...]] = {
    "its own": (OWN, asked(), "", OTHER),
    "no known format": (["loss 1", "loss 2"], asked(), ""),
    "nothing printed": ([], asked(), ""),
    "epochs begin anew": (trained(1, 16, epochs=2), asked(16, epochs=2), ""),
    "steps do not fill the epochs": (trained(1, 16, epochs=2), asked(15, epochs=2), ""),
    "every fifth step is printed": (trained(1, 24, every=5), asked(24), ""),
    "options that were passed through ask for more": (trained(1, 24), asked(8, extra="--steps 24"), ""),
    "lines of a run before": (AFTER_ANOTHER, asked(32), "too_many_records"),
    "of two runs side by side": (SHARED, asked(), "copy_of_run too_many_records", SHARED),
    "of two runs of two processes": (SHARED, ON_TWO, "copy_of_run", SHARED),
    "of two processes that print each step": (SHARED, ON_TWO, ""),
    "of a run before, and two processes": (AFTER_ANOTHER, asked(32, cards=2), "too_many_records"),
    "it ended early": (trained(1, 32)[:20], asked(32), "ended_early"),
    "it went on": (trained(1, 32), asked(20), "went_on"),
    "it says fewer steps itself": (trained(1, 10), asked(32), "ended_early"),
    "it was told fewer by hand": (trained(1, 10), asked(32, extra="-x 10"), ""),
    "it ended early in its second epoch": (trained(1, 32, epochs=2)[:20], asked(32, epochs=2), "ended_early"),
    "another batch": (trained(1, batch=6), asked(), "other_batch"),
    "two batches": (TWO_BATCHES, asked(16, batch=2), "ended_early other_batch"),
    "a zone of half an hour": (trained(1, zone=timedelta(hours=5.5)), asked(), ""),
    "of yesterday": (trained(1, zone=-timedelta(days=1)), asked(), "stamp_outside"),
    "some of them of an hour ago": (trained(1)[:6] + LATE[6:], asked(), "stamp_outside"),
    "each rank prints its own": (OF_RANKS, ON_TWO, ""),
    "a rank prints what another does": (COPIED_RANK, ON_TWO, "copy_of_rank"),
    "what is reduced over ranks": (REDUCED, OF_ANY, ""),
    "two processes in turns": (pids(7, 8, 7, 8), asked(4), "two_processes"),
    "a process that was started again": (pids(7, 7, 8, 8), asked(4), ""),
    "the same losses at coarse times": (megatron(1, "", 0), OF_ANY, "", megatron(1, "", 0)),
    "the same times to a microsecond": (megatron(1, "", 3), OF_ANY, "copy_of_run", megatron(1, "", 3)),
}


@pytest.mark.parametrize("name", HELD)
def test_only_a_log_that_cannot_be_that_of_the_run_is_at_fault(tmp_path: Path, name: str) -> None:
    lines, wanted, codes, *others = HELD[name]
    for folder, text in zip(("own", "1"), (lines, *others), strict=False):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / LOG).write_text("".join(f"{line}\n" for line in text), encoding="utf-8")
    found = faults(tmp_path / "own" / LOG, wanted, [tmp_path / "1"] if others else [])
    assert sorted(fault.code for fault in found) == codes.split(), [str(fault) for fault in found]


def test_a_batch_size_that_no_line_states_as_it_was_asked_for_is_a_fault(tmp_path: Path) -> None:
    log = tmp_path / LOG
    stated = "Overriding: batch_size = 6\n"
    iterations = "".join(f"iter {step}: loss 6.1, time 12.{step:02}ms\n" for step in range(8))
    log.write_text(f"batch_size = 12\n{stated}{iterations}", encoding="utf-8")
    found = {batch: [fault.code for fault in faults(log, asked(batch=batch))] for batch in (12, 6, 4)}
    assert found == {12: [], 6: [], 4: ["other_fact"]}


def test_every_kept_log_is_that_of_its_run(tmp_path: Path) -> None:
    at_fault, folders = {}, sorted(path.parent for path in LOGS.rglob(RUN_FILE))
    for folder in folders:
        log = Path(shutil.copy(folder / LOG, tmp_path))
        others = [other for other in folders if other.parent == folder.parent and other != folder]
        if found := faults(log, json.loads((folder / RUN_FILE).read_text(encoding="utf-8")), others):
            at_fault[str(folder.relative_to(LOGS))] = [str(fault) for fault in found]
    assert not at_fault
