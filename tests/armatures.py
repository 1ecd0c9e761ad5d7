"""Small robots in a few words, and the JSON of their armatures."""

import json

from urdf_tools.formats.armature.write_armature import document_bytes, document_of
from urdf_tools.export.armature_exporter import verify_armature
from urdf_tools.formats.armature.build_armature import armature_of
from urdf_tools.formats.urdf.read_urdf import read_urdf
from urdf_tools.urdf.lossless_xml import parse_document
from urdf_tools.urdf.urdf_reader import read_robot


def joint(
    name,
    parent,
    child,
    xyz,
    axis="",
    kind="revolute",
    more="",
    limits="",
):
    """Return the XML of a joint; without an axis it is fixed."""
    lower, upper = (limits or "-1.5 1.5").split()
    limit = (
        f'<limit lower="{lower}" upper="{upper}" effort="1" velocity="1"/>'
        if kind != "continuous"
        else ""
    )
    return (
        f'<joint name="{name}" type="{kind if axis else "fixed"}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}"/>'
        + (f'<axis xyz="{axis}"/>{limit}' if axis else "")
        + f"{more}</joint>"
    )


def urdf(*joints, inside=()):
    """Return a URDF of joints with the links they name."""
    text = "".join(joints)
    names = dict.fromkeys(
        ["base", *(part.split('"')[0] for part in text.split('child link="')[1:])]
    )
    links = "".join(f'<link name="{name}">{dict(inside).get(name, "")}</link>' for name in names)
    return f'<robot name="case">{links}{text}</robot>'.encode()


def made(data, join=True):
    """Return the JSON of a robot's armature, after its proof."""
    robot = read_robot(parse_document(data, "case.urdf"))
    source = {"path": "case.urdf", "sha256": ""}
    text = document_bytes(document_of(armature_of(robot, join=join), source, {}))
    assert verify_armature(text, read_urdf(data), source).position < 1e-9
    armature = json.loads(text)
    return armature
