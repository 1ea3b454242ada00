"""Fuzzing of what is done with strange logs, archives, page files, Markdown and run folders; CONTRIBUTING.md says how.

    python -m tests.fuzz.fuzz [--seconds N] [TARGET...]

Targets, all of them if none is named, are fuzzed at the same time, one on each core, and share the seconds, which begin
once all modules are imported. What breaks what a target promises ends its part with exit status 1; its input is kept as
``build/fuzz/TARGET-…``, with its traceback. With CI in the environment the inputs are the same each time, as far as the
seconds allow. Without atheris, which not every Python has, the same changes are made without a look at what they reach.
"""

import argparse
import faulthandler
import os
import random
import re
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from importlib import import_module
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from pkgutil import walk_packages

ROOMS = ("parsers", "report")

try:
    import atheris
except ImportError:
    atheris = None

with atheris.instrument_imports(include=list(ROOMS)) if atheris else nullcontext():
    for room in ROOMS:
        for module in walk_packages([str(Path(__file__).parents[2] / room)], f"{room}."):
            if not module.name.endswith("._shapes"):  # it is a library, but no module
                import_module(module.name)
    from tests.fuzz.beginnings import beginnings, fragments, hostile
    from tests.fuzz.sandbox import LONGEST, WAITED, TooSlow
    from tests.fuzz.targets import TARGETS

LONGEST_WORD = 64  # libFuzzer refuses longer ones
ROOT = Path(__file__).parents[2]
KEPT = ROOT / "build" / "fuzz"
INPUTS_BETWEEN = 500
"""So many inputs after each other share what the code remembers of files and labels; else it would fill the memory."""
OF_LOGS = 0.6
"""The share of changes of a log that put in fixed texts of formats; all others put in hostile names and markup."""
NEW_CHOICE = 0.1

NUMBER = re.compile(rb"\d+(?:\.\d+)?")
QUOTED = re.compile(rb'"[^"\n]{0,200}"')
ODD = (b"0", b"-1", b"nan", b"inf", b"-inf", b"1e308", b"1e999", b"9" * 20, b"0." + b"0" * 30 + b"1", b"", b"1,234.5")
MOST_REPEATS = 40

Target = Callable[[bytes], None]
Change = Callable[[list[bytes], random.Random, Sequence[bytes]], None]


def main() -> None:
    """Fuzz one target in this process; several in copies of it, for to import all modules for a fuzzer takes long."""
    options = _options()
    if len(options.targets) == 1:
        _fuzz(options.targets[0], options)
    else:
        sys.exit(_fuzz_several(options))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"one of {', '.join(TARGETS)}")
    parser.add_argument("--seconds", type=int, default=120)
    options = parser.parse_args()
    if unknown := set(options.targets) - {*TARGETS}:
        parser.error(f"there is no target {', '.join(sorted(unknown))}; targets are {', '.join(TARGETS)}")
    options.targets = options.targets or list(TARGETS)
    return options


def _fuzz_several(options: argparse.Namespace) -> int:
    """The exit status after all targets, each in a process of its own, as many at a time as there are cores."""
    at_once = min(len(os.sched_getaffinity(0)), len(options.targets))
    options.seconds = max(1, options.seconds * at_once // len(options.targets))

    def ended(name: str) -> bool:
        process = get_context("fork").Process(target=_fuzz, args=(name, options))
        process.start()
        process.join()
        return process.exitcode == 0

    with ThreadPoolExecutor(at_once) as pool:
        return int(not all(list(pool.map(ended, options.targets))))


def _fuzz(name: str, options: argparse.Namespace) -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    (_guided if atheris else _unguided)(_Run(name), options.seconds)


class _Run:
    """A target whose inputs are counted; the first error ends it, and its input is kept."""

    def __init__(self, name: str) -> None:
        self.name, self.count = name, 0

    def __call__(self, data: bytes) -> None:
        self.count += 1
        if self.count % INPUTS_BETWEEN == 0:
            _forget()
        # For what holds up Python itself: it tells where, and the input is the last one in the folder.
        faulthandler.dump_traceback_later(2 * WAITED, exit=True)
        try:
            TARGETS[self.name](data)
        except (Exception, TooSlow) as error:
            self._keep(data, error)
            raise
        finally:
            faulthandler.cancel_dump_traceback_later()

    def _keep(self, data: bytes, error: BaseException) -> None:
        kept = KEPT / f"{self.name}-{place(error)}"
        kept.write_bytes(data)
        kept.with_name(f"{kept.name}.txt").write_text("".join(traceback.format_exception(error)))
        print(f"{kept}: {error!r:.300}", flush=True)  # noqa: T201


def place(error: BaseException) -> str:
    """The type of an error, and the last place in the code of the project that it came through; a broken promise."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_ours(frame.filename)]
    last = f"{Path(frames[-1].filename).relative_to(ROOT)}:{frames[-1].lineno}" if frames else "outside"
    promise = f" {error}"[:LONGEST_WORD] if isinstance(error, AssertionError) else ""
    return re.sub(r"[^\w.:]+", "-", f"{type(error).__name__} {last}{promise}")


def _is_ours(filename: str) -> bool:
    path = Path(filename)
    return path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in (*ROOMS, "tests")


def _forget() -> None:
    """Empty what the modules of pages and audits remember of each input."""
    for name, module in list(sys.modules.items()):
        if name.startswith("report."):
            for value in vars(module).values():
                if callable(getattr(value, "cache_clear", None)):
                    value.cache_clear()


class _Change:
    """Changes inputs of a target: all but the first byte, which is a choice, and that now and then."""

    def __init__(self, name: str) -> None:
        self._takes_log = name in ("read", "measure", "scrub")
        self.of_logs, self.hostile = fragments(), hostile()

    def __call__(self, data: bytes, most: int, seed: int) -> bytes:
        chance = random.Random(seed)  # noqa: S311 - it need not be secret
        of_logs = self._takes_log and chance.random() < OF_LOGS
        first = bytes([chance.randrange(128)]) if chance.random() < NEW_CHOICE else data[:1]
        return first + mutated(data[1:], most - 1, seed, self.of_logs if of_logs else self.hostile)


def mutated(text: bytes, most: int, seed: int, fragments: Sequence[bytes]) -> bytes:
    """One to four changes of a text, cut to so many bytes; the same seed gives the same changes."""
    chance = random.Random(seed)  # noqa: S311 - it need not be secret
    lines = text.split(b"\n")
    for _ in range(chance.randint(1, 4)):
        chance.choice(CHANGES)(lines, chance, fragments)
    return b"\n".join(lines)[:most]


def _repeat(lines: list[bytes], chance: random.Random, _: Sequence[bytes]) -> None:
    start = chance.randrange(len(lines))
    some = lines[start : start + chance.randint(1, 5)]
    lines[start:start] = some * chance.randint(1, MOST_REPEATS)


def _drop(lines: list[bytes], chance: random.Random, _: Sequence[bytes]) -> None:
    start = chance.randrange(len(lines))
    lines[start : start + chance.randint(1, 10)] = [] if len(lines) > 10 else lines[start : start + 1]


def _swap(lines: list[bytes], chance: random.Random, _: Sequence[bytes]) -> None:
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]


def _join(lines: list[bytes], chance: random.Random, _: Sequence[bytes]) -> None:
    start = chance.randrange(len(lines))
    joint = chance.choice((b"", b"\r", b" ", b"\0", b"\x1b[0m"))
    lines[start : start + 2] = [joint.join(lines[start : start + 2])]


def _cut(lines: list[bytes], chance: random.Random, _: Sequence[bytes]) -> None:
    start = chance.randrange(len(lines))
    lines[start] = lines[start][: chance.randint(0, len(lines[start]))]


def _number(lines: list[bytes], chance: random.Random, _: Sequence[bytes]) -> None:
    start = chance.randrange(len(lines))
    places = list(NUMBER.finditer(lines[start]))
    if places:
        place, line = chance.choice(places), lines[start]
        lines[start] = line[: place.start()] + chance.choice(ODD) + line[place.end() :]


def _insert(lines: list[bytes], chance: random.Random, fragments: Sequence[bytes]) -> None:
    start = chance.randrange(len(lines))
    place = chance.randint(0, len(lines[start]))
    text = chance.choice(fragments) * chance.choice((1, 1, 1, 2, 50))
    lines[start] = lines[start][:place] + text + lines[start][place:]


def _quoted(lines: list[bytes], chance: random.Random, fragments: Sequence[bytes]) -> None:
    """Put a fragment into a value in quotes, or in its place: the file stays one of its kind."""
    held = [number for number, line in enumerate(lines) if b'"' in line]
    if not held:
        return
    start = chance.choice(held)
    places = list(QUOTED.finditer(lines[start]))
    if places:
        place, line = chance.choice(places), lines[start]
        cut = chance.choice((place.start() + 1, chance.randint(place.start() + 1, place.end() - 1)))
        end = chance.choice((cut, place.end() - 1))
        lines[start] = line[:cut] + chance.choice(fragments) + line[end:]


CHANGES: tuple[Change, ...] = (_repeat, _drop, _swap, _join, _cut, _number, _number, _insert, _quoted, _quoted)


def _guided(run: _Run, seconds: int) -> None:
    """Let libFuzzer find inputs that reach new code; it ends the process."""
    change = _Change(run.name)

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        return atheris.Mutate(data, most) if seed % 4 == 0 else change(data, most, seed)

    with tempfile.TemporaryDirectory(prefix="tachograph-seeds-") as folder:
        begun = Path(folder, "begun")
        begun.mkdir()
        for number, data in enumerate(beginnings(run.name)):
            (begun / f"{number:04}").write_bytes(data[:LONGEST])
        words = _dictionary(Path(folder, "words"), (*change.of_logs, *change.hostile))
        options = [f"-max_total_time={seconds}", f"-max_len={LONGEST}", f"-dict={words}", f"-artifact_prefix={KEPT}/"]
        # The sandbox has the clock. Atheris takes 0 for a second: what is under way as one ends would be too slow.
        options += ["-timeout=86400", "-rss_limit_mb=4000", "-detect_leaks=0", "-print_final_stats=1", "-verbosity=0"]
        options += ["-seed=1"] if "CI" in os.environ else []
        atheris.Setup([sys.argv[0], str(begun), *options], run, custom_mutator=mutate)
        atheris.Fuzz()


def _dictionary(path: Path, texts: Iterable[bytes]) -> Path:
    """Write texts as libFuzzer's dictionary."""
    escaped = ("".join(rf"\x{byte:02x}" for byte in text) for text in texts if 0 < len(text) <= LONGEST_WORD)
    path.write_text("".join(f'"{text}"\n' for text in escaped))
    return path


def _unguided(run: _Run, seconds: int) -> None:
    """Change inputs until the time is over."""
    change, until = _Change(run.name), time.monotonic() + seconds
    chance = random.Random(1 if "CI" in os.environ else None)  # noqa: S311 - it need not be secret
    known = [data[:LONGEST] for data in beginnings(run.name)]
    for data in chain(known, iter(lambda: change(chance.choice(known), LONGEST, chance.getrandbits(32)), None)):
        if time.monotonic() > until:
            break
        run(data)
    print(f"{run.name}: {run.count} inputs")  # noqa: T201


if __name__ == "__main__":
    main()
