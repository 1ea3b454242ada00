"""The published pages: figures that their logs give are printed to the last digit, and no word is left in English."""

import csv
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from pathlib import Path
from string import Formatter
from typing import Any, get_args

import pytest
from _pytest.mark import ParameterSet
from babel.messages.pofile import read_po
from jinja2.ext import babel_extract

from parsers.sharing.workers import ALONE
from report.measure.measure import measure
from report.measure.number import printed
from report.measure.protocol import Protocol
from report.measure.quantity import QUANTITIES
from report.pagefile import page as page_module
from report.pagefile.page import Page
from report.pagefile.page_file import find, load, names
from report.results.build import page_words, rows_of
from report.results.comparability import Difference, Line, Unlike, lines
from report.results.made import Made
from report.results.model import Report
from report.results.resolve import resolve
from report.results.store import LogStore
from report.wording.words import FOLDER, languages, words
from tests.parsers.corpus_logs import ABSENT
from tests.report.page_checks import OF_OTHERS, PERF
from tests.report.page_text import report_of

PAGES = {"ResNet50V1.5": "resnet50", "DeepLabV3P": "deeplabv3p"}
ROOM = Path(page_module.__file__).parents[1]
TEMPLATES = sorted((ROOM / "templates").rglob("*.jinja"))

# Names, units and values of options, which stand in every language as they are.
NAME = re.compile(
    r"AMD|AMP|BERT|BS|CPU|CUDA|CentOS|Cityscapes|CycleGAN|DALI|Debian|Docker|EPYC|Fluid|GAN|GB|GHz|GNU/Linux|GPU|GiB|"
    r"Gold|ImageNet|Intel|LTS|MXNet|MiB|NCCL|NGC|NODE|NVIDIA|Paddle|PaddleClas|PaddlePaddle|PaddleSeg|PyTorch|Python|"
    r"ResNet|SE|TensorFlow|Tesla|Transformer|Ubuntu|Wikipedia|X|Xeon|cuDNN|develop|mmsegmentation|ce|docker|nvidia|"
    r"numpy|paddlepaddle|nanoGPT|TorchTitan|Megatron|LM|Hugging|Face|Trainer"
)
CODE_SPAN = re.compile(r"`[^`]+`")
KEY = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)+")
LINK_TARGET = re.compile(r"\]\([^)]+\)")

every_page = pytest.mark.parametrize("name", names())
needs_logs = pytest.mark.skipif(not PERF.is_dir(), reason=ABSENT)
every_language = pytest.mark.parametrize("language", languages())


def published_rows() -> list[dict[str, str]]:
    """The published figures that their logs give, but for those whose rule was fitted to the figure."""
    if not (PERF / "published.csv").is_file():
        return []
    with (PERF / "published.csv").open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["exact_match"] == "yes" and "FITTED" not in row["remark"]]


def parameters(rows: list[dict[str, str]]) -> list[ParameterSet]:
    if not rows:
        return [pytest.param({}, marks=pytest.mark.skip(reason=ABSENT), id="absent")]
    return [pytest.param(row, id=f"{Path(row['log_path']).name}-{number}") for number, row in enumerate(rows)]


@cache
def report_of_page(name: str) -> Report:
    return report_of(find(name), PERF)


@pytest.mark.parametrize("row", parameters(published_rows()))
def test_a_published_figure_that_its_log_gives_is_printed_to_the_last_digit(row: dict[str, str]) -> None:
    report = report_of_page(PAGES[row["model"]])
    of_the_log = [
        one
        for one in report.results
        if [run.log for run in report.runs_of(one)] == [row["log_path"]]
        and one.case["cards"].value == int(row["cards"])
    ]
    decimals = Protocol(decimals=len(row["published"].partition(".")[2]))
    shown = {text for one in of_the_log for text in (one.digits, printed(one.value or 0, decimals))}
    assert row["published"] in shown


@needs_logs
def test_no_published_figure_is_left_out_of_the_comparison() -> None:
    assert len(published_rows()) == 88


@every_page
def test_a_table_changes_only_how_a_number_is_printed(name: str) -> None:
    page = load(find(name))
    overridden = [
        part.partition("=")[0]
        for table in page.tables
        for column in table.columns
        for part in (column.protocol or "").split(",")
        if part
    ]
    assert set(overridden) <= {"decimals", "significant", "rounding"}


@every_page
def test_a_column_has_at_most_one_protocol_for_each_model_and_number_of_cards(name: str) -> None:
    """So no protocol is made for one cell: precisions, devices and batch sizes share it."""
    for column in load(find(name)).columns.values():
        cases = [((str(run.when.get("model")), str(run.when.get("cards"))), run.protocol) for run in column.runs]
        assert len(dict(cases)) == len(set(cases))


@cache
def catalogue(language: str) -> dict[str, str]:
    with (FOLDER / f"{language}.po").open("rb") as file:
        return {str(message.id): str(message.string) for message in read_po(file, abort_invalid=True) if message.id}


@cache
def texts(name: str) -> frozenset[str]:
    return frozenset(text for text in _texts(load(find(name))) if text)


def _texts(page: Page) -> Iterator[str]:
    blocks = [*page.tested, *page.environment, *page.setup, *page.steps, *page.results]
    for table in page.tables:
        yield from (table.title, table.corner)
        yield from (page.column_title(column) for column in table.columns)
        yield from (page.written(table, row, title) for row in table.rows for title in (row.group, row.title))
        blocks += table.notes
    yield page.title
    yield from (text for source in page.sources.values() for text in (source.title, source.note))
    yield from (block["en"] for block in blocks if "zh" not in block)


def is_of_no_language(text: str) -> bool:
    """Whether a text holds only names, numbers and code."""
    pieces = re.findall(r"[^\s,()=@\[\]×÷·-]+", LINK_TARGET.sub("]", CODE_SPAN.sub("", text)))
    return all(NAME.fullmatch(piece) or any(character.isdigit() for character in piece) for piece in pieces)


@every_page
def test_every_text_of_a_page_is_translated(name: str) -> None:
    page = load(find(name))
    known = catalogue("zh").keys() | page_words(page, "zh").keys() | {page.model, *page.columns}  # names stay
    assert [text for text in texts(name) if not is_of_no_language(text) and text not in known] == []


def test_every_message_of_a_template_is_translated() -> None:
    found = [message for path in TEMPLATES for message in babel_extract(BytesIO(path.read_bytes()), ["say"], [], {})]
    messages = [message[0] if isinstance(message, tuple) else message for _, _, message, _ in found]
    assert [message for message in messages if message and message not in catalogue("zh")] == []
    assert messages


@every_language
def test_no_translation_is_empty(language: str) -> None:
    assert [message for message, translation in catalogue(language).items() if not translation.strip()] == []


def test_every_translated_text_still_stands_in_its_page() -> None:
    with (FOLDER / "zh.po").open("rb") as file:
        located = [(str(m.id), Path(place).stem) for m in read_po(file) if m.id for place, _ in m.locations]
    assert [(text, name) for text, name in located if text not in texts(name)] == []


@every_language
def test_every_catalogue_has_the_keys_of_the_english_one_and_no_other(language: str) -> None:
    """English sentences stand for themselves; what is named by a key has words in English, too."""
    keys = {key for key in catalogue("en") if "." not in key}  # the others are translated by what they say in English
    assert keys - catalogue(language).keys() == set()
    assert [key for key in catalogue(language).keys() - keys if KEY.fullmatch(key)] == []


@every_language
def test_a_translation_keeps_the_placeholders_of_its_message(language: str) -> None:
    english = {message: catalogue("en").get(message, message) for message in catalogue(language)}
    differing = [m for m, text in catalogue(language).items() if placeholders(text) != placeholders(english[m])]
    assert differing == []


def placeholders(text: str) -> set[tuple[str, str | None]]:
    return {(field, form) for _, field, form, _ in Formatter().parse(text) if field is not None}


@every_language
def test_a_translation_keeps_code_and_links(language: str) -> None:
    assert [
        message
        for message, text in catalogue(language).items()
        for kept in (CODE_SPAN, LINK_TARGET)
        if language != "en" and set(kept.findall(message)) != set(kept.findall(text))
    ] == []


@every_language
def test_what_is_done_for_a_quantity_and_for_repeats_has_words(language: str) -> None:
    keys = [quantity.rule for quantity in QUANTITIES.values() if not quantity.is_throughput]
    keys += [f"repeats_{one}" for one in get_args(Protocol.model_fields["repeats"].annotation)]
    assert [key for key in keys if words(language).gettext(key) == key] == []


FIGURES = tomllib.loads(Path(__file__).with_name("published_figures.toml").read_text(encoding="utf-8"))


def rows() -> list[ParameterSet]:
    """Every row of a report: its page, its table, and what it holds."""
    found = [(page, table, row) for page, tables in FIGURES.items() for table, rows in tables.items() for row in rows]
    return [
        pytest.param(*one, marks=[needs_logs] if one[0] in OF_OTHERS else [], id=f"{one[0]}-{one[2]['row']}")
        for one in found
    ]


@pytest.mark.parametrize(("page", "table", "row"), rows())
def test_every_figure_of_a_report_stands_in_its_place(page: str, table: str, row: dict[str, Any]) -> None:
    title = ", ".join(row[key] for key in ("group", "row") if key in row)
    of_table = [one for one in report_of_page(page).results if one.id.startswith(f"{table}/")]
    found = [one for one in of_table if re.match(rf"{re.escape(title)}( \(|[^\w-]|$)", one.row) and one.digits]
    known = len(row["figures"]) - row.get("contradicted", 0)
    assert [one.digits for one in found[:known]] == row.get("today", row["figures"])[:known]
    assert all(one.qualifiers for one in found[known : len(row["figures"])])
    assert page in OF_OTHERS or all(one.rests_on_quotes for one in found)


@cache
def perf(name: str) -> list[tuple[list[list[Made]], list[Line]]]:
    """The rows of each table of a page, and what is unlike in it."""
    page = load(find(name))
    store = LogStore(PERF, ALONE)
    made = resolve(page, store)
    rows = [(table, rows_of(table, made)) for table in page.tables]
    return [(of, list(lines(page, table, of, store))) for table, of in rows]


def differences(name: str, row: str) -> list[Difference]:
    """What differs in a row of the first table of a page."""
    rows, unlike = perf(name)[0]
    (found,) = [one for one in unlike if one.is_row and rows[one.at][0].result.row == row]
    return list(found.differences)


@needs_logs
@pytest.mark.parametrize(
    ("name", "row", "gain"),
    [
        ("resnet50", "V100 · FP32, 8", "+1.7%"),
        ("resnet50", "A100 · FP32, 8", "+1.8%"),
        ("deeplabv3p", "FP32, 8", "+19.7%"),
    ],
)
def test_the_stalled_last_step_of_a_published_page_is_found(name: str, row: str, gain: str) -> None:
    (stall,) = [d for d in differences(name, row) if d.code == Unlike.SLOW_END]
    assert stall.each == {gain: ("NGC PyTorch",)}


@needs_logs
def test_the_batch_size_that_contradicts_its_row_is_found() -> None:
    (sizes,) = [d for d in differences("resnet50", "V100 · FP32, 1") if d.code == "batch_size"]
    assert sizes.each["128"] == ("NGC MXNet",)


@needs_logs
@pytest.mark.parametrize("name", OF_OTHERS)
def test_every_common_number_is_that_of_its_log_by_the_rule(name: str) -> None:
    found = [
        (one, line.common[one.result.id])
        for rows, unlike in perf(name)
        for line in unlike
        for one in (rows[line.at] if line.is_row else ())
        if one.result.id in line.common
    ]
    again = [measure(one.runs[0].reading) for one, _ in found]
    assert [measured.value for measured in again] == [common for _, common in found] != []
