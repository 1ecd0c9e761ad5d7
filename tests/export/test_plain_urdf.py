"""A URDF for a program has the words that the program reads: angles in place of quaternions, and version 1.0."""

import math
from unittest import mock

import pytest
from conftest import examples
from hypothesis import given, strategies as st

import commands
from urdf_tools.base.errors import ProofFailed
from urdf_tools.compare import compare
from urdf_tools.export import plain_urdf

# Programs whose readers of URDF know no quaternion, whatever the version.
WITHOUT_QUATERNIONS = ("mujoco", "drake", "gazebo", "isaac", "newton")
URDFDOM = ("rviz", "pinocchio")
TENSOR = '<mass value="1"/><inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/>'
SHAPES = {"box": '<box size="0.1 0.2 0.3"/>', "capsule": '<capsule radius="0.1" length="0.3"/>'}
PLACES = ("joint", "visual", "collision", "inertial")


def robot(version="", shape="box", **turns):
    """Return a robot whose parts, by the names of PLACES, are turned by quaternions."""
    origins = {
        place: f'<origin xyz="0 0 0.1" quat_xyzw="{turns[place]}"/>' if place in turns else ""
        for place in PLACES
    }
    drawn = f"<geometry>{SHAPES[shape]}</geometry>"
    return f"""<robot name="r"{f' version="{version}"' if version else ""}>
<link name="base"><inertial>{TENSOR}</inertial></link>
<link name="arm"><inertial>{origins["inertial"]}{TENSOR}</inertial>
<visual>{origins["visual"]}{drawn}</visual><collision>{origins["collision"]}{drawn}</collision></link>
<joint name="j" type="revolute">{origins["joint"]}<parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="10" velocity="3"/></joint>
<gazebo reference="arm"><origin quat_xyzw="0 0 1 1"/></gazebo></robot>"""


QUARTER = "0 0 0.70710678118654757 0.70710678118654757"


def of_robot(text):
    return text.partition("<gazebo")[0]


@pytest.mark.parametrize("program", WITHOUT_QUATERNIONS)
@pytest.mark.parametrize("version", ("", "1.0", "1.1", "1.2"))
@pytest.mark.parametrize("place", PLACES)
def test_a_quaternion_becomes_angles(place, version, program, here):
    (here / "r.urdf").write_text(robot(version, **{place: QUARTER}))
    out = commands.said("export", "r.urdf", "o.urdf", "-y", "--for", program)[1]
    text = (here / "o.urdf").read_text()
    assert "OK Same robot" in out and "1 quaternion as angles" in out
    assert "quat_xyzw" not in of_robot(text)
    assert '<origin xyz="0 0 0.1" rpy="0 0 1.570796326795"/>' in text
    assert ('version="1.0"' in text) is bool(version) and 'version="1.1"' not in text
    assert '<origin quat_xyzw="0 0 1 1"/></gazebo>' in text  # which is a word of the simulator
    assert compare("r.urdf", "o.urdf").is_same


@pytest.mark.parametrize("program", URDFDOM)
def test_urdfdom_reads_a_quaternion_from_version_1_1_on(program, here):
    (here / "old.urdf").write_text(robot("", joint=QUARTER))
    (here / "new.urdf").write_text(robot("1.1", joint=QUARTER))
    for name in ("old.urdf", "new.urdf"):
        assert commands.said("export", name, f"o_{name}", "-y", "-q", "--for", program)[0] == 0
        stays = "quat_xyzw" in of_robot((here / f"o_{name}").read_text())
        assert stays is (name == "new.urdf")


@pytest.mark.parametrize("version", ("", "1.1", "1.2"))
def test_a_capsule_goes_to_those_that_read_it(version, here):
    (here / "r.urdf").write_text(robot(version, "capsule"))
    for program in (*WITHOUT_QUATERNIONS, *URDFDOM):
        name = f"{program}.urdf"
        assert commands.said("export", "r.urdf", name, "-y", "-q", "--for", program)[0] == 0
        drops = program in ("gazebo", "isaac") or program in URDFDOM and not version
        assert ("<capsule" in (here / name).read_text()) is not drops, program
        assert compare("r.urdf", name).is_same


NUMBER = st.floats(-1.0, 1.0).map(lambda value: round(value, 3))
QUATERNION = st.tuples(NUMBER, NUMBER, NUMBER, NUMBER).filter(lambda four: math.hypot(*four) > 0.1)


@examples(10)
@given(st.lists(QUATERNION, min_size=4, max_size=4), st.sampled_from(WITHOUT_QUATERNIONS))
def test_any_turn_is_the_same_turn(turns, program):
    """Read back by hand: the matrix of the angles is the matrix of the quaternion."""
    words = [" ".join(map(str, turn)) for turn in turns]
    with commands.folder_with({"r.urdf": robot("1.1", **dict(zip(PLACES, words)))}) as folder:
        assert commands.said("export", "r.urdf", "o.urdf", "-y", "-q", "--for", program)[0] == 0
        text = of_robot((folder / "o.urdf").read_text())
        last = {place: text.rpartition(f"<{place}")[2] for place in PLACES}
        for turn, place in zip(turns, PLACES):
            angles = [float(word) for word in last[place].split('rpy="')[1].split('"')[0].split()]
            assert first_column(angles) == pytest.approx(turned_x(turn), abs=1e-9)


def first_column(angles):
    roll, pitch, yaw = angles
    return [
        math.cos(yaw) * math.cos(pitch),
        math.sin(yaw) * math.cos(pitch),
        -math.sin(pitch),
    ]


def turned_x(quaternion):
    length = math.hypot(*quaternion)
    x, y, z, w = (part / length for part in quaternion)
    return [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)]


def test_other_angles_are_refused(here):
    (here / "r.urdf").write_text(robot("1.1", joint=QUARTER))
    wrong = mock.patch.object(plain_urdf, "rpy_from_matrix", lambda matrix: (0.0, 0.0, 1.5))
    with wrong, pytest.raises(ProofFailed, match="other angles"):
        import urdf_tools

        urdf_tools.export("r.urdf", "o.urdf", for_="mujoco")
