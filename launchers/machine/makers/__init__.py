"""Cards of other makers than NVIDIA: what a tool of theirs prints or answers comes in, samples of the cards go out."""
