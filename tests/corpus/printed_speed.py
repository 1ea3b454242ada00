"""Whether a log prints speed or times of training, by its text alone.

At least three lines that are equal but for numbers and signs have a number with a unit of speed or time, or beside a
word of either (``SPEED``), which is not the same in all of them, as in a sentence that a model repeats. Stamps at the
start of lines do not count, nor do lines that tell of other work than training: of an evaluation, of loading, of what
an engine does before it begins, of what goes over a network, of an error, or of settings. Nor does any line of a log
that says that it does not train, or that tells of an evaluation, a simulation or a network and nowhere of training. To
say that it does not train is not enough where a loss is printed: trainers of Hugging Face print that setting, which
their ``train`` does not read. A progress bar without a name tells of loading or of reading where the line above it
does, and lines of generating text tell of an evaluation. One line is enough that sums up the training by that name, as
trainers of Hugging Face do.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

from tests.corpus.witnesses import lines_of, shape_of

LINES_OF_SPEED = 3

COUNTED = (
    r"(?:it|iter|step|batch|sample|image|img|token|tok|word|frame|example|seq|sequence|sentence|episode|game|kimg)"
)
SPEED = re.compile(
    rf"""\d\s*{COUNTED}\w*\s?(?:/|per\s)\s?s(?:ec|\b)          # 12.5 samples/s
    |\d\s*(?:ms|s|secs?|seconds)\s?(?:/|per\s)\s?{COUNTED}      # 0.2 s/it
    |{COUNTED}\w*\s?(?:/|per\s?|_per_|_)s(?:ec\w*)?\b\W{{0,12}}\d  # SamplesPerSec=12.5
    |\b(?:fps|ips|wps|tps|ups|throughput|speed)\b(?:\W{{0,12}}|[ |]{{0,40}})\d  # and a row of a table: | fps  | 120 |
    |(?:time|elapsed|took|duration|runtime|(?:batch|reader|time)_?cost|\beta)[^\d\n]{{0,16}}\d+(?:\.\d|:\d\d|\s?(?:ms|s|m|h|sec|min)\b)
    |time\sper\s\w+[^\d\n]{{0,12}}\d                            # time per iteration (ms): 5837.9
    |\w_(?:s|ms|secs?)\b\s?[:=]?\s?\d                         # dt_ms 7380.6
    |(?:耗时|用时|时间|速度)[^\d\n]{{0,12}}\d
    |\d\s*(?:ms|secs?|seconds)\b|\d\.\d+s\b|-\s\d+s\b|\d\d:\d\d<\d  # 12 ms, 0.25s, of Keras `- 12s`""",
    re.IGNORECASE | re.VERBOSE,
)

SUMS_UP = re.compile(r"train_(?:runtime|\w+_per_second)\b[\"']?\s*[:=]\s*[\"']?\d")

# What a logger puts before its message: marks, numbers and a level, and the place in a source.
OF_LOGGER = re.compile(r"(?:[\W\d_]|\b(?:INFO|DEBUG|WARNING)\b|\b[\w.-]+\.py\b)*")
PLACE = re.compile(r"\S+\.py\b(?::\d+)?")
PREPARES = re.compile(
    r"\W*(?:generating \w+ split|map\b|filter\b|tokeniz|(?:down|up|pre)?load|reading\b|fetch|extract|sav(?:e|ing)\b"
    r"|tuner:)|.*\d ?[kMG]i?B/s",
    re.IGNORECASE,
)
SETS_UP = re.compile(
    r"(?<![a-z])(?:captur(?:e|ing)|profil(?:e|ing)|init(?:ialis|ializ)?(?:ing)?)(?![a-z])", re.IGNORECASE
)
EVALUATION = r"(?:val|valid\w*|eval\w*|test\w*|infer\w*|predict\w*|generation|\w*tokenize\w*)"
EVALUATES = re.compile(rf"(?<![a-z]){EVALUATION}(?![a-z])", re.IGNORECASE)
# Its steps are counted: `Test: [20/79] Loss 2.5`, `evaluate: Step[1/2067]`.
COUNTS_EVALUATION = re.compile(
    rf"(?<![a-z]){EVALUATION}\W{{1,4}}(?:(?:epoch|step|iter\w*|batch)\W{{0,4}})?\[?\s*\d+\s*/\s*\d+", re.IGNORECASE
)
INFERS = re.compile(r"\d\s?ms (?:pre-?process|inference|post-?process|nms)\b", re.IGNORECASE)
BAR = re.compile(r"\d{1,3}%(?:\||(?= +\d+/\d+ \[))")
STEPS_OF_BAR = re.compile(r"(?<!\d)[1-9]\d*/(\d+)")
BAR_WITHOUT_NAME = re.compile(r"\s*\d{1,3}%\|")
NETWORK = re.compile(r"\b(?:https?|icmp_seq|packets|rtt|ping|websocket|retrying|backing off)\b", re.IGNORECASE)
FAILS = re.compile(r"\W*ERROR\b")
SETTINGS = re.compile(r"\w(?:config|args|arguments|namespace|settings|options)\(\w+=|\bNamespace\(", re.IGNORECASE)
SETTING = re.compile(r"\w[\"']?[=:] ?(?:None|True|False)\b")
FEWEST_SETTINGS = 3
MOST_OF_NO_BAR = 2
# What stands for no time that was measured: `eval_runtime`, `max_s=3600`, the saturation of `hsv_s`.
OTHER_NAME = re.compile(r"(?<![a-z])(?:val|valid\w*|eval\w*|test|max|limit|timeout|hsv)[ _]", re.IGNORECASE)
OF_TRAINING = re.compile(r"train|epoch", re.IGNORECASE)
BETWEEN_NAMES = re.compile(r"[^\w .]")
LONGEST_NAME = 40  # letters before a number

TRAINS = re.compile(r"loss|train|epoch|(?<![a-z])(?:lr|steps?|iter\w*)(?![a-z])|训练|损失|轮", re.IGNORECASE)
# Words that are of no training, though they look like those of one.
LOOKALIKE = re.compile(r"packet loss|time ?loss|time_step\b", re.IGNORECASE)
# What is counted or told of training as it goes on, with its number.
GOES_ON = re.compile(
    r"(?:loss|损失)\w{0,20}\W{0,6}\d"
    r"|(?<![a-z/_])(?:(?:global|train|training|total|num)[_ ]?)?"
    r"(?:epochs?|steps?|iters?|iterations?|episodes?|updates?|timesteps|games?)\W{0,6}\d|第\s*\d+\s*轮",
    re.IGNORECASE,
)
NO_TRAINING = re.compile(r"\bdo_train[\"']?\s?[:=]\s?[Ff]alse\b")
NO_EPOCHS = re.compile(r"`Trainer\.fit` stopped: `max_epochs=0` reached")  # of Lightning
A_LOSS = re.compile(r"loss[\"']?\s?[:=]\s?\d", re.IGNORECASE)
AT_ALL = re.compile(rf"{TRAINS.pattern}|episode", re.IGNORECASE)
TELLS_OF_OTHER = re.compile(rf"{EVALUATES.pattern}|评估|测试|验证|\bsimulat(?:ion|or)|\bping\b", re.IGNORECASE)


def prints_speed(text: str) -> bool:
    """Whether a text prints speed or times of training, by its words alone."""
    lines = lines_of(text)
    if is_without_training(text, lines):
        return False
    if SUMS_UP.search(text):
        return True
    counts, told = Counter[str](), defaultdict[str, set[tuple[str, ...]]](set)
    above = ""
    for line in lines:
        is_read = bool(BAR_WITHOUT_NAME.match(line)) and is_of_preparing(above)
        if (speed := speed_of(line)) and not (is_read or is_of_other_work(line)):
            counts[shape := shape_of(line)] += 1
            told[shape].add(tuple(re.findall(r"[\d.]+", line[speed.start() :])))
            if counts[shape] >= LINES_OF_SPEED and len(told[shape]) > 1:
                return True
        above = above if not line.strip() or BAR_WITHOUT_NAME.match(line) else line
    return False


def speed_of(line: str) -> re.Match[str] | None:
    """Where a line first tells a speed or a time that nothing else has its name from; None where it does nowhere."""
    return next((found for found in SPEED.finditer(line) if not _is_of_other_name(line, found)), None)


def _is_of_other_name(line: str, speed: re.Match[str]) -> bool:
    before = line[max(speed.start() - LONGEST_NAME, 0) : speed.start()]
    name = BETWEEN_NAMES.split(before)[-1] + speed[0]
    return bool(OTHER_NAME.search(name) and not OF_TRAINING.search(name))


def is_without_training(text: str, lines: Iterable[str]) -> bool:
    """Whether a text says that nothing is trained, or tells of other work and nowhere of training."""
    says_so = NO_EPOCHS.search(text) or (NO_TRAINING.search(text) and not A_LOSS.search(text))
    tells_of_other = TELLS_OF_OTHER.search(text)
    return bool(says_so or (tells_of_other and not (AT_ALL.search(text) and any(map(may_train, lines)))))


def may_train(line: str) -> bool:
    """Whether a line tells how far a training is, its loss or its speed, or draws a bar that may be of it."""
    own = _without_lookalikes(line)
    tells = GOES_ON.search(own) or (SPEED.search(own) and TRAINS.search(own)) or may_be_bar_of_training(own)
    return bool(tells) and not is_of_other_work(line)


def may_be_bar_of_training(line: str) -> bool:
    """Whether a line draws a progress bar of more than two steps that has begun."""
    bar = BAR.search(line)
    steps = STEPS_OF_BAR.search(line, bar.end()) if bar else None
    return bool(steps and int(steps[1]) > MOST_OF_NO_BAR)


def is_of_other_work(line: str) -> bool:
    """Whether a line tells of loading, of an evaluation, of a network, of an error or of settings, not of training."""
    own = _without_lookalikes(line)
    if is_of_preparing(line) or is_setting(line) or INFERS.search(line) or is_of_evaluation(own):
        return True
    if TRAINS.search(own):
        return False
    return bool(FAILS.match(line) or EVALUATES.search(own) or NETWORK.search(line) or SETS_UP.search(own))


def _without_lookalikes(line: str) -> str:
    """A line without the places of a source and the words that tell of no training."""
    return LOOKALIKE.sub("", PLACE.sub("", line))


def is_of_evaluation(line: str) -> bool:
    """Whether a line counts the steps of an evaluation, or draws a bar of that name, whatever else it tells."""
    counted, bar = COUNTS_EVALUATION.search(line), BAR.search(line)
    name = line[: bar.start()] if bar else ""
    return bool(
        (counted and "train" not in line[counted.end() :]) or (EVALUATES.search(name) and not TRAINS.search(name))
    )


def is_setting(line: str) -> bool:
    """Whether a line holds settings: those of a named object, or several that are on, off or not given."""
    return bool(SETTINGS.search(line)) or len(SETTING.findall(line)) >= FEWEST_SETTINGS


def is_of_preparing(line: str) -> bool:
    """Whether a line begins with a word of loading or of reading, or behind what a logger puts before it."""
    before = OF_LOGGER.match(line)
    return bool(PREPARES.match(line) or (before and PREPARES.match(line[before.end() :])))
