"""urdfdom judges lint: what it refuses or drops has an error, and what lint says of it is seen there."""

import copy
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import ROOT

from urdf_tools.base.errors import UrdfError
from urdf_tools.lint.examine_file import examine

SITE = Path(
    sys.prefix, "lib", f"python{sys.version_info[0]}.{sys.version_info[1]}", "site-packages"
)
CMEEL = SITE / "cmeel.prefix"  # of the packages that Pinocchio comes with
CHECK = CMEEL / "bin" / "check_urdf"
# Kinds whose sentences say what urdfdom does.
SEEN_THERE = ("in-urdfdom", "same-name", "unnamed-material")
WHOLE = """<robot name="r" version="1.0">
  <material name="m"><color rgba="1 0 0 1"/></material>
  <material name="t"><texture filename="a.png"/></material>
  <link name="a"><inertial><origin xyz="0 0 0" rpy="0 0 0"/><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual name="v"><origin xyz="0 0 0" rpy="0 0 0"/><geometry><box size="1 1 1"/></geometry>
      <material name="m"/></visual>
    <visual><geometry><sphere radius="1"/></geometry><material name="own"><color rgba="0 1 0 1"/></material></visual>
    <collision name="c"><origin xyz="0 0 0"/><geometry><cylinder radius="1" length="2"/></geometry></collision>
    <collision><geometry><mesh filename="a.stl" scale="1 1 1"/></geometry></collision></link>
  <link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="c"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="j" type="revolute"><origin xyz="0 0 0" rpy="0 0 0"/><parent link="a"/><child link="b"/>
    <axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/>
    <safety_controller soft_lower_limit="-1" soft_upper_limit="1" k_position="1" k_velocity="1"/>
    <calibration rising="0" falling="0"/><dynamics damping="1" friction="1"/></joint>
  <joint name="k" type="prismatic"><parent link="a"/><child link="c"/><limit lower="-1" upper="1" effort="1"
    velocity="1"/><mimic joint="j" multiplier="1" offset="0"/></joint>
</robot>
"""


def urdfdom(path):
    """Return whether urdfdom takes a file, and the errors that it prints."""
    if not CHECK.exists():
        pytest.skip("Pinocchio's urdfdom is not here")
    done = subprocess.run(
        [str(CHECK), str(path)],
        capture_output=True,
        text=True,
        errors="replace",
        env={**os.environ, "LD_LIBRARY_PATH": str(CMEEL / "lib")},
    )
    errors = [
        line.strip()
        for line in (done.stderr + done.stdout).splitlines()
        if line.startswith("Error")
    ]
    return done.returncode == 0, errors


def urdfdom_complains(path):
    """Return the errors that urdfdom prints of a file; one of its own if it refuses the file without any."""
    is_taken, errors = urdfdom(path)
    return errors or ["refused"] * (not is_taken)


def disagreement(path, name):
    """Return how lint and urdfdom differ about a file, "" if they do not."""
    try:
        findings = examine(path.read_bytes(), name, ()).findings
    except UrdfError as error:  # no robot at all
        return "" if urdfdom_complains(path) else f"{name}: urdfdom reads it, and lint says {error}"
    errors = [one.diagnostic for one in findings if one.severity == "error"]
    there, seen = urdfdom_complains(path), [one for one in errors if one.kind.name in SEEN_THERE]
    if there and not errors:
        return f"{name}: urdfdom says {there[0]!r}, and lint nothing"
    return f"{name}: {seen[0].text!r} is nothing to urdfdom" if seen and not there else ""


def edits():
    """Yield the whole robot with one attribute or element gone, another, or there twice."""
    root = ElementTree.fromstring(WHOLE)
    around = {child: top for top in root.iter() for child in top}
    for element in list(root.iter()):
        for key, value in dict(element.attrib).items():
            for new in (None, "", "x", "-1", "0", "nan", "1 2"):
                element.attrib.update({key: new} if new is not None else {})
                if new is None:
                    del element.attrib[key]
                yield f"{element.tag} {key}={new!r}", ElementTree.tostring(root, encoding="unicode")
                element.attrib[key] = value
        if element in around:
            top = around[element]
            place = list(top).index(element)
            top.remove(element)
            yield f"without {element.tag}", ElementTree.tostring(root, encoding="unicode")
            top.insert(place, element)
            top.insert(place, copy.deepcopy(element))
            yield f"{element.tag} twice", ElementTree.tostring(root, encoding="unicode")
            del top[place]


def test_each_edit_that_urdfdom_complains_of_is_an_error(tmp_path):
    path, wrong, count = tmp_path / "robot.urdf", [], 0
    for name, text in edits():
        path.write_text(text, "utf-8")
        wrong += [one for one in [disagreement(path, name)] if one]
        count += 1
    assert not wrong, wrong
    assert count > 300


FOLDERS = (
    ROOT / "fixtures",
    ROOT.parent / "shared" / "robots",
    ROOT.parent / "shared" / "peer_suites",
    SITE,
)


@pytest.mark.parametrize("folder", FOLDERS, ids=[folder.name for folder in FOLDERS])
def test_lint_and_urdfdom_agree_on_files(folder):
    """Of the public robots those that the judges' packages bring."""
    files = {path.read_bytes(): path for path in sorted(folder.rglob("*.urdf"))}
    if not files:
        pytest.skip(f"there are no robots in {folder}")
    wrong = [one for path in files.values() for one in [disagreement(path, str(path))] if one]
    print(f"{len(files) - len(wrong)} of {len(files)} files agree with urdfdom")
    assert not wrong, wrong
