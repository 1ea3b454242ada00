"""Mutations of texts: lines, numbers and quoted values change, where a fuzzer by itself only changes bytes."""

import random
import re
from collections.abc import Callable, Sequence

NUMBER = re.compile(rb"\d+(?:\.\d+)?")
QUOTED = re.compile(rb'"[^"\n]{0,200}"')
ODD = (b"0", b"-1", b"nan", b"inf", b"-inf", b"1e308", b"1e999", b"9" * 20, b"0." + b"0" * 30 + b"1", b"", b"1,234.5")
MOST_REPEATS = 40


def mutated(text: bytes, most: int, seed: int, fragments: Sequence[bytes]) -> bytes:
    """One to four changes of a text, cut to so many bytes; the same seed gives the same changes."""
    chance = random.Random(seed)  # noqa: S311 - it need not be secret
    lines = text.split(b"\n")
    for _ in range(chance.randint(1, 4)):
        chance.choice(CHANGES)(lines, chance, fragments)
    return b"\n".join(lines)[:most]


Change = Callable[[list[bytes], random.Random, Sequence[bytes]], None]


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
