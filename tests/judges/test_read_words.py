"""Which words of URDF 1.0 to 1.2 each program reads: it keeps something else of a robot with another value."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

READER = Path(__file__).with_name("read_words.py")
MODULES = {"mujoco": "mujoco", "drake": "pydrake", "newton": "newton", "urdfdom": "pinocchio"}
TENSOR = '<inertia ixx="1" iyy="1.1" izz="1.2" ixy="0" ixz="0" iyz="0"/>'
ROBOT = f"""<robot name="r" version="{{version}}">
<mujoco><compiler discardvisual="false" fusestatic="false"/></mujoco>
<link name="a"><inertial><mass value="1"/>{TENSOR}</inertial></link>
<link name="b"><inertial><origin xyz="0.1 0 0"{{inertial}}/><mass value="1"/>{TENSOR}</inertial>
<visual><origin xyz="0 0.1 0"{{visual}}/><geometry><box size="0.1 0.2 0.3"/></geometry></visual>
<collision><origin xyz="0 0 0.1"{{collision}}/><geometry>{{shape}}</geometry></collision></link>
<link name="e"><inertial><mass value="1"/>{TENSOR}</inertial></link>
<joint name="j" type="revolute"><origin xyz="0 0 1"{{joint}}/><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="{{velocity}}"{{motion}}/><dynamics damping="1" {{dynamics}}/>{{more}}</joint>
<joint name="k" type="revolute"><origin xyz="0 0 1"/><parent link="b"/><child link="e"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
PLAIN = {
    "version": "1.0",
    "velocity": "1",
    "shape": '<cylinder radius="0.1" length="0.2"/>',
    **dict.fromkeys(("inertial", "visual", "collision", "joint", "motion", "dynamics", "more"), ""),
}
TURNED = ' quat_xyzw="0 0 0.6 0.8"'
CAPSULE = '<capsule radius="0.1" length="0.2"/>'
SAFETY = '<safety_controller soft_lower_limit="-0.5" soft_upper_limit="0.5" k_velocity="1"/>'
ALL = frozenset(MODULES)
NOBODY = frozenset()
# What is other than in the plain robot, and who reads it.
WORDS = {
    "a turned joint, to see that each reads it": ({"joint": ' rpy="0 0 1"'}, ALL),
    **{
        f"{place} quat_xyzw in {version}": (
            {"version": version, place: TURNED},
            frozenset(("urdfdom",)) if version == "1.1" else NOBODY,
        )
        for place in ("inertial", "visual", "collision", "joint")
        for version in ("1.0", "1.1")
    },
    "capsule in 1.0": ({"shape": CAPSULE}, ALL),  # urdfdom drops it
    "capsule in 1.1": ({"version": "1.1", "shape": CAPSULE}, ALL),
    "velocity": ({"velocity": "2"}, ALL - {"mujoco"}),
    "acceleration in 1.2": (
        {"version": "1.2", "motion": ' acceleration="5" deceleration="5" jerk="9"'},
        NOBODY,  # urdfdom reads it, and Pinocchio takes nothing of it
    ),
    "spring": ({"dynamics": 'spring_stiffness="5" spring_reference="0.1"'}, NOBODY),
    "safety": ({"more": SAFETY}, NOBODY),
    "calibration": ({"more": '<calibration rising="0.1"/>'}, NOBODY),
}


@pytest.fixture(scope="module", params=MODULES)
def kept(request, tmp_path_factory):
    """Return a program, and what it keeps of a robot by its version and its words."""
    if find_spec(MODULES[request.param]) is None:
        pytest.skip(f"{MODULES[request.param]} is not here")
    folder = tmp_path_factory.mktemp(request.param)
    texts = {}
    for words, _ in WORDS.values():
        for given in ({"version": words.get("version", "1.0")}, words):
            texts.setdefault(ROBOT.format(**{**PLAIN, **given}), folder / f"{len(texts)}.urdf")
    for text, path in texts.items():
        path.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(READER), request.param, *map(str, texts.values())],
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    return request.param, dict(zip(texts, json.loads(done.stdout)))


def test_who_reads_a_word(kept):
    program, values = kept
    wrong = []
    for name, (words, readers) in WORDS.items():
        plain = ROBOT.format(**{**PLAIN, "version": words.get("version", "1.0")})
        is_read = values[plain] != values[ROBOT.format(**{**PLAIN, **words})]
        wrong += [name] if is_read != (program in readers) else []
    assert wrong == []
