"""Why a number is what it is: its whole derivation, how steady it is, and an awk command that gives the same digits."""
