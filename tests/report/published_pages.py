"""The pages of this project, and where the logs of each lie; without the corpus those of others are skipped."""

from pathlib import Path

import pytest

from report.pagefile.page_file import names
from tests.parsers.corpus_logs import ABSENT, CORPUS, ROOT

PERF = CORPUS / "PaddlePaddle-Perf"
OF_OTHERS = ("resnet50", "deeplabv3p")
ALL = {name: PERF if name in OF_OTHERS else ROOT / "logs" for name in names()}


def _page(name: str, logs: Path) -> object:
    return pytest.param(name, logs, id=name, marks=pytest.mark.skipif(not logs.is_dir(), reason=ABSENT))


every_published_page = pytest.mark.parametrize(("page", "logs"), [_page(*found) for found in ALL.items()])
