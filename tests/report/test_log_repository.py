"""Pages whose logs others published: they are not written without these logs."""

from pathlib import Path

import pytest

from tests.commandline import PROJECT, run
from tests.report.page_text import HEAD, column

# They call the program.
pytestmark = pytest.mark.slow

LOG = "PaddleClas_Toy50_bs64_fp32_DP_N1C1_log"
SOURCE = """
[source]
repository = "https://example.org/logs"
commit = "1234"
licence = "Apache-2.0"
url = "https://example.org/{commit}/{path}"
"""
TABLE = """
[[tables]]
name = "t"
title = "T"
case = { device = "A100", precision = "fp32", batch_size = 64 }
columns = [{ column = "a" }]
rows = { cards = [1, 8] }
"""


@pytest.mark.parametrize("how", [[], ["--html"]])
def test_a_page_without_its_logs_is_not_written_and_what_was_stays(how: list[str], tmp_path: Path) -> None:
    (tmp_path / "logs/A100").mkdir(parents=True)
    log = tmp_path / "logs/A100" / LOG
    log.write_bytes((PROJECT / "tests/report/golden/logs/A100" / LOG).read_bytes())
    logs = "{device}/PaddleClas_Toy50_bs{batch_size}_{precision}_DP_N1C{cards}_log"
    (tmp_path / "page.toml").write_text(HEAD + SOURCE + column("a", logs) + TABLE, encoding="utf-8")
    done = run("report", "page.toml", *how, cwd=tmp_path)
    assert (done.returncode, "page: 1 of 2 cells measured;" in done.stdout) == (0, True)
    assert "page: t/8/a is empty: " in done.stderr
    before = {path: path.read_bytes() for path in (tmp_path / "pages").rglob("*") if path.is_file()}
    log.unlink()
    gone = run("report", "page.toml", *how, cwd=tmp_path)
    assert (gone.returncode, "https://example.org/logs at 1234" in gone.stdout) == (1, True)
    assert {path: path.read_bytes() for path in (tmp_path / "pages").rglob("*") if path.is_file()} == before
