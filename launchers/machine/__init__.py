"""The machine: what can explain the speed of a run is asked of it, and what would spoil a measurement is found.

The runner records its answers in a run folder; the doctor shows them before a launch.
"""
