"""Site files: what the users of a cluster would have to say at each launch, said once in TOML."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import click
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from parsers.io.input_file import text_of
from parsers.io.printable import printable

_UNKNOWN = "extra_forbidden"
# The rules of the models below as pydantic calls them, and how a person is told that one is broken.
_BROKEN = {
    "string_type": "must be a text",
    "list_type": "must be a list of texts",
    "dict_type": "must be a table of keys and values",
    "model_type": "must be a table of keys and values",
}


def _is_word(text: str) -> str:
    """A text that stands in a line of `#SBATCH` or a script as one word."""
    if not text or not text.isprintable() or any(c.isspace() or c in "'\"\\#$`;|&<>()" for c in text):
        raise ValueError("must be one word without blanks, quotes or characters that a shell reads")
    return text


def _is_line(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise ValueError("must be one line of printable characters")
    return text


def _is_absolute(text: str) -> str:
    if not text.startswith("/"):
        raise ValueError("must be an absolute path")
    return _is_line(text)


Word = Annotated[str, AfterValidator(_is_word)]
Line = Annotated[str, AfterValidator(_is_line)]
AbsolutePath = Annotated[str, AfterValidator(_is_absolute)]


class _SiteTable(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class SlurmSite(_SiteTable):
    """The table `[slurm]`."""

    partition: Word | None = Field(default=None, description="Partition.")
    account: Word | None = Field(default=None, description="Account; given to sbatch, and not kept in the job script.")
    time: Word | None = Field(default=None, description="Time limit, such as 02:00:00.")
    gres: Word = Field(default="gpu", description='GPUs without their number, such as gpu:a100, or "none".')
    extra: list[Line] = Field(default=[], description="Further options of sbatch, such as --qos=high.")
    template: Line | None = Field(default=None, description="Job script in Jinja, as seen from the site file.")


class ContainerSite(_SiteTable):
    """The table `[container]`."""

    runtime: Literal["docker", "podman", "apptainer", "enroot", "pyxis"] | None = Field(
        default=None, description="What runs images; by default what an image file is for, or what is installed."
    )
    mounts: list[Line] = Field(default=[], description="Further mounts, such as /scratch:/scratch.")
    shm: Word = Field(default="16g", description="Size of /dev/shm, for docker and podman.")
    options: list[Line] = Field(default=[], description="Further options of the runtime, or of srun for pyxis.")


class KubernetesSite(_SiteTable):
    """The table `[kubernetes]`."""

    namespace: Word | None = Field(default=None, description="Namespace.")
    image: Word | None = Field(default=None, description="Image of the container, if --container is not given.")
    gpu: Word = Field(default="nvidia.com/gpu", description="Resource that a GPU is.")
    shm: Word = Field(default="16Gi", description="Largest size of /dev/shm.")
    claims: dict[AbsolutePath, Word] = Field(
        default={}, description="Volume claims by the paths at which they are mounted; without any, paths of the node."
    )
    node_selector: dict[Word, Word] = Field(default={}, description="Labels of the nodes to use.")
    labels: dict[Word, Word] = Field(default={}, description="Labels of the job, such as that of a queue.")


class Site(_SiteTable):
    """What a site file holds; without one, the defaults."""

    modules: list[Word] = Field(default=[], description="Environment modules that jobs load.")
    setup: list[Line] = Field(default=[], description="Lines of bash that jobs run first.")
    slurm: SlurmSite = SlurmSite()
    container: ContainerSite = ContainerSite()
    kubernetes: KubernetesSite = KubernetesSite()


NO_SITE = Site()


_TABLES: Mapping[str, type[BaseModel]] = {"slurm": SlurmSite, "container": ContainerSite, "kubernetes": KubernetesSite}


def usual(environ: Mapping[str, str]) -> Path:
    """Where a site file is read that no option names."""
    home = environ.get("XDG_CONFIG_HOME") or os.path.join(environ.get("HOME", "~"), ".config")  # noqa: PTH118
    return Path(home).expanduser() / "tachograph" / "site.toml"


def read(path: Path | None, environ: Mapping[str, str]) -> Site:
    """Return what a site file says; None for the usual one, which need not be there.

    Raises click.UsageError in one sentence with file and key where it cannot be read or says what is not possible.
    """
    file = path or usual(environ)
    try:
        text = text_of(file)
    except FileNotFoundError as error:
        if path is None:
            return NO_SITE
        raise _refused(file, f"cannot be read: {error.strerror}") from error
    except (OSError, UnicodeDecodeError) as error:
        what = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise _refused(file, f"cannot be read: {what}") from error
    return _parsed(text, file)


def _parsed(text: str, file: Path) -> Site:
    try:
        return _located(Site.model_validate(tomllib.loads(text)), file.parent)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise _refused(file, f"is not valid TOML: {error}") from error
    except ValidationError as error:
        raise _refused(file, _mistake(error.errors()[0])) from error


def _located(site: Site, folder: Path) -> Site:
    """The same with the path of its template as seen from here."""
    if site.slurm.template is None:
        return site
    slurm = site.slurm.model_copy(update={"template": str(folder / site.slurm.template)})
    return site.model_copy(update={"slurm": slurm})


def _refused(file: Path, what: str) -> click.UsageError:
    return click.UsageError(printable(f"Site file {file}: {what.rstrip('.')}."))


def _mistake(found: ErrorDetails) -> str:
    location = [str(step) for step in found["loc"] if step != "[key]"]
    key = ".".join(location)
    if found["type"] == _UNKNOWN:
        return _not_a_key(key, _TABLES.get(location[0], Site))
    error: Any = found.get("ctx", {}).get("error")
    return f"{key} {error or _BROKEN.get(found['type'], found['msg'])}"


def _not_a_key(key: str, table: type[BaseModel]) -> str:
    return f"{key} is not a valid key; allowed keys: {', '.join(table.model_fields)}"
