"""What is made of the answers of pip-audit."""

import json

import pytest

from tests.vulnerabilities import judged

SAFE = {"name": "a", "version": "1", "vulns": []}
VULNERABLE = {"name": "b", "version": "2", "vulns": [{"id": "PYSEC-0000-1"}]}
SKIPPED = {"name": "c", "skip_reason": "not found"}

UNREACHED = [
    "requests.exceptions.ProxyError: HTTPSConnectionPool(host='a.example', port=443): Max retries exceeded",
    "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='a.example', port=443): Max retries exceeded",
    "ERROR:pip_audit._cli:Could not connect to PyPI's vulnerability feed",
]


def answer(*packages: object) -> str:
    return json.dumps({"dependencies": packages})


def test_a_known_vulnerability_fails_and_is_named() -> None:
    status, sentence = judged(answer(SAFE, VULNERABLE, SKIPPED))
    assert status == 1
    assert "2 of 3 packages were looked up; vulnerable are b 2: PYSEC-0000-1." in sentence


def test_packages_without_any_pass() -> None:
    assert judged(answer(SAFE)) == (0, "pip-audit: 1 of 1 packages were looked up; none has a known hole.")


def test_a_source_that_knows_no_package_is_reported() -> None:
    status, sentence = judged(answer(SKIPPED, SKIPPED))
    assert status == 0
    assert "nothing was learnt of 2 packages" in sentence


@pytest.mark.parametrize("error", UNREACHED)
def test_a_source_that_cannot_be_reached_is_reported(error: str) -> None:
    status, sentence = judged("", f"Traceback (most recent call last):\n{error}\n")
    assert (status, "cannot be reached" in sentence) == (0, True)


@pytest.mark.parametrize("error", ["python: No module named pip_audit", "Traceback …\nKeyError: 'x'", ""])
def test_a_check_that_is_missing_or_fails_is_not_passed_and_its_error_is_reported(error: str) -> None:
    status, sentence = judged("", error)
    assert (status, sentence) == (1, f"pip-audit gave no answer.\n{error}".rstrip())


@pytest.mark.parametrize("said", ["", "nonsense", "[]", "{}", answer()])
def test_an_answer_without_any_package_is_not_passed(said: str) -> None:
    assert judged(said)[0] == 1
