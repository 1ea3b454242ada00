"""What is no log of training gives no number, whatever numbers it holds."""

from pathlib import Path

import pytest

from parsers.general.drafting import Draft, NoDraft, draft

NO_LOGS = {
    "bars of a download": "".join(
        f"Downloading: {n}%|#  | {n}/100 [00:{n}<00:50, 1.00it/s]\n" for n in range(10, 60, 5)
    ),
    "bars of a preparation before training": "".join(
        f"{n}%|#  | {n}/100 [00:{n}<00:50, 1.00it/s]\n" for n in range(10, 60, 5)
    )
    + "".join(f"step {n} loss 2.{n}\n" for n in range(9)),
    "bars of sampling between steps": "".join(
        f"step {at} loss 2.{at}\n" + "".join(f"{n}%|#  | {n}/100 [00:{n}<00:50, 1.00it/s]\n" for n in range(10, 60, 5))
        for at in range(1, 6)
    ),
    "bars below the sentence of an evaluation": "Evaluating a.pt\nusing cuda\n10 layers\nseed 1\ncompiled\n"
    + "".join(f"{n}%|#  | {n}/100 [00:{n}<00:50, 1.00it/s, loss=2.{n}]\n" for n in range(10, 60, 2)),
    "bars of a transcription": "".join(
        f"Transcribing: {n}%|#  | {n}/100 [00:{n}<00:50, 1.00it/s, loss=2.{n}]\n" for n in range(10, 60, 5)
    ),
    "bars of a map": "".join(f"Map: {n}%|#  | {n}/100 [00:{n}<00:50, 1.00 examples/s]\n" for n in range(10, 60, 5)),
    "bars of an evaluation": "".join(
        f"Evaluating: {n}%|#  | {n}/100 [00:{n}<00:50, 1.00it/s]\n" for n in range(10, 60, 5)
    ),
    "serving": "".join(
        f"INFO 02-03 04:05:{n} metrics.py:345] Avg prompt throughput: {n}.5 tokens/s, Avg generation speed: {n}1.5 "
        f"tokens/s, Running: {n} reqs\n"
        for n in range(10, 30)
    ),
    "generating": "".join(f"sample {n}: generated 128 tokens in {n}.5 s, {n}.5 tokens/s\n" for n in range(10, 20)),
    "inference": "".join(f"batch {n}: inference took {n}.5 ms, {n}00.5 images/s\n" for n in range(10, 20)),
    "an evaluation alone": "".join(
        f"Test: [{n}/100] Time 0.5{n} (0.51) Loss 2.5 (2.5) Acc 10.{n}\n" for n in range(10, 20)
    ),
    "validation with a rate": "".join(f"val | step {n} | loss 2.5 | 1{n}.5 images/s\n" for n in range(10, 20)),
    "a film": "".join(
        f"frame= {n}00 fps= 2{n} q=28.0 size= {n}kB time=00:00:{n}.00 bitrate= 10{n}.5kbits/s speed=1.{n}x\n"
        for n in range(10, 20)
    ),
    "a queue": "".join(f"processed {n}00 records in {n}.5 s ({n}.5 records/s)\n" for n in range(10, 20)),
    "a shopping list": "2 apples\n3 pears, 1.5 each\n4 steps to the door\n10 minutes\n",
    "prose": "In step 1 the loss was 2.5. The speed of light is 299792458 m/s. In step 2 we took 10 s.\n",
    "numbers": "".join(f"{n} {n * 2} {n * 3}.5\n" for n in range(20)),
    "an address book": "".join(f"Mr {n}, 10{n} Main Street, +1 555 010{n}\n" for n in range(10)),
    "checksums": "".join(f"{n:064x}  step_{n}.bin\n" for n in range(10)),
    "saving": "".join(f"saving checkpoint {n} took {n}.5 s\n" for n in range(10, 20)),
    "loading": "".join(f"loading shard {n}: {n}.5 s, {n}00 samples/s\n" for n in range(10, 20)),
    "tokenizing": "".join(f"tokenizing {n}/100: {n}00.5 examples/s\n" for n in range(10, 20)),
    "speed by the minute": "".join(f"step {n} loss 2.{n} speed: 1{n}.5 samples/min\n" for n in range(10, 20)),
    "an evaluation below a sentence": "Evaluating the model on a text\n10 layers\n"
    + "".join(f"step {n} | loss 2.{n} | 1{n}.5 tok/s\n" for n in range(10, 30)),
    "evaluations below titles between training": "".join(
        f"{title}\n" + "".join(f"step {n} | loss 2.{n} | {speed}{n}.5 tok/s\n" for n in range(10, 20))
        for title, speed in (("--- training ---", 1), ("--- validation ---", 9)) * 3
    ),
    "a plan": "".join(f"expected speed of step {n}: {n}0.5 images/s, loss 2.5\n" for n in range(10, 20)),
    "one document": '[\n{"step": 1, "images/s": 100.5, "loss": 2.5},\n{"step": 2, "images/s": 101.5, "loss": 2.5}\n]\n',
    "memory": "".join(f"step {n} loss 2.5 allocated {n}.5 GB reserved 1{n}.5 GB\n" for n in range(10, 20)),
    "losses alone": "".join(f"step {n} loss {n}.5 lr 0.1\n" for n in range(10, 20)),
    "floating-point operations": "".join(f"step {n} loss 2.5 TFLOP/s: {n}0.5\n" for n in range(10, 20)),
}


@pytest.mark.parametrize("text", NO_LOGS.values(), ids=NO_LOGS)
def test_what_is_no_log_of_training_gives_no_speed(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    found = draft(tmp_path / "a.txt")
    assert isinstance(found, NoDraft), found.reading.records.to_string()


SOURCE = (
    "import os\nworld_size = int(os.environ.get('WORLD_SIZE', '1'))\ndef log(text):\n    print(text)\n"
    "for step in range(9):\n    log(f'step:{step} loss:{2.5:.1f} step_avg:{1000 / 9:.1f}ms')\n" * 20
)


def test_what_follows_the_source_that_a_program_writes_first_is_read(tmp_path: Path) -> None:
    lines = "".join(f"step:{n}/2000 loss:2.{n:02d} step_avg:{50 + n % 2}.5ms\n" for n in range(1, 31))
    (tmp_path / "train.log").write_text(SOURCE + lines)
    found = draft(tmp_path / "train.log")
    assert isinstance(found, Draft)
    assert (found.used, found.reading.facts) == (30, {})


def test_a_source_with_a_few_such_lines_behind_it_is_no_log(tmp_path: Path) -> None:
    lines = "".join(f"step:{n}/2000 loss:2.{n:02d} step_avg:{50 + n % 2}.5ms\n" for n in range(1, 6))
    (tmp_path / "train.log").write_text(SOURCE + lines)
    assert isinstance(draft(tmp_path / "train.log"), NoDraft)
