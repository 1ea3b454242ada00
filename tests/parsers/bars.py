"""Progress bars as programs draw them."""


def bar(name: str, total: int, seconds: float, *, loss: bool = True) -> str:
    """A whole pass of a bar, which takes so many seconds a step; it is drawn again at its end, as it closes."""
    shown = f"{1 / seconds:.2f}it/s" if seconds <= 1 else f"{seconds:.2f}s/it"
    behind = ", loss=2.5" if loss else ""
    steps = [*range(1, total + 1), total]
    return "".join(
        f"\r{name}{100 * n // total:3d}%|##| {n}/{total} [{clock(n * seconds)}<00:09, {shown}{behind}]" for n in steps
    )


def clock(seconds: float) -> str:
    return f"{int(seconds) // 60:02d}:{int(seconds) % 60:02d}"


EPOCHS = range(1, 5)


def nameless(total: int, seconds: float) -> str:
    return bar("", total, seconds, loss=False) + "\n"
