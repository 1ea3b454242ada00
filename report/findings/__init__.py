"""Findings: what an audit found is told to people and to the programs of CI, and held against what was found before."""
