"""Run a module of Python with a build of shapes.c that has sanitizers in it.

python -m tests.parsers.sanitized LIBRARY MODULE [ARGUMENT...]
"""

import ctypes
import runpy
import sys

from parsers.scanning import kernel


def main() -> None:
    """Load the library in place of the one that is installed, and run the other module."""
    path, module, *arguments = sys.argv[1:]
    load = ctypes.PyDLL
    ctypes.PyDLL = lambda name: load(path)  # type: ignore[assignment,misc]
    kernel.LIBRARY = kernel.library()
    ctypes.PyDLL = load  # type: ignore[misc]
    sys.modules["atheris"] = None  # type: ignore[assignment] # it brings a runtime of sanitizers of its own
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=False)


if __name__ == "__main__":
    main()
