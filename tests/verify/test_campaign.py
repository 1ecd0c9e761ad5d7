"""The campaign of mutants: each point is one change, and each outcome has its class."""
import ast
from pathlib import Path

import mutants_campaign
import mutation_points
import pytest
from conftest import ROOT

pytestmark = pytest.mark.skipif(not hasattr(ast, "unparse"), reason="ast.unparse is of Python 3.9")

TEXT = '''
def f(a, b):
    """Text 1."""
    found = []
    for x in (a, b):
        if x < 2 and not a.lower:
            continue
        found.append(-x + 1.5)
    return max(found, b)
'''


def test_each_point_is_another_text_and_they_are_in_one_order() -> None:
    sound = ast.unparse(ast.parse(TEXT))
    count = len(mutation_points.points(ast.parse(TEXT)))
    texts = [mutation_points.mutant(TEXT, number) for number in range(count)]
    assert len(set(texts)) == count > 15 and sound not in texts
    assert all('"""Text 1."""' in text for text in texts)


def test_kinds_of_points() -> None:
    said = {point.what for point in mutation_points.points(ast.parse(TEXT))}
    assert {"Lt to LtE", "And to Or", "condition turned round", "Continue dropped", "Expr dropped", "sign dropped",
            "Add to Sub", "1.5 to -1.5", "2 to 3", "elements swapped", "arguments swapped", "lower to upper"} <= said


def robot(mass: str) -> str:
    return (f'<robot name="r"><link name="a"><inertial><mass value="{mass}"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" '
            'iyz="0" izz="1"/></inertial></link></robot>')


@pytest.mark.parametrize(("code", "text", "kind"), [
    ("0", robot("1"), "unchanged"), ("0", robot("1.0"), "same"), ("0", robot("2"), "HARMFUL"), ("0", "no", "HARMFUL"),
    ("3", robot("1"), "killed"), ("2", robot("1"), "refused"), ("crash KeyError", robot("1"), "crash")])
def test_classes_of_outcomes(code: str, text: str, kind: str, tmp_path: Path, given: str = "1") -> None:
    for folder, said in (("sound", robot("1")), ("out", text)):
        (tmp_path / folder / "arm").mkdir(parents=True)
        (tmp_path / folder / "arm/robot.urdf").write_text(robot(given))
        (tmp_path / folder / "arm/out.urdf").write_text(said)
    assert mutants_campaign.outcome("arm", code, tmp_path / "sound", tmp_path / "out")[0] == kind


def test_another_result_that_is_still_the_input_is_a_decision(tmp_path: Path) -> None:
    test_classes_of_outcomes("0", robot("2"), "decision", tmp_path, given="2")


def test_samples_are_of_lines_that_run() -> None:
    lines = {("plan/merging.py", line) for line in range(1, 400)}
    found, counts = mutants_campaign.sample(["plan", "apply"], lines, 5, 1)
    assert {one.file for one in found} == {"plan/merging.py"} and len(found) == 5 and set(counts) == {"plan"}
    text = (ROOT / "urdf_tools/plan/merging.py").read_text(encoding="utf-8")
    assert len({mutation_points.mutant(text, one.number) for one in found}) == 5
