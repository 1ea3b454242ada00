"""The evidence file of a page: what it says, that it says it again, and what it is refused for."""

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report.evidence.evidence_file import EvidenceFileError, path_of, read
from report.rendering.publish import PublishedPage, publish
from tests.conftest import Compare
from tests.parsers.corpus_logs import ABSENT, CORPUS

GOLDEN = Path(__file__).parent / "golden"
LINKED = re.compile(r"\[([0-9.]+)\]\([^)#]*#([^)]+)\)")
PERF = CORPUS / "PaddlePaddle-Perf"
NO_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)

every_toy = pytest.mark.parametrize("name", ["toy", "toy_gpu", "llm_example"])


def rendered(folder: Path, name: str, *languages: str) -> PublishedPage:
    """A golden page beside a copy of its logs."""
    if not (folder / "logs").exists():
        shutil.copytree(GOLDEN / "logs", folder / "logs")
    (page,) = publish([str(GOLDEN / f"{name}.toml")], folder / "logs", languages, folder / "pages")
    return page


@every_toy
def test_the_whole_file_is_as_it_was(name: str, tmp_path: Path, compare: Compare) -> None:
    rendered(tmp_path, name)
    compare(path_of(name, GOLDEN), path_of(name, tmp_path / "pages").read_text(encoding="utf-8"))


@every_toy
def test_every_anchor_of_the_page_has_its_number(name: str, tmp_path: Path) -> None:
    rendered(tmp_path, name)
    page = (tmp_path / f"pages/{name}.evidence.en.md").read_text(encoding="utf-8")
    told = [cell for cell in read(path_of(name, tmp_path / "pages")).cells if cell.evidence]
    named = [f'<a id="{cell.slug}"></a><a id="e{cell.evidence}"></a>{cell.printed}' for cell in told]
    assert [one for one in named if one not in page] == []
    assert page.count('<a id="e') == len(told)


@every_toy
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_tables_of_each_language_print_its_numbers_in_its_order(name: str, language: str, tmp_path: Path) -> None:
    rendered(tmp_path, name)
    page = (tmp_path / f"pages/{name}.{language}.md").read_text(encoding="utf-8")
    tables = [next(part for part in section.split("\n\n") if part[0] == "|") for section in page.split("\n### ")[1:]]
    printed = [found for table in tables for found in LINKED.findall(table)]
    told = read(path_of(name, tmp_path / "pages")).cells
    assert printed == [(cell.printed, cell.slug) for cell in told if cell.evidence]


@pytest.mark.skipif(not PERF.is_dir(), reason=ABSENT)
def test_of_logs_that_others_made_it_names_the_source(tmp_path: Path) -> None:
    (page,) = publish(["deeplabv3p"], PERF, ["en"], tmp_path)
    told = read(page.files[-1])
    assert (told.logs, page.page.source and page.page.source.commit) == (None, told.source and told.source.commit)


def test_a_log_whose_name_is_not_utf_8_is_listed_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    log = next((GOLDEN / "logs/A100").glob("*N1C1_log"))
    shutil.copy(log, os.fsdecode(bytes(tmp_path / "logs") + b"/\xff.log"))
    page = (GOLDEN / "toy.toml").read_text(encoding="utf-8")
    page = page.replace("{device}/PaddleClas_Toy50_bs{batch_size}_{precision}_DP_N1C{cards}_log", "*.log")
    (tmp_path / "toy.toml").write_text(page, encoding="utf-8")
    (published,) = publish([str(tmp_path / "toy.toml")], tmp_path / "logs", ["en"], tmp_path / "pages")
    assert read(published.files[-1]).cells[0].logs[0].path == "\udcff.log"


def changed(folder: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """The golden evidence file with one change."""
    told = json.loads(path_of("toy", GOLDEN).read_text(encoding="utf-8"))
    change(told)
    path = folder / "changed.evidence.json"
    path.write_text(json.dumps(told), encoding="utf-8")
    return path


CHANGES: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "above": (lambda told: told["cells"][0]["logs"][0].update(path="a/../../x"), "leaves the log folder"),
    "absolute": (lambda told: told["cells"][0]["logs"][0].update(path="/x"), "is not a relative path"),
    "nul": (lambda told: told["cells"][0]["logs"][0].update(path="x\0"), "is not a relative path"),
    "folder": (lambda told: told.update(logs="/logs"), "logs: '/logs' is not a relative path"),
    "nowhere": (lambda told: told.update(logs=None), "not both"),
    "schema": (lambda told: told.update(schema=2), "schema: must be 1."),
    "protocol": (lambda told: told["cells"][0].update(protocol="rule=1"), '"rule" is not a key of a protocol'),
    "order": (lambda told: told["cells"][0].update(evidence=2), "must start at 1"),
    "number": (lambda told: told["cells"][0].update(number=None), "a number with evidence"),
    "digits": (lambda told: told["cells"][0].update(printed="1e3"), "cells.0.printed"),
    "infinite": (lambda told: told["cells"][0].update(number=float("inf")), "cells.0.number"),
    "sha256": (lambda told: told["cells"][0]["logs"][0].update(sha256="0" * 63), "cells.0.logs.0.sha256"),
    "lines": (lambda told: told["cells"][0]["logs"][0].update(first=9, last=8), "line 9 is not before line 8"),
    "truth": (lambda told: told["cells"][0].update(row=True), "cells.0.row"),
    "key": (lambda told: told.update({"new\x1b": 1}), "new\\x1b is not a valid key; allowed keys: schema, page"),
    "escape": (lambda told: told["cells"][0].update(protocol="\x1b[2J"), '"\\x1b[2J" is not a named protocol'),
}


@pytest.mark.parametrize(("change", "said"), CHANGES.values(), ids=CHANGES)
def test_a_mistake_is_reported_in_one_sentence(
    change: Callable[[dict[str, Any]], object], said: str, tmp_path: Path
) -> None:
    with pytest.raises(EvidenceFileError) as raised:
        read(changed(tmp_path, change))
    sentence = str(raised.value)
    assert said in sentence
    assert sentence.endswith(".")
    assert sentence.isprintable()


@given(st.binary() | NO_JSON.map(lambda value: json.dumps(value).encode()) | st.just(b"[" * 100_000))
def test_whatever_a_file_holds_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.evidence.json"
    path.write_bytes(raw)
    with pytest.raises(EvidenceFileError):
        read(path)
