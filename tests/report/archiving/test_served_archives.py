"""A page served from its archive: what is shown is made again from what was archived, and from nothing else."""

import re
import signal
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from report.audit.archiving.archive_layout import LOGS
from report.audit.archiving.opened_archive import opened_archive
from report.views.publish import publish
from tests.commandline import PROJECT, run
from tests.report.archiving.small_archive import changed, files_of, make, write


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return make(tmp_path)


def test_the_page_of_an_archive_is_made_of_its_own_files(archive: Path, tmp_path: Path) -> None:
    here = Path.cwd()
    with opened_archive(archive) as page:
        (made,) = publish([page], Path(LOGS), ("en",), tmp_path / "pages")
    assert Path.cwd() == here
    assert [cell.digits for cell in made.cells].count("399.532") == 1


def test_an_archive_that_was_changed_is_not_served(archive: Path, tmp_path: Path) -> None:
    log = next(name for name in files_of(archive) if name.startswith("logs/"))
    other = write(changed(files_of(archive), log, lambda data: data + b"\n"), tmp_path / "other.zip")
    done = run("serve", other)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


@pytest.mark.parametrize("further", [["my.toml"], ["--logs", "."], ["--watch"]])
def test_an_archive_is_served_by_itself(further: list[str], archive: Path) -> None:
    done = run("serve", archive, *further, cwd=archive.parent)
    assert done.returncode == 2


@pytest.mark.slow
def test_the_command_serves_a_page_from_its_archive(archive: Path) -> None:
    command = [sys.executable, "-c", "import tachograph; tachograph.main()", "serve", archive.name, "--port", "0"]
    environment = {"PYTHONPATH": str(PROJECT), "TMPDIR": str(archive.parent), "PATH": "/usr/bin:/bin"}
    with subprocess.Popen(command, cwd=archive.parent, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        said = next(line for line in process.stdout if "Serving" in line)
        address = urlsplit(re.findall(r"http://\S+/", said)[0])
        connection = HTTPConnection(str(address.hostname), address.port or 80, timeout=60)
        connection.request("GET", "/toy.en.html")
        assert "399.532" in connection.getresponse().read().decode()
        process.send_signal(signal.SIGTERM)
        process.wait(60)
    assert sorted(path.name for path in archive.parent.iterdir()) == ["logs", "toy.tach.zip", "toy.toml"]
