"""Write a URDF in the form that its program reads: angles in place of quaternions, version 1.0, pieces of a capsule.

MuJoCo 4.0, Drake 1.51, Newton 1.8 and urdf-usd-converter 0.3.4 (for Isaac) read `xyz` and `rpy` of an `<origin>` in a file
of any version, and no `quat_xyzw`: the part is not turned. The last of them drops each `<capsule>`. urdfdom 6 (RViz,
Pinocchio) reads `quat_xyzw` and `<capsule>` from version 1.1 on, and urdfdom before 5 (Gazebo) refuses such a file.
"""

from __future__ import annotations

from itertools import chain
from typing import List

from ..base.errors import ProofFailed
from ..base.number_text import count_of, format_numbers, numbers_in
from ..compare.robot_comparison import compare
from ..compare.given_or_searched_map import IDENTITY
from ..formats.urdf.read_urdf import read_urdf_document
from ..lint.program_rules import OLD_URDFDOM
from ..run.run_records import Result
from ..urdf.lossless_xml import Document, Element
from ..urdf.spatial_math import matrix_from_quaternion, rpy_from_matrix
from ..urdf.xml_edits import copy_document
from .replace_capsules import with_pieces
from .shared_run_values import with_text

EXACT = 1e-9  # m and rad, as in each proof of an export: it covers the 12 digits of angles over the length of a chain
OLD_VERSION = "1.0"
VERSIONS_WITH_QUATERNIONS = ("1.1", "1.2")
DROP_CAPSULES = ("rviz", "gazebo", "pinocchio", "isaac")
KNOW_QUATERNIONS = ("rviz", "pinocchio")  # from version 1.1 on


def as_read_by(program: str, result: Result) -> Result:
    """Return a result in the form that a program reads correctly; `compare` verifies that it is the same robot.

    Raises:
        ProofFailed: the robot differs; a fault of this tool.
    """
    version = result.after.document.root.get("version")
    if not (program in KNOW_QUATERNIONS and version not in OLD_URDFDOM):
        result = _with_angles(result)
    return with_pieces(result) if program in DROP_CAPSULES else result


def _with_angles(result: Result) -> Result:
    """Return a result of version 1.0 whose origins have angles."""
    before = result.after.document
    document = copy_document(before)
    is_newer = before.root.get("version") in VERSIONS_WITH_QUATERNIONS
    turned = [origin for origin in _origins(document) if _turn(origin)]
    if not turned and not is_newer:
        return result
    if is_newer:
        document.root.set("version", OLD_VERSION)
    changed = with_text(result, document.to_bytes())
    robots = [read_urdf_document(each) for each in (before, changed.after.document)]
    if compare(robots[0], robots[1], given=IDENTITY, tolerance=EXACT).differences:
        raise ProofFailed("an <origin> got other angles", before.path)
    phrases: List[str] = []
    if turned:
        phrases.append(f"{count_of(len(turned), 'quaternion')} as angles")
    if is_newer:
        phrases.append(f"version {before.root.get('version')} as {OLD_VERSION}")
    changes = (*changed.exported.changes, *phrases)
    return changed._replace(exported=changed.exported._replace(changes=changes))


def _origins(document: Document) -> List[Element]:
    """Return the origins in links and joints; the block of a simulator has its own."""
    owners = document.root.elements("link") + document.root.elements("joint")
    elements = chain.from_iterable(owner.walk() for owner in owners)
    return [element for element in elements if element.name == "origin"]


def _turn(origin: Element) -> bool:
    """Give an origin the angles of its quaternion; return True if it had one."""
    quaternion = numbers_in(origin.get("quat_xyzw") or "", 4)
    if not quaternion or not any(quaternion):
        return False
    origin.set("rpy", format_numbers(rpy_from_matrix(matrix_from_quaternion(quaternion))))
    origin.unset("quat_xyzw")
    return True
