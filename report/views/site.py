"""Sites: pages as a folder of HTML that needs no server; its files take their places when all are made, and what else
is there stays.
"""

import json
import os
import re
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from parsers.io.errors import WriteError
from parsers.io.files import data_of, move, opened, sha256_of, unfinished, write, writing
from parsers.sharing.workers import ALL_CORES, Workers

from ..results.model import SUFFIX, Report
from ..wording.words import languages as all_languages
from .html import ASSETS, copy_of, page_file, texts
from .publish import LOGS, PublishedPage, chosen
from .view import TEMPLATES

# The SHA-256 of all files of the site; whatever else is in its folder is somebody else's.
CONTENTS = "assets/contents.json"
# The names that files of a site have: whoever made a folder may have written what is in CONTENTS.
_OWN = re.compile(r"(?!.*/\.)(?:[^./][^/]*\.html|(?:assets|data|logs)/.+)", re.DOTALL)


def publish_site(
    pages: Sequence[str], logs: Path | None, languages: Sequence[str], out: Path, workers: Workers = ALL_CORES
) -> list[PublishedPage]:
    """Write ``chosen`` pages as a site into ``out``, in all languages where none is named.

    Until all of it is made, and when anything fails, what is there stays as it is, as it does where no page is written.
    The same pages and logs give the same bytes. Raises as ``publish`` does, WriteError where a file of somebody else is
    in the way.
    """
    languages, found = languages or all_languages(), list(chosen(pages, logs or LOGS, out, workers))
    if wanted := [page for page in found if page.is_wanted]:
        with writing(out):
            out.mkdir(parents=True, exist_ok=True)
        with unfinished(out) as made:
            _write(made, [page.report for page in wanted], logs or LOGS, languages)
            _put(made, out)
        for page in wanted:
            page.files.extend(out / page_file(page.name, language) for language in languages)
    return found


def _write(made: Path, reports: Sequence[Report], logs: Path, languages: Sequence[str]) -> None:
    # A site has copies of the logs; where they were is nobody's business.
    alone = [replace(report, logs_folder=None) for report in reports]
    files = {f"data/{report.page.name}{SUFFIX}": report.to_json().encode() for report in alone}
    files |= {name: text.encode() for name, text in texts(reports, languages).items()}
    files |= {f"assets/{name}": (TEMPLATES / "html" / name).read_bytes() for name in ASSETS}
    for name, data in files.items():
        write(made, name, data)
    for path in {path for report in reports for path in report.logs}:
        copy = write(made, copy_of(path), b"")
        with opened(logs / path) as source, writing(copy), copy.open("wb") as file:
            shutil.copyfileobj(source, file, 1 << 20)


def _put(made: Path, out: Path) -> None:
    """Give the files of a complete site their places, and remove those of the site before it that it has not."""
    names = sorted(path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file())
    own = _own(out)
    shared = {folder for path in own for folder in (path, *path.parents)} | {out}
    for path in (place for name in names for place in (out / name, *(out / name).parents) if place not in out.parents):
        if path not in shared and os.path.lexists(path):
            raise WriteError(path, "it already exists and is not part of a generated site; choose another folder")
    digests = {sha256_of(made / name) for name in names}
    # Until all files are in their places, those of both sites are the site's.
    for listed in (digests.union(own.values()), digests):
        write(made, CONTENTS, json.dumps(sorted(listed), indent=0).encode())
        move([CONTENTS], made, out)
        move([name for name in names if (made / name).exists()], made, out)
    for path in own.keys() - {out / name for name in (*names, CONTENTS)}:
        with writing(path):
            path.unlink()


def _own(out: Path) -> dict[Path, str]:
    """The files of a site in a folder with their SHA-256: those that it lists, as they were when it was written."""
    found = dict[Path, str]()
    with suppress(OSError, ValueError, RecursionError):
        said = json.loads(data_of(out / CONTENTS))
        listed = {one for one in said if isinstance(one, str)} if isinstance(said, list) else set()
        for path in out.rglob("*") if listed else ():
            # A link, or a file behind one, is somebody else's.
            name = path.relative_to(out)
            is_plain = path.is_file() and Path(os.path.realpath(path)) == out.resolve() / name
            if is_plain and _OWN.fullmatch(name.as_posix()) and (made := sha256_of(path)) in listed:
                found[path] = made
        return found | {out / CONTENTS: ""} if found else found
    return {}
