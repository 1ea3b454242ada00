"""Mistakes of an author in a page of six logs in two languages: each is told with its file and its line."""

from pathlib import Path

import pytest

from report.pagefile.page_file import PageError, load

PAGE = """title = { en = "ResNet50: how our cards scale", zh = "ResNet50：多卡扩展" }
model = "ResNet50"
unit = "images/s"
prose = "speed"
fastest = [
    { cards = 8, precision = ["fp32", "amp"] },
    { cards = 1 },
    { cards = 2 },
]
names = { precision = { fp32 = "FP32", amp = "AMP" } }
cautions = [{ column = "acme", case = { cards = 8 }, text = "waited for data" }]

[columns.acme]
title = "Acme"
logs = "mine/runs__{model}_{precision}_c{cards}/*/train.log"
names.model.ResNet50 = { file = "resnet50" }
protocol = "skip_records=4,decimals=1"

[[tables]]
name = "main"
title = { en = "Throughput", zh = "吞吐量" }
corner = "Cards"
case = { model = "ResNet50", batch_size = 128 }
# Rows of cards in groups of precisions.
rows = { precision = ["fp32", "amp"], cards = [1, 2, 8] }
columns = ["acme", { column = "acme", quantity = "scaling_efficiency" }]

[[tables]]
name = "gain"
title = { en = "Speed-up of AMP over FP32", zh = "AMP 相对 FP32 的加速比" }
case = { model = "ResNet50", batch_size = 128, precision = "amp" }
rows = { cards = [1, 2, 8] }
columns = [{ column = "acme", quantity = "speed_up", against = { case = { precision = "fp32" } } }]
"""
MAIN = 'rows = { precision = ["fp32", "amp"], cards = [1, 2, 8] }'
LOGS = 'logs = "mine/runs__{model}_{precision}_c{cards}/*/train.log"\n'
ROWS = "rows = [" + "".join(f'{{ title = "{n}", case = {{ cards = {n % 2 + 1} }} }}, ' for n in (1, 2, 3)) + "]"
CASE = 'case = { model = "ResNet50", batch_size = 128 }'
# A change of the page, and the line and the word that the sentence about it names.
MISTAKES = [
    ('unit = "images', 'units = "images', 3, "unit"),
    (MAIN, MAIN.replace("fp32", "FP32"), 25, "'fp32'"),
    (MAIN, MAIN.replace("8", '"eight"'), 25, "'eight'"),
    (CASE, CASE.replace("128", '"128"'), 23, "'128'"),
    (MAIN, MAIN.replace("1, 2", "1, 2, 2"), 25, "cards"),
    (MAIN, MAIN.replace(" }", ", except = [{ cards = 4 }] }"), 25, "except: no row has cards 4"),
    ('["acme", {', '["acne", {', 26, "'acne'"),
    ('"scaling_eff', '"scaling_ef', 26, "tables.main.columns.acme.quantity"),
    ('columns = ["acme", {', 'columns = "acme" # {', 26, "tables.main.columns"),
    ("skip_records=4", "skip_record=4", 17, "skip_record"),
    ("decimals=1", "decimals=one", 17, "decimals: Input should be a valid integer"),
    ("c{cards}/", "c{card}/", 15, "{card}"),
    ('"mine/runs', '"/mine/runs', 15, "columns.acme.logs"),
    ("{ cards = 1 },", "{ crads = 1 },", 7, "fastest.crads"),
    ("{ cards = 1 },", "{},", 7, "fastest"),
    ("{ cards = 2 },\n]", "{ cards = 2 },\n    { cards = 1 },\n]", 5, "fastest"),
    ("{ cards = 1 },", "{ cards = 4 },", 7, "cards 4"),
    ("names = { precision", "names = { precison", 10, "names.precison"),
    ('fp32 = "FP32"', 'fp23 = "FP32"', 10, "'fp23'"),
    ('unit = "images/s"', 'unit = "images/s', 3, "TOML"),
    ('prose = "speed"', 'prose = "sped"', 4, "'sped'"),
    ('{ en = "Throughput", ', "{ ", 21, "tables.main.title"),
    ('name = "gain"', 'name = "main"', 29, "'main'"),
    ('{ precision = "fp32" } }', '{ precision = "bf16" } }', 33, "speed_up"),
    ('text = "waited for data"', 'text = " "', 11, "cautions.acme.text"),
    ("case = { cards = 8 }, text", 'case = { cards = "8" }, text', 11, "'8'"),
    ("case = { cards = 8 }, text", "case = { cards = 4 }, text", 11, "cards 4"),
    ('{ precision = "fp32" } }', '{ cards = "1" } }', 33, "'1'"),
    ("{ cards = 1 },", '{ cards = "1" },', 7, "'1'"),
    (CASE, CASE.replace("Net50", "Net-50"), 33, "model ResNet50"),
    ('"images/s"', '"img/s"', 3, "write 'images/s'"),
    ('"images/s"', '"tok/s"', 3, "write 'tokens/s'"),
    ("[1, 2, 8]", "[1, 2 8]", 25, "a comma or a closing bracket is missing before '8'"),
    ("{ cards = 1 },", "{ cards = 1 }", 8, "a comma or a closing bracket is missing"),
    (LOGS, "", 13, "columns.acme has neither logs nor a quote"),
    (MAIN, ROWS, 25, "the rows 1 and 3 have the same case"),
    ("[1, 2, 8]", "[1, 2, 8], card = [1]", 25, "did you mean cards?"),
    ("rows = { cards", "rows = { precison", 32, "did you mean precision?"),
    ("names.model.ResNet50 =", "names.model.ResNet5 =", 16, "did you mean 'ResNet50'?"),
    ('{ file = "resnet50" }', '{ fil = "resnet50" }', 16, "did you mean file?"),
    ('title = "Acme"', 'title = "Acme"\ntitle = "B"', 15, "Cannot overwrite a value"),
]


@pytest.mark.parametrize(("found", "put", "line", "named"), MISTAKES)
def test_a_mistake_of_an_author_is_told_with_its_file_its_line_and_what_is_wrong(
    found: str, put: str, line: int, named: str, tmp_path: Path
) -> None:
    (tmp_path / "speed").mkdir()
    (tmp_path / "speed/tested.en.md").write_text("How our cards scale.", encoding="utf-8")
    path = tmp_path / "speed.toml"
    assert found in PAGE
    path.write_text(PAGE, encoding="utf-8")
    load(path)
    path.write_text(PAGE.replace(found, put, 1), encoding="utf-8")
    with pytest.raises(PageError) as raised:
        load(path)
    sentence = str(raised.value)
    assert sentence.startswith(str(path))
    assert f"line {line}" in sentence
    assert named in sentence
    assert "\n" not in sentence
