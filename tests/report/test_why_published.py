"""`why` explains a number of a Markdown page, of others or of our own."""

from pathlib import Path

import pytest

from report.audit.recover import of_document, ruled
from report.results.model import Result
from report.views.why import NoCellError
from tests.commandline import run
from tests.report.audit.small_site import EIGHT, SPEED_UPS, make, write


def explained_by_log(page: Path, name: str) -> tuple[Result, str]:
    """The number of the log that explains a number of a page, and the ruling on this."""
    _, result, _, finding = of_document(page, name, None)
    assert result is not None
    return result, str(ruled(finding))


@pytest.mark.parametrize("name", ["3119.765", "3,119.765", "8/PaddlePaddle FP32 (BS=64)", "8:3119.765"])
def test_a_number_of_a_page_is_explained_from_its_log_by_the_rule_that_gives_it(name: str, tmp_path: Path) -> None:
    result, said = explained_by_log(make(tmp_path), name)
    assert (result.digits, Path(result.column).name) == ("3119.765", EIGHT)
    assert said.startswith("proved: ")


def test_a_number_that_its_log_does_not_give_is_explained_by_what_the_log_gives(tmp_path: Path) -> None:
    _, said = explained_by_log(make(tmp_path, ("3119.765", "3500.125")), "3500.125")
    assert said.startswith("differs: ")


def test_of_several_numbers_that_are_alike_the_places_are_told(tmp_path: Path) -> None:
    page = make(tmp_path, ("3119.765", "399.532"))
    with pytest.raises(NoCellError, match=r"2 numbers .*7:399.532, 8:399.532"):
        of_document(page, "399.532", None)


def test_a_number_of_a_page_of_our_own_is_explained_by_its_evidence(site: Path) -> None:
    done = run("why", site / "pages/toy.zh.md", "cards/8/a")
    assert (done.returncode, "toy cards/8/a: 8, Static" in done.stdout) == (0, True)


@pytest.mark.parametrize(("name", "ruling"), [("2.49", "derived from unproved"), ("8:3.50", "contradicted")])
def test_a_number_without_a_log_is_explained_by_others_of_its_table(name: str, ruling: str, tmp_path: Path) -> None:
    done = run("why", write(tmp_path, page=SPEED_UPS), name)
    assert (done.returncode, done.stdout.splitlines()[1].partition(":")[0]) == (0, ruling)


def test_a_number_without_a_log_has_no_values_to_print(tmp_path: Path) -> None:
    done = run("why", write(tmp_path, page=SPEED_UPS), "2.49", "--values")
    assert (done.returncode, done.stdout) == (2, "")
