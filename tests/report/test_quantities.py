"""Quantities are told apart by what they say of themselves, nowhere by their names."""

from report.measuring.quantity import QUANTITIES, LogQuantity
from report.pagefile.table import TableColumn


def test_a_page_file_names_a_quantity() -> None:
    for quantity in QUANTITIES.values():
        against = {"against": {"column": "b"}, "title": "a over b"} if quantity.is_over_another else {}
        target = {"target": 2.5} if isinstance(quantity, LogQuantity) and quantity.needs_target else {}
        column = TableColumn.model_validate({"column": "a", "quantity": quantity.name, **against, **target})
        assert column.quantity is quantity


def test_a_quantity_is_made_of_one_thing() -> None:
    for quantity in QUANTITIES.values():
        kinds = (quantity.is_throughput, quantity.of_runs, quantity.of_telemetry, quantity.of_log, quantity.is_quotient)
        assert kinds.count(True) == 1


def test_only_a_rate_is_printed_as_its_protocol_says() -> None:
    for quantity in QUANTITIES.values():
        assert quantity.is_rate == (quantity.decimals is None)


def test_the_unit_of_a_page_follows_from_that_of_a_quantity_that_has_it() -> None:
    for quantity in QUANTITIES.values():
        unit = quantity.unit("tokens/s")
        assert quantity.rate_of(unit) == ("tokens/s" if "tokens" in unit else None)
