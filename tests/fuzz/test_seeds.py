"""What fuzzing found stays found: each seed goes to its target, which lets out no error and breaks no promise."""

import time
from pathlib import Path

import pytest

from tests.fuzz.beginnings import SEEDS, beginnings
from tests.fuzz.sandbox import (
    LOG,
    OUTSIDE,
    TooSlow,
    assert_harmless_site,
    assert_plain,
    assert_silent,
    lay,
    run,
    sandbox,
)
from tests.fuzz.targets import TARGETS

KEPT = sorted(path for path in SEEDS.glob("*/*") if path.is_file())


@pytest.mark.parametrize("seed", KEPT, ids=lambda seed: f"{seed.parent.name}/{seed.name}")
def test_a_seed_of_the_fuzzer_raises_nothing(seed: Path) -> None:
    TARGETS[seed.parent.name](seed.read_bytes())


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_has_inputs_to_begin_with(target: str) -> None:
    assert len(list(beginnings(target))) > 3


def test_a_sandbox_counts_the_time_of_the_processor_and_that_of_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzz.sandbox.SECONDS", 0.2)
    with sandbox():
        time.sleep(0.4)
    with pytest.raises(TooSlow, match="of the processor"), sandbox():
        while True:
            pass
    monkeypatch.setattr("tests.fuzz.sandbox.WAITED", 0.2)
    with pytest.raises(TooSlow, match=r"more than 0\.2 s$"), sandbox():
        time.sleep(5)


def test_a_sandbox_refuses_a_command_that_writes_beside_its_folder(tmp_path: Path) -> None:
    lay(tmp_path, {"train.log": LOG})
    with pytest.raises(AssertionError, match="changed"):
        run(tmp_path, "parse", tmp_path / "train.log", "--out", tmp_path / "r.csv", may_write=tmp_path / "out")


def test_a_sandbox_refuses_output_that_a_terminal_obeys() -> None:
    for text in ("\x1b[2J", "\x9b31m", "a\rb", "\u202e"):
        with pytest.raises(AssertionError, match="prints"):
            assert_plain(text.encode())


def test_a_sandbox_refuses_what_shows_a_file_outside(tmp_path: Path) -> None:
    lay(tmp_path, OUTSIDE)
    with pytest.raises(AssertionError, match="lies outside shows"):
        assert_silent(b"", tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "<script>hostile()</script>",
        "<a href=' javascript:hostile()'>",
        "<p onclick=hostile()>",
        "<img src=x>",
        "<script src=https://example.org/x.js></script>",
    ],
)
def test_a_sandbox_refuses_a_page_that_runs_or_loads_what_is_not_the_sites(text: str, tmp_path: Path) -> None:
    lay(tmp_path, {"page.html": text.encode()})
    with pytest.raises(AssertionError):
        assert_harmless_site(tmp_path)
