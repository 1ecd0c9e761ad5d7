"""What an export writes, its readers read: the table of lint is asked of it, and any parser of XML reads it."""

import contextlib
import xml.etree.ElementTree as ElementTree

import pytest
from conftest import ROOT, some_of

import urdf_tools
from urdf_tools.base.diagnostics import NOTE
from urdf_tools.base.errors import UrdfError
from urdf_tools.export.all_diagnostics import EXPORT_KINDS
from urdf_tools.lint.examine_file import examine
from urdf_tools.lint.program_effects import effects_of, LOADS, LOSES

KNOWN = [kind.name for kind in EXPORT_KINDS]
FIXTURES = [
    *sorted((ROOT / "fixtures/exports").glob("*.urdf")),
    *sorted((ROOT / "fixtures/odd").glob("*/robot.urdf")),
    *sorted((ROOT / "fixtures/compare").glob("*.xml")),
    *sorted((ROOT / "fixtures/exports").glob("*.xml")),
    *sorted((ROOT / "fixtures/exports").glob("*.sdf")),
]
READERS = {
    "rviz": "rviz",
    "gazebo": "gazebo",
    "mujoco": "mujoco",
    "drake": "drake",
    "pinocchio": "rviz",
}
LOST_MESHES = {"mesh-not-found"}  # which a run warns of itself
BODY = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
CAPSULE = f"""<robot name="r"><link name="a">{BODY}
<collision><geometry><capsule radius="0.1" length="1"/></geometry></collision>
<collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"""
CAPSULE_OF_MUJOCO = """<mujoco><worldbody><body name="a"><geom type="capsule" size=".1 .5" mass="1"/>
<geom type="box" size=".1 .1 .1" mass="1"/></body></worldbody></mujoco>"""


def findings_in(path):
    return [*examine(path.read_bytes(), str(path), KNOWN).findings]


def counting(program, findings):
    """Return by line what a program refuses or loses, without what each robot loses there."""
    counted = {}
    for effect, finding in effects_of(program, findings):
        if effect.verdict == LOADS:
            continue
        if effect.verdict != LOSES or finding.severity != NOTE:
            counted.setdefault(finding.diagnostic.line, []).append(finding.diagnostic.text)
    return counted


@pytest.mark.parametrize("program", READERS)
def test_what_a_program_makes_of_its_file_is_said_before_it_is_written(program, tmp_path):
    """For every fixture: a line that lint says is refused or lost by that program is named by the export."""
    written = 0
    for source in some_of(FIXTURES, 30):
        target = tmp_path / f"{source.parent.name}_{source.name}.urdf"
        try:
            result = urdf_tools.export(str(source), str(target), for_=program)
        except UrdfError:
            continue
        written += 1
        lost = {each.kind.name for each in result.plan.warnings} & LOST_MESHES
        named = {each.line for each in result.exported.left}
        findings = [each for each in findings_in(target) if each.kind.name not in lost]
        found = counting(READERS[program], findings)
        assert found.keys() <= named, (source, found, result.exported.left)
    assert written > 20


def is_well_formed(path):
    try:
        return ElementTree.parse(path) is not None
    except ElementTree.ParseError:
        return False


def test_every_export_is_read_by_a_parser_with_namespaces(tmp_path):
    written = 0
    for source in some_of(FIXTURES, 40):
        for ending in ("sdf", "xml", "urdf"):
            target = tmp_path / f"{source.parent.name}_{source.stem}.{ending}"
            with contextlib.suppress(UrdfError):
                urdf_tools.export(str(source), str(target))
                if ending != "urdf" or is_well_formed(source):
                    ElementTree.parse(target)
                    written += 1
    assert written > 50


def test_a_capsule_is_in_no_file_for_a_reader_that_drops_it(tmp_path):
    source, target = tmp_path / "r.urdf", tmp_path / "o.urdf"
    source.write_text(CAPSULE)
    for program, count in zip(("gazebo", "rviz", "pinocchio", "drake", "mujoco"), (0, 0, 0, 1, 1)):
        made = urdf_tools.export(str(source), str(target), for_=program, force=True)
        assert made.exported.left == () and target.read_text().count("<capsule") == count, program


def test_a_capsule_of_mjcf_is_one_that_urdfdom_reads(tmp_path):
    source, target = tmp_path / "r.xml", tmp_path / "o.urdf"
    source.write_text(CAPSULE_OF_MUJOCO)
    result = urdf_tools.export(str(source), str(target), for_="rviz")
    assert target.read_text().count("<capsule") == 2 and not result.exported.left
    assert ElementTree.parse(target).getroot().get("version") == "1.1"
    assert not counting("rviz", findings_in(target))
    # urdfdom before 5, which Gazebo has, refuses that version: its capsules are in pieces.
    result = urdf_tools.export(str(source), str(target), for_="gazebo", force=True)
    assert target.read_text().count("<capsule") == 0 and not result.exported.left
    assert ElementTree.parse(target).getroot().get("version") == "1.0"


TWO_OF_MUJOCO = """<robot name="r"><link name="a"/>
<mujoco><compiler balanceinertia="true"/></mujoco>
<mujoco><option timestep="0.001"/></mujoco></robot>"""


def test_a_second_element_for_mujoco_is_said_to_be_refused(tmp_path):
    source, target = tmp_path / "r.urdf", tmp_path / "o.urdf"
    source.write_text(TWO_OF_MUJOCO)
    made = urdf_tools.export(str(source), str(target), for_="mujoco", force=True)
    lines = target.read_text().splitlines()
    (left,) = made.exported.left
    numbers = [number for number, line in enumerate(lines, 1) if "<mujoco>" in line]
    assert left.line == numbers[1] and f"only the first <mujoco>, in line {numbers[0]}" in left.text
