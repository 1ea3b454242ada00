"""What a person read from a log first, held against what the command reads."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from tests.corpus import judgement
from tests.corpus.judgement import Judgement, is_far, judgement_of
from tests.corpus.listed_logs import LISTED, SPEEDOMETER, folder
from tests.corpus.unseen import row, summed_up


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A list of two logs of a folder: of one a person read 80 samples/s, of the other nothing."""
    (tmp_path / "logs").mkdir()
    at = folder(tmp_path / "logs", a=SPEEDOMETER, b="hello\n", c="listed nowhere\n")
    marks = {"a": "yes,80,samples/s", "b": "stamps,,"}
    lines = [f"{sha256((at / f'{name}.log').read_bytes()).hexdigest()},{read}" for name, read in marks.items()]
    table = tmp_path / "unseen.csv"
    table.write_text("\n".join(["sha256,by_hand,right,unit", *lines, ""]), encoding="utf-8")
    monkeypatch.setattr(judgement, "LISTED", table)
    judgement.judgements.cache_clear()
    yield at
    judgement.judgements.cache_clear()


def test_a_log_is_found_by_its_bytes(listed: Path) -> None:
    assert judgement_of(listed / "a.log") == Judgement("yes", 80.0, "samples/s")
    assert judgement_of(listed / "c.log") == Judgement()


def test_the_sum_tells_what_became_of_the_logs_that_a_person_read(listed: Path) -> None:
    found = [row(listed, log) for log in sorted(listed.iterdir())]
    assert summed_up(found).splitlines()[-4:] == [
        "that a person read a speed or time of training from: 1 of 3 (33%)",
        "with a throughput, of these: 1 of 1 (100%)",
        "in the unit of the person: 1, not near 1",
        "  a.log: 100 samples/s, 1.250 x",
    ]


@pytest.mark.parametrize(("ratio", "is_so"), [(None, False), (0.91, False), (1.1, False), (0.89, True), (1.2, True)])
def test_a_number_is_far_from_that_of_a_person_by_more_than_a_tenth(ratio: float | None, is_so: bool) -> None:
    assert is_far(ratio) == is_so


def test_images_are_samples_and_steps_are_not() -> None:
    hand = Judgement("yes", 80.0, "samples/s")
    assert (hand.ratio(100.0, "images/s"), hand.ratio(100.0, "steps/s"), hand.ratio(None, "")) == (1.25, None, None)


def test_a_number_goes_with_a_log_that_a_person_could_read_and_no_other() -> None:
    assert {listed["by_hand"] for listed in LISTED if listed["right"]} == {"yes"}
    assert all(bool(listed["right"]) == bool(listed["unit"]) for listed in LISTED)
