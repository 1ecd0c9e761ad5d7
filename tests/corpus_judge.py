"""Are two files one robot? Asked of Pinocchio, MuJoCo and Drake, of which none shares code with any tool of the table.

A *mechanism* is what an engine makes of a file: where each joint carries its link, and the mass matrix. Two of them are
one robot if, at random positions, every link that moves is carried the same way from where it is at zero, and the mass
matrices agree; up to the pose X of the one root in the other, and the names and signs of joints, as the tool says them.
Then the texts: limits and mimics through the sign, and where shapes are. All this needs numpy and the engines.
"""

from collections import namedtuple
import collections
import random
import re
import xml.etree.ElementTree as ElementTree

import naive
import numpy as np

POSITIONS = 5
PLACED = 1e-6  # [m], and in rotation matrices: two shapes in one place
EXACT, ROUNDED = 1e-8, 1e-3  # meters, entries of rotations, parts of the largest entry of M(q)


class Mechanism(namedtuple("Mechanism", "joints at is_free places")):
    """What an engine makes of a file.

    Fields:
        joints: joints with one degree of freedom, in the order of the columns of M.
        at: positions by joint -> 4 x 4 pose of each joint's child in the root, where it is a body, and M(q).
        is_free: M begins with six columns of the root: linear and angular velocity in its own axes.
        places: 4 x 4 pose of every link in the root at zero, where the engine keeps links.
    """


class Unread(Exception):
    """An engine does not take a file; its words are the message."""


def in_pinocchio(text):
    """Return a URDF with a free base, as Pinocchio and urdfdom read it; followers of a mimic are as free as others."""
    import pinocchio

    try:
        model = pinocchio.buildModelFromXML(text, pinocchio.JointModelFreeFlyer())
    except (ValueError, RuntimeError) as refused:
        raise Unread(f"Pinocchio: {refused}") from None
    data = model.createData()
    numbers = {
        str(name): index
        for index, name in enumerate(model.names)
        if index > 1 and model.joints[index].nv == 1
    }

    def at(positions):
        q = pinocchio.neutral(model)
        for name, number in numbers.items():
            joint, value = model.joints[number], positions.get(name, 0.0)
            q[joint.idx_q : joint.idx_q + joint.nq] = (
                [value] if joint.nq == 1 else [np.cos(value), np.sin(value)]
            )
        upper = np.triu(pinocchio.crba(model, data, q))
        pinocchio.framesForwardKinematics(model, data, q)
        columns = [*range(6), *(model.joints[number].idx_v for number in numbers.values())]
        M = (upper + np.triu(upper, 1).T)[np.ix_(columns, columns)]
        return {name: data.oMi[number].homogeneous for name, number in numbers.items()}, M

    at({})
    places = {
        str(frame.name): data.oMf[index].homogeneous
        for index, frame in enumerate(model.frames)
        if frame.type == pinocchio.FrameType.BODY
    }
    return Mechanism(tuple(numbers), at, True, places)


def in_mujoco(text):
    """Return a URDF or MJCF whose base is fixed, as MuJoCo compiles it."""
    import mujoco

    try:
        model = mujoco.MjModel.from_xml_string(text)
    except (ValueError, RuntimeError) as refused:
        raise Unread(f"MuJoCo: {refused}") from None
    data = mujoco.MjData(model)
    numbers = {
        model.joint(k).name: k
        for k in range(model.njnt)
        if int(model.jnt_type[k])
        in (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
    }

    def at(positions):
        data.qpos[:] = model.qpos0
        for name, number in numbers.items():
            data.qpos[model.jnt_qposadr[number]] = positions.get(name, 0.0)
        mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        try:
            mujoco.mj_fullM(model, data, M)
        except TypeError:  # before 4.0
            mujoco.mj_fullM(model, M, data.qM)
        poses = {}
        # Of joints that share a body.
        last = {model.jnt_bodyid[number]: name for name, number in numbers.items()}
        for body, name in last.items():
            pose = np.eye(4)
            pose[:3, :3], pose[:3, 3] = data.xmat[body].reshape(3, 3), data.xpos[body]
            poses[name] = pose
        columns = [model.jnt_dofadr[number] for number in numbers.values()]
        return poses, (M - np.diag(model.dof_armature))[np.ix_(columns, columns)]

    return Mechanism(tuple(numbers), at, False, {})


def in_drake(text, root="", kind="sdf"):
    """Return an SDF or URDF whose base is fixed, as Drake reads it; poses are in the frame `root`, "" is the world."""
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    plant = MultibodyPlant(0.0)
    try:
        Parser(plant).AddModelsFromString(text, kind)
        plant.Finalize()
    except RuntimeError as refused:
        raise Unread(f"Drake: {refused}") from None
    context = plant.CreateDefaultContext()
    held = np.eye(4)
    if root and plant.HasFrameNamed(root):
        held = np.linalg.inv(plant.GetFrameByName(root).CalcPoseInWorld(context).GetAsMatrix4())
    joints = {
        joint.name(): joint
        for joint in map(plant.get_joint, plant.GetJointIndices())
        if joint.num_velocities() == 1
    }

    def at(positions):
        q = np.zeros(plant.num_positions())
        for name, joint in joints.items():
            q[joint.position_start()] = positions.get(name, 0.0)
        plant.SetPositions(context, q)
        M = plant.CalcMassMatrixViaInverseDynamics(context)
        columns = [joint.velocity_start() for joint in joints.values()]
        poses = {
            name: held @ plant.EvalBodyPoseInWorld(context, joint.child_body()).GetAsMatrix4()
            for name, joint in joints.items()
        }
        return poses, M[np.ix_(columns, columns)]

    return Mechanism(tuple(joints), at, False, {})


def motion(before, after, names, X):
    """Return how far two mechanisms are apart, and where.

    Args:
        names: for each joint before, the joint after and its sign.
        X: 4 x 4, the root before in the root after.
    """
    lost = sorted(set(before.joints) - set(names)) or sorted(
        name for name in before.joints if names[name][0] not in after.joints
    )
    if lost:
        return float("inf"), f"joint {lost[0]!r} is lost"
    new = sorted(set(after.joints) - {names[name][0] for name in before.joints})
    if new:
        return float("inf"), f"joint {new[0]!r} is new"
    free = 6 if before.is_free and after.is_free else 0
    start = 6 if after.is_free else 0
    columns = [
        *range(free),
        *(start + after.joints.index(names[name][0]) for name in before.joints),
    ]
    S = np.eye(free + len(before.joints))
    if free:
        S[:6, :6] = twists(X)
    for index, name in enumerate(before.joints):
        S[free + index, free + index] = names[name][1]
    zero_before, zero_after, inverse = before.at({})[0], after.at({})[0], np.linalg.inv(X)
    draw, worst = random.Random(1), (0.0, "")
    for _ in range(POSITIONS):
        q = {name: draw.uniform(-1.0, 1.0) for name in before.joints}
        poses, M = before.at(q)
        poses_after, M_after = after.at(
            {names[name][0]: names[name][1] * value for name, value in q.items()}
        )
        for name in (name for name in before.joints if names[name][0] in poses_after):
            D = X @ poses[name] @ np.linalg.inv(zero_before[name]) @ inverse
            D_after = poses_after[names[name][0]] @ np.linalg.inv(zero_after[names[name][0]])
            worst = max(
                worst, (float(np.max(np.abs(D - D_after))), f"motion behind joint {name!r}")
            )
        skipped = 0 if free or not before.is_free else 6
        M = M[skipped:, skipped:]
        M_after = S.T @ M_after[np.ix_(columns, columns)] @ S
        if M.size:
            worst = max(
                worst,
                (float(np.max(np.abs(M - M_after)) / max(1e-12, float(np.max(np.abs(M))))), "M(q)"),
            )
    return worst


def tree(text):
    """Return the root of an XML text; prefixes that nobody declared, which urdfdom takes, become parts of names."""
    try:
        return ElementTree.fromstring(text)
    except ElementTree.ParseError:
        return ElementTree.fromstring(
            re.sub(r"(</?|\s)(?!xmlns)(\w+):(?=[\w.-]+[\s=/>])", r"\1\2_", text)
        )


def twists(X):
    """Return the 6 x 6 matrix that takes (linear, angular) velocities from the axes before to those after."""
    R, p = X[:3, :3], X[:3, 3]
    cross = np.array([[0.0, -p[2], p[1]], [p[2], 0.0, -p[0]], [-p[1], p[0], 0.0]])
    return np.block([[R, cross @ R], [np.zeros((3, 3)), R]])


def placed(element):
    """Return the 4 x 4 pose of an `<origin>`, which may be missing."""
    pose = np.eye(4)
    if element is not None:
        xyz, rpy = (
            [float(word) for word in element.get(name, "0 0 0").split()] for name in ("xyz", "rpy")
        )
        pose[:3, :3], pose[:3, 3] = naive.from_rpy(rpy), xyz
    return pose


def shapes(root, mechanism):
    """Return the poses of all shapes in the root at zero, by what they are; meshes by the last part of their name."""
    poses = collections.defaultdict(list)
    for link in root.findall("link"):
        for shape in [element for element in link if element.tag in ("visual", "collision")]:
            geometry = shape.find("geometry")
            if geometry is None or not len(geometry):
                continue
            what = geometry[0]
            sizes = [
                round(float(word), 9)
                for name in ("size", "radius", "length", "scale")
                for word in what.get(name, "1 1 1" if name == "scale" else "").split()
            ]
            key = (shape.tag, what.tag, what.get("filename", "").rpartition("/")[2], *sizes)
            poses[key].append(
                mechanism.places[str(link.get("name"))] @ placed(shape.find("origin"))
            )
    return poses


def unmatched(before, after, X):
    """Return how many shapes before are nowhere after, and those after that were nowhere before.

    A copy in the same place is no loss.
    """

    def is_in(pose, poses):
        return any(float(np.max(np.abs(pose - other))) < PLACED for other in poses)

    moved = {key: [X @ pose for pose in poses] for key, poses in before.items()}
    lost = sum(
        not is_in(pose, after.get(key, ())) for key, poses in moved.items() for pose in poses
    )
    new = [
        " ".join(map(str, key[:3]))
        for key, poses in after.items()
        for pose in poses
        if not is_in(pose, moved.get(key, ()))
    ]
    return lost, new


def limits(before, after, names):
    """Return the joints whose type, limits or mimic are others, through the sign."""
    joints = {str(joint.get("name")): joint for joint in after.findall("joint")}
    wrong = []
    for joint in before.findall("joint"):
        name = str(joint.get("name"))
        if name not in names or joint.get("type") == "fixed" or names[name][0] not in joints:
            continue
        other, sign = joints[names[name][0]], names[name][1]
        for what in ("type", "limit", "mimic"):
            mine, theirs = _through(_told(joint, what), what, sign, names), _told(other, what)
            if not _alike(mine, theirs):
                wrong.append(f"{what} of {name!r}: {mine} / {theirs}")
    return wrong


def _told(joint, what):
    """Return what a joint says of its type, limit or mimic."""
    if what == "type":
        return joint.get("type")
    element = joint.find(what)
    if element is None:
        return None
    if what == "mimic":
        return (
            element.get("joint"),
            float(element.get("multiplier", 1.0)),
            float(element.get("offset", 0.0)),
        )
    is_bounded = joint.get("type") != "continuous"
    read = ("lower", "upper", "effort", "velocity")[0 if is_bounded else 2 :]
    return tuple(float(element.get(name, 0.0)) for name in read)


def _through(value, what, sign, names):
    """Return what is expected of a joint with another sign."""
    if value is None or what == "type":
        return value
    if what == "mimic":
        leader, leader_sign = names.get(value[0], (value[0], 1.0))
        return (leader, sign * leader_sign * value[1], sign * value[2])
    return (-value[1], -value[0], *value[2:]) if sign < 0 and len(value) == 4 else value


def _alike(mine, theirs):
    """Return whether two sayings are equal up to rounding."""
    if mine is None or theirs is None or isinstance(mine, str):
        return bool(mine == theirs)
    return len(mine) == len(theirs) and all(
        a == b
        if isinstance(a, str) or isinstance(b, str)
        else abs(a - b) <= 1e-9 * max(1.0, abs(a))
        for a, b in zip(mine, theirs)
    )


def dangling(before, after):
    """Return the links and joints that `after` names but no longer has: in attributes but names, and in text."""
    gone = _declared(before) - _declared(after)
    names = []
    for element in after.iter():
        if not isinstance(element.tag, str):
            continue
        words = [
            value.strip()
            for name, value in element.attrib.items()
            if name.rpartition("}")[2] != "name" or element.tag in ("joint", "link")
        ]
        names += [word for word in (*words, (element.text or "").strip()) if word in gone]
    return names


def _declared(root):
    return {str(element.get("name")) for element in root if element.tag in ("link", "joint")}


def comments(text):
    """Return the comments of an XML text, with how often each is there."""
    return collections.Counter(
        comment.strip() for comment in re.findall(r"<!--(.*?)-->", text, flags=re.S)
    )
