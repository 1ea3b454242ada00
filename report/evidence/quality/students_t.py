"""Student's t distribution, of which SciPy knows the quantiles."""

from collections.abc import Callable

from parsers.io.extras import extra


def students_t(needed_by: str = "Comparisons need") -> Callable[[float, float], float]:
    """The quantile by degrees of freedom and probability; raises ExtraError where SciPy is not installed.

    ``needed_by``: the beginning of that sentence, a key of the catalogues.
    """
    with extra("compare", needed_by):
        from scipy.special import stdtrit  # noqa: PLC0415 - it comes with the extra
    return lambda degrees, probability: float(stdtrit(degrees, probability))
