"""The series that the tests of Apache Otava hold, read from its source distribution, which pip brings."""

import ast
import csv
import io
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path

VERSION = "0.8.0"
# The file, which of its series, and where its tests say that this changes by 5% and more (apache/otava, tests/).
EXPECTED: Mapping[tuple[str, int | str], tuple[int, ...]] = {
    ("analysis_test.py", 0): (10,),
    ("analysis_test.py", 1): (),
    ("analysis_test.py", 2): (5,),
    ("series_test.py", 0): (6,),
    ("series_test.py", 1): (4,),
    ("tigerbeetle_test.py", 0): (15, 71),
    ("resources/sample.csv", "metric1"): (),
    ("resources/sample.csv", "metric2"): (6,),
}


def otava_data(folder: Path) -> dict[tuple[str, int | str], list[float]]:
    """The series by their keys in ``EXPECTED``; ``folder``: where the distribution is kept."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
    subprocess.run([*command, "--dest", str(folder), f"apache-otava=={VERSION}"], check=True)
    with tarfile.open(next(folder.glob("*.tar.gz"))) as files:
        top = files.getnames()[0].partition("/")[0]
        texts = {
            name: (files.extractfile(f"{top}/tests/{name}") or io.BytesIO()).read().decode() for name, _ in EXPECTED
        }
    return {(name, which): _series(texts[name], which) for name, which in EXPECTED}


def _series(text: str, which: int | str) -> list[float]:
    if isinstance(which, str):
        return [float(row[which]) for row in csv.DictReader(io.StringIO(text))]
    return [*list(dict.fromkeys(_lists(text)))[which]]


def _lists(text: str) -> Iterator[tuple[float, ...]]:
    """The lists of ten and more numbers, none of them 0, in the order of their lines."""
    lists = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.List) and len(node.elts) >= 10]
    for node in sorted(lists, key=lambda one: one.lineno):
        numbers = ast.unparse(node)
        try:
            values = ast.literal_eval(numbers)
        except ValueError:
            continue
        if all(isinstance(value, int | float) and value > 0 for value in values):
            yield tuple(values)
