"""What fuzzing found stays found: each seed goes to its target, which lets no error out that no docstring names."""

from pathlib import Path

import pytest

from tests.fuzz.targets import TARGETS

SEEDS = sorted(path for path in (Path(__file__).parent / "seeds").glob("*/*") if path.is_file())


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: f"{seed.parent.name}/{seed.name}")
def test_a_seed_of_the_fuzzer_raises_nothing(seed: Path) -> None:
    TARGETS[seed.parent.name](seed.read_bytes())
