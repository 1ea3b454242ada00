"""Whether a package that is installed has a known vulnerability: asks pip-audit, where its source can be reached.

python -m tests.vulnerabilities
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

COMMAND = ("-m", "pip_audit", "--format", "json", "--progress-spinner", "off", "--skip-editable", "--timeout", "30")
SILENT = "pip-audit: the source of known vulnerabilities cannot be reached, so nothing was learnt of {count} packages."


def main() -> None:
    """Exit with 1 where a package has a known vulnerability."""
    answer = subprocess.run([sys.executable, *COMMAND], capture_output=True, text=True, check=False)
    status, sentence = judged(answer.stdout)
    print(sentence)  # noqa: T201
    sys.exit(status)


def judged(answer: str) -> tuple[int, str]:
    """Exit status and sentence for what pip-audit printed; nothing, where it could not ask."""
    packages: Sequence[dict[str, Any]] = json.loads(answer)["dependencies"] if answer.strip() else []
    known = [package for package in packages if "vulns" in package]
    if not known:
        return 0, SILENT.format(count=len(packages) or "the")
    found = [f"{p['name']} {p['version']}: {', '.join(v['id'] for v in p['vulns'])}" for p in known if p["vulns"]]
    asked = f"pip-audit: {len(known)} of {len(packages)} packages were looked up"
    return (1, f"{asked}; vulnerable are {'; '.join(found)}.") if found else (0, f"{asked}; none has a known hole.")


if __name__ == "__main__":
    main()
