"""MuJoCo judges the comparison: random MJCF with one number or word edited, field by field of the compiled model.

What MuJoCo compiles into another model is another robot, or a sentence says it. Frames do not count: a robot has many.
"""

import random
import re
from collections import Counter
from pathlib import Path
from typing import Any, Dict, Set

import pytest
from edits import edit_of, read_or_refused
from random_mjcf import Writer

from urdf_tools.compare.comparison import compare

np = pytest.importorskip("numpy", reason="the judge needs numpy")
mujoco = pytest.importorskip("mujoco", reason="the judge is MuJoCo")

EDITS = 400
ARRAYS = (  # of the compiled model: what weighs, bounds, damps, drives and ties, and how it touches
    "body_mass body_inertia jnt_range jnt_limited jnt_type jnt_stiffness jnt_actfrcrange dof_damping dof_armature "
    "dof_frictionloss actuator_gainprm actuator_biasprm actuator_dynprm actuator_gear actuator_ctrlrange "
    "actuator_forcerange eq_data eq_obj1id eq_obj2id geom_size geom_type exclude_signature"
).split()
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


def model_of(text: str) -> Any:
    try:
        return mujoco.MjModel.from_xml_string(text)
    except ValueError:
        return None


def fields_of(model: Any) -> Dict[str, Any]:
    """Return what the model is as a robot; how it moves by M(q) of its hinges and slides, as frames are anybody's."""
    fields = {name: np.array(getattr(model, name), dtype=float) for name in ARRAYS}
    data, positions = mujoco.MjData(model), np.random.default_rng(1)
    lines = [k for k in range(model.njnt) if model.jnt_type[k] in (2, 3)]
    dofs = [model.jnt_dofadr[k] for k in lines]
    for turn in range(3):
        for k in lines:
            data.qpos[model.jnt_qposadr[k]] = positions.uniform(-1.0, 1.0) + model.qpos0[model.jnt_qposadr[k]]
        mujoco.mj_fwdPosition(model, data)
        whole = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, whole)
        fields[f"M {turn}"] = whole[np.ix_(dofs, dofs)]
    return fields


def other_fields(one: Dict[str, Any], other: Dict[str, Any]) -> Set[str]:
    def differs(name: str) -> bool:
        a, b = one[name], other[name]
        most = MASSES if name.startswith("M ") else ROUNDING
        return a.shape != b.shape or bool(a.size and np.max(np.abs(a - b)) > most * max(1.0, np.max(np.abs(a))))

    return set(filter(differs, one))


def robot_text(seed: int) -> str:
    """Return a random robot whose two last joints are driven and tied, with a pair apart and a state."""
    text = Writer(seed).text().replace("</body></worldbody>", TAIL)
    bare = model_of(text)
    if bare is None:
        return ""
    positions = " ".join(f"{value:.6g}" for value in bare.qpos0)
    return text.replace("</mujoco>", TIED.format(positions) + "</mujoco>")


def test_an_edit_that_mujoco_compiles_is_said(tmp_path: Path) -> None:
    drawn, counts = random.Random(3), Counter()  # type: random.Random, Counter[str]
    silent = []
    for seed in range(EDITS // 10):
        path = tmp_path / f"{seed}.xml"
        path.write_text(re.sub(r"(?<=>)(?=<)", "\n", robot_text(seed)))
        before, robot = model_of(path.read_text()), read_or_refused(path.read_bytes(), path)
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
            said = not found.is_same or any(f"line {line}" in note for note in found.notes for line in edit.lines)
            counts[f"{'other' if fields else 'same'} model, {'said' if said else 'silent'}"] += 1
            if fields and not said:
                silent.append(f"{seed}:{edit.lines[0]} <{edit.element} {edit.attribute}> {sorted(fields)}")
    print(counts)
    assert counts["other model, said"] > 100, counts
    assert silent == [], "\n".join(silent)
