"""The page of the launchers says what the launchers say, and tells only checks of the launchers that there are."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from native_checkout import TOP

from launchers.native import catalogue, recipes
from launchers.native.outcome import Checked, CheckOutcome, passing_sha256

PAGE = TOP / "docs" / "launchers.md"
OUTCOMES = Path(__file__).with_name("checked_options.json")


def outcome(recipe: str) -> CheckOutcome:
    """An outcome with one option that exists and one that does not."""
    checked = (Checked("--lr", "train.py", "train.py:7"), Checked("--seed", "train.py", None))
    return CheckOutcome(recipe, passing_sha256(recipes.read(recipe)), None, checked, ("--nnodes",))


def test_the_page_of_the_launchers_is_the_one_that_the_recipes_and_their_checks_make(
    compare: Callable[[Path, str], None],
) -> None:
    compare(PAGE, catalogue.page(catalogue.load(OUTCOMES)))


@pytest.mark.parametrize("recipe", recipes.names())
def test_a_launcher_has_not_changed_since_it_was_checked(recipe: str) -> None:
    assert catalogue.is_current(recipes.read(recipe), catalogue.load(OUTCOMES)[recipe])


def test_a_launcher_has_changed_when_a_file_that_it_shares_with_others_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(recipes.ROOM, tmp_path / "launchers")
    monkeypatch.setattr(recipes, "ROOM", tmp_path / "launchers")
    checked = outcome("paddleclas_vgg16")
    with (tmp_path / "launchers" / "paddle.bash").open("a", encoding="utf-8") as file:
        file.write("launch+=(--log_level DEBUG)\n")
    assert not catalogue.is_current(recipes.read("paddleclas_vgg16"), checked)


@pytest.mark.parametrize("recipe", recipes.names())
def test_every_option_of_a_launcher_exists_in_its_repository(recipe: str) -> None:
    kept = catalogue.load(OUTCOMES)[recipe]
    assert (kept.unknown, kept.refused) == ([], [])


def test_every_kept_check_has_its_launcher() -> None:
    assert set(catalogue.load(OUTCOMES)) <= set(recipes.names())


def test_a_kept_outcome_is_read_as_it_was(tmp_path: Path) -> None:
    kept = outcome("paddleclas_resnet50")
    catalogue.keep(kept, tmp_path / "outcomes.json")
    assert catalogue.load(tmp_path / "outcomes.json") == {kept.recipe: kept}


def test_a_new_outcome_takes_the_place_of_the_last_one_of_its_recipe(tmp_path: Path) -> None:
    file, kept = tmp_path / "outcomes.json", outcome("paddleclas_resnet50")
    for each in (replace(kept, checked=()), outcome("paddleseg_deeplabv3p"), kept):
        catalogue.keep(each, file)
    assert list(catalogue.load(file)) == ["paddleclas_resnet50", "paddleseg_deeplabv3p"]
    assert catalogue.load(file)[kept.recipe] == kept


def test_the_page_says_which_option_does_not_exist() -> None:
    page = catalogue.page({"paddleclas_resnet50": outcome("paddleclas_resnet50")})
    assert "1 of 2 options do not exist: --seed." in page


def test_the_page_leaves_out_the_check_of_a_launcher_that_has_changed() -> None:
    earlier = replace(outcome("paddleclas_resnet50"), launcher="0" * 64)
    assert "options do not exist" not in catalogue.page({earlier.recipe: earlier})


def test_the_table_lists_every_recipe_with_its_pinned_commit() -> None:
    lines = catalogue.table().splitlines()[2:]
    for name in recipes.names():
        commit = recipes.read(name).facts["commit"]
        assert any(line.startswith(f"{name} ") and f"@{commit[:7]} " in line for line in lines)
