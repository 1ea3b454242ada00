"""Marks: what of a line holds digits and is no number: stamps, lengths of time, names of cards, files and versions."""

import re

TRAINING = "训练|訓練|学習|학습"
AGENT = "roll[ _-]?outs?|episodes?|rewards?"
EVALUATION = "验证|评估|测试|検証|評価"
HALF = r" ?[AaPp][Mm](?![A-Za-z])"  # of the day: 01:02:03 PM
_CLOCK = rf"\d\d:\d\d:\d\d(?:[.,:]\d+)?(?:{HALF})?"
MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
# Dates of which nobody knows which number is the day or the year, or that name the month.
SHORT_DATE = (
    r"(?:(?<![\d/.-])\d\d[-/.]\d\d[-/.](?:\d{4}|\d\d)"
    rf"|(?<!\d)\d{{1,2}}[- ]{MONTH}[- ](?:\d{{4}}|\d\d)|(?<![A-Za-z]){MONTH} [ \d]?\d(?:,? \d{{4}})?),?"
)
_DATES = (
    r"\d{4}[-/]\d\d[-/]\d\d",
    r"(?<!\d)\d{8}(?=[ T-]\d\d:)",
    r"(?<!\d)\d\d[-/]\d\d(?:[-/]\d\d)?(?=[ ,])",
    SHORT_DATE,
    r"[IWEF]\d{4}(?:\d{4})?(?= \d\d:)",
)
# That of a line which begins with the time of day: [04:05:06] step 7.
_OF_DAY = r"\A\s{0,4}(?:(?:INFO|DEBUG|WARNING)[ :]\s?)?[\[(<]?"
TIME_OF_DAY = re.compile(
    rf"{_OF_DAY}(?P<stamp>(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d(?:[.,]\d{{1,9}})?))(?![\d:</])(?!{HALF})"
)
STAMP = re.compile(
    rf"(?:{'|'.join(_DATES)})[ T_-]*{_CLOCK}(?:Z|[+-]\d\d:?\d\d)?|{_OF_DAY}{_CLOCK}(?![\d:<\/])"
    rf"|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \w{{3}} +\d+ {_CLOCK}(?: \d{{4}})?|\d{{4}}[-/]\d\d[-/]\d\d(?!\d)"
)
DURATION = re.compile(
    r"(?:\d+ days?, *)?\d+:\d\d?:\d\d?(?:\.\d+)?(?![\d:])|(?:\d+ days?, *)?\d+:\d\d:\d\d(?:\.\d+)?"
    r"|(?<![\d:])\d+:\d\d(?![\d:])"
    r"|\b(?:\d+d ?)?(?:\d+h ?)?\d+m ?\d+s\b|\b\d+h ?\d+m\b"
    r"|\b\d+ ?(?:h|hrs?|hours?|mins?|minutes?|小时|分钟?)(?:,| and)? {0,2}\d+(?:\.\d+)? ?"
    r"(?:min(?:ute)?s?|s|sec(?:ond)?s?|分钟?|秒)(?![A-Za-z])"
)
# Those of them that a grammar reads.
LENGTH = re.compile(
    r"(?:\d+ days?, )?(?:\d+:\d\d?:\d\d?|\d+:\d\d)(?:\.\d+)?|(?:\d+d ?)?(?:\d+h ?)?\d+m ?\d+s|\d+h ?\d+m"
    r"|\d+ ?(?:mins?|minutes?|分钟?)(?:,| and)? {0,2}\d+(?:\.\d+)? ?(?:s|secs?|seconds?|秒)"
)
# Numbers that name something: a card, a rank, a place in a source file, a version.
IDENTITY = re.compile(
    r"(?<![\w/])/?(?:gpu|GPU|cuda|rank|Rank|RANK|RK|device|worker|node|Node|local_rank|pid)[:=#\s\[]{0,2}\d+\]?"
    r"|(?<![\w./\\-])[\w./\\-]+\.(?:py|cpp|cc|cu|java|scala|h|npy|pt|pth|yaml|json|txt|log|bin)\b"
    r"(?:[:\]]? ?\d+)?(?::\w+)?"
    r"|\b0x[0-9a-f]+|\b\d+(?:\.\d+){2,}\b|:::\w+v[\d.]+|\blineno\"?: *\d+|[$]:\d+|\bpid=\d+"
)
