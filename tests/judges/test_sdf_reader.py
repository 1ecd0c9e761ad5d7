"""libsdformat judges the reader of SDF: frames, poses, masses, axes and limits are those that it resolves."""

import math
import random

import pytest
from conftest import scaled
import random_robots
from judged_robots import sdf_files
from random_sdf import VERSIONS, Writer
from remade import along, at, forward, times
from sound_robots import sound

from urdf_tools import model
from urdf_tools.base.errors import UrdfError
from urdf_tools.formats.sdf.read_sdf import read_sdf
from urdf_tools.export.sdf_exporter import write_sdf
from urdf_tools.model.export_options import SdfOptions
from urdf_tools.urdf.spatial_math import IDENTITY_POSE, Transform

CLOSE = 1e-11  # m, and what numbers of size 1 may be apart
COUNT = scaled(60)
TYPES = {"ball": 1, "continuous": 2, "fixed": 3, "prismatic": 5, "revolute": 6}  # of sdf::JointType
NEWEST = 9  # 1.N, the newest version that libsdformat 12 knows
HAND_MADE = {
    "an axis in the model's frame, by the old default": """<sdf version="1.4"><model name="m"><link name="a">
        <pose>1 0 0 0 0 1</pose></link><link name="b"><pose>0 1 0 0.3 0 0</pose></link><joint name="j" type="revolute">
        <pose>0 0 0.2 0 0.5 0</pose><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz><limit><lower>-1</lower>
        <upper>1</upper></limit></axis></joint></model></sdf>""",
    "the same axis, as the joint's": """<sdf version="1.5"><model name="m"><link name="a"><pose>1 0 0 0 0 1</pose>
        </link><link name="b"><pose>0 1 0 0.3 0 0</pose></link><joint name="j" type="revolute"><pose>0 0 0.2 0 0.5 0
        </pose><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz><limit><lower>-1</lower><upper>1</upper></limit>
        </axis></joint></model></sdf>""",
    "a joint to the world": """<sdf version="1.7"><model name="m"><link name="a"><pose>0 0 1 0 0 0.5</pose></link>
        <joint name="j" type="prismatic"><pose relative_to="__model__">0 0 3 0.1 0 0</pose><parent>world</parent>
        <child>a</child><axis><xyz expressed_in="a">0 1 0</xyz><limit><lower>0</lower><upper>1e17</upper></limit></axis>
        </joint></model></sdf>""",
    "poses relative to each other": """<sdf version="1.9"><model name="m"><link name="a"><pose relative_to="f">1 0 0 0 0
        0.5</pose></link><frame name="f" attached_to="b"><pose relative_to="j">0 2 0 0.1 0.2 0.3</pose></frame>
        <link name="b"><pose degrees="true">0 1 0 90 0 45</pose></link><joint name="j" type="continuous">
        <pose relative_to="b" rotation_format="quat_xyzw">0 0 1 0 0.6 0 0.8</pose><parent>b</parent><child>c</child>
        <axis><xyz expressed_in="f">0 0 2</xyz></axis></joint><joint name="k" type="fixed">
        <parent>c</parent><child>a</child></joint><link name="c"/></model></sdf>""",
    "a model in a model": """<sdf version="1.8"><model name="m"><link name="a"><pose>0 0 1 0 0 0.5</pose></link>
        <model name="n" canonical_link="c"><pose relative_to="a">1 0 0 0.1 0.2 0.3</pose><link name="b"><pose>0 1 0 0 0
        0</pose></link><link name="c"><pose relative_to="b">0 0 1 0.2 0 0</pose></link><frame name="f"><pose>0 0 2 0 0.4
        0</pose></frame><frame name="g" attached_to="c"><pose relative_to="__model__">0 3 2 0 0 0</pose></frame>
        <frame name="h" attached_to="__model__"/><joint name="k" type="revolute"><parent>b</parent><child>c</child>
        <axis><xyz expressed_in="__model__">0 1 0</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis></joint>
        <model name="o"><pose>0 0 0.3 0.5 0 0</pose><link name="d"/></model><joint name="l" type="fixed"><parent>c
        </parent><child>o::d</child></joint></model><joint name="j" type="revolute"><pose relative_to="n::f">0 0 0.1 0 0
        0</pose><parent>a</parent><child>n::b</child><axis><xyz expressed_in="n">0 0 1</xyz><limit><lower>-1</lower>
        <upper>1</upper></limit></axis></joint></model></sdf>""",
    "a model in a model without a pose": """<sdf version="1.8"><model name="m"><link name="a"/><model name="n">
        <link name="b"><pose>0 1 0 0.1 0.2 0</pose></link></model><joint name="j" type="fixed"><parent>a</parent>
        <child>n::b</child></joint></model></sdf>""",
}


class Judged:
    """A file as libsdformat resolves it: what is said, by kind and name; poses are in the model."""

    def __init__(self, text):
        self.said = {}
        self.errors = []
        for line in text.splitlines()[1:]:
            kind, name, *words = line.split("\t")
            if kind == "error":
                self.errors.append(name)
            self.said[kind, name] = words

    def pose(self, kind, name, start=0):
        x, y, z, *columns = map(float, self.said[kind, name][start : start + 12])
        R = tuple(tuple(columns[3 * j + i] for j in range(3)) for i in range(3))
        return Transform(R, (x, y, z))


def flat(T):
    return [*T.translation, *(entry for row in T.rotation for entry in row)]


def apart(found, wanted):
    size = max([1.0, *map(abs, wanted)])
    return len(found) != len(wanted) or any(
        abs(a - b) > CLOSE * size for a, b in zip(found, wanted)
    )


def bound(value):
    """Return a limit, None for what stands for none: it is infinite, or SDF's own default of 1e16."""
    return None if abs(value) >= 1e16 or math.isnan(value) else value


def differences(robot, judged):
    """Yield where the reader and libsdformat differ."""
    places = forward(robot, {})
    root = next(name for name, T in places.items() if T is IDENTITY_POSE)
    T_model_root = IDENTITY_POSE if root == "world" else judged.pose("link", root)
    T_model = {name: times(T_model_root, T) for name, T in places.items()}
    for link in robot.links:
        if link.name == "world":
            continue
        if apart(flat(T_model[link.name]), flat(judged.pose("link", link.name))):
            yield f"pose of link {link.name}"
        mass, *rest = map(float, judged.said["link", link.name][12:])
        xx, xy, xz, _, yy, yz, _, _, zz = rest[3:]
        own = link.mass
        if own is None or apart(
            (own.mass, *own.center, *own.tensor), (mass, *rest[:3], xx, xy, xz, yy, yz, zz)
        ):
            yield f"mass of link {link.name}"
    for frame in robot.frames:
        body = judged.said["frame", frame.name][0]
        if body != frame.link or apart(
            flat(times(T_model[frame.link], frame.T_link_frame)),
            flat(judged.pose("frame", frame.name, 1)),
        ):
            yield f"frame {frame.name}"
    for joint in robot.joints:
        if ("joint", joint.name) in judged.said:
            yield from (
                f"{what} of joint {joint.name}"
                for what in of_joint(joint, T_model[joint.child], judged)
            )
    names = (
        {("link", link.name) for link in robot.links}
        | {("frame", frame.name) for frame in robot.frames}
        | {("joint", one.name) for one in (*robot.joints, *robot.loops)}
    )
    yield from (
        f"{kind} {name} is not read" for kind, name in judged.said if (kind, name) not in names
    )


def of_joint(joint, T_model_child, judged):
    parent, child, kind, *rest = judged.said["joint", joint.name]
    if (joint.parent, joint.child) != (parent, child):
        yield "links"
    if apart(at(T_model_child, joint.point), judged.pose("joint", joint.name, 3).translation):
        yield "place"
    is_free = joint.type == "continuous" and kind == str(TYPES["revolute"])  # without limits
    if not is_free and kind != str(TYPES[joint.type]):
        yield "type"
    if joint.type in ("fixed", "ball"):
        return
    numbers = list(map(float, rest[12:]))
    if apart(along(T_model_child, joint.axis), numbers[:3]):
        yield "axis"
    lower, upper, effort, velocity, damping, friction, stiffness, reference = numbers[3:]
    if (joint.lower, joint.upper) != (
        (None, None) if joint.type == "continuous" else (bound(lower), bound(upper))
    ):
        yield "limits"
    if (joint.effort, joint.velocity) != (bound(effort), bound(velocity)):
        yield "effort and velocity"
    own = [
        joint.values.get(word, (0.0,))[0]
        for word in ("damping", "friction", "stiffness", "spring_reference")
    ]
    if own != [damping, friction, stiffness, reference]:
        yield "dynamics"


def compared(texts, judge, folder):
    """Return how many files both read, what is read otherwise, and what libsdformat has errors for."""
    files = []
    for number, (_, text) in enumerate(texts):
        files.append(folder / f"{number}.sdf")
        files[-1].write_text(text, "utf-8")
    count, wrong, refused = 0, [], []
    for (name, text), said in zip(texts, judge(files)):
        judged = Judged(said)
        if judged.errors:
            refused.append(f"{name}: {judged.errors[0]}")
            continue
        try:
            found = list(differences(read_sdf(text, name), judged))
        except UrdfError as error:
            found = [str(error)]
        wrong += [f"{name}: {one}" for one in found]
        count += 1
    return count, wrong, refused


def test_models_of_every_version_are_read_as_libsdformat_resolves_them(
    resolved_by_gazebo, tmp_path
):
    texts = [
        (f"seed {seed} of {version}", Writer(random.Random(seed), version).text())
        for version in VERSIONS
        for seed in range(COUNT)
    ]
    count, wrong, refused = compared(texts, resolved_by_gazebo, tmp_path)
    print(f"{count} of {len(texts)} models are read as libsdformat resolves them, but {len(wrong)}")
    assert not wrong, wrong[:5]
    assert count > 0.9 * len(texts), refused[:5]


@pytest.mark.parametrize("name", HAND_MADE)
def test_a_rule_is_that_of_libsdformat(name, resolved_by_gazebo, tmp_path):
    assert compared([(name, HAND_MADE[name])], resolved_by_gazebo, tmp_path) == (1, [], [])


def test_what_is_written_is_read_as_libsdformat_resolves_it(resolved_by_gazebo, shared, tmp_path):
    """Of all robots of the folder beside that export, and of random ones."""
    texts = sdf_files(tmp_path, shared)
    for seed in range(COUNT):
        try:
            robot = model.Robot.from_urdf(sound(random_robots.write_robot(random.Random(seed))))
            texts.append((f"seed {seed}", write_sdf(robot, SdfOptions()).text))
        except UrdfError:
            continue
    known = [
        (name, text) for name, text in texts if f'<sdf version="1.{NEWEST + 1}"' not in text[:200]
    ]
    count, wrong, refused = compared(known, resolved_by_gazebo, tmp_path)
    print(
        f"{count} of {len(texts)} files of this tool are read as libsdformat resolves them, but {len(wrong)}; "
        f"{len(refused)} it refuses, {len(texts) - len(known)} are of a newer version"
    )
    assert not wrong, wrong[:5]
    assert count > 0.5 * len(texts), refused[:5]


def test_what_is_read_otherwise_is_found(resolved_by_gazebo, tmp_path):
    """Mutants: one number of the text that libsdformat got is another."""
    text = Writer(random.Random(5), "1.9").text()
    path = tmp_path / "robot.sdf"
    path.write_text(
        text.replace("<ixx>0.4<", "<ixx>0.41<").replace("<upper>", "<upper>1"), encoding="utf-8"
    )
    found = list(differences(read_sdf(text), Judged(resolved_by_gazebo([path])[0])))
    assert any(one.startswith("mass") for one in found)
