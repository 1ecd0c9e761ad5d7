"""Each attribute of an MJCF that decides motion, mass or look is edited by itself: compare says something, or SILENT why not."""

import re
from pathlib import Path

import pytest
from commands import said
from conftest import some_of

MODEL = """<mujoco model="m">
<compiler angle="radian" autolimits="true"/>
<option gravity="0 0 -9"/>
<default><geom rgba="0.5 0.5 0.5 1" contype="3"/><joint damping="0.1" armature="0.01"/>
<default class="soft"><geom group="2"/></default></default>
<asset><material name="red" rgba="1 0 0 1"/><mesh name="tet" vertex="0 0 0 1 0 0 0 1 0 0 0 1" scale="0.1 0.2 0.3"/></asset>
<worldbody>
<body name="base" pos="0 0 1" euler="0 0 0.1">
<geom name="g1" type="box" size="0.1 0.2 0.3" pos="0.1 0 0" quat="1 0 0.2 0" material="red"
 friction="2 0.006 0.0002" solref="0.03 1" condim="4" margin="0.001"/>
<site name="s" pos="0.1 0.2 0.3" axisangle="0 0 1 0.5"/>
<body name="arm" pos="0.2 0 0" quat="1 0.1 0.2 0.3" gravcomp="0.5">
<joint name="j" type="hinge" axis="0 1 0" pos="0 0 0.1" range="-1 2" stiffness="3"
 springref="0.2" damping="0.5" armature="0.02" frictionloss="0.3" ref="0.1"/>
<inertial pos="0 0 0.1" mass="1" diaginertia="0.01 0.02 0.025" quat="1 0.1 0.3 0.2"/>
<geom name="g2" type="capsule" fromto="0 0 0 0.1 0.2 0.3" size="0.05" contype="2" conaffinity="3"/>
<geom name="g3" type="mesh" mesh="tet" rgba="0 1 0 1" class="soft"/>
<body name="hand" pos="0 0 0.3" zaxis="0 0.1 1">
<joint name="k" type="slide" axis="1 0 0" range="-0.5 0.6"/>
<inertial pos="0 0 0.1" mass="1" fullinertia="0.01 0.02 0.025 0.001 0.002 0.003"/>
<body name="tip" pos="0 0 0.2">
<joint name="l" axis="0 1 1" range="-1 3"/>
<geom name="g4" size="0.05" mass="0.5"/><geom name="g5" type="cylinder" size="0.05 0.1" density="500"/>
</body></body></body></body>
</worldbody>
<contact><exclude body1="base" body2="hand"/></contact>
<equality><joint joint1="k" joint2="j" polycoef="0 0.5 0 0 0"/><connect body1="base" body2="tip" anchor="0 0 0.1"/></equality>
<actuator><position name="p" joint="j" kp="100" kv="5" ctrlrange="-1 2" forcerange="-10 11" gear="2"/>
<motor name="q" joint="k" gear="3" ctrlrange="-4 5"/></actuator>
<sensor><gyro name="gy" site="s"/><jointpos name="jp" joint="j" noise="0.1"/></sensor>
<keyframe><key name="home" qpos="0.1 0.2 0.3"/></keyframe>
</mujoco>"""
NUMBER = re.compile(r"-?\d+\.?\d*")
WHOLE = ("contype", "conaffinity", "condim", "group")  # numbers without a fraction
# Why compare says nothing of an edit: by tag, attribute and act.
DEFAULT = "MuJoCo's default is the value that was there"
NAME = "a name is not compared where what it names is found by its place or its joint"
SILENT = {
    ("compiler", "autolimits", "deleted"): DEFAULT,
    ("joint", "type", "deleted"): DEFAULT,
    ("mujoco", "model", "deleted"): "the name of a model moves nothing",
    ("joint", "name", "deleted"): NAME,
    ("geom", "group", "deleted"): "the groups 0, 1 and 2 are drawn",
    ("geom", "name", "deleted"): NAME,
    ("body", "name", "deleted"): NAME,
    ("position", "name", "deleted"): NAME,
    ("motor", "name", "deleted"): NAME,
    ("gyro", "name", "deleted"): NAME,
}


def edited(name, text):
    """Yield acts on an attribute, each with its new text; of numbers the last one changes, or the first two are swapped."""
    yield "deleted", ""
    words = text.split()
    if not all(map(NUMBER.fullmatch, words)):
        return
    last = int(words[-1]) + 1 if name in WHOLE else 1.25 * float(words[-1]) + 0.05
    yield "changed", f' {name}="{" ".join([*words[:-1], f"{last:g}"])}"'
    if words[1:] and words[0] != words[1]:
        swapped = " ".join([words[1], words[0], *words[2:]])
        yield "swapped", f' {name}="{swapped}"'


def edits():
    """Return each edit by a name: its key in SILENT, and the model with it."""
    made = {}
    for tag in re.finditer(r"<(\w+)([^<>]*?)/?>", MODEL):
        for attribute in re.finditer(r' (\w+)="([^"]*)"', tag[2]):
            start = tag.start(2) + attribute.start()
            end = tag.start(2) + attribute.end()
            line = MODEL.count("\n", 0, start) + 1
            for act, text in edited(attribute[1], attribute[2]):
                key = (tag[1], attribute[1], act)
                made[f"{line}-{start}-{'-'.join(key)}"] = (key, MODEL[:start] + text + MODEL[end:])
    return made


EDITS = edits()


def compared(text):
    Path("a.xml").write_text(MODEL)
    Path("b.xml").write_text(text)
    status, out, errors = said("compare", "a.xml", "b.xml")
    return status, f"{out}{errors}"


@pytest.fixture(scope="module")
def same(tmp_path_factory):
    """What compare says of the model, and of the model with another blank."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("same"))
        return compared(f"{MODEL}\n")


@pytest.mark.parametrize("name", some_of(sorted(EDITS), 24))
def test_an_edit_of_one_attribute_is_said(name, same, here):
    key, text = EDITS[name]
    status, shown = compared(text)
    assert same[0] == 0
    assert status in (0, 1, 2)
    assert (status, shown) != same or key in SILENT, shown
