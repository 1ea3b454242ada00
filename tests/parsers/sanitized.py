"""Run a module of Python with a build of shapes.c that has sanitizers in it.

python -m tests.parsers.sanitized LIBRARY MODULE [ARGUMENT...]
"""

import runpy
import sys
from importlib.util import module_from_spec, spec_from_file_location

NAME = "parsers.scanning._shapes"


def main() -> None:
    """Load the library in place of the module that is installed, and run the other module."""
    library, module, *arguments = sys.argv[1:]
    spec = spec_from_file_location(NAME, library)
    assert spec is not None
    assert spec.loader is not None
    loaded = module_from_spec(spec)
    spec.loader.exec_module(loaded)
    sys.modules[NAME] = loaded
    sys.modules["atheris"] = None  # type: ignore[assignment] # it brings a runtime of sanitizers of its own
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=False)


if __name__ == "__main__":
    main()
