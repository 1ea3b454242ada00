from parsers.io.errors import ExtraError as ExtraError
from parsers.io.errors import FormatError as FormatError
from parsers.io.errors import GrammarError as GrammarError
from parsers.io.errors import LogError as LogError
from parsers.io.errors import TachographError as TachographError
from parsers.runs.reading import Reading as Reading
from report.audit.audited import Audit as Audit
from report.comparing.comparison import Comparison as Comparison
from report.comparing.comparison import compare as compare
from report.comparing.history import History as History
from report.comparing.history import history as history
from report.measure.diagnostics import NoMeasurement as NoMeasurement
from report.measure.measurement import ContradictedError as ContradictedError
from report.measure.measurement import Measurement as Measurement
from report.measure.protocol import Protocol as Protocol
from report.measure.protocol import ProtocolError as ProtocolError
from report.pagefile.page_file import PageError as PageError
from report.results.model import Report as Report

from .api import Log as Log
from .api import audit as audit
from .api import export as export
from .api import measure_many as measure_many
from .api import open as open  # noqa: A004 - the verb that every reader of logs uses
from .api import report as report
from .cli import main as main

__version__: str
