"""The campaign of mutants: each point is one change, and each outcome has its class."""

import ast

import mutant_judges
import mutation_points
import pytest

pytestmark = pytest.mark.skipif(not hasattr(ast, "unparse"), reason="ast.unparse is of Python 3.9")
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


@pytest.mark.parametrize(
    ("code", "given", "text", "kind"),
    [
        ("0", "1", robot("1"), "unchanged"),
        ("0", "1", robot("1.0"), "same"),
        ("0", "1", robot("2"), "SURVIVOR"),
        ("0", "2", robot("2"), "decision"),
        ("0", "1", "no", "SURVIVOR"),
        ("3", "1", robot("1"), "proof"),
        ("2", "1", robot("1"), "refused"),
        ("crash KeyError", "1", robot("1"), "crash"),
    ],
)
def test_classes_of_outcomes(code, given, text, kind, tmp_path):
    """The sound run wrote a robot of 1 kg; the input is of the mass that is given."""
    for name, said in (("sound", robot("1")), ("out", text)):
        (tmp_path / name / "arm").mkdir(parents=True)
        (tmp_path / name / "arm/robot.urdf").write_text(robot(given))
        (tmp_path / name / "arm/out.urdf").write_text(said)
    found = mutant_judges.outcome("arm", code, "0", tmp_path / "sound", tmp_path / "out")
    assert found[0] == kind
