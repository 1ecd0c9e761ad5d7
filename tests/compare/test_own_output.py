"""The proof inside a run and the comparison outside agree: what the tool writes is the same robot, an edit is named.

The comparison shares no code with the passes and their proof, and finds the map that the plan made, or is given it.
"""

import random

from conftest import examples, SEEDS
from hypothesis import example, given
from random_robots import Traits, write_robot


from urdf_tools.compare.comparison import compare
from urdf_tools.compare.mapping import Given, GivenJoint
from urdf_tools.compare.words import text_of
from urdf_tools.formats.urdf.read import read_urdf
from urdf_tools.plan.options import Options
from urdf_tools.robot.canonical import canonical
from urdf_tools.run.pipeline import simplify_bytes
from urdf_tools.urdf.spatial import Pose, ZERO

LIKELY = Traits(links=12)
OPTIONS = Options(strip_hardware=False, base_frame="ros", snap=0.0)
MECHANICS = frozenset({"motion", "mass", "limits", "mimic", "loops", "dynamics"})
WITH_SHAPES = MECHANICS | {"shapes", "colors", "surfaces", "sensors", "actuators", "world"}


def map_of(result):
    """Return the map that the plan made; the base is the first body, which is that below a root that floats."""
    plan = result.plan
    joints = tuple(
        GivenJoint(planned.joint.name, planned.joint.name, float(planned.map.sign))
        for planned in plan.joints.values()
    )
    first = canonical(read_urdf(result.source)).bodies[0].name
    return Given(joints, Pose(plan.placements[first].rotation, ZERO))


def unsaid(result, found):
    """Return the differences that the plan did not decide: shapes that are there twice are removed once."""
    removed = [one for one in found.differences if one.kind == "shape_only_a"]
    # The note was read.
    noted = any(difference.kind == "decided_shape" for difference in found.decided)
    assert len(removed) == (0 if noted else len(result.plan.removed_shapes))
    return [text_of(one) for one in found.differences if one.kind != "shape_only_a"]


@examples(fuzzed=300)  # 3,000 by `make fuzz`
@example(156157)  # the base is turned by 99.9 urad, which is nearly nothing
@example(356124)
@given(SEEDS)
def test_what_is_simplified_is_the_same_robot(seed):
    """With the map of the plan, and with the map that is found."""
    result = simplify_bytes(
        write_robot(random.Random(seed), LIKELY).encode("utf-8"), "robot.urdf", OPTIONS
    )
    before, after = read_urdf(result.source), read_urdf(result.data)
    for known in (map_of(result), None):
        found = compare(before, after, given=known, aspects=WITH_SHAPES)
        assert unsaid(result, found) == [], known is None
