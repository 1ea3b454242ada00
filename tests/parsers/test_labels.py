"""Labels: the path of a log names its case, whatever the path is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.ingesting.ingest import LONGEST, label
from parsers.ingesting.sources import Candidate


def candidate(path: str, **given: object) -> Candidate:
    return Candidate({"path": path}, (), path, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("path", "name"),
    {
        "V100/net_bs8.log": "V100__net_bs8",
        "V100/net_bs8.txt.xz": "V100__net_bs8",
        "V100/trainer.jsonl": "V100__trainer.jsonl",
        "a b/n[1].log": "a-b__n-1-",
        "../../etc/passwd": "etc__passwd",
        ".log": "log",
        "测试/训练.log": "测试__训练",
    }.items(),
)
def test_a_label_is_made_of_the_names_of_a_path(path: str, name: str) -> None:
    assert label(candidate(path)) == (name, None)


@given(st.lists(st.text(min_size=1).filter(lambda name: name.strip("/.")), min_size=1))
def test_a_label_is_one_name_that_every_disk_takes(names: list[str]) -> None:
    name, _ = label(candidate("/".join(names)))
    assert 0 < len(name.encode()) <= LONGEST
    assert not name.startswith((".", "-"))
    assert not set("/\\*?[]{}\0\n") & set(name)
