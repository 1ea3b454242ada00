"""Totals: the time that one line tells of the whole run, and the epochs that it is of."""
