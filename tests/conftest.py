"""What all tests share: golden files, which only ``--update`` rewrites, and properties that are not timed."""

import difflib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import settings

from parsers.grammar.format import ship

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

ship()  # the commands that tests start take no seconds each to compile what was changed
Compare = Callable[[Path, str], None]
FORMATS = Path(__file__).parent / "parsers/golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite golden files with what the code says now")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With ``-k FORMAT`` only what goes through golden or real logs, or names the format, is imported: seconds less."""
    word, path = config.option.keyword, collection_path
    if path.suffix != ".py" or not word.isidentifier() or not (FORMATS / word).is_dir():
        return None
    text = path.read_text(encoding="utf-8")
    return not any(name in text for name in (word, "golden_logs", "corpus_logs")) or None


@pytest.fixture
def compare(request: pytest.FixtureRequest) -> Compare:
    """Hold a text against a golden file; with ``--update`` write it there, and say so at the end."""

    def hold(path: Path, now: str) -> None:
        golden = path.read_text(encoding="utf-8") if path.is_file() else None
        if golden == now:
            return
        if request.config.getoption("--update"):
            path.write_text(now, encoding="utf-8")
            request.node.user_properties.append(("rewritten", str(path)))
            return
        if golden is None:
            pytest.fail(f"{path} is missing; look at what pytest --update writes there.", pytrace=False)
        pytest.fail(_difference(path, golden, now), pytrace=False)

    return hold


def _difference(path: Path, golden: str, now: str) -> str:
    lines = difflib.unified_diff(golden.splitlines(), now.splitlines(), "golden", "now", lineterm="", n=1)
    return "\n".join([f"{path} differs from what the code says now:", *lines])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Name what was not run, and every golden file that was rewritten; xdist's workers send it with their reports."""
    for sentence in left_out(terminalreporter.stats.get("skipped", []), config.option.markexpr):
        terminalreporter.write_line(sentence)
    reports = [report for found in terminalreporter.stats.values() for report in found]
    properties = {pair for report in reports for pair in getattr(report, "user_properties", ())}
    for _, path in sorted(pair for pair in properties if pair[0] == "rewritten"):
        terminalreporter.write_line(f"rewritten: {path}", yellow=True)


def left_out(skipped: Sequence[pytest.TestReport], marks: str) -> Iterator[str]:
    """A sentence for each reason why tests were not run; where something can be done about it, the reason says what."""
    reasons = Counter(str(report.longrepr[2]) for report in skipped if isinstance(report.longrepr, tuple))
    for reason, count in sorted(reasons.items()):
        yield f"skipped {count}: {reason.removeprefix('Skipped: ')}"
    if marks == "not slow":
        yield "left out: the tests marked slow: make test-slow"
