"""The first direction of friction is along the axes of the collision, or of the link that `gz:expressed_in` names."""

import pytest
from hypothesis import given
from conftest import examples, SEEDS
import random

import urdf_tools
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.read_any_format import read_bytes
from urdf_tools.compare.difference_kinds import text_of
from urdf_tools.plan.run_options import Options
from urdf_tools.run.run_pipeline import simplify_bytes

BODY = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1.2" iyz="0" izz="1.4"/></inertial>'
CAR = """<robot name="car" xmlns:gz="http://gazebosim.org/schema"><link name="base">{body}</link><link name="wheel">{body}
<collision><origin rpy="{rpy}"/><geometry><box size="1 2 3"/></geometry></collision></link><link name="plate">{body}</link>
<joint name="roll" type="continuous"><origin xyz="0 1 0" rpy="0.3 0 1.2"/><parent link="base"/><child link="wheel"/>
<axis xyz="0 0.6 0.8"/></joint>
<joint name="hold" type="fixed"><origin rpy="0 0.5 0"/><parent link="base"/><child link="plate"/></joint>
<gazebo reference="wheel"><collision><surface><friction><ode><mu>0.7</mu><fdir1{frame}>{direction}</fdir1></ode></friction>
</surface></collision></gazebo></robot>"""
OF = ' gz:expressed_in="{}"'


def car(frame="", direction="1 0.5 0.2", rpy="0 0 0"):
    named = OF.format(frame) if frame else ""
    return CAR.format(body=BODY, frame=named, direction=direction, rpy=rpy).encode()


def verdict(a, b):
    found = compare(read_bytes(a, "a.urdf"), read_bytes(b, "b.urdf"))
    return found.verdict, [text_of(difference) for difference in found.counted], found.notes


@given(SEEDS)
@examples(4, fuzzed=200)
def test_a_run_turns_it_with_the_link(seed):
    r = random.Random(seed)
    frame = r.choice(("", "base", "wheel", "plate"))
    text = car(frame, rpy="0.1 0.2 0.3")
    bases = ("x=left,y=back,z=up", "x=up,y=left,z=back", "ros")
    # Merging `plate` into the base gives the direction along the axes of the base.
    result = simplify_bytes(text, "car.urdf", Options(base_frame=r.choice(bases)))
    found, sentences, notes = verdict(text, result.data)
    assert found == "same" and not any("not compared" in note for note in notes), sentences
    other = result.data.replace(b"<mu>0.7</mu><fdir1", b"<mu>0.7</mu><fdir1 ", 1)
    _, _, numbers = other.partition(b"</fdir1>")[0].rpartition(b">")
    first, _, rest = numbers.partition(b" ")
    other = other.replace(numbers, b"%r %s" % (float(first) + 0.1, rest))
    assert verdict(text, other)[0] == "limits"


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        (car("base"), car("base", "1 0.5 0.21"), "direction1 1 0.5 0.2 / 1 0.5 0.21"),
        (car("base"), car("wheel"), "the link of direction1 of collision box is base / none"),
        (car("base"), car(), "the link of direction1"),
        # Of one body every link is as good, and of the body of the collision its own axes are.
        (car("wheel"), car(), ""),
        (car("plate", "0 1 0"), car("base", "0 1 0"), ""),
    ],
)
def test_it_is_compared_along_the_axes_of_its_link(a, b, said):
    found, sentences, _ = verdict(a, b)
    assert said in " ".join(sentences)
    assert (found == "same") == (not said), sentences


def test_a_frame_that_is_no_link_is_named_as_not_compared():
    found, _, notes = verdict(car("roll"), car("roll", "1 0.4 0.2"))
    assert found == "same" and any("not compared, and not alike" in note for note in notes)


def test_a_model_keeps_the_later_tag_and_not_the_link_of_the_earlier_direction(tmp_path):
    body = (
        '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
        '<collision><geometry><box size="1 1 1"/></geometry></collision>'
    )
    path = tmp_path / "robot.urdf"
    path.write_text(
        '<robot name="r" xmlns:gz="http://gazebosim.org/schema">'
        f'<link name="a">{body}</link><link name="b">{body}</link>'
        '<joint name="j" type="continuous"><origin rpy="0.3 0.2 0.1"/><parent link="a"/><child link="b"/></joint>'
        '<gazebo reference="b"><collision><surface><friction><ode>'
        '<fdir1 gz:expressed_in="a">0 1 0</fdir1></ode></friction></surface></collision></gazebo>'
        '<gazebo reference="b"><fdir1>1 0 0</fdir1></gazebo></robot>'
    )
    urdf_tools.export(str(path), str(tmp_path / "robot.json"))  # its proof compares both
    compared = urdf_tools.compare(str(path), str(tmp_path / "robot.json"))
    assert compared, compared.text()
