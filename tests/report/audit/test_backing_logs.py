"""Which logs back a number: those that contradict it nowhere, by links, names and folders."""

import os
import shutil
from pathlib import Path

import pytest

from report.audit.backing_logs import agree, conflicts
from report.published.document import read_document
from report.published.published_site import PublishedSite
from tests.report.audit.small_site import EIGHT, LOGS, ONE, PAGE, audited, make, write


def site(folder: Path) -> PublishedSite:
    return PublishedSite([read_document(page) for page in sorted(folder.rglob("*.md"))], folder, folder)


def logs(folder: Path) -> list[str | None]:
    """The log of each number of the pages below a folder."""
    return [finding.log for finding in audited(folder)]


def test_a_log_is_found_by_its_link(tmp_path: Path) -> None:
    page = make(tmp_path / "a", (f"logs/{EIGHT}", "logs/second.txt"))
    (page.parent / "logs" / EIGHT).rename(page.parent / "logs" / "second.txt")
    assert logs(page.parent) == [f"logs/{ONE}", "logs/second.txt"]


def test_a_log_is_found_by_its_name(tmp_path: Path) -> None:
    page = make(tmp_path, (f"[1 card](logs/{ONE}), [8 cards](logs/{EIGHT})", ""))
    assert logs(page.parent) == [f"logs/{ONE}", f"logs/{EIGHT}"]


def test_a_log_is_found_by_the_name_of_its_folder(tmp_path: Path) -> None:
    page = make(tmp_path, (f"[1 card](logs/{ONE}), [8 cards](logs/{EIGHT})", ""))
    for name, folder in ((ONE, "1card"), (EIGHT, "8cards")):
        (tmp_path / "logs" / folder).mkdir()
        (tmp_path / "logs" / name).rename(tmp_path / "logs" / folder / "train.log")
    assert logs(page.parent) == ["logs/1card/train.log", "logs/8cards/train.log"]


def test_the_folder_of_the_page_is_where_its_logs_are(tmp_path: Path) -> None:
    make(tmp_path / "a")
    make(tmp_path / "b")
    assert logs(tmp_path) == [f"{folder}/logs/{log}" for folder in "ab" for log in (ONE, EIGHT)]


def test_a_column_that_links_to_a_folder_has_its_logs_there(tmp_path: Path) -> None:
    make(tmp_path / "a")
    make(tmp_path / "b")
    page = write(tmp_path, ("PaddlePaddle FP32", "[PaddlePaddle](b) FP32"), ("logs/", "x/"))
    assert [f.log for f in audited(tmp_path) if f.number.page == page] == [f"b/logs/{ONE}", f"b/logs/{EIGHT}"]


def test_logs_may_lie_in_another_folder(tmp_path: Path) -> None:
    page = make(tmp_path / "a", (f"[1 card](logs/{ONE}), [8 cards](logs/{EIGHT})", ""))
    (page.parent / "logs").rename(tmp_path / "elsewhere")
    found = audited(page, logs=tmp_path / "elsewhere")
    assert [finding.log for finding in found] == [ONE, EIGHT]


def test_a_file_in_a_hidden_folder_is_no_log(tmp_path: Path) -> None:
    page = make(tmp_path, (f"[1 card](logs/{ONE}), [8 cards](logs/{EIGHT})", ""))
    (tmp_path / "logs").rename(tmp_path / ".logs")
    assert logs(page.parent) == [None, None]


@pytest.mark.parametrize("address", ["../../x_log", "/etc/x_log", "%2e%2e/%2e%2e/x_log", "logs/../../../x_log"])
def test_an_address_that_leaves_the_folder_leads_to_no_log(address: str, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    shutil.copy(LOGS / EIGHT, tmp_path / "x_log")
    page = make(tmp_path / "a/b", (f"logs/{EIGHT}", address))
    assert site(page.parent).target(page, address) is None


@pytest.mark.parametrize(
    "address", ["https://a.b/x_log", "//a.b/x_log", "mailto:x", "#part", "x\0_log", "http://[", ""]
)
def test_an_address_that_is_no_path_leads_to_no_log(address: str, tmp_path: Path) -> None:
    page = make(tmp_path)
    assert site(tmp_path).target(page, address) is None


def test_an_address_may_be_encoded(tmp_path: Path) -> None:
    page = make(tmp_path)
    assert site(tmp_path).target(page, "logs/a%20b_log?raw=1#L3") == "logs/a b_log"


def test_a_pipe_that_is_named_like_a_log_is_none(tmp_path: Path) -> None:
    page = make(tmp_path)
    (tmp_path / "logs" / EIGHT).unlink()
    os.mkfifo(tmp_path / "logs" / EIGHT)
    assert logs(page.parent) == [f"logs/{ONE}", None]


def test_a_log_whose_name_is_no_text_is_judged_all_the_same(tmp_path: Path) -> None:
    page = make(tmp_path, (f"[1 card](logs/{ONE}), [8 cards](logs/{EIGHT})", ""))
    (tmp_path / "logs" / EIGHT).rename(tmp_path / "logs" / os.fsdecode(b"\xff N1C8_log"))
    assert logs(page.parent) == [f"logs/{ONE}", "logs/\udcff N1C8_log"]


def test_links_of_images_and_programs_are_no_logs(tmp_path: Path) -> None:
    page = make(tmp_path, page=PAGE + "\n[8 cards](logs/8cards.png) [8 cards](logs/run.sh)\n")
    (tmp_path / "logs/8cards.png").write_bytes(b"")
    (tmp_path / "logs/run.sh").write_bytes(b"")
    assert logs(page.parent) == [f"logs/{ONE}", f"logs/{EIGHT}"]


def test_half_precisions_are_told_apart_by_few() -> None:
    assert (agree("precision", "amp", "fp16"), agree("precision", "amp", "fp32")) == (True, False)


def test_what_one_of_both_does_not_say_is_no_conflict() -> None:
    assert conflicts({"cards": 8, "device": "V100"}, {"cards": 1, "precision": "amp"}) == ["cards"]
