"""Mistakes of an author in a page of six logs in two languages: each is told in one sentence, with file and line."""

import re
from pathlib import Path

import pytest

from report.pagefile.page_file import PageError, load

PAGE = """title = { en = "ResNet50: how our cards scale", zh = "ResNet50：多卡扩展" }
model = "ResNet50"
unit = "images/s"
prose = "speed"
highlights = [
    { highest = { cards = 8 } },
    { scaling = { cards = 8 } },
    { speed_up = { cards = 8 } },
]
labels = { precision = { fp32 = "FP32", amp = "AMP" } }
cautions = [{ column = "acme", case = { cards = 8 }, text = "waited for data" }]

[columns.acme]
title = "Acme"
logs = "mine/runs__{model}_{precision}_c{cards}/*/train.log"
spellings = { model = { ResNet50 = "resnet50" } }
protocol = "skip_records=4,decimals=1"

[[tables]]
name = "main"
title = { en = "Throughput", zh = "吞吐率" }
corner = "Cards"
case = { model = "ResNet50", batch_size = 128 }
for = { precision = ["fp32", "amp"] }
rows = { cards = [1, 2, 8] }
columns = ["acme", { column = "acme", quantity = "scaling_efficiency" }]

[[tables]]
name = "gain"
title = { en = "Speed-up of AMP over FP32", zh = "AMP 相对 FP32 的加速比" }
case = { model = "ResNet50", batch_size = 128, precision = "amp" }
rows = { cards = [1, 2, 8] }
columns = [{ column = "acme", quantity = "speed_up", against = { case = { precision = "fp32" } } }]
"""
MAIN = 'rows = { cards = [1, 2, 8] }\ncolumns = ["acme"'
CASE = 'case = { model = "ResNet50", batch_size = 128 }'
FOR = 'for = { precision = ["fp32", "amp"] }'
MISTAKES = {
    ('unit = "images', 'units = "images'): "line 3: units is not a valid key; did you mean unit?",
    (FOR, FOR.replace("fp32", "FP32")): "line 24: table main has precision 'FP32'; write 'fp32'.",
    (MAIN, MAIN.replace("8", '"eight"')): "line 25: table main has cards 'eight'; write a whole number, at least 1.",
    (CASE, CASE.replace("128", '"128"')): "line 23: table main has batch size '128'; write a whole number, at least 1.",
    (MAIN, MAIN.replace("1, 2", "1, 2, 2")): "line 25: tables.main: cards has 2 twice; state each value once.",
    (MAIN, f"leave_out = [{{ cards = 4 }}]\n{MAIN}"): "line 25: tables.main: leave_out: no row has cards 4.",
    ('["acme", {', '["acne", {'): "line 26: table main refers to an unknown column 'acne'; columns: acme.",
    (
        '"scaling_eff',
        '"scaling_ef',
    ): "line 26: tables.main.columns.acme.quantity: must not be 'scaling_eficiency'; did you",
    ('columns = ["acme", {', 'columns = "acme" # {'): "line 26: tables.main.columns: must be a list.",
    (
        "skip_records=4",
        "skip_record=4",
    ): 'line 17: columns.acme.protocol: "skip_record" is not a key of a protocol; did you',
    (
        "decimals=1",
        "decimals=one",
    ): "line 17: columns.acme.protocol: decimals=one is not valid: must be a whole number.",
    ("c{cards}/", "c{card}/"): "line 15: columns.acme.logs: {card} cannot be used in ",
    ('"mine/runs', '"/mine/runs'): "line 15: columns.acme.logs: ",
    ("highest =", "highst ="): "line 6: highlights.highst is not a valid key; did you mean highest?",
    ("scaling = { cards = 8", "scaling = { cards = 4"): "line 7: a highlight (scaling) matches no cell: ",
    (
        "labels = { precision",
        "labels = { precison",
    ): "line 10: labels.precison is not a valid key; did you mean precision?",
    (
        'fp32 = "FP32"',
        'fp23 = "FP32"',
    ): "line 10: labels.precision: no table has precision 'fp23'; did you mean 'fp32'?",
    ('unit = "images/s"', 'unit = "images/s'): "is not valid TOML: Illegal character '\\n' (at line 3, column 17).",
    ('prose = "speed"', 'prose = "sped"'): "line 4: prose: the folder 'sped' is not beside the page file.",
    ('{ en = "Throughput", ', "{ "): "line 21: tables.main.title: must be a text, or one for each language",
    ('name = "gain"', 'name = "main"'): "line 20: two tables are named 'main'; use unique names.",
    (
        '{ precision = "fp32" } }',
        '{ precision = "bf16" } }',
    ): "line 33: table gain has a speed_up that needs the throughput",
    ('text = "waited for data"', 'text = " "'): "line 11: cautions.acme.text: must not be empty.",
    (
        "case = { cards = 8 }, text",
        'case = { cards = "8" }, text',
    ): "line 11: a caution has cards '8'; write a whole number, at least 1.",
    (
        "case = { cards = 8 }, text",
        "case = { cards = 4 }, text",
    ): "line 11: a caution does not match any cell: no table shows column 'acme' with cards 4. The nearest one has",
    (
        '{ precision = "fp32" } }',
        '{ cards = "1" } }',
    ): "line 33: table gain has cards '1'; write a whole number, at least 1.",
    (
        "{ highest = { cards = 8 } }",
        '{ highest = { cards = "8" } }',
    ): "line 6: a highlight has cards '8'; write a whole",
    (CASE, CASE.replace("Net50", "Net-50")): "which no table shows. The nearest one has model ResNet-50.",
}


@pytest.mark.parametrize(("found", "put", "said"), [(*change, said) for change, said in MISTAKES.items()])
def test_a_mistake_of_an_author_is_told_in_a_sentence_with_its_file_and_line(
    found: str, put: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / "speed").mkdir()
    (tmp_path / "speed/tested.en.md").write_text("How our cards scale.", encoding="utf-8")
    path = tmp_path / "speed.toml"
    assert PAGE.count("\n") < 40
    assert found in PAGE
    path.write_text(PAGE, encoding="utf-8")
    load(path)
    path.write_text(PAGE.replace(found, put, 1), encoding="utf-8")
    with pytest.raises(PageError) as raised:
        load(path)
    sentence = str(raised.value)
    assert sentence.startswith(str(path))
    assert said in sentence
    assert re.search(r"line \d+", sentence)
    assert "\n" not in sentence
