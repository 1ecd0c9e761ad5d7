"""Hardware is removed by its name, but no link of the result loses all that it shows, or all that it touches with."""

from itertools import product

import pytest

from urdf_tools.plan.run_options import Options
from urdf_tools.report.change_sections import mesh_sections
from urdf_tools.run.run_pipeline import simplify_bytes

MASS = (
    "<inertial><mass value='0.3'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
    "</inertial>"
)
BOX = "<geometry><box size='1 1 1'/></geometry>"
KINDS = ("visual", "collision")
# Of each link its meshes for each kind; "" is a box.


def stripped(links, joint, inside="", **choices):
    """Run on links that hang on the first one by joints of a type."""
    text = ""
    for name, of_kinds in links.items():
        text += f"<link name='{name}'>{MASS}"
        for kind, meshes in zip(KINDS, of_kinds):
            for mesh in meshes:
                geometry = f"<geometry><mesh filename='{mesh}'/></geometry>" if mesh else BOX
                text += f"<{kind}>{geometry}</{kind}>"
        text += "</link>"
    root, *others = links
    for name in others:
        text += (
            f"<joint name='to_{name}' type='{joint}'><parent link='{root}'/><child link='{name}'/>"
            "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"
        )
    source = f"<robot name='r'>{text}{inside}</robot>".encode()
    return simplify_bytes(source, "robot.urdf", Options(**{"base_frame": "ros", **choices}))


def kept(result):
    """Return by link of the result the kinds of its shapes."""
    return {
        name: [shape.kind for shape in link.shapes] for name, link in result.after.links.items()
    }


@pytest.mark.parametrize("joint", ("fixed", "revolute"))
def test_a_link_of_the_result_has_a_shape_of_each_kind_that_it_had(joint):
    """All ways to give two links nothing, hardware, or hardware and another shape, as visuals and as collisions."""
    sets = ((), ("rotor.stl",), ("m3_nut.stl", ""))
    for first, second in product(product(sets, sets), repeat=2):
        result = stripped({"a": first, "b": second}, joint)
        bodies = {"a": (first, second)} if joint == "fixed" else {"a": (first,), "b": (second,)}
        for name, parts in bodies.items():
            for k, kind in enumerate(KINDS):
                meshes = [mesh for part in parts for mesh in part[k]]
                others = meshes.count("")
                # What is left are the other shapes; without any, all of the hardware (copies of one are one).
                wanted = min(others, 1) if others else len(set(meshes))
                assert kept(result)[name].count(kind) == wanted, (first, second)


def test_the_plan_says_what_was_kept_and_why():
    jaw = ("z1_GripperStator.stl",)
    result = stripped({"a": ((), ()), "g": (jaw, jaw)}, "revolute")
    assert kept(result) == {"a": [], "g": ["visual", "collision"]}
    shapes = mesh_sections(result.plan)[0]
    assert (shapes.title, shapes.lines) == (
        "Shapes",
        [
            "  kept: z1_GripperStator (1 time), else link 'g' has no visual left",
            "  kept: z1_GripperStator (1 time), else link 'g' has no collision left",
        ],
    )


def test_what_the_user_strips_is_stripped():
    case, rotor = ("case.stl",), ("rotor.stl",)
    result = stripped({"a": (case, rotor), "g": (rotor, case)}, "revolute", strip=("case",))
    assert kept(result) == {"a": ["collision"], "g": ["visual"]}
    result = stripped({"a": (case, case)}, "fixed", strip=("case",))
    assert kept(result) == {"a": []} and result.plan.bare == ("a",)


@pytest.mark.parametrize(("other", "links"), ((("",), ["a"]), ((), ["a", "b"])))
def test_contacts_of_what_is_kept_count(other, links):
    """Two rotors that touch differently stay two links where they are kept, and are one where they are removed."""
    slips = "".join(
        f"<gazebo reference='{name}'><mu1>{value}</mu1></gazebo>"
        for name, value in (("a", 0.2), ("b", 0.9))
    )
    rotor = ("rotor.stl",)
    result = stripped({"a": ((), (*other, *rotor)), "b": ((), rotor)}, "fixed", slips)
    assert list(result.after.links) == links
