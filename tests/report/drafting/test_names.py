"""Drafts of logs with any names and facts: hostile ones are left out or shown, and no page file breaks."""

import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import tomlkit
from hypothesis import example, given, settings
from hypothesis import strategies as st

from parsers.sharing.workers import ALONE
from report.drafting.draft import NothingToDraftError, draft_page
from report.drafting.logs import named_logs, pattern_of
from report.pagefile.page_file import parse
from report.results.resolve import resolve
from report.results.store import LogStore, logs_of
from tests.report.drafting.drafted import Desk

LINES = "".join(f"step {step}: loss {4 - step / 20:.4f}, {{}} tokens/s/gpu\n" for step in range(1, 21))
# Bytes that no decoding understands among them, as Python spells them in names.
names = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=12).filter(
    lambda name: not name.startswith(".") and len(name.encode()) < 200
) | st.sampled_from(
    ["{cards}", "*", "[a]", "a?b", "it's", 'a "b"', "\udcff", "-x", "a\nb", "a\u2028b", "{", "}}", "C1"]
)
facts = st.text(max_size=20) | st.sampled_from(["{x}", "a\nb", "|", "<b>", "\\", '"""', "fp32", "FP32", "\u202e"])


def put(folder: Path, name: str, speed: int, model: str, precision: str) -> None:
    Desk(folder).put_run(
        LINES.replace("{}", str(speed)), f"{name}/1", case={"cards": 1, "model": model, "precision": precision}
    )


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(names, facts, facts), min_size=1, max_size=3, unique_by=lambda one: one[0]))
@example([("0a{", "", "")])
def test_every_named_log_is_in_a_cell_or_left_out_with_a_reason(runs: list[tuple[str, str, str]]) -> None:
    with TemporaryDirectory() as top:
        folder = Path(top)
        for number, (name, model, precision) in enumerate(runs, 1):
            put(folder, name, 100 * number, model, precision)
        named = named_logs([folder / "logs"], None, folder / "logs")
        try:
            draft = draft_page(named, folder / "page.toml", workers=ALONE)
        except NothingToDraftError as error:
            assert len(error.left_out) == len(runs)
            return
        assert draft.logs + len(draft.left_out) == len(runs)
        page = parse(draft.text, folder / "page.toml")
        shown = [run.log for one in resolve(page, LogStore(folder / "logs", ALONE)) for run in one.runs]
        assert sorted(log.path for case in draft.cases for log in case.logs) == sorted(shown)


@settings(max_examples=100, deadline=None)
@given(st.sets(names, min_size=1, max_size=4), st.data())
def test_a_pattern_finds_the_logs_that_it_is_made_for_and_no_others(found: set[str], data: st.DataObject) -> None:
    with TemporaryDirectory() as top:
        for name in found:
            (Path(top) / name).touch()
        wanted = data.draw(st.lists(st.sampled_from(sorted(found)), min_size=1, unique=True))
        pattern = pattern_of(Path(top), wanted)
        if len(wanted) == 1 and not any(name != wanted[0] and len(name) == len(wanted[0]) for name in found):
            assert pattern is not None
        if pattern is not None:
            stated = tomllib.loads(tomlkit.dumps({"logs": pattern}))["logs"]
            assert set(logs_of(Path(top), stated.format_map({}))) == set(wanted)
