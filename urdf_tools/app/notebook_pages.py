"""Results as pages: `page()` for notebooks, `show()` for the browser, and the text of a result as HTML."""

from __future__ import annotations

import os
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..run.run_records import Result


class ShowableResult:
    """A result that has a page."""

    __slots__ = ()

    def page(self) -> str:
        """Return a page with the result in 3D: the text of one HTML file without links to anywhere."""
        raise NotImplementedError

    def show(self) -> None:
        """Open the page in the browser, and print its address."""
        print(opened(self.page()))

    def _repr_html_(self) -> str:
        """Return the text as HTML, which a notebook shows."""
        return f"<pre>{escape(str(self))}</pre>"


def opened(page: str) -> str:
    """Open a page in the browser, and return a line about it."""
    from .view_command import show_page

    return show_page(page.encode("utf-8", "backslashreplace"))


def page_of_result(result: "Result") -> str:
    """Return the page of a run; meshes are found beside the input."""
    from ..export.page.command_pages import write_run
    from ..export.export_request import request_of
    from ..run.run_records import ExtensionRequest
    from .package_options import TABLE

    choices = {**{row.name: row.default for row in TABLE}, "page": "robot.html"}
    asked = ExtensionRequest(choices, result.before.document.path, "", writes=False)
    return write_run(request_of(asked, result)).files[0][1].decode("utf-8")


def page_of_urdf(text: str, folder: str) -> str:
    """Return the page of an unchanged robot; relative names of meshes begin in the folder."""
    from ..run.single_file_options import options_from
    from ..run.run_pipeline import simplify_bytes

    source = text.encode("utf-8", "surrogatepass")
    path = os.path.join(folder, "robot.urdf")
    return page_of_result(simplify_bytes(source, path, options_from({"verb": "view"})))
