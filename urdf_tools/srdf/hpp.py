"""Grippers, handles and contacts of HPP in an SRDF: poses and points are moved into the new frame of their link.

A position is x y z qw qx qy qz in the text, or xyz and one of rpy, xyzw, wxyz as attributes [m, rad]; the points of a
contact are triples [m].
"""
from typing import Optional, Tuple

from ..base.number_text import format_numbers, numbers_in, same_numbers, without_noise
from ..urdf.lossless_xml import Element
from ..urdf.spatial import (compose, matrix_from_quaternion, matrix_from_rpy, move, IDENTITY_POSE, Pose,
                            quaternion_from_matrix, rpy_from_matrix, rotation_angle)
from ..plan.edits import ANGLE_NOISE_OF_POSES, LENGTH_NOISE_OF_POSES
from .editor import SrdfEditor
from .elements import posed_parts
from .kinds import SRDF_LEFT

TURNS = {"rpy": 3, "xyzw": 4, "wxyz": 4}  # attributes that hold a rotation, and their numbers


def follow_hpp(editor: SrdfEditor, top: Element) -> None:
    """Move the poses and points of a gripper, handle or contact into the new frame of its link."""
    link, = top.elements("link")
    T_new_old = editor.motion(link.get("name") or "")
    for part in posed_parts(top) if T_new_old != IDENTITY_POSE else ():
        changed = _move_points(part, T_new_old) if part.name == "point" else _move_position(part, T_new_old)
        if changed is None:
            editor.warn(part, SRDF_LEFT, "handle", link.get("name") or "", part.name, top.name, top.get("name") or "")
        elif changed:
            editor.note(part, f"<{top.name} name='{top.get('name') or ''}'>", "part", part.name)
    editor.follow_names(link)


def _move_points(element: Element, T_new_old: Pose) -> Optional[bool]:
    """Move points; return True if they changed, None if they cannot be read."""
    text = element.text()
    old = numbers_in(text, len(text.split()))
    if old is None or len(old) % 3:
        return None
    moved = tuple(x for i in range(0, len(old), 3)
                  for x in without_noise(move(T_new_old, (old[i], old[i + 1], old[i + 2])),
                                         LENGTH_NOISE_OF_POSES))
    if not same_numbers(old, moved):
        element.set_text(format_numbers(moved))
        return True
    return False


def _move_position(element: Element, T_new_old: Pose) -> Optional[bool]:
    """Move a position; return True if it changed, None if it cannot be read."""
    text = element.text().strip()
    words = text.split()
    key = "wxyz" if text else next((key for key in TURNS if element.get(key) is not None), "rpy")
    count = TURNS[key]
    xyz = numbers_in(" ".join(words[:3]) if text else element.get("xyz") or "0 0 0", 3)
    turn = numbers_in(" ".join(words[3:]) if text else element.get(key) or "0 0 0", count)
    if xyz is None or turn is None or count == 4 and not any(turn):
        return None
    R = matrix_from_rpy((turn[0], turn[1], turn[2])) if count == 3 else matrix_from_quaternion(
        (*turn[1:], turn[0]) if key == "wxyz" else turn)
    old = Pose(R, (xyz[0], xyz[1], xyz[2]))
    new = compose(T_new_old, old)
    moved = without_noise(new.translation, LENGTH_NOISE_OF_POSES)
    x, y, z, w = quaternion_from_matrix(new.rotation)
    written: Tuple[float, ...] = (w, x, y, z) if key == "wxyz" else (x, y, z, w)
    written = rpy_from_matrix(new.rotation) if count == 3 else written
    turned = without_noise(written, ANGLE_NOISE_OF_POSES)
    # The numbers of a rotation are not unique, so angles are compared, and an equal pose keeps its text.
    if same_numbers(xyz, moved) and rotation_angle(old.rotation, new.rotation) < ANGLE_NOISE_OF_POSES:
        return False
    if text:
        element.set_text(format_numbers((*moved, *turned)))
    else:
        element.set("xyz", format_numbers(moved))
        element.set(key, format_numbers(turned))
    return True
