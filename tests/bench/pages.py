"""What the pages of this project show of the method; `python -m tests.bench.pages`.

For each page: its numbers; of those that were published how many are the same; the numbers of which page, panel and
``why`` say the same cautions, in both languages; the runs whose number follows from PAGE.report.json alone; the size of
its Markdown and its HTML; and the CPU time for its report, then for both from that. Pages without their logs are left
out. Exit status 1 where a view says another caution, or a number does not follow.
"""

import sys
from collections.abc import Iterator
from time import process_time

from report.views.html import texts as html_texts
from report.views.markdown import texts as markdown_texts
from report.views.publish import read_pages
from tests.commandline import PROJECT
from tests.report.page_checks import ALL, LANGUAGES, computable, not_recomputed, unlike_cautions

HEAD = (
    "page",
    "numbers",
    "published: same",
    "cautions: same",
    "recomputed",
    "Markdown kB",
    "HTML kB",
    "CPU s",
    "views",
)


def rows() -> Iterator[list[str]]:
    """A row of figures for each page whose logs are there."""
    for name, logs in ALL.items():
        if not logs.is_dir():
            continue
        begun = process_time()
        (page,) = read_pages([name], logs, PROJECT)
        report, made = page.report, process_time()
        markdown = [text for one in LANGUAGES for text in markdown_texts(report, one, LANGUAGES).values()]
        html = html_texts([report], LANGUAGES).values()
        shown = process_time()
        numbers = sum(one.digits is not None for one in report.results) * len(LANGUAGES)
        published = [one.published.agrees for one in report.results if one.published]
        runs = len(computable(report))
        yield [
            name,
            str(numbers // len(LANGUAGES)),
            f"{sum(published)} of {len(published)}",
            f"{numbers - len(unlike_cautions(report))} of {numbers}",
            f"{runs - len(not_recomputed(report))} of {runs}",
            *(f"{sum(len(text.encode()) for text in texts) / 1000:.1f}" for texts in (markdown, html)),
            f"{made - begun:.2f}",
            f"{shown - made:.2f}",
        ]


def main() -> int:
    """Print the table; 1 where a view or a number is not as the others."""
    found = list(rows())
    widths = [max(map(len, column)) for column in zip(HEAD, *found, strict=True)]
    for row in (HEAD, *found):
        sys.stdout.write("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() + "\n")
    return int(any(len({*cell.split(" of ")}) > 1 for row in found for cell in row[3:5]))


if __name__ == "__main__":
    sys.exit(main())
