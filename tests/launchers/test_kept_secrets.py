"""Secrets do not reach what is kept of a run."""

from __future__ import annotations

from native_checkout import METRIC, PRINT, Native


def test_secrets_do_not_reach_the_log_and_are_counted(native: Native) -> None:
    native.trains(f"{PRINT}print('AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI')\nprint('after')\n")
    answer = native.launch()
    kept = (native.run / "train.log").read_text()
    assert (kept, native.facts()["redacted"]) == (f"{METRIC}AWS_SECRET_ACCESS_KEY=<redacted>\nafter\n", 1)
    assert b"wJalrXUtnFEMI" not in answer.stdout


def test_secrets_of_the_environment_are_known_by_their_values(native: Native) -> None:
    native.environment["DATABASE_PASSWORD"] = "correct horse battery"  # noqa: S105
    native.trains(f"import os\n{PRINT}print(os.environ['DATABASE_PASSWORD'])\n")
    native.launch()
    assert (native.run / "train.log").read_text() == f"{METRIC}<redacted>\n"


def test_secrets_in_options_do_not_reach_the_facts(native: Native) -> None:
    native.launch("--", "--api-key=abcdefgh12345678")
    assert "abcdefgh12345678" not in (native.run / "run.json").read_text()


def test_secrets_are_kept_when_that_is_asked_for(native: Native) -> None:
    native.trains(f"{PRINT}print('PASSWORD=open sesame')\n")
    native.launch("--no-redact")
    assert ((native.run / "train.log").read_text(), native.facts()["redacted"]) == (
        f"{METRIC}PASSWORD=open sesame\n",
        0,
    )
