"""Run folders for tests: made with their side files, ingested, and scrubbed."""

import hashlib
import io
import json
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from parsers.ingesting.ingest import Event, Ingested, ingest
from parsers.ingesting.sources import LeftOut
from parsers.runs.reading import Reading, read
from parsers.scanning.cascade import Account
from parsers.scrubbing.copies import ScrubOutcome, copied, sources
from parsers.sharing.workers import ALONE
from tachograph.cli import secrets

CLOCK_HEAD = "line,time\n"
GPU_HEAD = "time,card,utilisation,memory,power,sm_clock,memory_clock,temperature\n"


def make_run(folder: Path, log: bytes, /, **said: object) -> Path:
    """The log of a done run, whose run.json gives its SHA-256; ``said``: other keys of run.json."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "train.log"
    path.write_bytes(log)
    described = {"file": path.name, "sha256": hashlib.sha256(log).hexdigest()}
    run = {"case": {}, "status": "done", "log": described, **said}
    (folder / "run.json").write_text(json.dumps(run), encoding="utf-8")
    return path


def put_clock(log: Path, *rows: str) -> Path:
    """The clock.csv of a log."""
    path = log.with_name("clock.csv")
    path.write_text(CLOCK_HEAD + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


def make_timed_run(folder: Path) -> Path:
    """A run on one card, whose five lines arrived in the seconds 100 to 104; returns its log."""
    lines = (f"step {step}: loss 2.5, 1000 images/s/gpu\n".encode() for step in range(5))
    log = make_run(folder, b"".join(lines), case={"cards": 1})
    put_clock(log, *(f"{line},{99 + line}.000" for line in range(1, 6)))
    return log


def put_gpu(log: Path, *rows: str) -> Path:
    """The gpu.csv of a log."""
    path = log.with_name("gpu.csv")
    path.write_text(GPU_HEAD + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


def events(into: Path, *sources: Path | str) -> list[Event]:
    """What became of all files of some sources."""
    return list(ingest([str(source) for source in sources], into, ALONE))


def logs(into: Path, *sources: Path | str) -> list[Ingested]:
    """The logs among them."""
    return [event for event in events(into, *sources) if isinstance(event, Ingested)]


def left_out(into: Path, *sources: Path | str) -> dict[str, str]:
    """The reasons of what was left out, by the last part of the name."""
    return {e.name.rpartition("/")[2]: e.reason for e in events(into, *sources) if isinstance(e, LeftOut)}


def unreadable(into: Path, *sources: Path | str) -> list[str]:
    """The reasons of what was unreadable."""
    return [e.reason for e in events(into, *sources) if isinstance(e, LeftOut) and e.is_unreadable]


def runs(into: Path) -> list[str]:
    """The paths of all kept logs below a suite, hidden ones too."""
    return sorted(path.relative_to(into).as_posix() for path in into.rglob("train.log*"))


def run_file(into: Path) -> Any:
    """The run.json of the only run of a suite."""
    (path,) = into.glob("*/*/run.json")
    return json.loads(path.read_text(encoding="utf-8"))


def everything(folder: Path) -> Iterator[tuple[str, int, bytes]]:
    """Name, time of change and bytes of all that is in a folder."""
    for path in sorted(folder.rglob("*")):
        yield str(path), path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else b""


def member(name: str, data: bytes = b"", **said: object) -> tuple[tarfile.TarInfo, io.BytesIO]:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for key, value in said.items():
        setattr(info, key, value)
    return info, io.BytesIO(data)


def tar(*members: tuple[tarfile.TarInfo, io.BytesIO]) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for info, data in members:
            archive.addfile(info, data)
    return file.getvalue()


def scrub(folder: Path, *logs: Path) -> ScrubOutcome:
    """Copies of logs in a folder; fails where one could not be made."""
    outcome = copied(sources(logs), folder, secrets())
    assert outcome.problems == []
    return outcome


def scrub_one(folder: Path, log: Path) -> Path:
    """The copy of one log."""
    return folder / scrub(folder, log).copies[0]


def scrubbed_text(folder: Path, text: bytes) -> bytes:
    """What becomes of a log that holds this text."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "train.log"
    log.write_bytes(text)
    return scrub_one(folder / "public", log).read_bytes()


def facts(reading: Reading) -> list[tuple[str, object, str]]:
    return [(fact.name, fact.value, str(fact.source)) for fact in reading.facts.values()]


def counts(account: Account) -> tuple[int, int, int]:
    return account.total, account.matched, account.ignored


def assert_reads_the_same(log: Path, copy: Path, reader: Callable[[Path], Reading] = read) -> None:
    before, after = reader(log), reader(copy)
    assert after.records.equals(before.records)
    assert (facts(after), counts(after.account)) == (facts(before), counts(before.account))
    assert (after.account.recognised == before.account.recognised).all()
