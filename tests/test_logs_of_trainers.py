"""What `show` makes of whole logs of trainers, known or not: which number, and what it leaves out or refuses."""

import json
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from parsers.io.message import Message
from parsers.runs.boundaries import LEFT_OUT
from parsers.runs.reading import read
from tests.commandline import run


def shown(folder: Path, text: str, *options: str, name: str = "train.log") -> dict[str, Any]:
    """What `show --json` says of a log, with the parts of its number and short forms of its parts beside them."""
    log = folder / name
    log.write_text(text, encoding="utf-8", newline="")
    found: dict[str, Any] = json.loads(run("show", "--json", log, *options).stdout)
    return {
        "value": None,
        **found,
        **(found["throughput"] or {}),
        "codes": [" ".join(one[key] for key in ("code", "missing") if key in one) for one in found["diagnostics"]],
        "offered": [one["gives"]["value"] for one in found["options"]],
        "of_runs": [round((each["throughput"] or each["sides"][0])["value"], 2) for each in found["runs"]],
        "records_of_runs": [(each["throughput"] or each["sides"][0])["records"] for each in found["runs"]],
        "of_sides": [round(each["value"]) for each in found["sides"]],
        "ratios": [round(one["ratio"], 2) for one in found["checks"]],
    }


Case = tuple[str, dict[str, Any]]
CASES: dict[str, Case] = {}


def clock(seconds: float) -> str:
    return f"{int(seconds) // 60:02d}:{int(seconds) % 60:02d}"


def bar(steps: Iterable[int], total: int, seconds: float, start: float = 0.0, name: str = "", behind: str = "") -> str:
    """A bar of tqdm at these steps, which take so many seconds each; it begins to run at `start`."""
    rate = f"{seconds:.2f}s/it" if seconds >= 1 else f"{1 / seconds:.2f}it/s"
    return "".join(
        f"\r{name}{100 * n // total:3d}%|##| {n}/{total} [{clock(start + n * seconds)}<09:59, {rate}{behind}]"
        for n in steps
    )


def whole(total: int, seconds: float, name: str = "", behind: str = ", loss=2.5") -> str:
    """A whole pass of a bar; it is drawn again at its end, as it closes."""
    return bar([*range(1, total + 1), total], total, seconds, name=name, behind=behind) + "\n"


def lines(text: str, count: Iterable[int], **more: Any) -> str:
    """A line for each number `n`."""
    return "".join(text.format(n=n, **more) for n in count)


# Bars of Hugging Face's trainer, with losses and other bars between.
BATCH = "***** Running training *****\n  Total train batch size (w. parallel, distributed & accumulation) = 32\n"
LOSS = "{{'loss': 1.{n:03d}, 'grad_norm': 0.5, 'learning_rate': 2e-05, 'epoch': 0.{n:02d}}}\n"


def trained(first: int, last: int, seconds: float = 2.0, total: int = 90, start: float = 0.0) -> str:
    """A bar of training that goes on from one step to another, and a loss every five steps."""
    parts = []
    for n in range(first, last, 5):
        parts += [bar(range(n, n + 5), total, seconds, start), "\r" + " " * 60 + "\r"]
        parts += [LOSS.format(n=n + 4), bar([n + 4], total, seconds, start)]
    return "".join(parts)


EVALUATION = "\r{'eval_loss': 1.5, 'eval_runtime': 9.0, 'epoch': 0.2}\n"
TWO_WAYS = [bar(range(n, n + 20), 90, 1.0).replace("1.00s/it", way) for n, way in ((1, "1.01s/it"), (21, "1.00it/s"))]
END = "{{'train_runtime': 9.0, 'train_samples_per_second': {}, 'train_steps_per_second': {}, 'epoch': 1.0}}\n"
SUMMARY = END.replace("9.0", "100.0")
BARS: dict[str, Case] = {
    "a bar alone": (trained(1, 41), {"format": "hf_trainer", "value": 16, "unit": "samples/s"}),
    "a slow evaluation between": (trained(1, 21) + bar(range(1, 13), 12, 4.0) + EVALUATION + trained(21, 41), {}),
    "a fast one": (trained(1, 21) + bar(range(1, 13), 12, 0.01) + EVALUATION + trained(21, 41), {}),
    "broken off in an evaluation": (trained(1, 41) + bar(range(1, 4), 12, 0.1), {}),
    "a preparation before": (bar(range(1, 5001, 500), 5000, 0.001) + "\n" + trained(1, 41), {}),
    "killed in the first evaluation": (trained(1, 41) + bar(range(1, 13), 20, 1.5), {}),
    "a longer bar behind": (trained(1, 31, total=30) + "\n" + bar(range(1, 61), 60, 4.0), {}),
    "losses held back until the end": (
        bar(range(1, 21), 90, 2.0)
        + bar(range(1, 13), 12, 1.5)
        + "\n"
        + bar(range(21, 41), 90, 2.0)
        + lines(LOSS, range(5, 41, 5)),
        {"value": None, "offered": [16]},
    ),
    "losses before the bar": (lines(LOSS, (1, 2)) + bar(range(1, 31), 30, 2.0), {"value": None, "codes": ["no_speed"]}),
    # All steps before the checkpoint are drawn at once, so for a while the bar shows a rate that nobody reached.
    "on from a checkpoint": (trained(51, 86, start=-100.0), {"value": 16, "source": "step.elapsed"}),
    "a speed in two ways": (
        "\n".join([TWO_WAYS[0], LOSS.format(n=20) + TWO_WAYS[1]]),
        {"value": 32, "source": "step.elapsed"},
    ),
    "steps that begin anew": (trained(1, 31) + trained(1, 31, seconds=4.0), {"of_runs": [16, 8]}),
    "two trainings": (
        trained(1, 91) + END.format(14.4, 0.45) + trained(1, 91, seconds=4.0) + END.format(7.2, 0.225),
        {"of_runs": [14.4, 7.2]},
    ),
}
CASES |= {name: (BATCH + text + "\n", expected or {"value": 16}) for name, (text, expected) in BARS.items()}


# Bars that are drawn by turns, once or twice in each epoch.
def smoothed(n: int) -> str:
    seconds = n * 0.5 + min(n, 20) * 1.5
    rate = "2.00s/it" if n <= 20 else "2.00it/s"
    return f"\rEpoch 0: {n:3d}%|## | {n}/100 [{clock(seconds)}<00:09, {rate}, loss=2.5]"


def passes(*each: tuple[int, int, float]) -> str:
    """Bars of one name: of each the epoch, its total, and the seconds of a step, which vary by 6%."""
    drawn = []
    for epoch, total, second in each:
        passed = 0.0
        for n in range(1, total + 1):
            passed += second * (1 + 0.03 * (n * 7 % 5 - 2))
            bar = f"{100 * n // total:3}%|###| {n}/{total} [00:{int(passed):02}<00:01, {n / passed:.2f}it/s]"
            drawn.append(f"Epoch {epoch}: {bar}\n")
    return "".join(drawn)


def twice(*each: tuple[int, float]) -> str:
    """Two bars in each of eight epochs."""
    return passes(*((epoch, *bar) for epoch in range(8) for bar in each))


BAR_OF_EPOCH = bar(range(1, 60), 100, 0.5, name="Epoch 0: ", behind=", loss=1.5") + "\n"
BAR_OF_EVALUATION = bar(range(1, 60), 100, 0.1, name="Evaluating Epoch 0: ", behind=", loss=1.5") + "\n"
UNCLEAR = {"value": None, "status": "contradicted"}
TWO = pytest.approx(2, rel=0.02)
CASES |= {
    "unnamed by turns, the second shorter": (
        (whole(100, 0.5) + whole(40, 0.1)) * 4,
        {"value": TWO},
    ),
    "unnamed by turns, as long": ((whole(100, 0.5) + whole(100, 0.1)) * 4, {"value": TWO}),
    "rates that a bar smooths": (
        "".join(map(smoothed, range(1, 101))) + "\n",
        {"value": pytest.approx(99 / 78, rel=0.01), "source": "step.elapsed"},
    ),
    "a bar that begins anew": (
        "global_batch_size: 8" + whole(50, 0.5).replace("\r", "\n") * 3,
        {"value": pytest.approx(16, rel=0.03), "unit": "samples/s"},
    ),
    "twice in each epoch, the first shorter": (twice((20, 0.5), (30, 0.1)), UNCLEAR),
    "twice, hardly slower": (twice((30, 0.5), (20, 0.4)), UNCLEAR),
    "twice, the second longer and slower": (twice((20, 0.1), (30, 0.5)), UNCLEAR),
    "begun again in other batches": (
        passes((0, 20, 0.5), (0, 30, 0.5), (0, 40, 0.25), (1, 40, 0.25)),
        {"of_runs": pytest.approx([2, 2, 4], rel=0.01)},
    ),
    "an evaluation after training": (BAR_OF_EPOCH + BAR_OF_EVALUATION, {"value": TWO}),
    "an evaluation alone": (BAR_OF_EVALUATION, {"value": None}),
}


# Passes of a step: gradient accumulation counts where a format says that its step is one of the optimizer.
PASSES = (
    "grad_accum_steps: 4",
    "accumulate_grad_batches: 4",
    "Gradient Accumulation steps = 4",
    "iters_to_accumulate = 4",
)
STEP = "step {n} loss 2.5 step_time: 0.{ms}s\n"
STEPS = "".join(STEP.format(n=n, ms=n % 3 + 4) for n in range(1, 40))
MAE = "Epoch: [0]  [ {n:3d}/100]  eta: 0:00:40  lr: 0.000001  loss: 1.5000 (1.5000)  time: 0.5000  data: 0.0010\n"
OF_OPTIMIZER = "global_batch_size: 64\ngradient_accumulation_steps: 4\n"
TIMM = "Train: 0 [{n:4d}/900 ({n:3d}%)]  Loss: 6.9 (6.9)  Time: 0.500s, 512.00/s  (0.500s, 512.0/s)"
TIMM += "  LR: 1.000e-03  Data: 0.010 (0.010)\n"
CASES |= {
    f"passes of a bar: {head}": (
        f"{head}\n{BAR_OF_EPOCH}",
        {"unit": "steps/s", "value": TWO, "codes": ["batch_unknown accumulation"]},
    )
    for head in (
        "Namespace(per_device_train_batch_size=8, world_size=2, gradient_accumulation_steps=4)",
        "Namespace(global_batch_size=64, world_size=2, gradient_accumulation_steps=4)",
        "global_batch_size: 64\naccumulate_grad_batches: 4\nworld_size: 2",
    )
}
CASES |= {
    f"passes by another name: {said}": (
        f"per_device_train_batch_size: 8\nworld_size: 2\n{said}\n{STEPS}",
        {"unit": "steps/s", "codes": ["batch_unknown accumulation"]},
    )
    for said in PASSES
}
CASES |= {
    "a step that is one pass": (
        "Namespace(batch_size=8, world_size=2, accum_iter=4)\n" + lines(MAE, range(0, 100, 10)),
        {"value": 32, "unit": "samples/s"},
    ),
    "an optimizer step of a drafted grammar": (OF_OPTIMIZER + STEPS, {"unit": "steps/s"}),
    "one without passes": (OF_OPTIMIZER.splitlines()[0] + "\n" + STEPS, {"unit": "samples/s"}),
    "passes of another part": (
        "gradient_accumulation_steps .. 4\ntrain_micro_batch_size_per_gpu ... 64\nworld_size ....... 4\n"
        + lines(TIMM, range(0, 500, 50)),
        {"value": 512.0, "source": "step.throughput"},
    ),
}
CASES |= {
    f"a step printed {again} times": (
        "".join(
            f"step {n} micro {m} loss 2.5 elapsed {2 * n + m / again:.2f}s\n" for n in range(30) for m in range(again)
        ),
        {"value": pytest.approx(0.5, rel=0.1), "unit": "steps/s"},
    )
    for again in (2, 4)
}


# Runs in one log, pauses, means, and digits that are too few.
def table(seconds: dict[int, float]) -> str:
    """A table of a step in ten with its moment; before some rows, by their number, so many seconds pass besides."""
    time, rows = 1_950_000_000.0, ["step,_timestamp,loss"]
    for row in range(1, 61):
        time += 5 + seconds.get(row, 0)
        rows.append(f"{10 * row},{time:.2f},2.{row:03d}")
    return "\n".join(rows) + "\n"


def steps(milliseconds: float, loss: float, fall: float, count: int = 40) -> str:
    """The lines of one run that counts steps alone: its loss falls by so much."""
    return "".join(
        f"iter {10 * n}: loss {loss - fall * n / count:.4f}, time {milliseconds + n % 3:.2f}ms, mfu 10.00%\n"
        for n in range(count)
    )


KERAS = "Epoch {n}/40\n188/188 - 0s - {ms}ms/step - accuracy: 0.9940 - loss: 0.0175\n"
CASES |= {
    "two runs told apart by their losses": (
        steps(100, 4.0, 3.0) + steps(200, 4.1, 3.0),
        {"of_runs": pytest.approx([10, 5], rel=0.02)},
    ),
    "the second shorter": (
        steps(100, 4.0, 3.0) + steps(200, 4.1, 3.0, 20),
        {"of_runs": pytest.approx([10, 5], rel=0.02)},
    ),
    "steps anew at the loss of before": (steps(100, 4.0, 3.0) + steps(101, 1.0, 0.5), {"of_runs": []}),
    "steps anew where the loss hardly falls": (steps(100, 4.0, 0.1) + steps(101, 4.0, 0.1), {"of_runs": []}),
    "several summaries": (
        "".join(SUMMARY.format(rate, 0.5) for rate in (14.5, 29.0, 28.75)),
        {"value": 28.75, "codes": ["total_of_run"]},
    ),
    "means since the start": (
        "".join(f"SPS: {rate}\n" for rate in (1000, 1500, 1600)),
        {"value": 1600, "unit": "environment steps/s", "codes": ["total_of_run"]},
    ),
    "few whole milliseconds": (
        "".join(KERAS.format(n=n, ms=1 + n % 2) for n in range(1, 11)),
        {"value": None, "codes": ["coarse_digits"]},
    ),
}


# Trainers of language models.
CHAT_BATCH = "Total batch size 131,072 => gradient accumulation steps: {passes}\n"
CHAT = "| loss: 9.5 | lrm: 1.00 | dt: {dt}ms | tok/sec: {rate:,} | mfu: 17.60 |"
OLD = f"step {{n:05d}}/00200 (0.50%) {CHAT} total time: 0.00m\n"
NEW = f"step {{n:05d}} (0.50%) {CHAT} epoch: 1 | total time: 0.00m\n"


def chat(line: str, tokens: int, count: int = 9) -> str:
    """Steps of nanochat: what its tok/sec counts depends on its version."""
    times = [4096.0, *(512.0 + n for n in range(1, count))]
    return "".join(line.format(n=n, dt=dt, rate=int(tokens / dt * 1000)) for n, dt in enumerate(times))


ONE_PASS, TWO_PASSES = CHAT_BATCH.format(passes=1), CHAT_BATCH.format(passes=2)
FOUR_PASSES = CHAT_BATCH.format(passes=4).replace("131,072", "262,144")
OF_TWO = round(131_072 / 0.5165)
BRIDGE = """Step Time : {rough:.2f}s GPU utilization: 500.0MODEL_TFLOP/s/GPU
 [2035-01-02 03:04:0{n}] iteration        {n}/     100 | consumed samples:           64 | \
elapsed time per iteration (ms): {exact:.1f} | learning rate: 3.0E-04 | global batch size:    64 | lm loss: 4.5E+00 |
"""
NEMO = (
    "Training epoch 0, iteration {n}/9 | consumed_samples: {samples:.4} | global_batch_size: {size} | global_step: {n}"
    " | reduced_train_loss: 9.5 | train_step_timing in s: {more}\n"
)
SIZES = [64 if n < 4 else 128 for n in range(8)]
VERL = "step:{n} - timing_s/gen:9.0 - perf/total_num_tokens:80000 - perf/time_per_step:40.0 - perf/throughput:500.0\n"
OF_VERL = "{'data': {'train_batch_size': 64, 'micro_batch_size_per_gpu': 4}, 'world_size': 8}\n"
MIND = "Epoch:[1/1]({n}00/9900), loss: 2.5, logits_loss: 2.5, aux_loss: 0.0, lr: 0.0005, epoch_time: {left}.0min\n"
SWIFT = "{{'loss': 1.5, 'epoch': 0.5, 'global_step/max_steps': '{n}/900', 'elapsed_time': '{elapsed}', {speed}}}\n"
OF_SWIFT = "world_size=2,\nper_device_train_batch_size=4,\ngradient_accumulation_steps=2,\n"


def swift(*rows: tuple[int, str, str]) -> str:
    return OF_SWIFT + "".join(SWIFT.format(n=n, elapsed=elapsed, speed=speed) for n, elapsed, speed in rows)


CASES |= {
    "nanochat, one pass of two": (
        TWO_PASSES + chat(OLD, 65_536),
        {"status": "contradicted", "of_sides": pytest.approx([OF_TWO, OF_TWO / 2], rel=1e-3)},
    ),
    "nanochat, all passes": (TWO_PASSES + chat(OLD, 131_072), {"status": "confirmed", "scope": "job"}),
    "nanochat, no total batch size": (chat(OLD, 65_536), {"status": "unchecked", "scope": "unknown"}),
    "nanochat, a newer version": (TWO_PASSES + chat(NEW, 131_072), {"status": "confirmed", "scope": "job"}),
    "nanochat, another rate": (TWO_PASSES + chat(NEW, 100_000), {"ratios": [1.31]}),
    "nanochat, stages": (ONE_PASS + chat(NEW, 131_072) + ONE_PASS + chat(NEW, 131_072, 6), {"records_of_runs": [8, 5]}),
    "nanochat, stages with batch sizes": (
        TWO_PASSES + chat(OLD, 65_536) + FOUR_PASSES + chat(OLD, 65_536),
        {"of_runs": pytest.approx([OF_TWO, 2 * OF_TWO], rel=1e-5)},
    ),
    "Megatron Bridge, hundredths": (
        lines(BRIDGE, range(1, 7), rough=1.0, exact=1004.0),
        {"formats": ["megatron_lm", "megatron_bridge"], "value": pytest.approx(64 / 1.004)},
    ),
    "Megatron Bridge, the first rank alone": (
        "global_batch_size: 64\n" + "Step Time : 0.16s GPU utilization: 500.0MODEL_TFLOP/s/GPU\n" * 4,
        {"value": 400},
    ),
    "NeMo, the batch size of the line": (
        "".join(
            NEMO.format(n=n, samples=float(sum(SIZES[:n])), size=size, more="2.01") for n, size in enumerate(SIZES)
        ),
        {"value": pytest.approx(96 / 2.01)},
    ),
    "NeMo, the rate of one card": (
        "All distributed processes registered. Starting with 8 processes\n"
        + "".join(
            NEMO.format(n=n, samples=64.5 * n, size=64, more="2 | tokens_per_sec_per_gpu: 1000") for n in range(8)
        ),
        {"value": 8000, "scope": "job"},
    ),
    "verl, the rate of one card": (
        "  'n_gpus_per_node': 4, 'nnodes': 1,\n" + lines(VERL, range(1, 7)),
        {"value": 2000, "scope": "job"},
    ),
    "verl, the batch of one pass": (
        OF_VERL + lines("step:{n} - train/loss:1.5 - train/lr(1e-3):0.001 - train/time(s):2.5\n", range(1, 7)),
        {"unit": "steps/s"},
    ),
    "minimind, the time of the steps left": (
        "".join(MIND.format(n=n, left=99 - n) for n in range(1, 99)),
        {"value": pytest.approx(100 / 60)},
    ),
    # Its own speed is a mean since the start, of which the first step takes 600 seconds here.
    "ms-swift, its clock": (
        swift(
            *(
                (n, f"{10 + n // 30}m {2 * n % 60}s", f"'train_speed(s/it)': {600 / n + 2:.6f}")
                for n in range(10, 200, 10)
            )
        ),
        {"value": 8, "source": "step.elapsed"},
    ),
    "ms-swift, on from a checkpoint": (
        swift(
            *((n, f"{2 * (n - 500)}s", f"'train_speed(iter/s)': {n / (2 * (n - 500)):.6f}") for n in range(510, 530))
        ),
        {"value": 8},
    ),
    "ms-swift, an hour": (
        swift(
            *(
                (n, at, "'train_speed(s/it)': 9.5")
                for n, at in ((10, "23h 59m 50s"), (20, "1d 0h 0m 10s"), (30, "1d 0h 0m 30s"))
            )
        ),
        {"value": pytest.approx(8)},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_log_gives_its_number_or_none(tmp_path: Path, name: str) -> None:
    text, expected = CASES[name]
    found = shown(tmp_path, text)
    codes = set(expected.get("codes", ()))
    assert {key: found[key] for key in expected if key != "codes"} == {
        key: value for key, value in expected.items() if key != "codes"
    }
    assert codes <= set(found["codes"])


@pytest.mark.parametrize("pauses", [{30: 40_000.0}, {20: 120.0, 40: 120.0}, dict.fromkeys(range(5, 60, 5), 60.0)])
def test_a_clock_leaves_pauses_out_and_says_so(tmp_path: Path, pauses: dict[int, float]) -> None:
    found = shown(tmp_path, table(pauses), name="metrics.csv")
    assert (found["value"], "pauses" in found["codes"]) == (2, True)


@pytest.mark.parametrize("other", [30, 40], ids=["longer", "as long"])
def test_of_two_bars_in_each_epoch_the_first_is_of_training_if_it_is_slower_and_not_shorter(
    other: int, tmp_path: Path
) -> None:
    assert shown(tmp_path, twice((40, 0.5), (other, 0.1)))["value"] == 2
    (message,) = left_out(tmp_path)
    assert {"count": str(8 * other), "line": "41"}.items() <= message.values.items()


@pytest.mark.parametrize(("loss", "seconds"), [(", loss=2.5", 0.5), ("", 0.1)], ids=["alike", "the second alone"])
def test_bars_of_which_the_second_may_be_of_training_are_not_left_out(
    loss: str, seconds: float, tmp_path: Path
) -> None:
    bars = ((n, *one) for n in range(1, 5) for one in ((0.5, loss), (seconds, ", loss=2.5")))
    shown(tmp_path, "".join(whole(100, each, f"Epoch {n}: ", behind) for n, each, behind in bars))
    assert left_out(tmp_path) == []


def left_out(folder: Path) -> list[Message]:
    return [said for said in read(folder / "train.log").warnings if said.key == LEFT_OUT]


SPEEDRUN = "".join(f"step:{n}/900 train_time:{n * n}ms step_avg:{n:.2f}ms\n" for n in range(1, 101))


def test_the_time_of_a_speedrun_is_its_own_mean_of_the_run(tmp_path: Path) -> None:
    # Its steps become slower, so the mean of its means so far, 50.5 ms, is none of anything.
    of_one_card = ("--batch-size", "1", "--cards", "1")
    end = "step:100/900 val_loss:5.5 train_time:10000ms step_avg:100.00ms\n"
    assert shown(tmp_path, SPEEDRUN + end, *of_one_card)["value"] == 10
    evaluation = "step:0/900 val_loss:10.8 train_time:0ms step_avg:0.02ms\n"  # before the first step
    with_it, without = (shown(tmp_path, log, *of_one_card) for log in (evaluation + SPEEDRUN, SPEEDRUN))
    assert (with_it["value"], with_it["records"]) == (without["value"], without["records"])


def test_one_pass_has_its_part_of_the_batch_that_the_job_has_in_an_optimizer_step(tmp_path: Path) -> None:
    head = "[2031-01-02 03:00:00,123] [INFO] [config.py:1008:print]   "
    text = f"{head}train_batch_size ............. 24\n{head}gradient_accumulation_steps .. 4\n"
    text += lines("[2031-01-02 03:0{n}:05,123] [INFO] [timer.py:157:stop] 0/{n}00, SamplesPerSec=10.24\n", range(1, 9))
    assert shown(tmp_path, text, "--protocol", "estimate=clock")["value"] == 10


# The first two records are skipped as warm-up: they are slower than the second half.
RATE = pytest.approx(4 / sum(1 / rate for rate in range(103, 107)))
LOG = "acme 1.0 starts\n" + "".join(
    f"[acme] step {n} loss {2 - n / 10:.3f} speed: {100 + n}.0 images/s\n" for n in range(1, 7)
)


TIMES = "".join(f"iter {n}0 loss 2.5{n} dt 12{n}.5\n" for n in range(1, 9))
CARDS: list[tuple[str, ...]] = [(), ("--cards", "2")]
RATES = "".join(f"step {step}: loss 2.5, {1000 + step % 3} tokens/s\n" for step in range(40))


KNOWN = lines("step     {n} | loss: 10.9 | lr 8e-07 | norm: 15.2 | dt: 900.50ms | tok/sec: 9097.17\n", range(8))


def test_a_log_that_no_format_claims_is_read_and_drafted_as_it_is_said_whose_its_rate_is(tmp_path: Path) -> None:
    found = shown(tmp_path, LOG)
    assert (found["value"], found["unit"]) == (RATE, "images/s")
    log = tmp_path / "train.log"
    run("format", log, "--out", "my.lark", cwd=tmp_path)
    assert shown(tmp_path, LOG, "--format", str(tmp_path / "my.lark"))["value"] == RATE
    for scope in ("card", "node", "job"):
        grammar = tmp_path / f"formats/{scope}.lark"
        run("format", log, "--scope", scope, "--out", grammar)
        for options in (("--read", f"speed=images/s of {scope}"), ("--format", str(grammar))):
            found = shown(tmp_path, LOG, *options)
            assert (found["value"], found["scope"]) == (RATE, scope)


@pytest.mark.parametrize(
    ("text", "stated", "asks", "offered"),
    [
        (TIMES, (), "refused", ["dt=ms/step", "dt=ms/line", "dt=s/line"]),
        *(
            (RATES, cards, "unchecked", [f"tokens/s=tokens/s of {whose}" for whose in ("job", "card")])
            for cards in CARDS
        ),
    ],
)
def test_each_option_that_is_offered_gives_what_is_said_of_it(
    text: str, stated: tuple[str, ...], asks: str, offered: list[str], tmp_path: Path
) -> None:
    found = shown(tmp_path, text, *stated)
    options = [(shlex.split(one["option"]), one["gives"]) for one in found["options"]]
    assert (found["status"], [typed for typed, _ in options]) == (asks, [["--read", option] for option in offered])
    for typed, gives in options:
        again = shown(tmp_path, text, *stated, *typed)
        assert (again["unit"], again["scope"]) == (gives["unit"], gives["scope"])
        assert again["value"] == pytest.approx(gives["value"], rel=1e-14)


def test_what_is_said_of_a_number_counts_before_its_format_and_a_text_that_is_no_option_is_refused(
    tmp_path: Path,
) -> None:
    found = shown(tmp_path, KNOWN, "--read", "tok/sec=tokens/s of card")
    assert (found["value"], found["unit"], found["scope"]) == (9097.17, "tokens/s", "card")
    refused = shown(tmp_path, KNOWN, "--read", "tps=tokens/s")
    assert (refused["throughput"], refused["diagnostics"]) == (None, [{"code": "no_such_number", "name": "tps"}])
    done = run("show", tmp_path / "train.log", "--read", "speed")
    assert (done.returncode, done.stdout, "dt=ms/step" in done.stderr) == (2, "", True)


@pytest.mark.parametrize(("text", "said"), [(KNOWN, "is of the known format"), ("hello\n", "")])
def test_format_refuses_a_log_of_a_known_format_and_one_without_a_speed(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(text, encoding="utf-8")
    done = run("format", "a.log", "--out", "my.lark", cwd=tmp_path)
    assert (done.returncode, said in done.stderr, (tmp_path / "my.lark").exists()) == (2, True, False)
