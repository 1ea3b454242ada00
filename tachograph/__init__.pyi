from parsers.io.errors import FormatError as FormatError
from parsers.io.errors import GrammarError as GrammarError
from parsers.io.errors import LogError as LogError
from parsers.io.errors import ParserError as ParserError
from parsers.ranks.ranked_reading import read as read
from parsers.ranks.ranked_reading import survey as survey
from parsers.runs.reading import Reading as Reading
from report.comparing.history.history_notebook import History as History
from report.comparing.history.history_notebook import history as history
from report.comparing.notebook import Comparison as Comparison
from report.comparing.notebook import compare as compare
from report.evidence.measured_log import MeasuredLog as MeasuredLog
from report.evidence.measured_log import open as open  # noqa: A004 - the verb that every reader of logs uses
from report.measure.diagnostics import NoMeasurement as NoMeasurement
from report.measure.measure import measure as measure
from report.measure.measurement import ContradictedError as ContradictedError
from report.measure.measurement import Measurement as Measurement
from report.measure.protocol import Protocol as Protocol

from .cli import main as main

__version__: str
