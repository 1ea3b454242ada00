"""A folder of published pages with tables, and the logs beside them, made up: no number in them was ever measured."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random
from statistics import fmean, median

from tests.bench.made_page import COLUMNS, Made

PAGES_OF_A_MODEL = 2
NUMBERS_OF_A_PAGE = 40
CARDS, PRECISIONS, BATCH_SIZES = (1, 8), ("FP32", "AMP"), (32, 64)
LOGS_OF_A_MODEL = len(CARDS) * len(PRECISIONS) * len(BATCH_SIZES)
LINES = (40, 120, 250)  # of the logs
SKIPPED = 10  # records of each log that no number counts
WRONG = 0.1  # of the numbers
FRAMEWORKS = {"paddleclas": "PaddlePaddle", "paddleseg": "PaddlePaddle", "mxnet": "MXNet"}  # the others are PyTorch's
HEADS = {
    "en": ("Throughput in samples/s:", "Cards", "Speed-up of 8 cards", "Other frameworks", "Step time"),
    "zh": ("吞吐率, samples/s:", "卡数", "8 卡加速比", "其他框架", "每步耗时"),
}

Case = tuple[int, str, int]  # cards, precision, batch size


@dataclass(frozen=True)
class Run:
    """A run that was made up: the path of its log below its page, and the samples per second that its lines print."""

    log: str
    speeds: Sequence[float]


def write_folder(folder: Path, pages: int, linked: bool = True) -> int:
    """Write so many pages, and their logs; returns how many logs there are.

    Two pages, in English and Chinese, tell of one model, and of each a tenth of the numbers is wrong. The cells of
    every other model link to their logs, which otherwise are found by their names.
    """
    for number in range(pages // PAGES_OF_A_MODEL):
        place, random = folder / f"Model{number:04d}", Random(number)  # noqa: S311 - no secret
        (place / "logs").mkdir(parents=True)
        made = COLUMNS[number % len(COLUMNS)]
        runs = {case: _run(made, place, case, random) for case in product(CARDS, PRECISIONS, BATCH_SIZES)}
        for name, language in (("README.md", "en"), ("README.zh.md", "zh")):
            text = _Page(made, runs, random, is_linked=number % 2 == 0).text(place.name, HEADS[language])
            (place / name).write_text(text, encoding="utf-8")
    return pages // PAGES_OF_A_MODEL * LOGS_OF_A_MODEL


def _run(made: Made, place: Path, case: Case, random: Random) -> Run:
    """Write the log of a run, the lines of which print its speeds rounded."""
    cards, precision, size = case
    log = f"logs/{made.name}_{place.name}_bs{size}_{precision.lower()}_N1C{cards}.log"
    level = made.speed * (1.7 if precision == "AMP" else 1) * random.uniform(0.5, 2)
    speeds = [level * random.uniform(0.98, 1.02) * (0.5 if step < 4 else 1) for step in range(random.choice(LINES))]
    lines = [_line(made, step, speed, cards, size) for step, speed in enumerate(speeds, 1)]
    (place / log).write_text("\n".join([*lines, ""]), encoding="utf-8")
    return Run(log, [_printed(made, speed, cards, size) for speed in speeds])


def _line(made: Made, step: int, card: float, cards: int, size: int) -> str:
    told = {"step": step, "clock": f"09:{30 + step // 60}:{step % 60:02d}", "loss": 7 - step / 100}
    return made.line.format(**told, card=card, job=card * cards, seconds=size / card)


def _printed(made: Made, card: float, cards: int, size: int) -> float:
    """What a line gives for the whole job: by the time of a step where it prints no speed."""
    if made.name == "imagenet":
        return size * cards / round(size / card, 6)
    if "{job" in made.line:
        return round(card * cards, 2)
    return round(card, 5 if made.name == "paddleclas" else 4) * cards


@dataclass(frozen=True)
class _Page:
    """A page of one model; ``runs``: by their cases."""

    made: Made
    runs: Mapping[Case, Run]
    random: Random
    is_linked: bool

    def text(self, model: str, heads: Sequence[str]) -> str:
        """The Markdown of the page."""
        throughput, cards, speedup, others, step_time = heads
        parts = [f"# {model}", throughput, _table([cards, *map(_case_of, _CASES)], self._throughputs())]
        parts += [f"## {speedup}", throughput, _table([cards, "1 card", "8 cards", "Speed-up"], self._speedups())]
        ours = FRAMEWORKS.get(self.made.name, "PyTorch")
        head = [cards, "Precision", "Batch size", f"{ours} samples/s", "TensorFlow samples/s"]
        parts += [f"## {others}", _table(head, self._comparison())]
        parts += [f"## {step_time}", _table([cards, "Precision", "ms/step"], self._step_times())]
        return "\n\n".join(parts) + "\n"

    def _throughputs(self) -> Iterator[list[str]]:
        for cards in CARDS:
            yield [str(cards), *(self._cell((cards, *case)) for case in _CASES)]

    def _cell(self, case: Case) -> str:
        digits = self._digits(case)
        return f"[{digits}]({self.runs[case].log})" if self.is_linked else digits

    def _digits(self, case: Case) -> str:
        """The throughput of a case as a page prints it, a few of them wrongly."""
        if self.random.random() < WRONG:
            return self._wrong(case)
        return f"{self._value(case):.3f}"

    def _value(self, case: Case) -> float:
        reduce = median if self.made.name == "imagenet" else fmean
        return reduce(self.runs[case].speeds[SKIPPED:])

    def _wrong(self, case: Case) -> str:
        """Another digit, the number of another case, or one that no rule gives."""
        digits = f"{self._value(case):.3f}"
        at = self.random.randrange(1, digits.index("."))
        other = self.random.choice(list(self.runs))
        wrong = (digits[:at] + str(9 - int(digits[at])) + digits[at + 1 :], f"{self._value(other):.3f}")
        return self.random.choice((*wrong, f"{self._value(case) * self.random.uniform(1.03, 1.1):.3f}"))

    def _speedups(self) -> Iterator[list[str]]:
        for case in _CASES:
            one, eight = (self._digits((cards, *case)) for cards in CARDS)
            yield [_case_of(case), one, eight, f"{float(eight) / float(one):.2f}"]

    def _comparison(self) -> Iterator[list[str]]:
        for cards, precision, size in self.runs:
            digits = self._digits((cards, precision, size))
            yield [str(cards), precision, str(size), digits, f"{float(digits) * self.random.uniform(0.7, 1.2):.3f}"]

    def _step_times(self) -> Iterator[list[str]]:
        for cards, precision in product(CARDS, PRECISIONS):
            size = BATCH_SIZES[0]
            yield [str(cards), precision, f"{1000 * size * cards / self._value((cards, precision, size)):.3f}"]


_CASES = list(product(PRECISIONS, BATCH_SIZES))


def _case_of(case: tuple[str, int]) -> str:
    precision, size = case
    return f"{precision} (BS={size})"


def _table(head: Sequence[str], rows: Iterator[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
