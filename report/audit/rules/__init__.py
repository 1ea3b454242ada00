"""Rules: what gives the value of a claim, and how often accident would."""
