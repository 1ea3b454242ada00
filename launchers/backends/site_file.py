"""Site files: what the users of a cluster would have to say at each launch, said once in TOML; see docs/clusters.md."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import click
from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError
from pydantic_core import PydanticCustomError

from parsers.io.files import text_of
from parsers.io.printable import printable
from parsers.io.validation import mistake


def _is_word(text: str) -> str:
    """A text that stands in a line of `#SBATCH` or a script as one word."""
    if not text.isprintable() or not re.fullmatch(r"[^\s'\"\\#$`;|&<>()]+", text):
        raise PydanticCustomError("word", "must be one word without blanks, quotes or characters that a shell reads")
    return text


def _is_line(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise PydanticCustomError("line", "must be one line of printable characters")
    return text


Word = Annotated[str, AfterValidator(_is_word)]
Line = Annotated[str, AfterValidator(_is_line)]


class _SiteTable(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class SlurmSite(_SiteTable):
    """The table `[slurm]`; `gres`: GPUs without their number, or "none"."""

    partition: Word | None = None
    account: Word | None = None
    time: Word | None = None
    gres: Word = "gpu"
    extra: list[Line] = []


class ContainerSite(_SiteTable):
    """The table `[container]`."""

    runtime: Literal["docker", "podman", "apptainer", "enroot"] | None = None
    mounts: list[Line] = []
    shm: Word = "16g"
    options: list[Line] = []


class KubernetesSite(_SiteTable):
    """The table `[kubernetes]`; `claims`: names of volume claims by the paths at which they are mounted."""

    namespace: Word | None = None
    image: Word | None = None
    gpu: Word = "nvidia.com/gpu"
    shm: Word = "16Gi"
    claims: dict[Line, Word] = {}
    node_selector: dict[Word, Word] = {}
    labels: dict[Word, Word] = {}


class Site(_SiteTable):
    """What a site file holds; without one, the defaults."""

    modules: list[Word] = []
    setup: list[Line] = []
    slurm: SlurmSite = SlurmSite()
    container: ContainerSite = ContainerSite()
    kubernetes: KubernetesSite = KubernetesSite()


NO_SITE = Site()


def read(path: Path | None, environ: Mapping[str, str]) -> Site:
    """Return what a site file says; None for tachograph/site.toml of the user's configuration, which need not be there.

    Raises click.UsageError in one sentence with file and key where it cannot be read or says what is not possible.
    """
    home = environ.get("XDG_CONFIG_HOME") or f"{environ.get('HOME', '~')}/.config"
    file = path or Path(home).expanduser() / "tachograph" / "site.toml"
    if path is None and not file.exists():
        return NO_SITE
    try:
        return Site.model_validate(tomllib.loads(text_of(file)))
    except ValidationError as error:
        said = str(mistake(error.errors()[0], Site)).rstrip(".")
    except OSError as error:
        said = f"cannot be read: {error.strerror}"
    except (ValueError, RecursionError) as error:  # of a text that is no UTF-8, too
        said = f"is not valid TOML: {error}"
    raise click.UsageError(printable(f"{file}: {said}."))
