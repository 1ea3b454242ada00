"""Process names: a gpu_processes.csv with no more of a process than the name of its program.

The launcher writes no more than that; a file that something else wrote may hold the folders and the arguments of
programs, which may be those of other people.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from ..runs.run_folder import program_name
from .rewriting import text_blocks

ROW = re.compile(rb"((?:[^,]*,){3})(.*)(,[^,]*)")  # what stands before the name of a process, it, and its memory
FOLDERS = re.compile(rb"[/\\]")


def process_names(path: Path) -> Iterator[bytes]:
    """The names of the processes in a gpu_processes.csv as they stand there, a line each, in blocks.

    Of a line that is no row it is the whole line. Raises LogError when the file cannot be read.
    """
    for block in text_blocks(path):
        rows = ((ROW.fullmatch(line), line) for line in block.splitlines())
        yield b"".join((row[2] if row else line) + b"\n" for row, line in rows)


def with_programs(block: bytes, public: Callable[[bytes], bytes]) -> bytes:
    """Whole lines of a gpu_processes.csv with ``public`` of the program of each process; of what is no row, of it."""
    return b"\n".join(_public(line, public) for line in block.split(b"\n"))


def _public(line: bytes, public: Callable[[bytes], bytes]) -> bytes:
    row = ROW.fullmatch(line)
    return row[1] + public(program(row[2])) + row[3] if row else public(line)


def program(name: bytes) -> bytes:
    """The name of the file of a program, without its folders and arguments; empty where spaces may be in either."""
    word, *others = name.split() or [b""]
    if FOLDERS.search(word) and any(map(FOLDERS.search, others)):
        return b""
    return program_name(FOLDERS.split(word)[-1].decode("latin-1")).encode()
