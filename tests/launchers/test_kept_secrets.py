"""Secrets do not reach what is kept of a run."""

from __future__ import annotations

from native_checkout import METRIC, PRINT, Native


def test_secrets_reach_neither_the_log_nor_the_screen_nor_the_facts_and_are_counted(native: Native) -> None:
    native.environment["DATABASE_PASSWORD"] = "correct horse battery"  # noqa: S105
    shown = "print(os.environ['DATABASE_PASSWORD'])"
    native.trains(f"import os\n{PRINT}print('AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI')\n{shown}\nprint('after')\n")
    answer = native.launch("--", "--api-key=abcdefgh12345678")
    kept = (native.run / "train.log").read_text()
    assert kept == f"{METRIC}AWS_SECRET_ACCESS_KEY=<redacted>\n<redacted>\nafter\n"
    assert native.facts()["redacted"] == 2
    assert b"wJalrXUtnFEMI" not in answer.stdout
    assert "abcdefgh12345678" not in (native.run / "run.json").read_text()


def test_secrets_are_kept_when_that_is_asked_for(native: Native) -> None:
    native.trains(f"{PRINT}print('PASSWORD=open sesame')\n")
    native.launch("--no-redact")
    assert ((native.run / "train.log").read_text(), native.facts()["redacted"]) == (
        f"{METRIC}PASSWORD=open sesame\n",
        0,
    )


def test_a_line_that_does_not_end_is_written_meanwhile_and_the_rest_of_its_secret_is_not(native: Native) -> None:
    log = str(native.unfinished / "train.log")
    waits = f"while b'<redacted>' not in pathlib.Path({log!r}).read_bytes(): time.sleep(0.05)"
    native.trains(f"import pathlib, time\n{PRINT}print('PASSWORD=ses', end='', flush=True)\n{waits}\nprint('ame')\n")
    native.launch()
    assert (native.run / "train.log").read_text() == f"{METRIC}PASSWORD=<redacted>\n"
