"""The templates of the references."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

DOCS = Path(__file__).parents[2] / "docs"
TEMPLATES = Environment(  # noqa: S701  it renders Markdown, where nothing is to be escaped
    loader=FileSystemLoader(Path(__file__).parent),
    keep_trailing_newline=True,
    trim_blocks=True,
    undefined=StrictUndefined,
)
