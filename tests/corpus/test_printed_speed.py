"""Which logs print speed or times of training, by their text alone."""

import re

import pytest

from tests.corpus.printed_speed import prints_speed


@pytest.mark.parametrize(
    "line",
    [
        "step 5 | 12.5 samples/s",
        " 10%|# | 1/10 [00:02<00:18,  2.05s/it]",
        "loss: 1.2 tokens per second: 1834.2",
        "32/32 - 3s 25ms/step - loss: 0.2",
        "iter 3: loss 2.1, time 132.02ms",
        "epoch 4 elapsed: 0:01:12",
        "第 3 轮 耗时 12 秒",
        "throughput: 1200",
        "step=20, RunningAvgSamplesPerSec=0.7169",
        "imgs_sec : 394.5",
        "step:400 loss:2.215 updt_s:0.504 data_s:0.083",
        "\x1b[34mtps: 19,658\x1b[0m",
        "|    fps                  | 1229 |",
        "epoch 5: loss 0.31 | 0.25s",
        "19/19 - 12s - loss: 0.2",
        "12%|#   | 3/20 [00:02<00:18,  2.05s/it, eval_loss=0.5]",
        "Step 100: val_acc 0.91, 0.5 s/step",
        "Epoch 4 including validation took 12 s",
        "config 3: step 5 took 2.5 s",
    ],
)
def test_three_lines_with_a_speed_or_a_time_make_a_log_that_prints_speed(line: str) -> None:
    assert prints_speed("\n".join(varied(line, 3)))
    assert not prints_speed("\n".join(varied(line, 2)))


def varied(line: str, count: int) -> list[str]:
    """So many lines with other numbers."""
    return [re.sub(r"\d(?=(?:\D|0m)*\Z)", str(number), line) for number in range(1, count + 1)]


@pytest.mark.parametrize(
    "line",
    [
        "2022-05-06 10:14:44,979 Epoch[011/100], Step[0000/0196], Avg Loss: 0.7070",
        "step 100 loss 2.1 lr 3e-4",
        "time: Wed May 15 17:30:32 2019",
        "num_timesteps: 1000",
        "Saved at 10:12:13",
    ],
)
def test_stamps_and_counts_are_no_speed(line: str) -> None:
    assert not prints_speed("\n".join([line] * 9))


@pytest.mark.parametrize(
    "line",
    [
        "validation use time: 86.13",
        "Test: [20/79] Time 0.131 (0.148)",
        "Loading checkpoint shards:  20%|##   | 1/5 [00:02<00:08,  2.05s/it]",
        "Map:  20%|##   | 1/5 [00:02<00:08,  2.05 examples/s]",
        "Generating train split: 20 examples [00:00, 1500.25 examples/s]",
        "21%|##   | 33.5M/233M [00:00<00:01, 350MB/s]",
        "Preloading the data:  20%|##   | 1/5 [00:02<00:08,  2.05it/s]",
        " 20%|##   | 1/50 [00:02<00:08,  2.05s/it]Setting `pad_token_id` to 2 for open-end generation.",
        "INFO 11-04 22:02:48 worker.py:267] Memory profiling takes 40.16 seconds",
        "Capturing CUDA graph shapes:   9%|#   | 3/35 [00:02<00:30,  1.05it/s]",
        "[2031-05-19 13:59:22,536] [    INFO] - Downloading took 12.5 seconds",
        "eval:   8%|#   | 1/13 [00:33<06:45, 33.82s/it, loss=0.4751]",
        "2031-03-06 19:56:10,347 - train: [    INFO] - Test: [   0/78]  Time: 5.114 (5.114)  Loss:  6.6175 (6.6175)",
        "[INFO] [models/trainer/causal.py:283] evaluate: Step[1/2067], cost time 49.9822s",
        "{'eval_loss': 0.2149, 'eval_runtime': 124.3, 'eval_steps_per_second': 1.239, 'epoch': 0.21}",
        "Speed: 0.1ms preprocess, 0.4ms inference, 0.0ms loss, 1.3ms postprocess per image",
        "64 bytes from 119.75.217.109: icmp_seq=1 ttl=53 time=1.18 ms",
        "1 packets transmitted, 1 received, 0% packet loss, time 0ms",
        "[W 21:07:01.317 NotebookApp] WebSocket ping timeout after 119894 ms.",
        "ERROR:agent.server.api:Error waiting on exit barrier. Elapsed: 306.1478 seconds",
        "task=detect, mode=train, epochs=30, save=True, cache=False, device=None, hsv_s=0.7",
        "train_config TrainConfig(epochs=3, lr=0.1, time=2.5)",
        "search: seed=42 T_end=0.02 max_s=3600",
        "Tuner: 1/50 iterations complete (4234.68s)",
        "[2031-08-03 09:31:43,114 | __main__ | INFO]: Backing off answer(...) for 0.2s (RateLimitError: 429)",
    ],
)
def test_evaluation_and_loading_are_no_speed_of_training(line: str) -> None:
    assert not prints_speed("\n".join(varied(line, 9)))


def test_a_line_of_training_may_tell_of_an_evaluation_too() -> None:
    assert prints_speed("\n".join(varied("Epoch 3 train loss 2.5 val loss 2.6 time: 12.5 s", 3)))


BAR = "\n".join(f"{n}%|# | {n}/100 [00:{n:02d}<00:09,  1.{n}it/s]" for n in range(10, 20))


@pytest.mark.parametrize(
    "said",
    [
        "do_train=False,\ndo_predict=True,",
        '"do_train": false',
        "BLEU: 31.18\nEvaluation results:",
        "评估结果:",
        "`Trainer.fit` stopped: `max_epochs=0` reached.\nAdaptation Loss: 2.5",
    ],
)
def test_a_log_without_training_prints_no_speed_of_it(said: str) -> None:
    assert not prints_speed(f"{said}\n{BAR}\n")


@pytest.mark.parametrize(
    "said",
    ["do_train=False,\n{'loss': 2.5}", "do_train=True,", "Evaluation results:\nepoch 1", "a bar alone"],
)
def test_a_log_that_may_be_of_training_prints_speed(said: str) -> None:
    assert prints_speed(f"{said}\n{BAR}\n")


READ = "100%|##########| {n}00/{n}00 [00:1{n}<00:00, 9{n}.50it/s]"


@pytest.mark.parametrize(("above", "is_speed"), [("reading train data", False), ("loading", False), ("epoch 1", True)])
def test_a_bar_without_a_name_tells_of_what_the_line_above_it_does(above: str, is_speed: bool) -> None:
    text = "".join(f"{above}\n\n{READ.format(n=n)}\n" for n in range(1, 5))
    assert prints_speed(text) == is_speed


def test_a_sentence_that_a_model_repeats_is_no_speed() -> None:
    assert not prints_speed("".join(f"{number}. 工作时间：确保 3 周\n" for number in range(1, 5)))


def test_what_a_model_writes_about_speed_is_no_speed() -> None:
    assert not prints_speed("So speed = 3.\nThe speed is 12 m per second\nIt took 3 s in all.\nThat is 4 seconds.\n")


@pytest.mark.parametrize(
    "text",
    [
        "=> loading checkpoint epoch0120.pth\ntime:  4.5734\nVal/Acc@1 64.57\n",
        "evaluation times:0\nthroughput:1.59 rl time:31.59\n",
        "Simulation ended at time: 290.00\n UPS: 23.46\n TimeLoss: 74.86\n",
        "Running test: 100%|####| 2/2 [00:01<00:00,  1.11it/s]\nTime: 1.9802s\n",
    ],
)
def test_times_of_a_log_that_tells_of_other_work_and_nowhere_of_training_are_none_of_training(text: str) -> None:
    assert not prints_speed("".join(re.sub(r"(?<=[.])\d", str(n), text) for n in range(1, 9)))


@pytest.mark.parametrize(
    "trains",
    [
        "epoch 3",
        "train_loss: 2.5",
        "global_step=100",
        "Epoch run time: 15.5 s",
        "Episode 7",
        "python train.py\n5%|#  | 1/40 [00:02<01:10]",
    ],
)
def test_one_line_of_training_is_enough_for_the_times_of_a_log_that_evaluates_too(trains: str) -> None:
    times = "".join(f"time:  4.{n}734\nVal/Acc@1 64.{n}\n" for n in range(1, 9))
    assert prints_speed(f"{times}{trains}\n")


def test_one_line_that_sums_up_the_training_prints_its_speed() -> None:
    assert prints_speed("{'loss': 2.5}\n{'train_runtime': 103.6, 'train_samples_per_second': 12.5}\n")
    assert not prints_speed("{'loss': 2.5}\n{'eval_runtime': 103.6, 'eval_samples_per_second': 12.5}\n")
