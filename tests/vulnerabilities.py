"""Whether a package that is installed has a known vulnerability: asks pip-audit, where its source can be reached.

python -m tests.vulnerabilities
"""

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

COMMAND = ("-m", "pip_audit", "--format", "json", "--progress-spinner", "off", "--skip-editable", "--timeout", "30")
SILENT = "pip-audit: the source of known vulnerabilities {what}, so nothing was learnt of {count} packages."
# How requests, urllib3 and pip-audit end where nobody answers.
_UNREACHED = re.compile(
    r"^\S*(?:ConnectionError|ProxyError|ConnectTimeout|ReadTimeout)\b|:Could not connect to ", re.MULTILINE
)


def main() -> None:
    """Exit with 1 where a package has a known vulnerability, and where pip-audit is missing or fails."""
    answer = subprocess.run([sys.executable, *COMMAND], capture_output=True, text=True, check=False)
    status, sentence = judged(answer.stdout, answer.stderr)
    print(sentence)  # noqa: T201
    sys.exit(status)


def judged(answer: str, errors: str = "") -> tuple[int, str]:
    """Exit status and sentence for what pip-audit printed; without an answer, 0 only where nobody could be asked."""
    try:
        packages: Sequence[dict[str, Any]] = json.loads(answer)["dependencies"]
    except (ValueError, LookupError, TypeError):
        if _UNREACHED.search(errors):
            return 0, SILENT.format(what="cannot be reached", count="the")
        return 1, f"pip-audit gave no answer.\n{errors}".rstrip()
    known = [package for package in packages if "vulns" in package]
    if not known:
        return (0 if packages else 1), SILENT.format(what="knows none of them", count=len(packages))
    found = [f"{p['name']} {p['version']}: {', '.join(v['id'] for v in p['vulns'])}" for p in known if p["vulns"]]
    asked = f"pip-audit: {len(known)} of {len(packages)} packages were looked up"
    return (1, f"{asked}; vulnerable are {'; '.join(found)}.") if found else (0, f"{asked}; none has a known hole.")


if __name__ == "__main__":
    main()
