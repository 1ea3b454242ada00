"""The lowest versions that setup.cfg declares, as constraints for pip; a stage of .ci/run renders pages with them."""

import configparser
import re
import sys
from collections.abc import Iterator

DECLARED = re.compile(r"^([\w.-]+)(?:\[[\w,-]+\])?>=([\w.]+)$", re.MULTILINE)


def lowest(settings: configparser.ConfigParser) -> Iterator[str]:
    """A line for each package that the base install and the extra ``all`` need."""
    extras = settings["options.extras_require"]
    names = re.findall(r"[\w-]+", extras["all"].strip().removeprefix("tachograph"))
    for text in (settings["options"]["install_requires"], *(extras[name] for name in names)):
        yield from (f"{name}=={version}" for name, version in DECLARED.findall(text))


if __name__ == "__main__":
    setup = configparser.ConfigParser()
    setup.read("setup.cfg", encoding="utf-8")
    sys.stdout.write("\n".join(sorted({*lowest(setup)})) + "\n")
