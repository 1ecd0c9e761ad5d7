"""Pinocchio judges what a comparison does not say: one number or word edited in a URDF, MJCF or SDF.

The robot before and after it must have the same matrix of inertia by the map, with the base held and, where nothing
holds it, with the base afloat (the Schur complement of its six rows, which no frame of the base changes), and the same
bounds.
"""

import random
import re
from collections import Counter

import pytest
from conftest import ROOT, scaled
from edits import changed, edit_of, read_or_refused, robot_of, robots_in
from judged_robots import drawn, lines_only, Pinocchio

from urdf_tools.base.errors import UrdfError
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.formats.urdf.read_urdf import read_urdf
from urdf_tools.inputs.input_as_urdf import model_from_raw
from urdf_tools.formats.urdf.urdf_model_conversion import write_urdf

np = pytest.importorskip("numpy", reason="the judge needs numpy")
EDITS = scaled(400)
CLOSE = 1e-6  # of sqrt(M_ii M_jj): what a verdict without a word may round
BOUNDS = (
    "lowerPositionLimit",
    "upperPositionLimit",
    "effortLimit",
    "velocityLimit",
    "damping",
    "friction",
)


class Afloat(Pinocchio):
    """A robot as Pinocchio reads it, whose root gives way."""

    def mass_matrix(self, q):
        """Return what the joints feel of M(q), by names of joints."""
        M = self.held(q)[0]
        return self.by_names(M - M[:, :6] @ np.linalg.pinv(M[:6, :6]) @ M[:6, :])


def as_urdf(robot):
    """Return a robot as URDF; None where URDF, Pinocchio or these tests have no word for it."""
    try:
        return write_urdf(model_from_raw(robot).robot).text if lines_only(robot) else None
    except UrdfError:
        return None


def gap_of_inertia(comparison, first, second, q):
    """Return how far apart M(q) is by the map, at most, as a part of sqrt(M_ii M_jj)."""
    robots, M = comparison.map, first.mass_matrix(q)
    named = [(pair.a.raw.name, pair.b.raw.name, pair) for pair in robots.pairs]
    N = second.mass_matrix(
        {b: pair.choice.sign * q[a] + pair.offset for a, b, pair in named if a in q}
    )
    worst = 0.0
    for a, b, pair in named:
        for other_a, other_b, other in named:
            # A mass may be edited to one below zero, and so the diagonal.
            size = abs(max(M[a, a], N[b, b]) * max(M[other_a, other_a], N[other_b, other_b])) ** 0.5
            gap = abs(M[a, other_a] - pair.choice.sign * other.choice.sign * N[b, other_b])
            worst = max(worst, gap / size if size > 1e-12 else 0.0)
    return worst


def bounds_of(judge, name):
    joint = judge.model.joints[judge.model.getJointId(name)]
    return {
        field: float(
            getattr(judge.model, field)[joint.idx_q if "Position" in field else joint.idx_v]
        )
        for field in BOUNDS
        if joint.nq == 1 or "Position" not in field
    }


def other_bounds(comparison, first, second):
    """Return the first bound of a joint that is another one, by the map; "" where none is."""
    robots = comparison.map
    for pair in robots.pairs:
        a, b = pair.a.raw.name, pair.b.raw.name
        expected, found = bounds_of(first, a), bounds_of(second, b)
        ends = [
            pair.choice.sign * expected[end] + pair.offset for end in BOUNDS[:2] if end in expected
        ]
        # A lower end may be above the upper one.
        expected.update(zip(BOUNDS, ends[:: int(pair.choice.sign)]))
        for field, value in expected.items():
            if abs(value - found.get(field, value)) > 1e-6 * max(1.0, abs(value)):
                return f"{a}: {field} {value} / {found[field]}"
    return ""


@pytest.mark.parametrize("format", ["urdf", "mjcf", "sdf"])
def test_an_edit_without_a_word_moves_and_weighs_alike(format):
    beside = ROOT.parent / "shared" / "robots"
    files = robots_in(ROOT / "fixtures", *([beside] if beside.is_dir() else []))[format]
    r, counts = random.Random(9), Counter()
    silent = []
    for _ in range(EDITS):
        path = r.choice(files)
        edit = edit_of(path, r.randrange(10**6), opposite=r.random() < 0.5)
        before, after = robot_of(path), read_or_refused(edit.data, path)
        if before is None or after is None or not changed(before, after):
            continue
        found = compare(before, after)
        if found.verdict != "same" or any(
            re.search(rf"\bline {line}\b", note) for note in found.notes for line in edit.lines
        ):
            counts["said"] += 1
            continue
        texts = as_urdf(before), as_urdf(after)
        if not all(texts):
            counts["no URDF"] += 1
            continue
        problem = judged(found, str(texts[0]), str(texts[1]), drawn(before, r))
        counts["judged"] += 1
        if problem:
            silent.append(
                f"{path.name}:{edit.lines[0]} <{edit.element} {edit.attribute}>: {problem}"
            )
    print(format, dict(counts))
    assert silent == [], "\n".join(silent)
    assert counts["judged"] > EDITS // 30 and counts["said"] > EDITS // 4


def judged(comparison, text, other, q):
    """Return by what Pinocchio tells two robots apart, "" where it does not."""
    for reader in (Pinocchio,) if comparison.a.base == "fixed" else (Pinocchio, Afloat):
        try:
            first, second = reader(text), reader(other)
        except (ValueError, RuntimeError):  # what urdfdom refuses
            return ""
        gap = gap_of_inertia(comparison, first, second, q)
        if gap > CLOSE:
            return f"{reader.__name__}: M(q) is {gap:.2g} apart"
        bounds = other_bounds(comparison, first, second)
        if bounds:
            return bounds
    return ""


TENSOR = '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.25"/>'
ARM = f"""<robot name="arm"><link name="a"><inertial><origin xyz="0 0.1 0"/><mass value="3"/>{TENSOR}</inertial></link>
<link name="b"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>{TENSOR}</inertial></link><joint name="j"
 type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="2" effort="4" velocity="5"/></joint>
</robot>"""


@pytest.mark.parametrize(
    "old, new, words",
    [
        ('"1"', '"1.1"', "Pinocchio: M"),
        ('"3"', '"3.3"', "Afloat: M"),
        ('"0.2 0 0"', '"0.2 0.1 0"', "Pinocchio: M"),
        ('upper="2"', 'upper="2.1"', "upperPositionLimit"),
        ('"4"', '"4.1"', "effortLimit"),
        ('"5"', '"5.1"', "velocityLimit"),
        ('"arm"', '"leg"', ""),
    ],
)
def test_the_judge_tells_apart_what_a_blind_comparison_does_not(old, new, words):
    """Of two robots that are compared by their colors alone."""
    assert ARM.count(old) == 1
    other = ARM.replace(old, new)
    before, after = (read_urdf(text.encode()) for text in (ARM, other))
    blind = compare(before, after, aspects=frozenset({"colors"}))
    assert blind.verdict == "same"
    problem = judged(blind, ARM, other, {"j": 0.3})
    assert words in problem and bool(words) == bool(problem)
