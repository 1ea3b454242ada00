"""The words of charts are in the catalogues."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from babel.messages.pofile import read_po

from report import charts
from report.wording.words import FOLDER

SOURCES = sorted(Path(charts.__file__).parent.glob("*.py"))
# Texts of constants that no reader is shown.
NO_MESSAGES = {"FONT", "FONTS", "SCHEMES"}


def messages() -> Iterator[str]:
    """All texts with a blank or a placeholder that are constants of the charts."""
    for path in SOURCES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) not in NO_MESSAGES:
                found = (part.value for part in ast.walk(node.value) if isinstance(part, ast.Constant))
                yield from (text for text in found if isinstance(text, str) and re.search(r"[ {]", text))


def test_every_message_of_the_charts_is_translated() -> None:
    with (FOLDER / "zh.po").open("rb") as file:
        known = {str(message.id) for message in read_po(file)}
    assert [message for message in messages() if message not in known] == []
    assert len(list(messages())) > 20
