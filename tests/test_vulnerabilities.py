"""What is made of the answers of pip-audit."""

import json

from tests.vulnerabilities import judged

SAFE = {"name": "a", "version": "1", "vulns": []}
VULNERABLE = {"name": "b", "version": "2", "vulns": [{"id": "PYSEC-0000-1"}]}
SKIPPED = {"name": "c", "skip_reason": "not found"}


def answer(*packages: object) -> str:
    return json.dumps({"dependencies": packages})


def test_a_known_vulnerability_fails_and_is_named() -> None:
    status, sentence = judged(answer(SAFE, VULNERABLE, SKIPPED))
    assert status == 1
    assert "2 of 3 packages were looked up; vulnerable are b 2: PYSEC-0000-1." in sentence


def test_packages_without_any_pass() -> None:
    assert judged(answer(SAFE)) == (0, "pip-audit: 1 of 1 packages were looked up; none has a known hole.")


def test_a_source_that_knows_no_package_is_told() -> None:
    status, sentence = judged(answer(SKIPPED, SKIPPED))
    assert status == 0
    assert "nothing was learnt of 2 packages" in sentence


def test_a_source_that_cannot_be_reached_is_told() -> None:
    assert judged("")[0] == 0
    assert "cannot be reached" in judged("")[1]
