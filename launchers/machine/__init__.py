"""The machine: its hardware and settings come in, and what explains a speed or would spoil a measurement goes out.

The runner records its answers in a run folder; the doctor shows them before a launch.
"""
