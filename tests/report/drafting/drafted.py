"""Drafting as users do it: `tachograph init`, then `tachograph report` and `tachograph audit` of what it wrote."""

import json
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.commandline import run

GOLDEN = Path(__file__).parents[2] / "parsers/golden"


@dataclass
class Desk:
    """A folder with logs, in which a page is drafted."""

    folder: Path

    def put(self, golden: str, place: str) -> None:
        """Copy a golden log to a place below the logs."""
        self.put_text((GOLDEN / golden).read_text(encoding="utf-8", errors="surrogateescape"), place)

    def put_text(self, text: str, place: str) -> Path:
        """Write a log to a place below the logs."""
        path = self.folder / "logs" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="surrogateescape")
        return path

    def put_run(self, text: str, place: str, **facts: Any) -> None:
        """Write a run folder below the logs."""
        log = self.put_text(text, f"{place}/train.log")
        log.with_name("run.json").write_text(json.dumps({"schema": 2, "case": {}, **facts}), encoding="utf-8")

    def run(self, *arguments: str | Path) -> "subprocess.CompletedProcess[str]":
        """Run a command in the folder."""
        return run(*arguments, cwd=self.folder)

    def init(self, *arguments: str | Path) -> "subprocess.CompletedProcess[str]":
        """Draft the page file ``page.toml``."""
        return self.run("init", "page", *arguments)

    @property
    def page(self) -> dict[str, Any]:
        """What the page file says."""
        return tomllib.loads((self.folder / "page.toml").read_text(encoding="utf-8"))

    def report(self) -> Any:
        """The report of the page."""
        return json.loads(self.run("report", "page.toml", "--json").stdout)

    def results(self) -> list[dict[str, Any]]:
        """The results of the page."""
        return list(self.report()["results"])

    def logs_shown(self) -> list[str]:
        """The logs behind the throughputs of the page, sorted."""
        report = self.report()
        keys = [key for one in report["results"] if one["quantity"] == "throughput" for key in one.get("runs", [])]
        return sorted(report["runs"][key]["log"] for key in keys)

    def shown(self) -> list[str]:
        """The numbers of the page."""
        return [one["digits"] for one in self.results() if "digits" in one]
