"""The page file: what is published, where its evidence is, and by which protocol."""

import glob
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from parsers.io.inside import is_spelt_inside
from parsers.io.regular import text_of

from ..measuring.protocol import Protocol, ProtocolError
from .consistency import mistakes
from .parts import LAUNCHED, Axis, Block, Case, Code, Grid, Part, Value, with_only
from .quotes import Quote, QuoteSource
from .table import Against, OverTime, Table, TableColumn, TableRow

__all__ = [
    "LAUNCHED",
    "Against",
    "Axis",
    "Block",
    "Case",
    "Code",
    "Column",
    "Grid",
    "OverTime",
    "Page",
    "Place",
    "Quote",
    "QuoteSource",
    "Run",
    "Source",
    "Table",
    "TableColumn",
    "TableRow",
    "Value",
]


def _protocol(stated: object) -> Protocol:
    if isinstance(stated, Protocol):
        return stated
    try:
        return Protocol.of(stated) if isinstance(stated, dict) else Protocol.parse(str(stated))
    except ProtocolError as error:
        raise ValueError(str(error)) from None


AnyProtocol = Annotated[Protocol, BeforeValidator(_protocol, json_schema_input_type=str | Protocol)]


def _relative(pattern: str) -> str:
    if not is_spelt_inside(pattern):
        raise ValueError(f"{pattern!r} leaves the folder of logs; a pattern below it is possible")
    return pattern


def _option(name: str) -> str:
    if not re.fullmatch(r"[a-z][a-z_]*", name) or name in (*LAUNCHED, "repo", "extra"):
        told = f"the case says {', '.join(LAUNCHED)}, --repo the checkout, and the key extra the native arguments"
        raise ValueError(f"{name!r} is no option; a launcher's variable in small letters is, such as steps; {told}")
    return name


Option = Annotated[str, AfterValidator(_option)]
Pattern = Annotated[str, AfterValidator(_relative), AfterValidator(with_only(get_args(Axis)))]
Address = Annotated[str, AfterValidator(with_only(("commit", "path")))]


class Run(Part):
    """One kind of run of a column: which cases it covers, where their logs are, and the protocol of all of them."""

    when: dict[Axis, Value | list[Value]] = Field(default_factory=dict)
    """The cases that it covers, by axis; a list allows several values, and an axis that is left out all."""
    logs: Pattern
    """Pattern of the logs below the folder of logs, with the axes of the case in braces and `*` for repeats."""
    protocol: AnyProtocol
    """The rule that makes the number: a text such as `"tipc,decimals=2"`, or a table of the same keys."""
    spellings: dict[Axis, dict[str, str]] = Field(default_factory=dict)
    """How the values of an axis are spelt in `logs`, where the case says them in another way."""
    repeats: int = Field(default=1, ge=1)
    """For `launch`: how many runs of a case are wanted."""
    options: dict[Option, Value] = Field(default_factory=dict)
    """For `launch`: variables of the launcher beyond those of the case, in small letters."""
    extra: list[str] = Field(default_factory=list)
    """For `launch`: arguments of the native program."""

    def covers(self, case: Case) -> bool:
        """Whether a case is of this kind of run."""
        return all(case.get(axis) in (v if isinstance(v, list) else [v]) for axis, v in self.when.items())

    def spelt(self, axis: Axis, value: Value) -> str:
        """How a value of an axis is spelt in the pattern of the logs."""
        return self.spellings.get(axis, {}).get(str(value), str(value))

    def pattern(self, case: Case) -> str:
        """The pattern of the logs of a case; what the case fills in is taken as it is, only the page may say ``*``.

        Raises KeyError for an axis that the pattern needs and the case does not say.
        """
        return self.logs.format_map({axis: glob.escape(self.spelt(axis, value)) for axis, value in case.items()})


class Column(Part):
    """What is compared: a framework with its program."""

    title: str
    """What its columns are headed with, unless a table says another title."""
    launcher: str | None = None
    """Name of the recipe that runs what is missing."""
    runs: list[Run] = Field(default_factory=list)
    """Where its logs are; of a case the first run that covers it. Without any, all its figures are quoted."""


class Source(Part):
    """Where logs that others made were published."""

    repository: str
    """Address of the repository."""
    commit: str
    """The commit whose logs these are."""
    licence: str
    """Under which licence they were published."""
    url: Address
    """Address of one log: `{commit}` and `{path}`, which may stand in it, are filled in."""


@dataclass(frozen=True)
class Place:
    """Where a cell stands: its table, its row and its column, and the case that these put together."""

    table: Table
    row: TableRow
    column: TableColumn

    @property
    def case(self) -> Case:
        """The case of the cell."""
        return {**self.table.case, **self.row.case, **self.column.case}


class Page(Part):
    """One report page: its words, its columns and its tables. Texts are English, the catalogues translate them."""

    title: str
    """Heading of the page."""
    model: str
    """The models that are measured, as the index of the site names them."""
    unit: str
    """Unit of all throughputs, such as `images/s`."""
    tested: list[Block]
    """Section 1, what is tested."""
    environment: list[Block] = Field(default_factory=list)
    """Section 2, the machines and the programs."""
    setup: list[Block] = Field(default_factory=list)
    """Section 3, how to set up the programs."""
    steps: list[Block] = Field(default_factory=list)
    """Section 4, the steps of the test."""
    results: list[Block] = Field(default_factory=list)
    """What stands at the head of section 5, before the tables."""
    source: Source | None = None
    """Where the logs of the page were published by others."""
    sources: dict[str, QuoteSource] = Field(default_factory=dict)
    """Where quoted figures were published, each under a name that `quotes` refer to."""
    columns: dict[str, Column]
    """What is compared, each under a name that `tables` and `quotes` refer to."""
    tables: list[Table]
    """The tables of results of section 5."""
    quotes: list[Quote] = Field(default_factory=list)
    """Figures that stand, marked as quotes, in cells without a measurement."""

    @model_validator(mode="after")
    def _fits_together(self) -> "Page":
        if mistake := next(mistakes(self), None):
            raise ValueError(mistake)
        return self

    def places(self) -> Iterator[Place]:
        """The places of all cells, table by table and row by row."""
        for table in self.tables:
            for row in table.rows:
                yield from (Place(table, row, column) for column in table.columns)

    def quote_of(self, place: Place) -> Quote | None:
        """The figure that may stand at a place without measurement; only a throughput is quoted."""
        if place.column.quantity != "throughput":
            return None
        return next((quote for quote in self.quotes if quote.is_of(place.column.column, place.case)), None)


FOLDER = Path(__file__).parents[1] / "pages"
# Paragraphs, code and notes; all else stands in a heading, a cell, a link, the name of a file or a command.
_OF_SEVERAL_LINES = re.compile(
    r"(tested|environment|setup|steps|results|tables\.\d+\.notes)\.\d+(\.code)?|sources\..+\.note", re.DOTALL
)


class PageError(ValueError):
    """A page file that does not exist or has a mistake; one sentence names file, key and what is allowed."""


def names() -> list[str]:
    """Names of all pages in the folder of pages."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def find(page: str) -> Path:
    """The file of a page, by its name or its path; raises PageError when there is none."""
    path = Path(page) if page.endswith(".toml") else FOLDER / f"{page}.toml"
    if not path.exists():
        raise PageError(f"There is no page {page!r}; pages are {', '.join(names())}, or a path that ends in .toml.")
    return path


def load(path: Path) -> Page:
    """Read one page file; raises PageError when it is no TOML, a key is wrong, or a text has several lines."""
    try:
        stated = tomllib.loads(text_of(path))
        page = Page.model_validate(stated)
    except OSError as error:
        raise PageError(f"{path}: cannot be read: {error.strerror}.") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PageError(f"{path}: {_stopped(str(error))}") from error
    except ValidationError as error:
        # A misspelt key comes as two errors; the key that is there says more than the one that is missing.
        first = min(error.errors(), key=lambda found: found["type"] != "extra_forbidden")
        raise PageError(f"{path}: {_sentence(first)}") from None
    if broken := next(_broken(stated), None):
        raise PageError(f"{path}: {broken[0]}: {broken[1]!r} has several lines; a text of one line is possible.")
    return page


def _broken(stated: Any) -> Iterator[tuple[str, str]]:
    """The texts that should stand on one line and do not, each with the key where it stands."""
    for key, text in _texts(stated):
        if not _OF_SEVERAL_LINES.fullmatch(key) and text.splitlines() not in ([], [text]):
            yield key, text


def _texts(part: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """All texts of a part of a page file, names among them, each with the key where it stands."""
    if isinstance(part, str):
        yield key.removeprefix("."), part
    elif isinstance(part, list):
        yield from (found for number, inner in enumerate(part) for found in _texts(inner, f"{key}.{number}"))
    elif isinstance(part, dict):
        for name, inner in part.items():
            yield from _texts(name, key)
            yield from _texts(inner, f"{key}.{name}")


def _sentence(error: ErrorDetails) -> str:
    key = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return f"{key} is not a key of a page; allowed there are {', '.join(_allowed(error['loc']))}."
    if error["type"] == "missing":
        return f"{key} is missing."
    message = error["msg"].removeprefix("Value error, ")
    return _stopped(f"{key}: {message[:1].lower()}{message[1:]}" if key else message)


def _stopped(sentence: str) -> str:
    """A sentence with one full stop, whether it came with one or not."""
    return f"{sentence.rstrip('.')}."


def _allowed(location: tuple[int | str, ...]) -> list[str]:
    """The keys of the part of a page that a wrong key stands in."""
    part: Any = Page
    for step in location[:-1]:
        fields = part.model_fields if isinstance(part, type) and issubclass(part, BaseModel) else {}
        part = _model(fields[step].annotation) if step in fields else part
    return list(part.model_fields)


def _model(annotation: Any) -> Any:
    """The model inside an annotation such as ``list[Table]`` or ``dict[str, Column]``."""
    inner = [_model(argument) for argument in getattr(annotation, "__args__", ())]
    models = [a for a in (annotation, *inner) if isinstance(a, type) and issubclass(a, BaseModel)]
    return models[0] if models else annotation
