"""`view --watch`: a page that is drawn again when a file it reads changes, on a server for this machine alone."""

from __future__ import annotations

import argparse
import os
import re
import secrets
import sys
import time
import webbrowser
from hashlib import sha256
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from threading import Thread
from typing import Any, Callable, Dict, Sequence
from urllib.parse import quote

from ..base.errors import UrdfSimplifyError
from ..base.file_reading import file_stamp, FileStamp
from ..base.number_text import count_of
from ..cli.run_command_line import print_error, say, WRITTEN
from ..export.page.write_page import watched
from ..urdf.expand_xacro import is_xacro
from .robot_files import robots_in

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
MISSING = "urdf_simplify.missing"  # an audit event of the package resolver
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")  # also behind a port that ssh forwards
SECONDS = 0.5  # between two looks at the files
SETTLING = 0.1  # [s] by then a program has usually finished writing a file


class WatchedFiles:
    """The files, except programs, that were read or missing since the record was made, with their stamps.

    An audit event (PEP 578) names each file, whichever reader opens it: meshes, images, libraries, included files. The
    `xacro` command is a separate process and does not list its includes, so all xacro files below the folder of a xacro
    are watched.
    """

    def __init__(self, robots: Sequence[str]) -> None:
        self.stamps: Dict[str, FileStamp] = {}
        for robot in filter(is_xacro, robots):
            for path in robots_in(os.path.dirname(os.path.abspath(robot))):
                self.stamps[path] = file_stamp(path)
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: Sequence[Any]) -> None:
        """Keep the stamp of a file named by an audit event."""
        is_named = event == MISSING
        # Files opened by number have no name, and files that are written are results.
        if event == "open" and isinstance(arguments[0], str):
            is_named = arguments[1] in ("r", "rb")
        if is_named:
            path = os.path.abspath(arguments[0])
            if not path.startswith(PACKAGE) and not path.endswith((".py", ".pyc")):
                self.stamps[path] = file_stamp(path)

    def changed(self) -> bool:
        """Return whether a file changed, vanished or came back since it was read or since the last call."""
        known = self.stamps
        self.stamps = {path: file_stamp(path) for path in [*self.stamps]}
        return known != self.stamps


class PageServer(ThreadingTCPServer):
    """A server on the loopback address, at a free port, of a page at a path that nobody can guess."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), PageRequestHandler)
        self.path = f"/{secrets.token_urlsafe(16)}"
        self.address = f"http://127.0.0.1:{self.server_address[1]}{self.path}"
        self.shown = ("", b"")
        self.problem = ""

    def show(self, page: bytes) -> bool:
        """Serve a page from now on, without an error message; return whether it differs from the old page."""
        before = self.shown[0]
        mark = sha256(page).hexdigest()[:16]
        self.shown = (mark, watched(page, mark))
        self.problem = ""
        return mark != before

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a browser that disconnects in the middle of an answer."""


class PageRequestHandler(BaseHTTPRequestHandler):
    """The answer to a request: the page, or 404."""

    server: PageServer

    def do_GET(self) -> None:
        """Answer with the page at its address, and with 404 anywhere else."""
        # DNS rebinding can make the name of a foreign site mean this machine: pages of that site get nothing.
        name = re.sub(r":\d+$", "", self.headers["Host"] or "")
        is_page = name in LOOPBACK and self.path == self.server.path
        mark, page = self.server.shown
        status = 404
        headers = {}
        size = 0
        if is_page:
            status = 200
            size = len(page)
            headers = {
                "Content-Type": "text/html; charset=utf-8",
                "ETag": f'"{mark}"',
                "X-Problem": quote(self.server.problem),
            }
        self.send_response(status)
        for key, value in {**headers, **HEADERS}.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(size))
        self.end_headers()
        if is_page and self.command == "GET":
            self.wfile.write(page)

    do_HEAD = do_GET

    def log_message(self, format: str, *values: Any) -> None:
        """Print nothing about requests."""


def watch(arguments: argparse.Namespace, draw: Callable[[], bytes]) -> int:
    """Serve a page, and draw it again when a file behind it changes, until Ctrl-C; return the exit status.

    Args:
        arguments: the options of `view`.
        draw: reads the files and returns the page.

    Raises:
        UrdfError: a file cannot be used at the first drawing; later the page stays, and shows the error.
    """
    read = WatchedFiles(arguments.files)
    with PageServer() as server:
        try:
            server.show(draw())
            Thread(target=server.serve_forever, daemon=True).start()
            webbrowser.open(server.address)
            count = count_of(len(read.stamps), "file")
            _say(arguments, f"Watching {count} at {server.address} (Ctrl-C ends)")
            while True:
                time.sleep(SECONDS)
                if read.changed():
                    time.sleep(SETTLING)
                    _draw_again(arguments, server, draw)
        except KeyboardInterrupt:
            _say(arguments, "")
    return WRITTEN


def _draw_again(
    arguments: argparse.Namespace, server: PageServer, draw: Callable[[], bytes]
) -> None:
    """Serve the page of the changed files, or the old page with the error of a file that cannot be used."""
    try:
        if server.show(draw()):
            _say(arguments, f"{time.strftime('%H:%M:%S')} drawn again")
    except UrdfSimplifyError as error:  # most often of a file in the middle of a change
        server.problem = str(error)
        print_error(error, arguments.color)


def _say(arguments: argparse.Namespace, line: str) -> None:
    """Print a line unless the run is quiet."""
    if not arguments.quiet:
        say([line], sys.stdout)
