"""What fuzzing found stays found: each seed goes to its target, which lets out no error and breaks no promise."""

from pathlib import Path

import pytest

from tests.fuzz.beginnings import SEEDS
from tests.fuzz.targets import TARGETS

KEPT = sorted(path for path in SEEDS.glob("*/*") if path.is_file())


@pytest.mark.parametrize("seed", KEPT, ids=lambda seed: f"{seed.parent.name}/{seed.name}")
def test_a_seed_of_the_fuzzer_raises_nothing(seed: Path) -> None:
    TARGETS[seed.parent.name](seed.read_bytes())
