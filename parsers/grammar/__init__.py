"""Log formats: a ``.lark`` file in, compiled line kinds out, with Lark as the judge of both.

It builds on ``io`` alone; the scanner builds on it.
"""
