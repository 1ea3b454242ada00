"""The JSON Schemas of page files and launch files: parts as in the code, words as in ``docs/page-file.md``."""

import re
from typing import Any

from report.pagefile.launch_file import LaunchFile
from report.pagefile.page import PageFile
from report.pagefile.parts import DIALECT
from tests.commandline import PROJECT

# Whose keys the table below a heading explains.
EXPLAINED = {
    "Page": ("PageFile",),
    "Columns and their runs": ("Column", "Run"),
    "Tables": ("Table", "TableRow"),
    "Table columns": ("TableColumn",),
    "Launch file": ("ColumnLaunch", "Launch"),
}
# The parts that a row explains with the key that holds them.
HELD = {"source": "LogSource", "model_flops": "ModelFlops", "quality": "Quality", "names": "Name", "against": "Against"}


def page_schema() -> dict[str, Any]:
    """The schema of a page file."""
    schema = PageFile.model_json_schema()
    parts = schema["$defs"]
    # What may be inherited, or stand in a file beside the page file.
    for part, key in ((schema, "tested"), (parts["Run"], "logs")):
        part["required"].remove(key)
    parts["TableOfTable"] = {**parts["Table"], "required": ["name", "title"]}
    parts["Table"]["properties"]["tables"]["items"] = {"$ref": "#/$defs/TableOfTable"}
    return explained({"$schema": DIALECT, **schema}, {"PageFile": schema, **parts})


def launch_schema() -> dict[str, Any]:
    """The schema of a launch file."""
    schema = LaunchFile.model_json_schema()
    return explained({"$schema": DIALECT, **schema}, schema["$defs"])


def explained(schema: dict[str, Any], parts: dict[str, Any]) -> dict[str, Any]:
    """A schema whose keys have what the documentation says of them."""
    for section in re.split(r"^## ", (PROJECT / "docs/page-file.md").read_text(encoding="utf-8"), flags=re.MULTILINE):
        heading, _, text = section.partition("\n")
        for cells, said in re.findall(r"^\| (`.+?) \| (.+) \|$", text, re.MULTILINE):
            words = re.sub(r"\[(.+?)\]\(.+?\)", r"\1", said)
            keys = re.findall(r"`(\w+)`", cells)
            for part in EXPLAINED.get(heading, ()):
                describe(parts, part, keys, words)
            for key in {*keys} & HELD.keys():
                describe(parts, HELD[key], re.findall(r"`(\w+)`", words), words)
    return schema


def describe(parts: dict[str, Any], part: str, keys: list[str], words: str) -> None:
    """Say of some keys of a part, those that it has, what they are."""
    for key in {*keys} & parts.get(part, {"properties": {}})["properties"].keys():
        parts[part]["properties"][key].setdefault("description", words)
