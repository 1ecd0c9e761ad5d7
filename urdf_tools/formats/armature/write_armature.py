"""The armature as JSON, `format` 1: bones, links and their looks, for any program that animates.

Lengths are in meters, angles in radians, masses in kilograms; armature space is the frame of the root link with every
joint at zero. The looks of a link are shapes, colors, and meshes by their names. The README lists the keys.
"""

from __future__ import annotations

import json
from itertools import chain
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence

from ...base.type_aliases import Json
from ...base.diagnostics import Diagnostic, Diagnostics
from ...base.version import __version__
from ...model.model_shapes import (
    Box,
    Capsule,
    Cylinder,
    geometry_of,
    Material,
    material_of,
    Mesh,
    sizes_of,
    Sphere,
)
from ...robot.principal_axes import clean_tensor, entries_of
from ...urdf.urdf_records import (
    Dynamics,
    Limit,
    UrdfLink,
    material_definitions,
    MOVABLE,
    UrdfRobot,
    UrdfShape,
)
from ...urdf.spatial_math import Transform
from ..export_diagnostics import EXPORT_LEFT_OUT
from .build_armature import Armature
from .armature_bones import ARMATURE, Bone, BoneChannel, LETTERS, UniqueNameGenerator

FORMAT = 1
DECIMALS = 13


def document_of(armature: Armature, urdf: Dict[str, str], meshes: Mapping[str, str]) -> Json:
    """Return the whole JSON.

    Args:
        urdf: `path` and `sha256` of the URDF whose armature this is.
        meshes: the names of its mesh files that are found, by reference.
    """
    robot = armature.rest_pose.robot
    objects = UniqueNameGenerator()
    objects_of_links = {name: objects.take(name) for name in robot.links}
    visuals = visuals_of(robot, objects, meshes)
    links = [
        _link(armature, link, objects_of_links[link.name], visuals[link.name])
        for link in robot.links.values()
    ]
    return {
        "format": FORMAT,
        "tool": {"name": "urdf_simplify", "version": __version__},
        "robot": robot.name,
        "object": objects.take(robot.name or "robot"),
        "urdf": urdf,
        "joint_order": [joint.name for joint in robot.joints if joint.type in MOVABLE],
        "bones": [_bone(armature, bone) for bone in armature.bones],
        "links": links,
        "static_frames": [link["name"] for link in links if link["kind"] == "static_frame"],
        "warnings": [warning.text for warning in warnings_of(armature, links)],
    }


def warnings_of(armature: Armature, links: Sequence[Json]) -> Diagnostics:
    """Return the warnings on an armature: odd joints, meshes that are not found, links that no bone carries."""
    warnings: Diagnostics = [*armature.motion.warnings]
    visuals = chain.from_iterable(link["visuals"] for link in links)
    # The key is there for a mesh only.
    missing = dict.fromkeys(visual["uri"] for visual in visuals if visual.get("mesh", "") is None)
    for uri in missing:
        warnings.append(Diagnostic(EXPORT_LEFT_OUT, 0, "mesh-by-script", (uri, ARMATURE)))
    for link in links:
        if link["bone"] is None:
            warnings.append(Diagnostic(EXPORT_LEFT_OUT, 0, "bone", (link["name"], ARMATURE)))
    return warnings


def _bone(armature: Armature, bone: Bone) -> Json:
    """Return a bone as JSON."""
    helper = {"of": bone.of} if bone.of else {}
    return {
        "name": bone.name,
        "kind": bone.kind,
        **helper,
        "parent": bone.parent,
        "link": bone.link,
        "head": rounded(bone.head),
        "tail": rounded(bone.tail),
        "roll": rounded([bone.roll])[0],
        "x_axis": rounded(bone.frame.x),
        "length": rounded([bone.frame.length])[0],
        "rotation_mode": bone.rotation_mode,
        "tail_from": bone.frame.tail_from,
        "dofs": [_dof(armature, dof) for dof in bone.dofs],
    }


def _dof(armature: Armature, dof: BoneChannel) -> Json:
    """Return a channel of a bone as JSON, with the values of the joint that moves it."""
    joint = dof.joint
    motion = armature.motion
    lower, upper = motion.ranges.get(joint.child, (None, None))
    rule = motion.rules.get(joint.child)
    limit = joint.limit or Limit()
    dynamics = joint.dynamics or Dynamics()
    mimic: Optional[Json] = None
    if rule is not None:
        mimic = {"joint": rule.leader, "multiplier": rule.multiplier, "offset": rule.offset}
    return {
        "joint": joint.name,
        "type": joint.type,
        "channel": dof.channel,
        "index": LETTERS.index(dof.letter),
        "axis": dof.letter,
        "sign": dof.sign,
        "lower": lower,
        "upper": upper,
        "effort": limit.effort,
        "velocity": limit.velocity,
        "damping": dynamics.damping,
        "friction": dynamics.friction,
        "mimic": mimic,
    }


def _link(armature: Armature, link: UrdfLink, name: str, visuals: List[Json]) -> Json:
    """Return a link as JSON; `name` is the name of its empty in Blender."""
    mass: Optional[float] = None
    center: Optional[List[float]] = None
    tensor: Optional[List[float]] = None
    if link.inertial:
        properties = link.inertial.properties
        mass = properties.mass
        center = rounded(properties.center)
        tensor = numbers(entries_of(clean_tensor(properties.inertia)))
    return {
        "name": link.name,
        "object": name,
        "bone": armature.carriers[link.name] or None,
        "kind": _kind_of(armature, link),
        "matrix": rows(armature.rest_pose.T[link.name]),
        "mass": mass,
        "com": center,
        "inertia": tensor,
        "visuals": visuals,
    }


def _kind_of(armature: Armature, link: UrdfLink) -> str:
    """Return the kind of a link: `link` on a joint that moves, `fixed`, or `static_frame` if nothing hangs on it."""
    rest_pose = armature.rest_pose
    joint = rest_pose.robot.above.get(link.name)
    if joint is None or joint.type != "fixed":
        return "link"
    return "static_frame" if link.name in rest_pose.ends else "fixed"


def document_bytes(document: Json) -> bytes:
    """Return the JSON as text in which every bone and every link has a line of its own."""
    return ("\n".join(_lines(document)) + "\n").encode("utf-8")


def _lines(document: Json) -> Iterator[str]:
    """Yield the lines of a document: one for each key, and one for each item of a list of objects."""
    last = len(document) - 1
    for index, (key, value) in enumerate(document.items()):
        start = "{" if index == 0 else " "
        end = "," if index < last else "}"
        if value and isinstance(value, list) and isinstance(value[0], dict):
            yield f"{start}{_text(key)}: ["
            for item in value[:-1]:
                yield f"  {_text(item)},"
            yield f"  {_text(value[-1])}]{end}"
        else:
            yield f"{start}{_text(key)}: {_text(value)}{end}"


def _text(value: Any) -> str:
    """Return a value as JSON on one line."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def rows(T: Transform) -> List[List[float]]:
    """Return a pose as three rows of four numbers."""
    return [rounded((*turn, shift)) for turn, shift in zip(T.rotation, T.translation)]


def rounded(values: Any) -> List[float]:
    """Return lengths [m], angles [rad] or parts of directions as a list, without digits that are only rounding."""
    return [round(value, DECIMALS) + 0.0 for value in values]


def numbers(values: Any) -> List[float]:
    """Return numbers as a list, without negative zeros."""
    return [value + 0.0 for value in values]


def visuals_of(
    robot: UrdfRobot, names: UniqueNameGenerator, meshes: Mapping[str, str]
) -> Dict[str, List[Json]]:
    """Return the visuals of each link by its name; `meshes` are the names of the files that are found, by reference."""
    definitions = material_definitions(robot)
    visuals: Dict[str, List[Json]] = {name: [] for name in robot.links}
    for link in robot.links.values():
        for number, shape in enumerate(link.visuals, 1):
            geometry = _geometry(shape, meshes)
            if geometry is None:
                continue
            material = material_of(shape, definitions) or Material()
            suffix = number if number > 1 else ""
            visuals[link.name].append(
                {
                    "name": names.take(shape.name or f"{link.name}.visual{suffix}"),
                    "matrix": rows(shape.pose),
                    **geometry,
                    "material": material.name,
                    "rgba": list(material.rgba) if material.rgba else None,
                }
            )
    return visuals


def _geometry(shape: UrdfShape, meshes: Mapping[str, str]) -> Optional[Json]:
    """Return the geometry of a shape as JSON, None for a shape that Blender does not show."""
    geometry = geometry_of(shape)
    if isinstance(geometry, (Box, Cylinder, Capsule)):
        return {geometry.kind: numbers(sizes_of(geometry))}
    if isinstance(geometry, Sphere):
        return {"sphere": geometry.radius}
    if isinstance(geometry, Mesh):
        return {
            "mesh": meshes.get(geometry.filename),
            "uri": geometry.filename,
            "scale": numbers(geometry.scale),
        }
    return None
