"""The command that serves a site to whoever writes pages."""

from contextlib import suppress
from pathlib import Path

import click

from parsers.io.extras import extra
from parsers.io.printable import say
from parsers.io.refusal import Unreadable


@click.command()
@click.argument("pages", nargs=-1, metavar="[PAGE]...")
@click.option(
    "--logs", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Folder of logs.  [default: logs]"
)
@click.option("--watch", is_flag=True, help="Rebuild the site when pages, logs or translations change.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Port to listen on; 0 selects a free one.",
)
def serve(pages: tuple[str, ...], logs: Path | None, watch: bool, host: str, port: int) -> None:
    """Build the site in a temporary folder and serve it on this machine until Ctrl-C. PAGE is as for report.

    Other websites cannot read it, but can link to it.
    With --watch, the browser reloads a page as soon as it is rebuilt.

    \b
    Examples:
      tachograph serve --watch
      tachograph serve my-page.toml --logs ../Perf --port 0
    """
    from parsers.io.errors import ParserError, told

    from .host_names import is_loopback

    try:
        host.encode("idna")
    except UnicodeError as error:
        raise Unreadable(f"--host {host} is not a valid host name or address.") from error
    if not is_loopback(host):
        say(f"Warning: anyone who can reach {host} can read these pages and logs.", err=True)
    try:
        with extra("charts", "The charts of a site need"):
            from .build import Build
            from .serving import serve as serve_site
        serve_site(Build(pages, logs, watch), host, port, say)
    except KeyboardInterrupt:
        with suppress(OSError):  # the terminal was closed
            say("")
    except (ParserError, ValueError, OSError) as error:
        raise Unreadable(told(error)) from error
