"""Targets: what is done with the bytes of a fuzzer or of a seed, and what must hold of it.

Of every target: the only errors are those that its command tells its user; nothing takes a minute; nothing is written
but where it should be; what is printed is plain text. What a target holds besides is in its docstring.
"""

import zipfile
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from unittest.mock import patch

import numpy as np

from parsers.ingesting.ingest import ingest
from parsers.io.errors import ParserError
from parsers.io.files import ending
from parsers.runs.reading import survey
from parsers.scanning import detection
from parsers.scanning.detection import formats
from parsers.scanning.source import clean
from parsers.scrubbing.copies import copied, sources
from parsers.sharing.workers import ALONE
from report.views.archive import MANIFEST
from tachograph.cli import secrets
from tests.fuzz.beginnings import RUN_JSON, page_text
from tests.fuzz.sandbox import (
    HERE,
    LOG,
    OUTSIDE,
    SEPARATOR,
    assert_harmless_page,
    assert_harmless_site,
    assert_silent,
    files_below,
    laid,
    lay,
    members,
    run,
    sandbox,
    source,
)
from tests.parsers.shapes import assert_alike

SIDE_FILES = ("run.json", "clock.csv", "gpu.csv")
DOCUMENTS = ("page.en.md", "page.json", "page.html", "page.ipynb")
PROTOCOLS = (None, "tipc", "tipc-plain", "fleetx", "dlperf", "summary", "mlperf", "summary,records=epoch")
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("show", "{run}"),
    ("show", "{run}", "--json"),
    ("show", "{run}/train.log", "--protocol", "summary"),
    ("parse", "{run}/train.log", "--out", "{out}.csv"),
    ("why", "{run}/train.log"),
    ("scrub", "{run}", "--out", "{out}"),
    ("ingest", "{logs}", "--into", "{out}"),
    ("report", "{page}", "--logs", "{logs}", "--out", "{out}", "--lang", "en"),
    ("report", "{page}", "--logs", "{logs}", "--out", "{out}", "--lang", "en", "--json"),
)
"""What is done with a run folder; those that take a log by its name read it whatever its run.json says."""


def read(data: bytes) -> None:
    """Read a log, as the format whose number the first byte is, as that which is found for 0: all its lines count."""
    with sandbox() as folder:
        log = _run(folder, data[1:])
        names = [None, *(fmt.name for fmt in formats())]
        with suppress(ParserError):
            account = survey(log, format=names[data[0] % len(names)] if data else None).account
            assert account.total == account.matched + account.ignored + account.unmatched
            assert account.total == _lines(log.read_bytes(), account.total)


def measure(data: bytes) -> None:
    """Show a log with the protocol, and with the facts, that the first byte chooses."""
    choice = data[0] if data else 0
    name = PROTOCOLS[choice % len(PROTOCOLS)]
    options = ["--protocol", name] if name else []
    options += ["--cards", "8", "--batch-size", "32"] if choice & 8 else []
    options += ["--json"] if choice & 16 else []
    with sandbox() as folder:
        run(folder, "show", _run(folder, data[1:]), *options)


def scrub(data: bytes) -> None:
    """Make a copy of a log that may be published, which has as many lines and the same numbers as the log."""
    with sandbox() as folder:
        log, out = _run(folder, data), folder / "public"
        with suppress(ParserError):
            for copy in copied(sources([log]), out, secrets()).copies:
                _reads_alike(log, out / copy)


def ingested(data: bytes) -> None:
    """Ingest a file of these bytes, or an archive or folder that is made of them: twice, for that changes nothing."""
    with sandbox() as folder:
        lay(folder, OUTSIDE)
        (folder / "from").mkdir()
        named = source(folder / "from", data)
        others = files_below(folder)
        with suppress(ParserError):
            list(ingest([str(named)], folder / "into", ALONE))
            before = files_below(folder)
            list(ingest([str(named)], folder / "into", ALONE))
            assert files_below(folder) == before
            assert files_below(folder, without=folder / "into") == others
            assert_silent(b"", folder / "into")


def page(data: bytes) -> None:
    """Render a page file, and the logs that follow it, as Markdown or as a site: of the logs below its folder only.

    The site runs no script of the page or of a log, and loads nothing from elsewhere.
    """
    choice, (text, *members) = (data[0] if data else 0), data[1:].split(SEPARATOR)
    with sandbox() as folder:
        _lay_logs(folder)
        laid(folder / "logs", members)
        lay(folder, {"page.toml": text.replace(HERE, bytes(folder))})
        how = ("--html",) if choice & 1 else ("--json",)
        logs, out = folder / "logs", folder / "out"
        place = ("--logs", logs, "--out", out)
        assert_silent(run(folder, "report", folder / "page.toml", *place, "--lang", "en", *how, may_write=out), out)
        if choice & 1:
            assert_harmless_site(out)


def audit(data: bytes) -> None:
    """Audit a document of a kind that the first byte chooses, with the report and the logs that follow it."""
    choice, (text, *beside) = (data[0] if data else 0), data[1:].split(SEPARATOR)
    name = DOCUMENTS[choice // 4 % len(DOCUMENTS)]
    how = (("--all",), ("--json",), ("--markdown",), ("--sarif", "{out}/audit.sarif"))[choice % 4]
    with sandbox() as folder:
        _lay_logs(folder)
        lay(folder, {f"pages/{name}": text.replace(HERE, bytes(folder))})
        if beside and beside[0]:
            lay(folder, {"pages/page.report.json": beside[0].replace(HERE, bytes(folder))})
        laid(folder / "logs", beside[1:])
        (folder / "out").mkdir()
        options = [option.format(out=folder / "out") for option in how]
        options += ["--logs", str(folder / "logs")]
        told = run(folder, "audit", folder / "pages" / name, *options, may_write=folder / "out")
        assert_silent(told, folder / "out")


def run_folder(data: bytes) -> None:
    """Do with a run folder, of files, links and pipes, what the first byte says."""
    command = COMMANDS[(data[0] if data else 0) % len(COMMANDS)]
    with sandbox() as folder:
        lay(folder, OUTSIDE)
        of_run, out = folder / "logs" / "ResNet50_bs4_fp32_N1C1" / "1", folder / "out"
        of_run.mkdir(parents=True)
        laid(of_run, data[1:].split(SEPARATOR))
        lay(folder, {"runs.toml": page_text("*/1/*", "*/*/*.log").encode()})
        if command[0] == "parse":
            out.mkdir()
            out /= "records"
        places = {"run": of_run, "logs": folder / "logs", "out": out, "page": folder / "runs.toml"}
        printed = run(folder, *(word.format(**places) for word in command), may_write=folder / "out")
        if command[0] in ("ingest", "report"):  # the others are given a log, wherever it leads
            assert_silent(printed, folder / "out")


def shapes(data: bytes) -> None:
    """Number the lines of a log by their shapes and read the numbers of them: C and numpy say the same."""
    choice = data[0] if data else 0
    assert_alike(data[1:] + b"\n", ((1 << 16, 2)[choice & 1], (4096, 33)[choice >> 2 & 1], 64))


def verified(data: bytes) -> None:
    """Verify an archive of these bytes, or one that is made of the files that they hold and lists them as it should."""
    choice = data[0] if data else 0
    with sandbox() as folder, patch.object(detection, "SECONDS", 2):
        lay(folder, OUTSIDE)
        archive = folder / "toy.tach.zip"
        if choice & 1:
            archive.write_bytes(data[1:])
        else:
            parts = members(data[1:].split(SEPARATOR))
            named = ((name.encode("utf-8", "replace").decode(), text) for _, name, text in parts)
            files = {name: text for name, text in named if name.partition("\0")[0]}  # zipfile ends a name there
            sums = "".join(f"{sha256(text).hexdigest()}  {name}\n" for name, text in sorted(files.items()))
            with zipfile.ZipFile(archive, "w") as packed:
                for name, text in {**files, MANIFEST: sums.encode()}.items():
                    packed.writestr(name, text)
        printed = run(folder, "verify", archive, *(("--json",) if choice & 2 else ()))
        assert_silent(printed, folder / "none")


def grammar(data: bytes) -> None:
    """Show a log by a grammar of a stranger's, which stands before it in the data."""
    text, _, log = data.partition(SEPARATOR)
    with sandbox() as folder, patch.object(detection, "SECONDS", 2):
        lay(folder, {"stranger.lark": text, "train.log": log or LOG})
        run(folder, "show", folder / "train.log", "--format", folder / "stranger.lark")


def compared(data: bytes) -> None:
    """Compare two suites of runs, or show the history of both; their pages run and load nothing."""
    choice, logs = (data[0] if data else 0), data[1:].split(SEPARATOR)
    how = (("--json",), ("--markdown",), ("--lang", "zh"), ("--gate", "3%"))[choice // 2 % 4]
    with sandbox() as folder:
        for number, log in enumerate(logs[:8]):
            place = f"{'ba'[number % 2]}/Toy_bs4_fp32_N1C1/{1 + number // 2}"
            run_json = (logs[8] if len(logs) > 8 else RUN_JSON).replace(b"@SHA256@", sha256(log).hexdigest().encode())
            lay(folder, {f"{place}/train.log": log, f"{place}/run.json": run_json})
        (folder / "out").mkdir()
        page, command = folder / "out" / "page.html", "history" if choice & 1 else "compare"
        with patch("report.comparing.store.caches", lambda: folder / "out"):
            run(folder, command, folder / "a", folder / "b", *how, "--html", page, may_write=folder / "out")
        if page.exists():
            assert_harmless_page(page)


def recovered(data: bytes) -> None:
    """Look for the protocol of a published number; the first byte chooses the number."""
    with sandbox() as folder:
        log = _run(folder, data[1:])
        run(folder, "recover", log, "--published", f"{(data[0] if data else 0) * 1.5 + 0.5}", "--json")


TARGETS: dict[str, Callable[[bytes], None]] = {
    "read": read,
    "measure": measure,
    "scrub": scrub,
    "ingest": ingested,
    "page": page,
    "audit": audit,
    "run": run_folder,
    "shapes": shapes,
    "verify": verified,
    "grammar": grammar,
    "compare": compared,
    "recover": recovered,
}


def _lay_logs(folder: Path) -> None:
    """Logs that page files and Markdown find, and a link that leads outside."""
    lay(folder, OUTSIDE)
    names = ("A100/Toy_bs4_fp32_N1C1_log", "A100/Toy_bs4_fp32_N1C8_log", "A100/tf_gpu1_fp32.txt", "one/train.log")
    lay(folder, {f"logs/{name}": LOG for name in names})
    (folder / "logs" / "linked").symlink_to("../outside")
    (folder / "logs" / "one" / "linked.log").symlink_to("../../outside/train.log")


def _run(folder: Path, data: bytes) -> Path:
    """A log in a folder of its own, with the side files that follow in the data."""
    log, *beside = data.split(SEPARATOR)
    texts = {name: text for name, text in zip(SIDE_FILES, beside, strict=False) if text}
    place = "ResNet50_bs32_fp32_N1C8/1"
    lay(folder, {f"{place}/{name}": text for name, text in {"train.log": log, **texts}.items()})
    return folder / place / "train.log"


def _lines(log: bytes, packed: int) -> int:
    """How many lines wc counts, and a last one of which anything is seen; of a packed log, as many as are told."""
    if ending(log):
        return packed
    head, newline, tail = log.rpartition(b"\n")
    return (head + newline).count(b"\n") + bool(clean(newline + tail).removeprefix(b"\n"))


def _reads_alike(log: Path, copy: Path) -> None:
    one, other = survey(log), survey(copy)
    assert one.account.total == other.account.total
    assert one.format == other.format
    assert list(one.records) == list(other.records)
    for name in one.records.select_dtypes("number"):
        np.testing.assert_array_equal(one.records[name].to_numpy(), other.records[name].to_numpy())
