"""Allowance: kinds of findings that need not fail, if whoever asks says so."""

NO_NUMBERS, NO_LOG = "no-numbers", "no-log"
ALLOWABLE = (NO_NUMBERS, NO_LOG)
