"""MuJoCo judges the comparison: random MJCF with one number or word edited, field by field of the compiled model.

What MuJoCo compiles into another model is another robot, or a sentence says it. Frames do not count: a robot has many.
"""

import random
import re
from collections import Counter

import pytest
from conftest import ROOT, scaled
from edits import edit_of, read_or_refused, robots_in
from random_mjcf import Writer

from urdf_tools.compare.robot_comparison import compare

np = pytest.importorskip("numpy", reason="the judge needs numpy")
mujoco = pytest.importorskip("mujoco", reason="the judge is MuJoCo")

EDITS = scaled(400)
NOT_JUDGED = {  # fields of the compiled model that any author may choose, or that follow from others, and why
    "names paths text_data narena nbuffer signature": "names, and how much memory is taken",
    "body_pos body_quat body_ipos body_iquat jnt_pos jnt_axis": "frames are any author's; M(q) is judged instead",
    "qpos0 qpos_spring": "where a free base is drawn; those of hinges and slides are judged by themselves",
    "dof_length dof_M0 dof_invweight0 body_invweight0 tendon_invweight0 actuator_acc0": "follow from masses and lines",
    "actuator_length0 tendon_length0 body_sameframe geom_sameframe site_sameframe": "follow from lines and frames",
    "geom_group site_group": "viewers show both groups, or neither; else judged by itself",
    "geom_quat geom_aabb geom_rbound": "round shapes have no direction; that of boxes is judged by itself",
    "eq_data": "of a joint without a leader the first number counts; judged by itself",
    "cam_poscom0 cam_pos0 cam_mat0 light_poscom0 light_pos0 light_dir0": "follow from frames",
}
IGNORED = frozenset(name for names in NOT_JUDGED for name in names.split())
PREFIXES = ("_", "bvh", "oct", "name_", "names_", "nbvh", "noct", "nnames")
ROUNDING, MASSES = 1e-9, 1e-3  # of the largest number; tensors may be as far apart
TIED = """<actuator><position name="p1" joint="j0" kp="20" dampratio="0.7"/><motor name="m1" joint="k0" gear="3"/>
<general name="g1" joint="k0" gainprm="2" biastype="affine" biasprm="1 -2 -3"/><damper name="d1" joint="j0" kv="2"
 ctrlrange="0 1"/></actuator><equality><joint joint1="j0" joint2="k0" polycoef="0.1 1 0.3"/></equality>
<contact><exclude body1="root" body2="tail"/></contact>
<keyframe><key name="up" qpos="{0}"/></keyframe>"""
TAIL = """<body name="arm" pos="0 0 1"><joint name="j0" range="-50 50" axis="0 1 0.2"/>
<geom size="0.1 0.2" type="capsule"/><body name="tail" pos="0.1 0.2 1">
<joint name="k0" type="slide" range="-1 1" armature="0.2"/>
<geom type="box" size="0.1 0.2 0.3" mass="2"/></body></body></body></worldbody>"""


def model_of(text):
    try:
        return mujoco.MjModel.from_xml_string(text)
    except ValueError:
        return None


def fields_of(model):
    """Return what the model is as a robot; how it moves by M(q) of its hinges and slides, as frames are anybody's.

    Other joints give way: that is the Schur complement of their rows.
    """
    names = [name for name in dir(model) if name not in IGNORED and not name.startswith(PREFIXES)]
    values = {name: getattr(model, name) for name in names}
    values.update(
        {
            f"opt.{name}": getattr(model.opt, name)
            for name in dir(model.opt)
            if not name.startswith("_")
        }
    )
    fields = {
        name: np.array(value, dtype=float)
        for name, value in values.items()
        if isinstance(value, (int, float))
        or isinstance(value, np.ndarray)
        and value.dtype.kind in "fiub"
    }
    data, positions = mujoco.MjData(model), np.random.default_rng(1)
    lines = [k for k in range(model.njnt) if model.jnt_type[k] in (2, 3)]
    fields["qpos0 of lines"] = model.qpos0[[model.jnt_qposadr[k] for k in lines]]
    fields["shown groups"] = (model.geom_group <= 2).astype(float)
    fields["quat of boxes"] = model.geom_quat[model.geom_type == mujoco.mjtGeom.mjGEOM_BOX]
    fields["eq of leaders"] = np.array(
        [
            row if leader >= 0 else [row[0], *[0.0] * (len(row) - 1)]
            for row, leader in zip(model.eq_data, model.eq_obj2id)
        ]
    )
    dofs = [model.jnt_dofadr[k] for k in lines]
    others = sorted({*range(model.nv)} - {*dofs})
    for turn in range(3):
        for k in lines:
            data.qpos[model.jnt_qposadr[k]] = (
                positions.uniform(-1.0, 1.0) + model.qpos0[model.jnt_qposadr[k]]
            )
        mujoco.mj_fwdPosition(model, data)
        whole = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, whole)
        between = whole[np.ix_(dofs, others)]
        given_way = between @ np.linalg.pinv(whole[np.ix_(others, others)]) @ between.T
        fields[f"M {turn}"] = whole[np.ix_(dofs, dofs)] - given_way
    return fields


def other_fields(one, other):
    def differs(name):
        a, b = one[name], other[name]
        most = MASSES if name.startswith("M ") else ROUNDING
        return a.shape != b.shape or bool(
            a.size and np.max(np.abs(a - b)) > most * max(1.0, np.max(np.abs(a)))
        )

    return set(filter(differs, one))


def robot_text(seed):
    """Return a random robot whose two last joints are driven and tied, with a pair apart and a state."""
    text = Writer(seed).text().replace("</body></worldbody>", TAIL)
    bare = model_of(text)
    if bare is None:
        return ""
    positions = " ".join(f"{value:.6g}" for value in bare.qpos0)
    return text.replace("</mujoco>", TIED.format(positions) + "</mujoco>")


def random_files(folder):
    """Write random robots, and return their files."""
    paths = [folder / f"{seed}.xml" for seed in range(EDITS // 10)]
    for seed, path in enumerate(paths):
        path.write_text(re.sub(r"(?<=>)(?=<)", "\n", robot_text(seed)), "utf-8")
    return paths


def test_an_edit_that_mujoco_compiles_is_said(tmp_path):
    drawn, counts = random.Random(3), Counter()
    silent = []
    for path in [*random_files(tmp_path), *robots_in(ROOT / "fixtures")["mjcf"]]:
        before, robot = (
            model_of(path.read_text("utf-8")),
            read_or_refused(path.read_bytes(), path),
        )
        if before is None or robot is None:
            counts["no robot"] += 1
            continue
        for _ in range(10):
            edit = edit_of(path, drawn.randrange(10**6), opposite=drawn.random() < 0.5)
            after, edited = model_of(edit.data.decode()), read_or_refused(edit.data, path)
            if after is None or edited is None:
                counts["refused"] += 1
                continue
            fields = other_fields(fields_of(before), fields_of(after))
            found = compare(robot, edited)
            is_said = (
                found.differences
                or found.noted
                or any(f"line {line}" in note for note in found.notes for line in edit.lines)
            )
            counts[f"{'other' if fields else 'same'} model, {'said' if is_said else 'silent'}"] += 1
            if fields and not is_said:
                silent.append(
                    f"{path.name}:{edit.lines[0]} <{edit.element} {edit.attribute}> {sorted(fields)}"
                )
    print(counts)
    assert counts["other model, said"] > EDITS // 2, counts
    assert silent == [], "\n".join(silent)


def test_every_field_of_the_compiled_model_is_judged_or_has_a_reason():
    model = model_of(robot_text(1))
    assert len(fields_of(model)) > 300 and all(hasattr(model, name) for name in IGNORED)
