"""Files are written whole, unfinished folders are held; what is printed is seen; what is kept changes nothing."""

import json
import subprocess
import sys
import unicodedata
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.grammar.format import load
from parsers.grammar.loading import compiled
from parsers.io.console import Console, Text
from parsers.io.errors import WriteError
from parsers.io.files import PREFIX, replace_file, unfinished, whole, write_whole
from parsers.io.printable import PrintableStream, printable, printable_lines
from tests.commandline import PROJECT
from tests.hostile_text import COLOUR, unseen

KILLED = """
import signal, sys
from pathlib import Path
from parsers.io.files import unfinished
with unfinished(Path(sys.argv[1])) as made:
    (made / "half").write_text("half")
    print(flush=True)
    signal.pause()
"""


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith(PREFIX)]


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        process.kill()
    assert len(names(tmp_path)) == 1
    with unfinished(tmp_path) as made:
        assert names(tmp_path) == [made.name]


def test_what_is_held_and_what_is_not_ours_stays(tmp_path: Path) -> None:
    (tmp_path / f"{PREFIX}file").write_text("mine")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / f"{PREFIX}link").symlink_to(tmp_path / "elsewhere")
    with unfinished(tmp_path) as first, unfinished(tmp_path) as second:
        assert first.is_dir()
        assert second.is_dir()
    assert sorted(names(tmp_path)) == [f"{PREFIX}file", f"{PREFIX}link"]


@pytest.mark.parametrize("name", ["../a", "/tmp/a", "a/../../b", "a\0b"])  # noqa: S108 - nothing is written there
def test_no_name_leads_out_of_the_folder(name: str, tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="is outside the output folder"):
        write_whole(tmp_path / "out", {"first": b"", name: b""})
    assert [path.name for path in tmp_path.rglob("*")] == ["out"]


def test_an_error_while_a_file_is_written_leaves_the_file_before_it(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("before")
    with pytest.raises(ZeroDivisionError), whole(tmp_path / "a") as path:
        path.write_text("half")
        raise ZeroDivisionError
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a", "before")]


def test_a_file_that_is_replaced_is_whole_or_as_before(tmp_path: Path) -> None:
    replace_file(tmp_path / "a", b"before")
    limit = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (2, 2)); from pathlib import Path"
    program = f"{limit}; from parsers.io.files import replace_file; replace_file(Path(sys.argv[1]), b'after')"
    done = subprocess.run([sys.executable, "-c", program, tmp_path / "a"], capture_output=True, text=True, check=False)
    assert f"File too large: '{tmp_path}/a'" in done.stderr
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a", b"before")]


UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b]52;c;x\x07", r"a\x1b]52;c;x\x07"),
        ("\x1b\x1b[0m]", r"\x1b\x1b[0m]"),
        ("\x9b31m\x85", r"\u009b31m\u0085"),
        ("\u202egpj\u2066\u061c", r"\u202egpj\u2066\u061c"),
        ("\udcff", r"\udcff"),
        ("\U000e0041", r"\udb40\udc41"),
        ("one\ntwo\tthree\r", r"one\ntwo\tthree\r"),
        ("a\u3164b\u115f\u1160\uffa0", r"a\u3164b\u115f\u1160\uffa0"),
        ("1\ufe0f\u034f\u17b4\u17b5\u180b\u180e", r"1\ufe0f\u034f\u17b4\u17b5\u180b\u180e"),
        ("\U000e0100", r"\udb40\udd00"),
        ("批大小\u3000é 🙂", "批大小\u3000é 🙂"),
    ],
)
def test_what_is_not_seen_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_no_control_or_format_character_is_left() -> None:
    found = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) in UNSEEN]
    assert [character for character in found if not printable(character).isascii()] == []


@given(st.text(st.characters(codec=None)))
def test_a_text_that_was_made_printable_stays_as_it_is_and_json_says_the_same(text: str) -> None:
    assert printable(printable(text)) == printable(text)
    assert unseen(printable_lines(text)) == set()
    written = json.dumps([text], ensure_ascii=False, indent=1)
    assert json.loads(printable_lines(written)) == json.loads(json.dumps([text]))


def test_a_stream_lets_no_escape_through_and_escapes_what_its_encoding_lacks() -> None:
    raw = BytesIO()
    inner = TextIOWrapper(raw, "ascii", newline="\n")  # kept, for it closes what it writes to when it goes
    print("批 é\n\ttwo\x1b[31m", file=PrintableStream(inner), flush=True)
    assert raw.getvalue() == rb"\u6279 \xe9" + b"\n\ttwo\\x1b[31m\n"


def test_a_console_takes_its_own_styles_only() -> None:
    page = StringIO()
    console = Console(page, force_terminal=True, color_system="standard")
    for part in (Text(f"a\n{COLOUR}", "bold"), f"[red]x[/red] {COLOUR} :smile:", Text.assemble(("b\x07", "bold"))):
        console.print(part, soft_wrap=True)
    shown = [r"[1ma\n\x1b[38;5;201m[0m", r"[red]x[/red] \x1b[38;5;201m :smile:", r"[1mb\x07[0m", ""]
    assert page.getvalue().replace("\x1b", "") == "\n".join(shown)


@pytest.mark.parametrize("name", ["hf_trainer", "mlperf_mllog", "mmcv", "nanogpt"])
def test_a_format_that_came_compiled_is_what_its_grammar_says(name: str, tmp_path: Path) -> None:
    path, mine = PROJECT / f"parsers/formats/{name}.lark", tmp_path / "mine.lark"
    mine.write_text(path.read_text(encoding="utf-8") + "// of somebody else\n", encoding="utf-8")
    assert (load(path).about, load(path).variants) == compiled(path)
    assert (load(mine).name, load(mine).variants) == ("mine", compiled(mine)[1])
