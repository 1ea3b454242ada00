"""An excerpt of a log that a grammar was drafted from: a few lines that it reads, and a few that it does not."""

from pathlib import Path

from ..runs.reading import Reading
from ..scanning.detection import known_shapes
from ..scanning.text import LogText

MOST_READ = 20
MOST_OTHER = 10


def excerpt(path: Path, reading: Reading) -> bytes:
    """The first lines of a log that a reading has records of, and the first others, in their order and as they are.

    Raises LogError when the log cannot be read.
    """
    read = set(reading.records["line"].tolist()[:MOST_READ])
    kept, others = list[bytes](), 0
    for lines in LogText(path).blocks(known_shapes(())):
        for row in range(len(lines)):
            number = lines.before + row + 1
            others += number not in read
            if number in read or others <= MOST_OTHER:
                kept.append(lines.data[int(lines.starts[row]) : int(lines.ends[row])])
        if lines.before + len(lines) >= max(read, default=0):
            break
    return b"".join(kept)
