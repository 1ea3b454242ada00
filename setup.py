"""What setup.cfg cannot say: what is built of parsers/, each left out where it cannot be.

The kernel, scanning/shapes.c, needs a compiler; without it Python does the same. The log formats are compiled, so that
the first command need not wait for that.
"""

import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_py import build_py

# It uses nothing of Python: one build serves all versions.
SHAPES = Extension("parsers.scanning._shapes", ["parsers/scanning/shapes.c"], py_limited_api=True, optional=True)
SHIP = "from parsers.grammar.format import ship; ship()"


class BuildPython(build_py):
    """The modules, and beside them the compiled log formats."""

    def run(self) -> None:
        """Copy the modules, and compile the formats where they are then."""
        super().run()
        place = Path() if self.editable_mode else Path(self.build_lib)
        subprocess.run([sys.executable, "-B", "-c", SHIP], cwd=place, check=False)  # noqa: S603 - our own


setup(ext_modules=[SHAPES], cmdclass={"build_py": BuildPython})
