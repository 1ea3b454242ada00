"""What the general reader drafts from a text, or why it drafts nothing."""

from pathlib import Path

from parsers.general.drafting import Draft, NoDraft, draft


def drafted(tmp_path: Path, text: str) -> Draft:
    """What is drafted from a text."""
    found = found_in(tmp_path, text)
    assert isinstance(found, Draft), "; ".join(map(str, found.reasons))
    return found


def found_in(tmp_path: Path, text: str) -> Draft | NoDraft:
    log = tmp_path / "train.log"
    log.write_text(text, encoding="utf-8")
    return draft(log)


def refused(tmp_path: Path, text: str) -> str:
    """The reasons why nothing is drafted from a text."""
    found = found_in(tmp_path, text)
    assert isinstance(found, NoDraft), found.text
    return "; ".join(map(str, found.reasons))


def lines(line: str, *, first: int = 1) -> str:
    """Eight lines of a program: ``{n}`` counts, ``{x}`` and ``{y}`` vary, ``{s}`` are the seconds of a clock."""
    return "".join(
        line.format(n=n, x=2 - n / 10, y=100 + n % 3, t=0.5 + n % 3 / 100, s=n * 10) + "\n"
        for n in range(first, first + 8)
    )


def found_columns(found: Draft | NoDraft) -> set[str]:
    return set(found.columns) if isinstance(found, Draft) else set()
