"""Are two files one robot? Asked of Pinocchio, MuJoCo and Drake, of which none shares code with any tool of the table.

A *mechanism* is what an engine makes of a file: where each joint carries its link, and the mass matrix. Two of them are
one robot if, at random positions, every link that moves is carried the same way from where it is at zero, and the mass
matrices agree; up to the pose X of the one root in the other, and the names and signs of joints, as the tool says them.
Then the texts: limits and mimics through the sign, and where shapes are. All this needs numpy and the engines.
"""

from collections import Counter, defaultdict, namedtuple
import random
import re

import naive
import numpy as np
from judged_texts import Pinocchio

POSITIONS = 5
PLACED = 1e-6  # [m], and in rotation matrices: two shapes in one place
SLIDES_AND_HINGES = (2, 3)  # mjtJoint of MuJoCo
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
    try:
        judge = Pinocchio(text, prefix="")
    except (ValueError, RuntimeError) as refused:
        raise Unread(f"Pinocchio: {refused}") from None
    numbers = {name: judge.model.getJointId(name) for name in judge.names}
    numbers = {name: k for name, k in numbers.items() if judge.model.joints[k].nv == 1}

    def at(positions):
        M, _, _ = judge.at(np.eye(3), np.zeros(3), positions)
        columns = [*range(6), *map(judge.column, numbers)]
        poses = {name: judge.data.oMi[k].homogeneous for name, k in numbers.items()}
        return poses, M[np.ix_(columns, columns)]

    places = judge.at(np.eye(3), np.zeros(3), {})[2]
    places = {name: place.homogeneous for name, place in places.items()}
    return Mechanism(tuple(numbers), at, True, places)


def in_mujoco(text):
    """Return a URDF or MJCF whose base is fixed, as MuJoCo compiles it."""
    import mujoco

    try:
        model = mujoco.MjModel.from_xml_string(text)
    except (ValueError, RuntimeError) as refused:
        raise Unread(f"MuJoCo: {refused}") from None
    data = mujoco.MjData(model)
    joints = [model.joint(k) for k in range(model.njnt) if model.jnt_type[k] in SLIDES_AND_HINGES]
    columns = [int(joint.dofadr[0]) for joint in joints]

    def at(positions):
        data.qpos[:] = model.qpos0
        for joint in joints:
            data.qpos[joint.qposadr] = positions.get(joint.name, 0.0)
        mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        poses = {}
        # Of joints that share a body.
        last = {int(joint.bodyid[0]): joint.name for joint in joints}
        for body, name in last.items():
            poses[name] = np.eye(4)
            poses[name][:3, :3] = data.xmat[body].reshape(3, 3)
            poses[name][:3, 3] = data.xpos[body]
        return poses, (M - np.diag(model.dof_armature))[np.ix_(columns, columns)]

    return Mechanism(tuple(joint.name for joint in joints), at, False, {})


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
    joints = map(plant.get_joint, plant.GetJointIndices())
    joints = [joint for joint in joints if joint.num_velocities() == 1]
    columns = [joint.velocity_start() for joint in joints]

    def at(positions):
        q = np.zeros(plant.num_positions())
        for joint in joints:
            q[joint.position_start()] = positions.get(joint.name(), 0.0)
        plant.SetPositions(context, q)
        M = plant.CalcMassMatrixViaInverseDynamics(context)
        poses = {
            joint.name(): held
            @ plant.EvalBodyPoseInWorld(context, joint.child_body()).GetAsMatrix4()
            for joint in joints
        }
        return poses, M[np.ix_(columns, columns)]

    return Mechanism(tuple(joint.name() for joint in joints), at, False, {})


def largest(differences):
    """Return the largest number, 0 of none."""
    return float(np.max(np.abs(differences), initial=0.0))


def motion(before, after, names, X):
    """Return how far two mechanisms are apart, and where.

    Args:
        names: for each joint before, the joint after and its sign.
        X: 4 x 4, the root before in the root after.
    """
    pairs = {name: names.get(name, ("", 1.0)) for name in before.joints}
    lost = [name for name, (new, _) in pairs.items() if new not in after.joints]
    added = set(after.joints) - {new for new, _ in pairs.values()}
    for name in sorted(lost):
        return float("inf"), f"joint {name!r} is lost"
    for name in sorted(added):
        return float("inf"), f"joint {name!r} is new"

    # Where one of the bases is fixed, only the joints are compared.
    base = 6 if before.is_free and after.is_free else 0
    size = base + len(pairs)
    start = 6 if after.is_free else 0
    columns = [*range(base), *(start + after.joints.index(new) for new, _ in pairs.values())]
    S = np.diag([*[1.0] * base, *(sign for _, sign in pairs.values())])
    S[:base, :base] = twists(X)[:base, :base]
    zero = before.at({})[0]
    zero_after = after.at({})[0]
    back = np.linalg.inv(X)
    draw = random.Random(1)
    worst = (0.0, "")
    for _ in range(POSITIONS):
        q = {name: draw.uniform(-1.0, 1.0) for name in pairs}
        poses, M = before.at(q)
        q_after = {new: sign * q[name] for name, (new, sign) in pairs.items()}
        poses_after, M_after = after.at(q_after)
        for name, (new, _) in pairs.items():
            if new in poses_after:
                D = X @ poses[name] @ np.linalg.inv(zero[name]) @ back
                gap = D - poses_after[new] @ np.linalg.inv(zero_after[new])
                worst = max(worst, (largest(gap), f"motion behind joint {name!r}"))
        M = M[len(M) - size :, len(M) - size :]
        gap = M - S.T @ M_after[np.ix_(columns, columns)] @ S
        worst = max(worst, (largest(gap) / max(1e-12, largest(M)), "M(q)"))
    return worst


def twists(X):
    """Return the 6 x 6 matrix that takes (linear, angular) velocities from the axes before to those after."""
    R, p = X[:3, :3], X[:3, 3]
    return np.block([[R, np.cross(p, R.T).T], [np.zeros((3, 3)), R]])


def placed(shape):
    """Return the 4 x 4 pose of a shape in its link."""
    (R, t), _ = naive.origin_of(shape)
    return np.vstack([np.column_stack([R, t]), [0.0, 0.0, 0.0, 1.0]])


def shapes(root, mechanism):
    """Return the poses of all shapes in the root at zero, by what they are; meshes by the last part of their name."""
    poses = defaultdict(list)
    for link in root.findall("link"):
        for shape in link:
            what = shape.find("geometry/*")
            if shape.tag not in ("visual", "collision") or what is None:
                continue
            words = [what.get(name, "") for name in ("size", "radius", "length")]
            words.append(what.get("scale", "1 1 1"))
            sizes = [round(float(word), 9) for word in " ".join(words).split()]
            key = (shape.tag, what.tag, what.get("filename", "").rpartition("/")[2], *sizes)
            poses[key].append(mechanism.places[link.get("name")] @ placed(shape))
    return poses


def new_shapes(before, after, X):
    """Return what shapes are after that were nowhere before; a copy in the same place is none."""
    return [
        " ".join(key[:3])
        for key, poses in after.items()
        for pose in poses
        if not any(largest(pose - X @ other) < PLACED for other in before.get(key, ()))
    ]


def said(joint, names={}, sign=1.0):
    """Return the type, limits and mimic of a joint, each a word and numbers; as one with that sign would say them."""
    limit, mimic = joint.find("limit"), joint.find("mimic")
    values = {"type": (joint.get("type"), [])}
    if limit is not None:
        keys = ("lower", "upper", "effort", "velocity")
        low, high, *most = (float(limit.get(key, 0.0)) for key in keys)
        ends = (low, high) if sign > 0.0 else (-high, -low)
        is_bounded = joint.get("type") != "continuous"
        values["limit"] = ("", [*ends, *most] if is_bounded else most)
    if mimic is not None:
        leader, leader_sign = names.get(mimic.get("joint"), (mimic.get("joint"), 1.0))
        factor, offset = float(mimic.get("multiplier", 1.0)), float(mimic.get("offset", 0.0))
        values["mimic"] = (leader, [sign * leader_sign * factor, sign * offset])
    return values


def limits(before, after, names):
    """Return the joints whose type, limits or mimic are others, through the sign."""
    joints = {joint.get("name"): joint for joint in after.findall("joint")}
    wrong = []
    for joint in before.findall("joint"):
        name = joint.get("name")
        new, sign = names.get(name, ("", 1.0))
        if new not in joints or joint.get("type") == "fixed":
            continue
        expected, found = said(joint, names, sign), said(joints[new])
        for what in ("type", "limit", "mimic"):
            (word, numbers), (other, others) = (
                each.get(what, (None, [])) for each in (expected, found)
            )
            is_alike = (word, len(numbers)) == (other, len(others))
            if not is_alike or not np.allclose(numbers, others, rtol=1e-9, atol=1e-9):
                wrong.append(f"{what} of {name!r}: {word} {numbers} / {other} {others}")
    return wrong


def dangling(before, after):
    """Return the links and joints that `after` names but no longer has: in attributes but names, and in text."""
    declared, still = (
        {element.get("name") for element in root if element.tag in ("link", "joint")}
        for root in (before, after)
    )
    words = []
    for element in after.iter():
        if isinstance(element.tag, str):
            words.append(element.text or "")
            words += [
                value
                for name, value in element.attrib.items()
                if name.rpartition("}")[2] != "name" or element.tag in ("joint", "link")
            ]
    return [word.strip() for word in words if word.strip() in declared - still]


def comments(text):
    """Return the comments of an XML text, with how often each is there."""
    return Counter(map(str.strip, re.findall(r"<!--(.*?)-->", text, flags=re.S)))
