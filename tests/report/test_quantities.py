"""Quantities are told apart by what they say of themselves, nowhere by their names."""

from report.measure.quantity import QUANTITIES
from report.pagefile.page import TableColumn


def test_a_page_file_names_a_quantity() -> None:
    for quantity in QUANTITIES.values():
        against = {"against": {"column": "b"}, "title": "a over b"} if quantity.origin == "ratio" else {}
        column = TableColumn.model_validate({"column": "a", "quantity": quantity.name, **against})
        assert column.quantity is quantity
