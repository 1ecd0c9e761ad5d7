"""Other programs judge the acts of `edit`: Pinocchio moves the robot before and after by the map that the act has.

The command makes each file; what it wrote is read by ElementTree, and Pinocchio knows links, masses, joints, and a
frame for each visual and collision. MuJoCo and Drake judge meshes that are mirrored by their scale, and MuJoCo what is
attached.
"""

from collections import namedtuple
import random
import re
from functools import lru_cache

import pytest
from commands import in_process
from conftest import ROOT
from judged_texts import (
    apart,
    below,
    JOINT,
    lines_of,
    MOVABLE,
    np,
    Pinocchio,
    plain,
    random_base,
    tree_of,
)

from urdf_tools.app.command_table import main

SHARED = ROOT.parent / "shared" / "robots"
ROBOTS = [*sorted(SHARED.glob("*.urdf")), *sorted((ROOT / "fixtures").glob("*/robot.urdf"))]
TOLERANCE = 1e-8  # of poses [m, 1]; of M, g and energies in parts of the largest
POSES = 3
each_robot = pytest.mark.parametrize(
    "robot", ROBOTS, ids=[f"{path.parent.name}-{path.stem}" for path in ROBOTS]
)


@lru_cache(maxsize=None)
def help_text():
    return in_process(["edit", "-h"], b"", main).stdout.decode()


class Text(namedtuple("Text", "path tree lines root")):
    """A robot as the judges know it; `path` is the file."""

    def judge(self, links=(), root="", locked={}):
        """Return what Pinocchio makes of it, or of some links; joints that are locked are reduced away."""
        text = plain(
            self.tree,
            set(links) or {link.get("name") for link in self.tree.findall("link")},
            root or self.root,
            by_name=True,
        )
        return Pinocchio(text, dict(locked))

    @property
    def links(self):
        return [link.get("name") for link in self.tree.findall("link")]


def text_at(path):
    tree = tree_of(path.read_bytes())
    lines = lines_of(tree)
    tops = {line.child for line in lines}
    root = next(link.get("name") for link in tree.findall("link") if link.get("name") not in tops)
    names = [line.name for line in lines if line.type in MOVABLE]
    if len(names) != len(set(names)):
        pytest.skip("Pinocchio knows one joint of a name")
    return Text(path, tree, lines, root)


def edit(robot, output, *acts):
    """Edit a robot by the command line.

    Raises:
        AssertionError: with the sentence of the refusal.
    """
    for option, _ in acts:
        if not re.search(rf"^\s+{option}\b", help_text(), flags=re.M):
            pytest.skip(f"edit has no {option} yet")
    words = [word for act in acts for word in act]
    done = in_process(["edit", str(robot), *words, "-o", str(output), "-y", "-q"], b"", main)
    if done.returncode == 2 and b"is xacro" in done.stderr:
        pytest.skip("not a URDF yet")
    assert done.returncode == 0, done.stderr.decode()
    return text_at(output)


class Joined(namedtuple("Joined", "name sign zero", defaults=(1.0, 0.0))):
    """A joint before and after: q_after = sign (q_before - zero)."""


def prefixed(name):
    """Return a name with the prefix this_; of a frame that closes a loop, behind what says so (onshape-to-robot)."""
    return (
        name
        if name.split(" ")[0] in ("world", "map", "odom")
        else re.sub("^(closing_|)", r"\1this_", name)
    )


def joined(text):
    return {line.name: Joined(line.name) for line in text.lines if line.type in MOVABLE}


def assert_alike(old, new, joints, frames):
    """Compare frames, M and g at random positions, by names."""
    r, moving = random.Random(1), set(old.names)
    assert {joints[name].name for name in moving} == set(new.names)
    for _ in range(POSES):
        q = {name: r.uniform(-1.0, 1.0) for name in old.names}
        R, p = random_base(r)
        M, g, poses = old.at(R, p, q)
        q_new = {
            joints[name].name: joints[name].sign * (x - joints[name].zero) for name, x in q.items()
        }
        M_new, g_new, poses_new = new.at(R, p, q_new)
        for name in frames:
            gap = max(
                np.max(np.abs(poses[name].translation - poses_new[name].translation)),
                np.max(np.abs(poses[name].rotation - poses_new[name].rotation)),
            )
            assert gap < TOLERANCE, name
        velocities = np.eye(old.model.nv, new.model.nv)
        velocities[6:, 6:] = 0.0
        for name in old.names:
            velocities[old.column(name), new.column(joints[name].name)] = joints[name].sign
        assert apart(velocities.T @ M @ velocities, M_new) < TOLERANCE
        assert apart(velocities.T @ g, g_new) < TOLERANCE


def frames_of(text, links):
    """Return the names of links, and of the frames of their shapes."""
    names = []
    for link in text.tree.findall("link"):
        name = link.get("name")
        if name in links:
            shapes = [part for part in link if part.tag in ("visual", "collision")]
            names += [name, *(f"{name} {k}" for k in range(len(shapes)))]
    return names


@each_robot
def test_what_is_attached_is_an_appended_model(robot, tmp_path):
    """M, g and frames are those of `appendModel`, the frame of the link moved as the act says."""
    text, hand, r = text_at(robot), tmp_path / "hand.urdf", random.Random(3)
    hand.write_bytes((ROOT / "fixtures" / "painted_arm" / "robot.urdf").read_bytes())
    other = text_at(hand)
    link = r.choice(text.links)
    after = edit(
        robot,
        tmp_path / "a.urdf",
        ("--attach", f"{hand} {link} prefix=hand_ xyz='0.1 0.2 0.3' rpy='0.4 0.5 0.6'"),
    )
    old, new = text.judge(), after.judge()
    pin = old.pin
    part = pin.buildModelFromXML(plain(other.tree, set(other.links), other.root, by_name=True))
    for names in (part.names, [frame.name for frame in part.frames]):
        assert names
    for k in range(1, part.njoints):
        part.names[k] = JOINT + "hand_" + part.names[k][len(JOINT) :]
    for frame in part.frames:
        frame.name = (
            (JOINT + "hand_" + frame.name[len(JOINT) :])
            if frame.name.startswith(JOINT)
            else ("hand_" + frame.name)
        )
    T = pin.SE3(pin.rpy.rpyToMatrix(0.4, 0.5, 0.6), np.array([0.1, 0.2, 0.3]))
    old.model = pin.appendModel(old.model, part, old.model.getFrameId(link, pin.FrameType.BODY), T)
    old.data = old.model.createData()
    frames = [*frames_of(text, text.links)]
    frames += [f"hand_{name}" for name in frames_of(other, other.links)]
    assert_alike(old, new, {name: Joined(name) for name in old.names}, frames)


@each_robot
def test_a_twin_is_the_mirror_image(robot, tmp_path):
    """T_twin = H T D at equal positions; its M is that of the original, and g, as gravity lies in the plane."""
    text, r = text_at(robot), random.Random(4)
    tops = [
        line.child
        for line in text.lines
        if any(
            inner.type in MOVABLE
            for inner in text.lines
            if inner.parent in below(text.lines, line.child)
        )
    ]
    for offset, top in zip((0.0, 0.07), r.sample(tops, min(2, len(tops)))):
        inside = below(text.lines, top)
        if any(
            len(inside.intersection(end.get("link") for end in loop if end.get("link"))) == 1
            for loop in text.tree.iter("loop_joint")
        ):
            with pytest.raises(AssertionError, match="it cannot be mirrored"):
                edit(
                    robot,
                    tmp_path / "a.urdf",
                    ("--prefix", "this_"),
                    ("--mirror", f"{prefixed(top)} this_=other_"),
                )
            continue
        after = edit(
            robot,
            tmp_path / "a.urdf",
            ("--prefix", "this_"),
            ("--mirror", f"{prefixed(top)} this_=other_ plane=y@{offset}"),
        )
        judge = after.judge()
        left = [
            prefixed(line.name)
            for line in text.lines
            if line.parent in inside and line.type in MOVABLE
        ]
        first = next(line for line in text.lines if line.child == top)
        left += [prefixed(first.name)] * (first.type in MOVABLE)
        right = [name.replace("this_", "other_", 1) for name in left]
        D, H = np.diag([1.0, -1.0, 1.0]), np.array([0.0, 2.0 * offset, 0.0])
        frames = frames_of(text, inside)
        for _ in range(POSES):
            q = {name: r.uniform(-1.0, 1.0) for name in left}
            M, g, poses = judge.at(np.eye(3), np.zeros(3), {**q, **dict(zip(right, q.values()))})
            for name in frames:
                T, twin = poses[prefixed(name)], poses[prefixed(name).replace("this_", "other_", 1)]
                assert np.max(np.abs(D @ T.translation + H - twin.translation)) < TOLERANCE, name
                assert np.max(np.abs(D @ T.rotation @ D - twin.rotation)) < TOLERANCE, name
            a, b = ([judge.column(name) for name in names] for names in (left, right))
            assert (
                apart(M[np.ix_(a, a)], M[np.ix_(b, b)]) < TOLERANCE
                and apart(g[a], g[b]) < TOLERANCE
            )


def choice_of(text, r):
    """Return a joint that moves, follows none and leads none."""
    leaders = {line.mimic[0] for line in text.lines if line.mimic}
    lines = [
        line
        for line in text.lines
        if line.type in MOVABLE and not line.mimic and line.name not in leaders
    ]
    return r.choice(lines) if lines else pytest.skip("each joint follows or leads")


def test_the_judge_sees_another_map(tmp_path):
    """The sign, the zero, a frame, a mass: each is seen."""
    robot = ROOT / "fixtures" / "arm" / "robot.urdf"
    text = text_at(robot)
    line = next(line for line in text.lines if line.type in MOVABLE)
    after = edit(robot, tmp_path / "a.urdf", ("--flip", line.name))
    joints, frames = (
        {**joined(text), line.name: Joined(line.name, -1.0)},
        frames_of(text, text.links),
    )
    assert_alike(text.judge(), after.judge(), joints, frames)
    data = after.path.read_text("utf-8")
    heavier, moved = (
        re.sub(pattern, other, data, count=1)
        for pattern, other in (
            (r'mass value="', 'mass value="1'),
            (r'(<joint(?:.|\n)*?<origin xyz=")', r"\g<1>1"),
        )
    )
    for wrong in (Joined(line.name), Joined(line.name, -1.0, 1e-6)):
        with pytest.raises(AssertionError):
            assert_alike(text.judge(), after.judge(), {**joints, line.name: wrong}, frames)
    for number, other in enumerate((heavier, moved)):
        (tmp_path / f"{number}.urdf").write_text(other, "utf-8")
        with pytest.raises(AssertionError):
            assert_alike(text.judge(), text_at(tmp_path / f"{number}.urdf").judge(), joints, frames)


@each_robot
def test_like_undoes_what_another_author_did(robot, tmp_path):
    """A zero and a sign by other acts: made like the input again, frames of equal names are where it has them."""
    text, r = text_at(robot), random.Random(7)
    line = choice_of(text, r)
    low, high = line.ends or (-1.0, 1.0)
    other = edit(
        robot,
        tmp_path / "b.urdf",
        ("--zero", f"{line.name}={round(r.uniform(low, high), 3)}"),
        ("--flip", line.name),
    )
    after = edit(other.path, tmp_path / "c.urdf", ("--like", str(robot)))
    assert_alike(text.judge(), after.judge(), joined(text), frames_of(text, text.links))


@pytest.mark.parametrize("a, b", [("old", "new"), ("new", "old")])
def test_two_calibrations_of_an_arm_count_alike(a, b, tmp_path):
    """The files differ by micrometers; positions of one are those of the other, name by name."""
    first, second = (SHARED / f"so101_{word}_calib.urdf" for word in (a, b))
    if not first.exists():
        pytest.skip(f"no real robots: {SHARED} is not there")
    after, wanted, r = (
        edit(first, tmp_path / "a.urdf", ("--like", str(second))),
        text_at(second),
        random.Random(8),
    )
    new, old = after.judge(), wanted.judge()
    assert new.names and set(new.names) == set(old.names)
    both = set(after.links) & set(wanted.links)
    assert len(both) >= len(after.links) - 1
    for _ in range(POSES):
        q = {name: r.uniform(-1.0, 1.0) for name in new.names}
        poses = [judge.at(np.eye(3), np.zeros(3), q)[2] for judge in (new, old)]
        for name in both:
            assert np.max(np.abs(poses[0][name].translation - poses[1][name].translation)) < 2e-5, (
                name
            )
            assert np.max(np.abs(poses[0][name].rotation - poses[1][name].rotation)) < 1e-4, name


# No turn makes it its mirror image.
WEDGE = ((0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.0, 0.2, 0.0), (0.0, 0.0, 0.1))
FACES = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))
SOLID = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
SHAPE = (
    '<collision><origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/><geometry><mesh filename="wedge.obj"/></geometry>'
    "</collision>"
)
ARM = (
    f'<robot name="sided"><link name="base">{SOLID}</link><link name="left_arm">{SOLID}{{}}</link>'
    '<joint name="left_joint" type="revolute"><parent link="base"/><child link="left_arm"/>'
    '<origin xyz="0.1 0.5 0.2" rpy="0.3 0.2 0.1"/><axis xyz="0 0.6 0.8"/>'
    '<limit lower="-1" upper="2" effort="1" velocity="1"/></joint></robot>'
)


@pytest.fixture(params=("scale", "files"))
def twin(tmp_path, request):
    """Return an arm and its twin, with a mesh that is mirrored by its scale, or in a file."""
    (tmp_path / "wedge.obj").write_text(
        "".join("v {} {} {}\n".format(*point) for point in WEDGE)
        + "".join("f {} {} {}\n".format(*(k + 1 for k in face)) for face in FACES),
        "utf-8",
    )
    (tmp_path / "sided.urdf").write_text(ARM.format(SHAPE), "utf-8")
    after = edit(
        tmp_path / "sided.urdf",
        tmp_path / "twin.urdf",
        ("--mirror", f"left_arm left=right plane=y meshes={request.param}"),
    )
    scales = [
        float(number)
        for mesh in after.tree.iter("mesh")
        for number in mesh.get("scale", "1").split()
    ]
    assert (min(scales) < 0.0) == (request.param == "scale")
    return after


def test_trimesh_finds_a_scale_in_the_file(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    for ending in ("obj", "stl", "glb"):
        mesh = trimesh.Trimesh(WEDGE, FACES, process=False)
        mesh.export(tmp_path / f"wedge.{ending}")
        scaled = SHAPE.replace('.obj"', f'.{ending}" scale="0.5 -2 3"')
        (tmp_path / "sided.urdf").write_text(ARM.format(scaled), encoding="utf-8")
        edit(tmp_path / "sided.urdf", tmp_path / f"{ending}.urdf", ("--bake-scale", "left_*"))
        (made,) = (tmp_path / f"{ending}_meshes").glob("*/wedge.*")
        baked = trimesh.load(made, force="mesh")
        mesh.apply_transform(np.diag([0.5, -2.0, 3.0, 1.0]))
        assert baked.volume == pytest.approx(0.003) == mesh.volume, ending
        assert np.allclose(baked.center_mass, mesh.center_mass), ending
        assert np.allclose(baked.bounds, mesh.bounds), ending


def test_trimesh_finds_the_outside_of_a_mirrored_file_outside(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    for ending in ("obj", "stl"):
        file, made = (
            tmp_path / f"wedge.{ending}",
            tmp_path / "twin_meshes" / "right_arm" / f"wedge.{ending}",
        )
        mesh = trimesh.Trimesh(WEDGE, FACES, process=False)
        mesh.export(file)
        (tmp_path / "sided.urdf").write_text(
            ARM.format(SHAPE.replace("obj", ending)), encoding="utf-8"
        )
        edit(
            tmp_path / "sided.urdf",
            tmp_path / "twin.urdf",
            ("--mirror", "left_arm left=right plane=x meshes=files"),
        )
        twin = trimesh.load(made, force="mesh")
        assert mesh.volume == pytest.approx(0.001) and twin.volume == pytest.approx(0.001), ending
        assert np.allclose(twin.center_mass, mesh.center_mass * [-1, 1, 1])
        assert np.allclose(
            sorted(map(tuple, twin.face_normals)),
            sorted(map(tuple, mesh.face_normals * [-1, 1, 1])),
        )


def corners(side, q, after):
    """Return where the corners of the mesh of the left arm are, or their mirror images, by Pinocchio."""
    judge = after.judge()
    T = judge.at(np.eye(3), np.zeros(3), {"left_joint": q})[2]["left_arm 0"]
    return np.array([T.rotation @ np.array(point) + T.translation for point in WEDGE]) * [
        1.0,
        side,
        1.0,
    ]


def test_mujoco_puts_a_negative_scale_where_the_mirror_shows_it(twin):
    mujoco = pytest.importorskip("mujoco")
    text = twin.path.read_text("utf-8").replace(
        'name="sided">',
        'name="sided"><mujoco><compiler strippath="false" balanceinertia="true"/></mujoco>',
        1,
    )
    twin.path.write_text(text, "utf-8")
    model = mujoco.MjModel.from_xml_path(str(twin.path))
    data = mujoco.MjData(model)
    for q in (0.0, 0.7):
        data.qpos[:] = q
        mujoco.mj_forward(model, data)
        for joint, side in (("left_joint", 1.0), ("right_joint", -1.0)):
            body = model.jnt_bodyid[model.joint(joint).id]
            geom = next(k for k in range(model.ngeom) if model.geom_bodyid[k] == body)
            mesh = model.geom_dataid[geom]
            first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
            points = (
                model.mesh_vert[first : first + count] @ data.geom_xmat[geom].reshape(3, 3).T
                + data.geom_xpos[geom]
            )
            for corner in corners(side, q, twin):
                assert np.min(np.linalg.norm(points - corner, axis=1)) < 1e-6


def test_drake_puts_a_negative_scale_where_the_mirror_shows_it(twin):
    """Distances of points to the hulls: corners are on them, and those of a mesh that is not mirrored are not."""
    pytest.importorskip("pydrake", reason="the judge is Drake")
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
    from pydrake.systems.framework import DiagramBuilder

    text = twin.path.read_text("utf-8")
    twin.path.write_text(
        re.sub(r"(<mesh [^>]*?)/>", r"\1><drake:declare_convex/></mesh>", text).replace(
            "<robot ", '<robot xmlns:drake="http://drake.mit.edu" ', 1
        ),
        "utf-8",
    )
    builder = DiagramBuilder()
    plant, scene = AddMultibodyPlantSceneGraph(builder, 0.0)
    Parser(plant).AddModels(str(twin.path))
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base"))
    plant.Finalize()
    diagram = builder.Build()
    context = diagram.CreateDefaultContext()
    here = plant.GetMyMutableContextFromRoot(context)
    for q in (0.0, 0.7):
        for joint in ("left_joint", "right_joint"):
            plant.GetJointByName(joint).set_angle(here, q)
        query = scene.get_query_output_port().Eval(scene.GetMyContextFromRoot(context))
        inspector = query.inspector()
        for link, side in (("left_arm", 1.0), ("right_arm", -1.0)):
            geometry = plant.GetCollisionGeometriesForBody(plant.GetBodyByName(link))[0]
            T = query.GetPoseInWorld(geometry)
            hull = inspector.GetConvexHull(geometry)
            points = [T.multiply(hull.vertex(k)) for k in range(hull.num_vertices())]
            for corner in corners(side, q, twin):
                assert min(np.linalg.norm(point - corner) for point in points) < 1e-6
