"""Texts of small page files: the head and the columns that these share; each test writes its own tables below them."""

from report.rendering.markdown_page import MarkdownPage
from report.rendering.render import Renderer
from report.wording.words import languages

HEAD = """
title = "T"
model = "M"
unit = "images/s"
tested = ["What is tested."]
"""


def column(name: str, logs: str, protocol: str = "plain", *, keys: str = "", of_runs: str = "") -> str:
    """A column that has its name in capitals as its title, with one kind of run; other keys of both, a line each."""
    return f"""
[columns.{name}]
title = "{name.upper()}"
{keys}
[[columns.{name}.runs]]
logs = "{logs}"
protocol = "{protocol}"
{of_runs}
"""


def written(parts: Renderer) -> str:
    """The text of a page, and that of its evidence."""
    return "\n".join(text for _, text in MarkdownPage("page", languages(), parts).texts())
