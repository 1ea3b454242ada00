"""Mistakes in grammars: a file dropped in ``bad_grammars`` is a test; its first line is the message it must give."""

import re
from pathlib import Path

import pytest

from parsers.grammar.format import load
from parsers.io.errors import GrammarError

BAD = sorted((Path(__file__).parent / "bad_grammars").glob("*.lark"))


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_a_mistake_in_a_grammar_is_named_with_its_file(path: Path) -> None:
    message = path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("// ")
    with pytest.raises(GrammarError) as raised:
        load(path)
    assert re.match(message, str(raised.value)), str(raised.value)


@pytest.mark.parametrize("content", ['X: "q"\n', 'X: "q\n', ""])
def test_a_file_beside_a_grammar_that_is_imported_without_a_dot_is_reported(
    content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "beside.lark").write_text(content)
    (tmp_path / "mine.lark").write_text('%import beside.X\nstart: step_line\nstep_line: "a" X\n')
    told = r"^mine\.lark: line 1: 'beside' is a file in the same folder; import it with a dot: %import \.beside$"
    with pytest.raises(GrammarError, match=told):
        load(tmp_path / "mine.lark")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Lark leaves the file open
def test_a_file_in_the_working_directory_is_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here/other.lark").write_text('X: "q"\n')
    monkeypatch.chdir(tmp_path / "here")
    (tmp_path / "mine.lark").write_text('%import other.X\nstart: step_line\nstep_line: "a" X\n')
    told = r"^mine\.lark: line 1: imported file other\.lark not found\.$"
    with pytest.raises(GrammarError, match=told):
        load(tmp_path / "mine.lark")
