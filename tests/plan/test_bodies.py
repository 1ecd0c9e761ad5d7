"""What a body of the plan carries: its parts with their poses, and all of them as one mass."""

import pytest
from conftest import signs_of

from urdf_tools import simplify

ONE = '<mass value="{}"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
TEXT = f"""<robot name="r">
  <link name="a"><inertial>{ONE.format(1)}</inertial></link>
  <link name="b"><inertial>{ONE.format(3)}</inertial></link>
  <link name="c"/>
  <link name="d"><inertial>{ONE.format(5)}</inertial></link>
  <link name="e"><inertial>{ONE.format(5)}</inertial></link>
  <joint name="ab" type="fixed"><parent link="a"/><child link="b"/><origin xyz="0 0 4"/></joint>
  <joint name="ac" type="fixed"><parent link="a"/><child link="c"/></joint>
  <joint name="ad" type="continuous"><parent link="a"/><child link="d"/><axis xyz="0 0 -1"/></joint>
  <joint name="ad" type="continuous"><parent link="a"/><child link="e"/><axis xyz="0 0 -1"/></joint>
</robot>
"""


def plan_of(folder, **choices):
    path = folder / "robot.urdf"
    path.write_text(TEXT, "utf-8")
    return simplify(path, base_frame="ros", **choices).plan


def test_bodies_carry_their_parts_and_one_mass(tmp_path):
    plan = plan_of(tmp_path)
    assert list(plan.bodies) == ["a", "d"]
    body = plan.bodies["a"]
    assert [part.link for part in body.parts] == ["a", "b", "c"] and body.parts[
        2
    ].mass_properties is None
    assert [part.T_body_link.translation for part in body.parts] == [
        (0, 0, 0),
        (0, 0, 4),
        (0, 0, 0),
    ]
    assert (
        body.mass_properties is not None
        and body.mass == 4.0
        and body.mass_properties.center == (0, 0, 3)
    )
    assert body.mass_properties.inertia[0][0] == pytest.approx(1 + 1 * 3**2 + 1 + 3 * 1**2)


def test_without_merging_every_link_is_a_body(tmp_path):
    plan = plan_of(tmp_path, merge=False)
    assert {name: [part.link for part in body.parts] for name, body in plan.bodies.items()} == {
        name: [name] for name in "abcde"
    }
    assert plan.bodies["c"].mass_properties is None and plan.bodies["c"].mass == 0.0


def test_sign_of_a_joint(tmp_path):
    plan = plan_of(tmp_path)
    _, _, flipped, removed = plan.robot.joints
    assert removed.child not in plan.joints
    assert signs_of(plan)["ad"] == plan.joints[flipped.child].map.sign == -1


def inertia_warnings(folder, **choices):
    """Give a link of 0.001 kg, which merges, a tensor that no body has."""
    path = folder / "robot.urdf"
    path.write_text(
        TEXT.replace(
            ONE.format(3),
            '<mass value="0.001"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.001" '
            'iyz="0" izz="0.001"/>',
        ),
        "utf-8",
    )
    return [
        (notice.names[:1], notice.line)
        for notice in simplify(path, base_frame="ros", **choices).plan.warnings
        if notice.kind.name == "inertia"
    ]


def test_a_tensor_is_judged_where_it_ends_up(tmp_path):
    assert inertia_warnings(tmp_path) == []
    assert (
        inertia_warnings(tmp_path, keep=("b",))
        == inertia_warnings(tmp_path, merge=False)
        == [(("b",), 3)]
    )
