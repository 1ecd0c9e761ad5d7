"""The pages of the commands: of a run, of a robot that no run changes, and of a comparison."""

from __future__ import annotations

from typing import Optional, Sequence, Tuple

from ...base.type_aliases import Pair
from ...compare.robot_comparison import ComparisonResult
from ...run.run_records import ExportedFiles
from ..run_as_comparison import comparison_of_run
from ..export_request import ExportRequest
from .comparison_page import page_of_comparison
from .run_page import page_of_run
from .write_page import page_file


def write_run(request: ExportRequest) -> ExportedFiles:
    """Return the page of a run; see the option `--page`.

    It shows before and after; for edits, which the plan does not contain, input and result over each other, as
    compared.

    Raises:
        ProofFailed: the data of the page differ from the run.
    """
    result = request.result
    if result.exported.edited is None:
        page = page_of_run(request)
    else:
        page = page_of_comparison(comparison_of_run(request), result.plan.options.meshes.package)
    file = str(request.choices["page"])
    data, line = page_file(page, file, request.choices["page_triangles"])
    return ExportedFiles(files=((file, data),), lines=(line,))


def write_comparison(
    comparison: ComparisonResult, file: str, packages: Sequence[Pair], most: Optional[int]
) -> Tuple[bytes, str]:
    """Return the page of a comparison, and the line that reports it.

    Args:
        file: where it will be written.
        packages: folders by package name, as given with --package.
        most: the largest number of triangles, None: the default.

    Raises:
        ProofFailed: the data of the page differ from the comparison.
    """
    return page_file(page_of_comparison(comparison, packages), file, most)
