"""Run order: the runs of a case by date, by commit or by version, and why others have no place in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from parsers.io.errors import extra
from parsers.io.message import Message

from ..change_points import EXTRA, NEEDS
from .run_record import RunRecord, message_of

By = Literal["date", "commit", "version"]

NO_DATE = "Neither run.json nor the log says when the run began."
NO_COMMIT = "run.json does not state a commit."
NO_VERSION = "Neither the log nor run.json states one framework version."
IN_FUTURE = "The run began at {began}, which is in the future: a clock was wrong."
BEFORE_ALL = "The run began at {began}, before there were such logs: a clock was wrong."
COPY = "The log is a copy of {other}."
LACKING: Mapping[By, str] = {"date": NO_DATE, "commit": NO_COMMIT, "version": NO_VERSION}
FIRST = "2000"
AHEAD = timedelta(days=1)  # for clocks without a time zone


@dataclass(frozen=True)
class HistoryGap:
    """A run that is no point of a series, and why."""

    run: RunRecord
    reason: Message


@dataclass(frozen=True)
class OrderedRuns:
    """The ``runs`` of a case in their order, and those that are no points of a series.

    ``order``: the dates, commits or versions of all that have a place, each once. ``newest``: the gap that comes last
    of all, if one does.
    """

    runs: tuple[RunRecord, ...]
    gaps: tuple[HistoryGap, ...]
    order: tuple[str, ...]
    newest: HistoryGap | None = None


def ordered_runs(records: Sequence[RunRecord], by: By) -> OrderedRuns:
    """Put the runs of a case into their order.

    By date it is that of their starts. Commits stand in the order in which they were first run, and versions in that of
    PEP 440; the runs of each in that of their starts. Raises ExtraError where packaging is not installed.
    """
    refused = {id(one): reason for one, reason in _refused(records, by)}
    placed = [one for one in records if _has_place(one, by) and not _wrong_clock(one)]
    placed.sort(key=_key(placed, by))
    runs = tuple(one for one in placed if id(one) not in refused)
    gaps = tuple(HistoryGap(one, refused[id(one)]) for one in (*placed, *records) if id(one) in refused)
    newest = next((gap for gap in gaps if placed and gap.run is placed[-1]), None)
    order = tuple(dict.fromkeys(group_of(one, by) for one in placed))
    return OrderedRuns(runs, tuple(dict.fromkeys(gaps)), order, newest)


def group_of(record: RunRecord, by: By) -> str:
    """What runs that share a place have in common: the date, commit or version."""
    return {"date": record.began, "commit": record.commit, "version": record.version}[by] or ""


def _refused(records: Sequence[RunRecord], by: By) -> list[tuple[RunRecord, Message]]:
    first: dict[str, RunRecord] = {}
    found = list[tuple[RunRecord, Message]]()
    for one in sorted(records, key=lambda record: (record.began or "", *_natural(record))):
        original = first.setdefault(one.log_sha256, one) if one.reason is None else one
        if one.reason is not None:
            found.append((one, message_of(one.reason)))
        elif wrong := _wrong_clock(one):
            found.append((one, wrong))
        elif not _has_place(one, by):
            found.append((one, Message(LACKING[by] if one.began or by == "version" else NO_DATE)))
        elif original is not one:
            found.append((one, Message(COPY, other=original.log)))
    return found


def _has_place(record: RunRecord, by: By) -> bool:
    """Whether a run says what its order is by. Commits are ordered by dates."""
    return bool(group_of(record, by)) and (by == "version" or record.began is not None)


def _wrong_clock(record: RunRecord) -> Message | None:
    if record.began is None:
        return None
    if record.began < FIRST:
        return Message(BEFORE_ALL, began=record.began[:19])
    latest = (datetime.now(UTC) + AHEAD).replace(tzinfo=None).isoformat()
    return Message(IN_FUTURE, began=record.began[:19]) if record.began > latest else None


def _key(records: Sequence[RunRecord], by: By) -> Callable[[RunRecord], Any]:
    if by == "date":
        return lambda record: (record.began or "", *_natural(record))
    if by == "version":
        return lambda record: (_version_key(record.version or ""), record.began or "", *_natural(record))
    first = dict[str, str]()
    for one in records:
        commit, began = one.commit or "", one.began or ""
        first[commit] = min(first.get(commit, began), began)
    return lambda record: (
        (first[record.commit or ""], record.commit),
        record.began or "",
        *_natural(record),
    )


def _version_key(text: str) -> tuple[Any, ...]:
    with extra(EXTRA, NEEDS):
        from packaging.version import InvalidVersion, Version  # noqa: PLC0415 - it comes with the extra
    try:
        return 0, Version(text), text
    except InvalidVersion:
        return 1, tuple(_numbers(text)), text


def _natural(record: RunRecord) -> tuple[Any, ...]:
    """The names of a log, in which 10 comes after 9."""
    return tuple(_numbers(record.root)), tuple(_numbers(record.path))


def _numbers(text: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", text) if part]
