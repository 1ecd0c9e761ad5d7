"""The campaign of mutants: each point is one change, and each outcome has its class."""

import ast
import sys

import mutant_judges
import mutation_points
import pytest
from mesh_files import binary_stl, TETRAHEDRON

pytestmark = pytest.mark.skipif(
    sys.version_info < (3, 9), reason="a changed tree is text again from Python 3.9 on"
)

TEXT = '''
def f(a, b):
    """Text 1."""
    found: List[int, float] = []
    for x in (a, b.upper):
        if 0 < x <= 2 and not a.lower:
            continue
        found.append(-x + 1.5)
    return max(found, [x for x in found if x], b)
'''


def test_each_point_is_another_text_and_they_are_in_one_order():
    sound = ast.unparse(ast.parse(TEXT))
    count = len(mutation_points.points(ast.parse(TEXT)))
    texts = [mutation_points.mutant(TEXT, number) for number in range(count)]
    assert len(set(texts)) == count > 15 and sound not in texts
    assert all('"""Text 1."""' in text for text in texts)


def robot(mass):
    return (
        f'<robot name="r"><link name="a"><inertial><mass value="{mass}"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" '
        'iyz="0" izz="1"/></inertial></link></robot>'
    )


def outcome(folder, code, sound, other, file="out.urdf", given="1"):
    """Return the class of a run that wrote other content into a file than the sound one."""
    for name, said in (("sound", sound), ("out", other)):
        (folder / name / "arm").mkdir(parents=True)
        (folder / name / "arm/robot.urdf").write_text(robot(given))
        (folder / name / "arm" / file).write_bytes(said)
    return mutant_judges.outcome("arm", code, "0", folder / "sound", folder / "out")[0]


@pytest.mark.parametrize(
    ("code", "text", "kind"),
    [
        ("0", robot("1"), "unchanged"),
        ("0", robot("1.0"), "same"),
        ("0", robot("2"), "SURVIVOR"),
        ("0", "no", "SURVIVOR"),
        ("3", robot("1"), "proof"),
        ("2", robot("1"), "refused"),
        ("crash KeyError", robot("1"), "crash"),
    ],
)
def test_classes_of_outcomes(code, text, kind, tmp_path):
    assert outcome(tmp_path, code, robot("1").encode(), text.encode()) == kind


def test_another_result_that_is_still_the_input_is_a_decision(tmp_path):
    assert outcome(tmp_path, "0", robot("1").encode(), robot("2").encode(), given="2") == "decision"


def test_a_mesh_is_judged_as_a_surface_and_data_to_rounding(tmp_path):
    stl = binary_stl(TETRAHEDRON)
    assert outcome(tmp_path / "a", "0", stl, binary_stl(TETRAHEDRON[::-1]), "a.stl") == "same"
    assert outcome(tmp_path / "b", "0", stl, binary_stl(TETRAHEDRON[1:]), "a.stl") == "SURVIVOR"
    for number, other, kind in (("c", 1 + 1e-9, "same"), ("d", 1.1, "SURVIVOR")):
        data = f'{{"bones": [{other}]}}'.encode()
        sound = b'{"bones": [1.0]}'
        assert outcome(tmp_path / number, "0", sound, data, "armature.json") == kind
