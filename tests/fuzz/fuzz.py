"""Coverage-guided fuzzing of what is done with strange logs and archives; `make fuzz` runs it for a minute a target.

    python -m tests.fuzz.fuzz TARGET... [-- OPTION...]

The inputs go to all targets that are named. What comes out as an error that no docstring names ends the run, and the
input is kept as `crash-…`; with `FINDINGS=FOLDER` in the environment it goes on, and keeps one input for each place in
the code. The options are libFuzzer's, such as `-max_total_time=600` or a folder that keeps what was learnt.
"""

import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import atheris

ROOMS = ("parsers", "report")

with atheris.instrument_imports(include=list(ROOMS)):
    from parsers.detect import formats
    from tests.fuzz.mutation import mutated
    from tests.fuzz.targets import SEPARATOR, TARGETS
    from tests.parsers.golden_logs import LOGS

LONGEST = 12_000
LONGEST_WORD = 64  # libFuzzer refuses longer ones
ROOT = Path(__file__).parents[2]
SEEDS = Path(__file__).parent / "seeds"


def fragments() -> list[bytes]:
    """The fixed texts of all lines of all formats."""
    variants = [variant for fmt in formats() for variant in fmt.variants]
    return sorted({text.encode() for variant in variants for text in variant.literals})


def begin(folder: Path) -> None:
    """Write what the fuzzer begins with: the golden logs, for every choice of a first byte that matters to one."""
    names = [fmt.name for fmt in formats()]
    for number, log in enumerate(LOGS):
        text = log.read_bytes()[:LONGEST]
        for first in (0, 1 + names.index(log.parent.name), number % 32):
            (folder / f"{number}-{first}").write_bytes(bytes([first]) + text)
        member = b"0lab/%d/train.log\n" % number
        for kind in (2, 3, 4):
            (folder / f"{number}-packed-{kind}").write_bytes(bytes([kind]) + member + text[:2000] + SEPARATOR)
    for seed in SEEDS.rglob("*"):
        if seed.is_file():
            (folder / f"{seed.parent.name}-{seed.name}").write_bytes(seed.read_bytes())


def dictionary(path: Path) -> Path:
    """Write the fragments as libFuzzer's dictionary."""
    escaped = ("".join(rf"\x{byte:02x}" for byte in text) for text in fragments() if len(text) <= LONGEST_WORD)
    path.write_text("".join(f'"{text}"\n' for text in escaped))
    return path


def place(error: BaseException) -> str:
    """The last place in the code of the rooms that an error came through, and its type."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_ours(frame.filename)]
    last = f"{Path(frames[-1].filename).relative_to(ROOT)}:{frames[-1].lineno}" if frames else "outside"
    return f"{type(error).__name__} {last}"


def _is_ours(filename: str) -> bool:
    return Path(filename).is_relative_to(ROOT) and Path(filename).relative_to(ROOT).parts[0] in (*ROOMS, "tests")


def collecting(target: Callable[[bytes], None], name: str, folder: Path) -> Callable[[bytes], None]:
    """A target whose errors are kept in a folder, the shortest input for each place, with the traceback beside it."""

    def run(data: bytes) -> None:
        try:
            target(data)
        except Exception as error:  # noqa: BLE001 - all errors are findings
            kept = folder / f"{name} {place(error)}".replace("/", "_")
            if not kept.exists() or len(kept.read_bytes()) > len(data):
                kept.write_bytes(data)
                kept.with_name(f"{kept.name}.txt").write_text(traceback.format_exc())

    return run


def _targets(names: list[str]) -> Iterator[Callable[[bytes], None]]:
    findings = os.environ.get("FINDINGS")
    for name in names:
        yield collecting(TARGETS[name], name, Path(findings)) if findings else TARGETS[name]


def main() -> None:
    """Fuzz until libFuzzer ends the process."""
    arguments = sys.argv[1:]
    split = arguments.index("--") if "--" in arguments else len(arguments)
    targets, texts = list(_targets(arguments[:split])), fragments()

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        return atheris.Mutate(data, most) if seed % 3 == 0 else data[:1] + mutated(data[1:], most - 1, seed, texts)

    def one(data: bytes) -> None:
        for target in targets:
            target(data)

    with tempfile.TemporaryDirectory(prefix="tachograph-seeds-") as folder:
        begin(Path(folder))
        options = [*arguments[split + 1 :], folder, f"-max_len={LONGEST}", "-timeout=60", "-rss_limit_mb=6000"]
        words = dictionary(Path(folder).with_name(f"{Path(folder).name}.dict"))
        atheris.Setup([sys.argv[0], *options, f"-dict={words}"], one, custom_mutator=mutate)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
