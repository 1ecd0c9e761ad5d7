"""Each field of a record has a difference, or a reason to have none.

A field that a reader gains needs a row here. Shapes have the tests of their own.
"""

from math import pi
from typing import Callable, Mapping, NamedTuple, Tuple

import pytest

from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.difference_records import Tolerances
from urdf_tools.formats.format_values import VALUES
from urdf_tools.robot.raw_robot import (
    RawActuator,
    RawFrame,
    RawJoint,
    RawNamedState,
    RawLink,
    RawLoop,
    RawMass,
    RawMimic,
    RawRobot,
    RawSensor,
    RawShape,
    UnreadElement,
)
from urdf_tools.compare.comparison_text import report
from urdf_tools.urdf.spatial_math import Transform
from urdf_tools.verify.rigid_motion import rpy_rotation


def at(x, y, z, *rpy):
    roll, pitch, yaw = (*rpy, 0.0, 0.0, 0.0)[:3]
    return Transform(rpy_rotation(roll, pitch, yaw), (x, y, z))


def values_of(record, start=1.0):
    """Return a value by each name that such a record may have, no two of them alike."""
    names = [name for name, value in VALUES.items() if value.of == record]
    return {name: (start + 0.1 * place,) for place, name in enumerate(names)}


MASS = RawMass(2.0, (0.02, 0.01, 0.1), (0.01, 0.0005, 0.001, 0.02, 0.0007, 0.025))
BOX = RawShape("visual", "box", (0.1, 0.2, 0.3), at(0.0, 0.0, 0.1), "shell")
ROBOT = RawRobot(
    "mjcf",
    "arm",
    (
        RawLink("base", MASS, (BOX,), values_of("link")),
        RawLink("upper", MASS, (BOX,)),
        RawLink("lower", MASS, (BOX,)),
        RawLink("cap", MASS._replace(mass=0.5), (BOX,), values_of("link", 0.3)),
        RawLink("finger", MASS),
        RawLink("thumb", MASS),
        RawLink("eyeball", MASS),
        RawLink("tool"),
    ),
    (
        RawJoint(
            "shoulder",
            "revolute",
            "base",
            "upper",
            at(0.1, 0.0, 0.3),
            (0.0, 0.0, 1.0),
            (0.0, 0.0, 0.0),
            0.0,
            -1.0,
            2.0,
            10.0,
            3.0,
            None,
            values_of("joint"),
        ),
        RawJoint(
            "elbow",
            "revolute",
            "upper",
            "lower",
            at(0.4, 0.05, 0.0, 0.1, 0.2, 0.3),
            (0.0, 1.0, 0.0),
            lower=-2.0,
            upper=1.5,
            effort=5.0,
            velocity=4.0,
        ),
        RawJoint("lid", "fixed", "lower", "cap", at(0.0, 0.1, 0.05, 0.3, 0.0, 0.0)),
        RawJoint(
            "left",
            "revolute",
            "lower",
            "finger",
            at(0.0, 0.03, 0.2),
            (1.0, 0.0, 0.0),
            lower=-0.5,
            upper=0.7,
        ),
        RawJoint(
            "right",
            "revolute",
            "lower",
            "thumb",
            at(0.0, -0.04, 0.2),
            (1.0, 0.0, 0.0),
            lower=-0.6,
            upper=0.8,
            mimic=RawMimic("left", -1.0, 0.1),
        ),
        RawJoint("look", "ball", "cap", "eyeball", at(0.0, 0.1, 0.0), upper=0.9),
        RawJoint("mount", "fixed", "cap", "tool", at(0.0, 0.0, 0.25)),
    ),
    (RawFrame("grip", "cap", at(0.0, 0.0, 0.2)),),
    (
        RawLoop(
            "closed",
            "frame",
            ("cap", "thumb"),
            (at(0.0, 0.0, 0.1), at(0.0, 0.0, 0.12)),
            bounds={"upper": 0.5},
            values={"damping": (0.1,)},
        ),
    ),
    (
        RawSensor(
            "eye",
            "camera",
            "cap",
            "",
            at(0.0, 0.0, 0.1),
            30.0,
            values_of("sensor"),
            (("lens", (), "wide"),),
            0,
            ("reads",),
        ),
    ),
    (RawActuator("drive", "position", "shoulder", values_of("actuator")),),
    "fixed",
    (("base", "cap"), ("finger", "thumb")),
    (0.0, 0.0, -9.81),
    {
        "home": RawNamedState(
            {"shoulder": 0.3, "elbow": 0.2}, {"eyeball": at(0.0, 0.0, 0.0)}, {"drive": 0.5}
        )
    },
    (UnreadElement("<odd>", "not read", 3),),
    (),
    "arm.xml",
)
Edit = Callable[[RawRobot], RawRobot]


def of(records, which, **changes):
    """Return the edit of the record of a name; a function among the changes gets the old value."""

    def edit(robot):
        def changed(record):
            return record._replace(
                **{
                    field: new(getattr(record, field)) if callable(new) else new
                    for field, new in changes.items()
                }
            )

        found = getattr(robot, records)
        if isinstance(found, Mapping):
            return robot._replace(
                **{
                    records: {
                        key: changed(one) if key == which else one for key, one in found.items()
                    }
                }
            )
        return robot._replace(
            **{records: tuple(changed(one) if one.name == which else one for one in found)}
        )

    return edit


def mass(**changes):
    return of("links", "cap", mass=lambda old: old._replace(**changes))


def mimic(**changes):
    return of("joints", "right", mimic=lambda old: old._replace(**changes))


def robot(**changes):
    return lambda old: old._replace(**changes)


def key(**changes):
    return of("keys", "home", **changes)


class Row(NamedTuple):
    """Edits of one field, and what the report in full says of each; where the field means nothing, why."""

    says: str
    edits: Tuple[Edit, ...]


def each(records, name, kind):
    """Return the edits of every value that such a record may have."""
    return tuple(
        of(records, name, values=lambda old, value=value: {**old, value: (old[value][0] + 0.5,)})
        for value in values_of(kind)
    )


NOTHING = {  # a field by itself makes no difference, for this reason
    "RawRobot.format": "what a format cannot say is noted",
    "RawRobot.name": "a robot may have any name",
    "RawRobot.file": "it is for messages",
    "RawRobot.decided": "it says what a run changed, and is carried out on the other robot",
    "RawRobot.digest": "equal texts in one folder are one robot; others are compared in all other fields",
    "RawRobot.notes": "they are shown, of either file",
    "RawRobot.T_file_root": "a robot is the same wherever it is put",
    "RawRobot.is_rooted": "it is set by the comparison, so that both begin alike",
    "RawLink.line": "it is for messages",
    "RawLink.lumped_values": "where a whole body is compared, they are its values",
    "RawMass.line": "it is for messages",
    "RawMass.T_link_inertial": "the tensor is in the axes of the link already",
    "RawJoint.line": "it is for messages",
    "RawJoint.has_unwritten_limits": "limits of 0 that are not written are limits of 0, but where a zero moved",
    "RawFrame.line": "it is for messages",
    "RawLoop.line": "it is for messages",
    "RawSensor.line": "it is for messages",
    "RawActuator.line": "it is for messages",
    "RawNamedState.line": "it is for messages",
    "Unread.line": "it is for messages",
    "RawLoop.words": "they are the same loop once more, as an SDF has it",
    "RawLoop.name": "a loop is what it holds together",
    "RawActuator.name": "an actuator is known by its joint",
    "RawJoint.name": "a robot may have any names: test_names_and_base.py",
    "RawLink.name": "as of joints",
    "RawFrame.name": "a frame of another name is one that only one file has: counted",
    "RawSensor.readings": "names",
}
ROWS = {
    "RawRobot.links": Row(
        " only in ",
        (
            lambda old: old._replace(
                links=(*old.links, RawLink("more")),
                joints=(*old.joints, RawJoint("m", "fixed", "cap", "more")),
            ),
        ),
    ),
    "RawRobot.joints": Row(
        "is only in B",
        (
            lambda old: old._replace(
                links=(*old.links, RawLink("more", MASS)),
                joints=(
                    *old.joints,
                    RawJoint("extra", "revolute", "cap", "more", lower=0.0, upper=1.0),
                ),
            ),
        ),
    ),
    "RawRobot.frames": Row(" only in ", (robot(frames=()),)),
    "RawRobot.loops": Row("closed", (robot(loops=()),)),
    "RawRobot.sensors": Row("eye (camera) is only in A", (robot(sensors=()),)),
    "RawRobot.actuators": Row("says what drives its joints", (robot(actuators=()),)),
    "RawRobot.base": Row("the base is fixed in A, free in B", (robot(base="free"),)),
    "RawRobot.apart": Row(
        "never collide",
        (
            robot(apart=()),
            lambda old: old._replace(apart=(*old.apart, (old.links[0].name, old.links[4].name))),
        ),
    ),
    "RawRobot.gravity": Row("gravity", (robot(gravity=(0.0, 0.0, -1.62)),)),
    "RawRobot.keys": Row("state home is only in A", (robot(keys={}),)),
    "RawRobot.unread": Row("<other>", (robot(unread=(UnreadElement("<other>", "not read", 4),)),)),
    "RawLink.mass": Row("mass", (of("links", "cap", mass=None),)),
    "RawLink.shapes": Row("visual", (of("links", "cap", shapes=()),)),
    "RawLink.values": Row("link ", each("links", "cap", "link")),
    "RawMass.mass": Row("mass ", (mass(mass=0.6),)),
    "RawMass.center": Row("center", (mass(center=(0.02, 0.01, 0.15)),)),
    "RawMass.tensor": Row("tensor", (mass(tensor=(0.03, 0.0005, 0.001, 0.02, 0.0007, 0.025)),)),
    "RawJoint.type": Row(
        "elbow is revolute in A, prismatic in B", (of("joints", "elbow", type="prismatic"),)
    ),
    "RawJoint.parent": Row("elbow", (of("joints", "elbow", parent="base"),)),
    "RawJoint.child": Row(
        "Different joints",
        (
            lambda old: old._replace(
                joints=tuple(
                    one._replace(
                        child={"upper": "finger", "finger": "upper"}.get(one.child, one.child)
                    )
                    for one in old.joints
                )
            ),
        ),
    ),
    "RawJoint.T_parent_child": Row(
        "elbow", (of("joints", "elbow", T_parent_child=at(0.44, 0.05, 0.0, 0.1, 0.2, 0.3)),)
    ),
    "RawJoint.axis": Row("elbow", (of("joints", "elbow", axis=(0.6, 0.8, 0.0)),)),
    "RawJoint.point": Row("elbow", (of("joints", "elbow", point=(0.02, 0.0, 0.0)),)),
    "RawJoint.reference": Row(
        "= q + 17.19 deg", (of("joints", "elbow", reference=0.3, lower=-1.7, upper=1.8),)
    ),
    "RawJoint.lower": Row(
        "limit elbow", (of("joints", "elbow", lower=-1.8), of("joints", "elbow", lower=None))
    ),
    "RawJoint.upper": Row(
        "limit ", (of("joints", "elbow", upper=1.8), of("joints", "look", upper=1.0))
    ),
    "RawJoint.effort": Row(
        "effort elbow", (of("joints", "elbow", effort=6.0), of("joints", "elbow", effort=None))
    ),
    "RawJoint.velocity": Row("velocity elbow", (of("joints", "elbow", velocity=6.0),)),
    "RawJoint.mimic": Row("mimic right", (of("joints", "right", mimic=None),)),
    "RawJoint.values": Row("joint shoulder", each("joints", "shoulder", "joint")),
    "RawMimic.leader": Row("mimic right", (mimic(leader="elbow"),)),
    "RawMimic.multiplier": Row("mimic right", (mimic(multiplier=-0.9),)),
    "RawMimic.offset": Row("mimic right", (mimic(offset=0.2),)),
    "RawFrame.link": Row("grip is on", (of("frames", "grip", link="finger"),)),
    "RawFrame.T_link_frame": Row(
        "frame grip",
        (
            of("frames", "grip", T_link_frame=at(0.0, 0.01, 0.2)),
            of("frames", "grip", T_link_frame=at(0.0, 0.0, 0.2, 0.0, 0.5 * pi, 0.0)),
        ),
    ),
    "RawLoop.kind": Row("closed", (of("loops", "closed", kind="point"),)),
    "RawLoop.links": Row("closed", (of("loops", "closed", links=("finger", "thumb")),)),
    "RawLoop.T_link_end": Row(
        "closed", (of("loops", "closed", T_link_end=(at(0.0, 0.0, 0.1), at(0.0, 0.0, 0.2))),)
    ),
    "RawLoop.axis": Row("closed", (of("loops", "closed", axis=(0.0, 0.0, 1.0)),)),
    "RawLoop.polynomial": Row("closed", (of("loops", "closed", polynomial=(0.0, 1.0, 0.5)),)),
    "RawLoop.bounds": Row(
        "closed: lower none", (of("loops", "closed", bounds={"lower": -0.5, "upper": 0.5}),)
    ),
    "RawLoop.values": Row("closed: damping", (of("loops", "closed", values={"damping": (0.2,)}),)),
    "RawSensor.name": Row("eyes", (of("sensors", "eye", name="eyes"),)),
    "RawSensor.kind": Row(
        "eye is camera in A, depth_camera in B", (of("sensors", "eye", kind="depth_camera"),)
    ),
    "RawSensor.link": Row("eye is on", (of("sensors", "eye", link="finger"),)),
    "RawSensor.joint": Row("eye is on ", (of("sensors", "eye", joint="elbow"),)),
    "RawSensor.T_link_sensor": Row(
        "eye is ", (of("sensors", "eye", T_link_sensor=at(0.0, 0.0, 0.2)),)
    ),
    "RawSensor.rate": Row("eye: 30 Hz / 25 Hz", (of("sensors", "eye", rate=25.0),)),
    "RawSensor.values": Row("sensor eye", each("sensors", "eye", "sensor")),
    "RawSensor.words": Row("eye: ", (of("sensors", "eye", words=(("lens", (), "long"),)),)),
    "RawActuator.kind": Row(
        "shoulder: position / motor", (of("actuators", "drive", kind="motor"),)
    ),
    "RawActuator.joint": Row(
        "shoulder: position / none", (of("actuators", "drive", joint="elbow"),)
    ),
    "RawActuator.values": Row("actuator shoulder", each("actuators", "drive", "actuator")),
    "RawNamedState.positions": Row("state home", (key(positions={"shoulder": 0.4, "elbow": 0.2}),)),
    "RawNamedState.places": Row("state home", (key(places={"eyeball": at(0.0, 0.0, 0.0, 0.2)}),)),
    "RawNamedState.controls": Row("state home", (key(controls={"drive": 0.6}),)),
    "Unread.element": Row("<even>", (robot(unread=(UnreadElement("<even>", "not read", 3),)),)),
}
RECORDS = (
    RawRobot,
    RawLink,
    RawMass,
    RawJoint,
    RawMimic,
    RawFrame,
    RawLoop,
    RawSensor,
    RawActuator,
    RawNamedState,
)


def renamed(old):
    """Return a robot in which all links and joints have other names."""
    link = {one.name: f"part {place}" for place, one in enumerate(old.links)}
    joint = {one.name: f"axis {place}" for place, one in enumerate(old.joints)}
    return old._replace(
        links=tuple(one._replace(name=link[one.name]) for one in old.links),
        joints=tuple(
            one._replace(
                name=joint[one.name],
                parent=link[one.parent],
                child=link[one.child],
                mimic=one.mimic and one.mimic._replace(leader=joint[one.mimic.leader]),
            )
            for one in old.joints
        ),
        frames=tuple(one._replace(link=link[one.link]) for one in old.frames),
        loops=tuple(
            one._replace(links=(link[one.links[0]], link[one.links[1]])) for one in old.loops
        ),
        sensors=tuple(
            one._replace(link=link[one.link], joint=joint.get(one.joint, "")) for one in old.sensors
        ),
        actuators=tuple(one._replace(joint=joint[one.joint]) for one in old.actuators),
        apart=tuple((link[a], link[b]) for a, b in old.apart),
        keys={
            name: one._replace(
                positions={joint[k]: q for k, q in one.positions.items()},
                places={link[k]: T for k, T in one.places.items()},
            )
            for name, one in old.keys.items()
        },
    )


EVERYTHING = Tolerances(number=1e-6)


def compared(other):
    """Return the comparison where a format could say everything."""
    return compare(ROBOT, other, losses={}, tolerance=EVERYTHING)


def test_every_field_has_a_row_or_a_reason():
    fields = {f"{record.__name__}.{field}" for record in RECORDS for field in record._fields}
    assert fields <= ROWS.keys() | NOTHING.keys() and not ROWS.keys() & NOTHING.keys()


def test_with_other_names_it_is_the_same_robot():
    """What names a link or a joint is followed to its partner, whatever that is called."""
    found = compared(renamed(ROBOT))
    assert (found.verdict, found.differences, found.noted) == ("same", (), ())


def lines_of(robot):
    return report(compared(robot), full=True, columns=400).splitlines()


@pytest.fixture(scope="module")
def lines_before():
    """The report of the robot beside itself, which has no difference."""
    found = compared(ROBOT)
    assert (found.verdict, found.differences, found.noted) == ("same", (), ())
    return set(lines_of(ROBOT))


@pytest.mark.parametrize(
    "field, k", [(field, k) for field, row in ROWS.items() for k in range(len(row.edits))]
)
def test_a_field_that_differs_is_a_difference_or_a_note(field, k, lines_before):
    after = lines_of(ROWS[field].edits[k](ROBOT))
    new = "\n".join(line for line in after if line not in lines_before)
    assert ROWS[field].says in new.replace("  ", " ").replace("  ", " "), new
