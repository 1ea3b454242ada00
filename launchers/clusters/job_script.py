"""Job scripts: what Slurm and mpirun run of a job, from templates, ours or that of a site."""

from __future__ import annotations

from pathlib import Path

import click
from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateError, TemplateSyntaxError

from parsers.io.printable import printable

from ..jobs.job import Job
from ..recipes.recipe import ROOM
from .site_file import Site


def tasks_per_node(job: Job) -> int:
    """How many tasks of a job something starts on each node."""
    return job.cards_per_node if job.tasks == "card" else 1


def rendered(name: str, job: Job, site: Site, own: Path | None = None, **more: object) -> str:
    """Return the script of a job from our template `name`, or from a site's own, which may extend ours.

    `more`: further names that the template reads, or other values.
    Raises click.UsageError where a template of a site has a mistake.
    """
    folders = [ROOM] if own is None else [own.parent, ROOM]
    environment = Environment(
        loader=FileSystemLoader(folders),
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - a shell script, whose values are names and numbers of a checked job
    )
    try:
        template = environment.get_template(own.name if own else f"{name}.sh.jinja")
        return template.render({**_values(job), "site": site, **more})
    except (TemplateError, OSError, UnicodeDecodeError) as error:
        raise click.UsageError(printable(f"Template {own or name}{_line(error)}: {error}.")) from error


def here_document(text: str) -> str:
    """Return `text` as a shell reads it from a script, up to a line that `text` does not have."""
    end = "JOB"
    while end in text.splitlines():
        end += "_"
    whole = text if text.endswith("\n") else f"{text}\n"
    return f"<<'{end}'\n{whole}{end}\n"


def _line(error: Exception) -> str:
    return f", line {error.lineno}" if isinstance(error, TemplateSyntaxError) else ""


def _values(job: Job) -> dict[str, object]:
    return {
        "title": job.case_name,
        "nodes": job.nodes,
        "cards_per_node": job.cards_per_node,
        "tasks": job.tasks,
        "tasks_per_node": tasks_per_node(job),
        "device": job.device,
        "command": job.command,
        "meets_by_address": job.meets_by_address,
    }
