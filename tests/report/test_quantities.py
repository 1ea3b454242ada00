"""Quantities are told apart by what they say of themselves, nowhere by their names."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from report.measuring import quantity as registry
from report.measuring.quantity import QUANTITIES, LogQuantity, Quantity
from report.pagefile.table import TableColumn
from tests.commandline import PROJECT

# What a log prints and gpu.csv holds under the same names is a column of theirs, not a quantity of a page.
FIELDS = {"throughput", "power", "step_time", "mfu"}
NAMES = QUANTITIES.keys() - FIELDS
SOURCES = sorted(set((PROJECT / "report").rglob("*.py")) - {Path(registry.__file__)})

every_quantity = pytest.mark.parametrize("quantity", QUANTITIES.values(), ids=str)


def texts(node: ast.AST) -> set[str]:
    return {part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)}


def named_in(source: str) -> Iterator[str]:
    """Where a program knows a quantity by its name: any that is of quantities only, any that a quantity is held to."""
    tree = ast.parse(source)
    yield from NAMES & texts(tree)
    for node in (node for node in ast.walk(tree) if isinstance(node, ast.Compare | ast.Match | ast.Subscript)):
        found = ast.unparse(node)
        if "quantity" in found.replace('"quantity"', "").replace("'quantity'", "") and QUANTITIES.keys() & texts(node):
            yield found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(PROJECT).as_posix())
def test_no_other_module_knows_a_quantity_by_its_name(path: Path) -> None:
    assert list(named_in(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "source",
    [
        "if cell.shown.quantity != 'throughput': pass",
        "chosen = [c for c in columns if c.quantity.name in ('power', 'energy')]",
        "UNITS = {'peak_memory': 'MiB'}",
        "match quantity:\n    case 'throughput': pass",
    ],
)
def test_a_name_that_is_compared_is_found(source: str) -> None:
    assert list(named_in(source)) != []


def test_a_field_of_a_log_may_be_called_as_a_quantity() -> None:
    assert list(named_in("if column == 'throughput': pass")) == []


@every_quantity
def test_a_page_file_names_a_quantity(quantity: Quantity) -> None:
    against = {"against": {"column": "b"}, "title": "a over b"} if quantity.is_over_another else {}
    target = {"target": 2.5} if isinstance(quantity, LogQuantity) and quantity.needs_target else {}
    column = TableColumn.model_validate({"column": "a", "quantity": quantity.name, **against, **target})
    assert column.quantity is quantity


@every_quantity
def test_a_quantity_is_made_of_one_thing(quantity: Quantity) -> None:
    kinds = (quantity.is_throughput, quantity.of_runs, quantity.of_telemetry, quantity.of_log, quantity.is_quotient)
    assert kinds.count(True) == 1


@every_quantity
def test_only_a_rate_is_printed_as_its_protocol_says(quantity: Quantity) -> None:
    assert quantity.is_rate == (quantity.decimals is None)


@every_quantity
def test_the_unit_of_a_page_follows_from_that_of_a_quantity_that_has_it(quantity: Quantity) -> None:
    unit = quantity.unit("tokens/s")
    assert quantity.rate_of(unit) == ("tokens/s" if "tokens" in unit else None)
