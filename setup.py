"""What setup.cfg cannot say: parsers/scanning/shapes.c is built where there is a compiler, and left out where not."""

from setuptools import Extension, setup

LIMITED_API = ("Py_LIMITED_API", "0x030b0000")  # of Python 3.11: one build serves all later versions
SHAPES = Extension(
    "parsers.scanning._shapes",
    ["parsers/scanning/shapes.c"],
    define_macros=[LIMITED_API],
    py_limited_api=True,
    optional=True,
)

setup(ext_modules=[SHAPES])
