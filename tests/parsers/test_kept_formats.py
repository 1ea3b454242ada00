"""Compiled grammars are kept in the user's folder of caches; nothing depends on it."""

import json
import os
import stat
from pathlib import Path

import pytest

from parsers.grammar.format import load
from parsers.grammar.loading import compiled
from parsers.io.cache import MOST_FILES, found, keep
from tests.commandline import PROJECT, run

GRAMMAR = PROJECT / "parsers/formats/mmcv.lark"
LOG = PROJECT / "logs/cpu-demo/ResNet50_bs4_fp32_N1C1/1/train.log"


@pytest.fixture
def grammar(tmp_path: Path) -> Path:
    """A grammar that did not come compiled."""
    path = tmp_path / "mmcv.lark"
    path.write_text(GRAMMAR.read_text(encoding="utf-8") + "// of somebody else\n", encoding="utf-8")
    return path


@pytest.fixture
def kept(grammar: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    load.cache_clear()
    load(grammar)
    load.cache_clear()
    return tmp_path / "tachograph"


@pytest.mark.parametrize("name", ["hf_trainer", "mlperf_mllog", "mmcv", "nanogpt"])
def test_a_format_that_came_compiled_is_what_its_grammar_says(name: str) -> None:
    path = GRAMMAR.with_stem(name)
    assert (load(path).about, load(path).variants) == compiled(path)


def test_a_kept_format_is_the_one_that_was_compiled(kept: Path, grammar: Path) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in kept.iterdir()}
    assert load(grammar).variants == compiled(grammar)[1]
    assert before == {path.name: path.stat().st_mtime_ns for path in kept.iterdir()}


def test_a_changed_grammar_is_compiled_anew(kept: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.lark"
    mine.write_text(GRAMMAR.read_text(encoding="utf-8"), encoding="utf-8")
    first = load(mine)
    mine.write_text(mine.read_text(encoding="utf-8").replace('"- INFO -"', '"- NOTE -"'), encoding="utf-8")
    load.cache_clear()
    assert load(mine).variants != first.variants


@pytest.mark.parametrize(
    "rubbish", [b"", b"rubbish", b"[]", b'{"about": "", "fields": [], "variants": [{}]}', b"[" * 99999]
)
def test_a_kept_file_that_is_no_format_is_compiled_anew(rubbish: bytes, kept: Path, grammar: Path) -> None:
    (place,) = kept.iterdir()
    place.write_bytes(rubbish)
    assert load(grammar).name == "mmcv"


def test_a_kept_format_in_which_a_byte_changed_is_compiled_anew(kept: Path, grammar: Path) -> None:
    (place,) = kept.iterdir()
    whole = place.read_bytes()
    place.write_bytes(whole.replace(b"mmcv text log", b"mmcv test log"))
    assert b"mmcv text log" in whole
    assert load(grammar).about == compiled(grammar)[0]
    assert place.read_bytes() == whole


def test_a_kept_format_under_the_name_of_another_is_compiled_anew(kept: Path, grammar: Path) -> None:
    (place,) = kept.iterdir()
    other = grammar.with_name("other.lark")
    other.write_text(
        GRAMMAR.with_name("nanogpt.lark").read_text(encoding="utf-8") + "// of somebody else\n", encoding="utf-8"
    )
    load(other)
    load.cache_clear()
    (another,) = set(kept.iterdir()) - {place}
    place.write_bytes(another.read_bytes())
    assert load(grammar).variants == compiled(grammar)[1]


@pytest.mark.slow
@pytest.mark.parametrize("place", ["/proc/nowhere", "/dev/null"])
def test_where_nothing_can_be_kept_everything_works(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "XDG_CACHE_HOME", place)
    assert run("show", "--json", LOG).returncode == 0


def test_what_was_kept_is_data_and_runs_nothing(kept: Path) -> None:
    (place,) = kept.iterdir()
    assert json.loads(place.read_bytes()[32:])["about"]


def test_the_folder_of_kept_formats_is_the_users_alone(kept: Path) -> None:
    assert stat.S_IMODE(kept.stat().st_mode) == 0o700


def test_a_link_in_the_place_of_a_kept_format_is_not_followed(kept: Path, tmp_path: Path) -> None:
    (place,) = kept.iterdir()
    place.rename(tmp_path / "elsewhere")
    place.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic link"):
        found(place.name)


def test_a_link_in_the_place_of_the_folder_is_not_followed(kept: Path, tmp_path: Path) -> None:
    (place,) = kept.iterdir()
    kept.rename(tmp_path / "elsewhere")
    kept.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match=r"directory|symbolic"):
        found(place.name)
    keep(b"{}", "another")
    assert not (tmp_path / "elsewhere/another").exists()


@pytest.mark.parametrize("of", ["folder", "file"])
def test_what_others_may_write_to_is_not_read(kept: Path, of: str) -> None:
    (place,) = kept.iterdir()
    (kept if of == "folder" else place).chmod(0o777)
    with pytest.raises(PermissionError):
        found(place.name)


def test_a_pipe_in_the_place_of_a_kept_format_keeps_nobody_waiting(kept: Path) -> None:
    (place,) = kept.iterdir()
    place.unlink()
    os.mkfifo(place)
    with pytest.raises(PermissionError):
        found(place.name)


def test_the_oldest_of_many_kept_formats_go(kept: Path) -> None:
    (first,) = kept.iterdir()
    os.utime(first, (0, 0))
    for number in range(MOST_FILES):
        keep(b"{}", str(number))
    assert not first.exists()
    assert MOST_FILES // 2 <= len(list(kept.iterdir())) <= MOST_FILES
