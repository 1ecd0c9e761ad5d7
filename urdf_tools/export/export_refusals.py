"""The reasons why a robot cannot be written in the formats of an export, from its text alone: no mesh is opened."""

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, Tuple

from ..base.type_aliases import Pair
from ..base.errors import BrokenRobot, ErrorGroup, UrdfError
from ..base.record_type import Record
from ..formats.shared_lowering import ExportFindings, without_massless_tensors
from ..formats.urdf.urdf_model_conversion import model_of
from ..model.export_options import MjcfOptions, SdfOptions, UsdOptions
from ..model.model_problems import find_problems, refusal
from ..model.model_records import RobotRecord
from ..urdf.lossless_xml import Document
from ..urdf.urdf_reader import read_robot
from .export_request import REFUSING

Bodies = Callable[[RobotRecord, str, ExportFindings], object]


class ExportRefusals(Record):
    """The reasons why a robot cannot be written.

    Attributes:
        errors: as the exporters raise them.
        parts: "link" or "joint" and the name of each part that is at fault; () if the whole robot is.
    """

    errors: Tuple[UrdfError, ...] = ()
    parts: Tuple[Pair, ...] = ()


def _bodies_of_mjcf(robot: RobotRecord, base: str, findings: ExportFindings) -> None:
    """Add the links and joints of a robot that MuJoCo refuses."""
    from ..formats.mjcf.lower_to_mjcf import plan_bodies

    plan_bodies(robot, MjcfOptions(base=base), findings)


def _links_of_sdf(robot: RobotRecord, base: str, findings: ExportFindings) -> None:
    """Add the links and joints of a robot that SDF cannot hold."""
    from ..formats.sdf.lower_to_sdf import plan_links

    plan_links(robot, SdfOptions(base=base), findings)


def _bodies_of_usd(robot: RobotRecord, base: str, findings: ExportFindings) -> None:
    """Add the links and joints of a robot that USD cannot hold."""
    from ..formats.usd.lower_to_usd import plan_bodies

    plan_bodies(robot, UsdOptions(base=base), findings)


# The planners of the bodies of each format; they refuse a robot whose bodies the format cannot hold.
BODIES: Dict[str, Tuple[str, Bodies]] = {
    "mjcf": ("MJCF", _bodies_of_mjcf),
    "sdf": ("SDF", _links_of_sdf),
    "usd": ("USD", _bodies_of_usd),
}


def refusals_of(
    document: Document, choices: Mapping[str, Any], spelled: Callable[[str], str]
) -> ExportRefusals:
    """Return the refusals of the first format that refuses a robot; `choices` are the options of the export."""
    wanted = [name for name in REFUSING if choices.get(name)]
    if not wanted:
        return ExportRefusals()
    try:
        read = read_robot(document, lenient=bool(choices.get("lenient")))
    except UrdfError as error:
        return ExportRefusals((error,))
    robot = model_of(read)
    elements: Dict[str, Mapping[str, Any]] = {"link": read.links, "joint": read.named}

    def line_of(part: str, name: str) -> int:
        """Return the line of a link or joint, 0 for another name."""
        element = elements.get(part, {}).get(name)
        return element.source.line if element is not None else 0

    problems = find_problems(robot)
    if problems:
        errors = [refusal(one.kind, one.owner, one.message, line_of) for one in problems]
        return ExportRefusals(tuple(errors), tuple((one.kind, one.owner) for one in problems))
    for name in filter(BODIES.__contains__, wanted):
        label, decide = BODIES[name]
        findings = ExportFindings(label, spelled, line_of)
        decide(without_massless_tensors(robot, findings), choices.get("base") or "auto", findings)
        if findings.refused:
            return ExportRefusals(tuple(findings.refused), tuple(findings.refused_parts))
    return ExportRefusals()


def with_path(errors: Tuple[UrdfError, ...], path: str) -> UrdfError:
    """Return errors about a robot as a single error, in which each names the file of the robot."""
    named = [BrokenRobot(error.message, path, error.line) for error in errors]
    return named[0] if len(named) == 1 else ErrorGroup(named)
