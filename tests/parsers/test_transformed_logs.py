"""What is done to the bytes of a log on its way never changes a number in silence."""

from pathlib import Path

import numpy as np
import pytest

from parsers.io.errors import LogError
from parsers.runs.reading import survey
from parsers.scanning.detection import formats
from parsers.scanning.prefix import without_prefix
from parsers.scanning.source import Source
from parsers.scanning.text import LogText
from parsers.scanning.wrapped import refuse_wrapped
from report.evidence.log_summary import Summary
from tests.commandline import run
from tests.parsers.corpus_logs import RealLog, every_real_log
from tests.parsers.golden_logs import GOLDEN, LOGS, name
from tests.parsers.transformations import (
    DUMP,
    NAMES,
    STAMPED,
    TRANSFORMATIONS,
    WIDTHS,
    WRAPPINGS,
    Transformation,
    before,
    each,
    fold,
)
from tests.parsers.unchanged import changed_in_silence, summary

pytestmark = pytest.mark.slow

EVERY = 17


def text_of(log: Path) -> bytes:
    """The whole lines of a log: what is put after half a line makes another one of it."""
    data = log.read_bytes()
    return data[: data.rfind(b"\n") + 1]


def written(log: Path, folder: Path, data: bytes) -> Path:
    """A copy of a log, whose name and folder state the same, without what lies beside it."""
    copy = folder / log.parent.name / log.name
    copy.parent.mkdir(exist_ok=True)
    copy.write_bytes(data)
    return copy


def is_of_one_launcher(found: Summary) -> bool:
    """Whether all records name a rank, or none does: of a log put together of both a prefix makes another one."""
    if "rank" not in found.part.table:
        return True
    return bool(np.isnan(found.part.table["rank"]).sum() in (0, len(found.part.table)))


def changed(log: Path, folder: Path, change: Transformation) -> str | None:
    """What a transformation changes of the number of a log in silence."""
    text = text_of(log)
    before = summary(written(log, folder, text))
    if before is not None and not is_of_one_launcher(before):
        text = each(without_prefix)(text)
        before = summary(written(log, folder, text))
    if before is None:
        return None
    return changed_in_silence(before, summary(written(log, folder, change(text))))


@pytest.mark.parametrize("change", TRANSFORMATIONS)
def test_a_harmless_transformation_changes_no_number_in_silence(change: str, tmp_path: Path) -> None:
    logs = LOGS[list(TRANSFORMATIONS).index(change) % EVERY :: EVERY]  # so that each log is changed in several ways
    found = {name(log): changed(log, tmp_path, TRANSFORMATIONS[change]) for log in logs}
    assert {log: said for log, said in found.items() if said} == {}


@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_wrapping_changes_no_number_in_silence(wrapping: str, tmp_path: Path) -> None:
    wraps = [(log, width) for log in LOGS[::40] for width in WIDTHS]
    found = {(name(log), width): changed(log, tmp_path, WRAPPINGS[wrapping](width)) for log, width in wraps}
    assert {place: said for place, said in found.items() if said} == {}


PREFIXES: dict[str, Transformation] = {
    "none": bytes,
    "srun --label": lambda text: labelled(text, b"%d: "),
    "mpirun --tag-output": lambda text: labelled(text, b"[1,%d]<stdout>:"),
    "stamps": before(STAMPED + b" "),
}


def labelled(text: bytes, label: bytes) -> bytes:
    """The lines of a text as four ranks print them in turn."""
    lines = text.removesuffix(b"\n").split(b"\n")
    return b"".join(label % (number % 4) + line + b"\n" for number, line in enumerate(lines))


def is_refused(text: bytes, folder: Path) -> bool:
    """Whether a text is refused as one that was wrapped."""
    (folder / "train.log").write_bytes(text)
    try:
        refuse_wrapped(LogText(folder / "train.log"), formats())
    except LogError as error:
        return "its lines were cut at" in str(error)
    return False


@pytest.mark.parametrize("prefix", PREFIXES)
def test_no_log_that_nothing_cut_is_refused(prefix: str, tmp_path: Path) -> None:
    assert not [name(log) for log in LOGS if is_refused(PREFIXES[prefix](text_of(log)), tmp_path)]


@every_real_log
def test_no_real_log_that_nothing_cut_is_refused(log: RealLog, tmp_path: Path) -> None:
    text = next(Source(log.path).blocks(), b"")
    assert not [prefix for prefix, put in PREFIXES.items() if is_refused(put(text), tmp_path)]


PIPELINE = b"steps: %d loss: 6.5 iter time (s): 0.640 samples/sec: 50.%03d\n"


@pytest.mark.parametrize(
    "following",
    [
        b"0: steps: 100 loss: 6.5 iter time (s): 0.640 samples/sec: 50.001\n",
        b"steps: 100 loss: 6.5 iter time (s): 0.640 samples/sec: 50.001\n",
        b"2031-02-03 04:05:06 saved\n",
        b"04:05:06 saved\n",
        b'{"saved": 1}\n',
        b"100%|####| 3/3\n",
    ],
)
def test_a_line_that_begins_anew_goes_on_with_none(following: bytes, tmp_path: Path) -> None:
    assert not is_refused(b"".join(PIPELINE % (step, step) + following for step in range(100, 130)), tmp_path)


def test_one_line_that_a_number_follows_refuses_no_log(tmp_path: Path) -> None:
    lines = [PIPELINE % (step, step) for step in range(100, 130)]
    assert not is_refused(b"".join([*lines[:9], b"12 shards\n", *lines[9:]]), tmp_path)


def test_numbers_of_which_each_lost_its_end_are_refused(tmp_path: Path) -> None:
    assert is_refused(fold(60)(b"".join(PIPELINE % (step, step) for step in range(100, 130))), tmp_path)


@pytest.mark.parametrize(
    ("path", "width"), [("dllogger/ncf.log", 60), ("mmengine/epochs.log", 120), ("deepspeed_old/memory.log", 80)]
)
def test_one_longer_line_hides_no_wrapping(path: str, width: int, tmp_path: Path) -> None:
    text = fold(width)((GOLDEN / path).read_bytes())
    assert is_refused(text + b"y" * (width + 1) + b"\n", tmp_path)
    assert is_refused(fold(width)(DUMP) + text, tmp_path)


@pytest.mark.parametrize(
    ("path", "wrapping", "width"),
    [
        ("mlperf_log/resnet.log", "fold", 83),
        ("mlperf_log/resnet.log", "fold", 85),
        ("mlperf_log/note.log", "fold", 84),
        ("dllogger/tacotron.log", "fold", 65),
        ("maxtext/llama.log", "fold -s", 120),
        ("megatron_lm/stamped.log", "fold", 127),
        ("mlperf_mllog/of_the_run.log", "fold", 139),
        ("paddleclas/evaluation.log", "fold", 175),
        ("paddlenlp_trainer/pretrain.log", "fold", 103),
        ("primus/older.log", "fold", 163),
        ("tf_cnn_benchmarks/horovod_accuracy.log", "fold", 67),
        ("torchtitan/another_logger.log", "fold -s, CRLF after", 125),
        ("ultralytics/v8.log", "fold", 154),
    ],
)
def test_a_log_is_refused_of_which_a_number_was_cut(path: str, wrapping: str, width: int, tmp_path: Path) -> None:
    assert summary(written(GOLDEN / path, tmp_path, WRAPPINGS[wrapping](width)(text_of(GOLDEN / path)))) is None


@pytest.mark.parametrize(
    ("path", "width"), [("tf_cnn_benchmarks/two_cards.log", 60), ("tf_cnn_benchmarks/horovod_accuracy.log", 80)]
)
def test_a_log_of_which_no_number_was_cut_keeps_its_own(path: str, width: int, tmp_path: Path) -> None:
    assert changed(GOLDEN / path, tmp_path, fold(width)) is None


def test_ingest_refuses_a_wrapped_log_as_show_does(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/train.log").write_bytes(fold(60)((GOLDEN / "dllogger/ncf.log").read_bytes()))
    done = run("ingest", tmp_path / "logs", "--into", tmp_path / "suite")
    assert (done.returncode, "its lines were cut at 60 bytes" in done.stderr) == (1, True)
    assert not list((tmp_path / "suite").rglob("*.log"))


def test_another_name_changes_no_number_in_silence(tmp_path: Path) -> None:
    for log in LOGS[::EVERY]:
        before = summary(written(log, tmp_path, text_of(log)))
        assert before
        for other in NAMES:
            now = summary(written(log.with_name(other), tmp_path, text_of(log)))
            assert changed_in_silence(before, now) is None, (name(log), other)


def test_a_log_cut_at_one_width_is_refused_and_the_line_is_named(tmp_path: Path) -> None:
    line = (
        b"Epoch: [0][ %3d/5005]\tTime  0.412 ( 1.501)\tData  0.001 ( 0.911)\tLoss 6.98 (6.99)\tAcc@1   0.39 (  0.12)\n"
    )
    text = b"=> creating model 'resnet50'\n" + b"".join(line % step for step in range(10, 200, 10))
    log = tmp_path / "train.log"
    log.write_bytes(fold(60)(text))
    with pytest.raises(LogError, match=r"its lines were cut at 60 bytes, first in line 2, and numbers with them; "):
        survey(log)


def test_lines_of_one_length_that_nothing_cut_are_read(tmp_path: Path) -> None:
    line = (
        b"Epoch: [0][ %3d/5005]\tTime  0.412 ( 1.501)\tData  0.001 ( 0.911)\tLoss 6.98 (6.99)\tAcc@1   0.39 (  0.12)\n"
    )
    log = tmp_path / "train.log"
    log.write_bytes(b"".join(line % step + b"saved\n" for step in range(100, 200, 10)))
    assert len(survey(log).records) == 10


def test_a_last_line_of_nothing_but_an_escape_is_no_line(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_bytes(b"one\ntwo\n\x1b[0m")
    reading = survey(log)
    assert reading.account.total == log.read_bytes().count(b"\n")
    assert not reading.warnings


def drawn(step: int) -> bytes:
    """A progress bar of a known format as it is drawn anew."""
    shown = b"\rTrain step of epoch 0: %3d%%|###       | %d/300 [%02d:%02d<10:00,  2.%02ds/it, gpt_loss=2.5, lr=9.5e-6]"
    return shown % (step // 3, step, step // 30, 2 * step % 60, step % 7)


@pytest.mark.parametrize("width", [110, 201, 305])
def test_bars_that_were_cut_where_a_line_holds_several_are_refused(width: int, tmp_path: Path) -> None:
    assert is_refused(fold(width)(b"".join(map(drawn, range(1, 301))) + b"\n"), tmp_path)


def test_bars_above_which_lines_are_written_are_none_that_were_cut(tmp_path: Path) -> None:
    lines = (b"".join(map(drawn, range(n, n + 10))) + b"\rsaved a checkpoint\n" for n in range(100, 300, 10))
    assert not is_refused(b"".join(lines), tmp_path)
