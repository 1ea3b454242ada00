"""Shell quoting: text from outside as words of bash in which every character can be seen."""

import os
import re
import shlex

# What Python calls printable, though no font draws it: fillers, and what changes the look of the letter before it.
_IGNORABLE = re.compile(r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]")


def quoted(text: object) -> str:
    """A text as one word of bash, all of it seen and on one line."""
    word = str(text)
    return shlex.quote(word) if _is_seen(word) else f"$'{''.join(map(spelt, word))}'"


def here_document(text: str) -> str:
    """Return `text` as a shell reads it from a script, up to a line that `text` does not have."""
    end = "JOB"
    while end in text.splitlines():
        end += "_"
    whole = text if text.endswith("\n") else f"{text}\n"
    return f"<<'{end}'\n{whole}{end}\n"


def readable(script: str) -> str:
    """The same for bash, but all of it seen: a script in which something is not is quoted as a whole."""
    if _is_seen(script.replace("\n", "").replace("\t", "")):
        return script
    inner = "".join(c if c in "\n\t" else spelt(c) for c in script)
    return f"eval $'{inner}'\n"


def spelt(character: str) -> str:
    """A character as it stands within ``$'...'``."""
    if _is_seen(character) and character not in "\\'":
        return character
    return "".join(f"\\{byte:03o}" for byte in os.fsencode(character))


def _is_seen(text: str) -> bool:
    return text.isprintable() and not _IGNORABLE.search(text)
