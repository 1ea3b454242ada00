"""Findings: audit results are printed, exported for CI (SARIF, JUnit XML), and compared with earlier ones."""
