"""Pinocchio judges the module between two files: centers of mass are where the other robot has them."""

import random

import pytest
from conftest import ROOT
from judged_robots import drawn, np, Pinocchio

from urdf_tools import compare

SHARED = ROOT.parent / "shared" / "robots"
REACH = ROOT / "fixtures" / "compare"
POSITIONS = 10_000
CENTERS = 1e-5  # m: how far apart centers of the files themselves are
PAIRS = [
    (REACH / "reach.urdf", REACH / "reach_of_another_vendor.urdf"),
    (SHARED / "so101_old_calib.urdf", SHARED / "so101_new_calib.urdf"),
    (SHARED / "so101_new_calib.urdf", SHARED / "so101_old_calib.urdf"),
]


def centers(judge, q):
    """Return the center of mass of what each joint carries up to the next ones, in the root."""
    masses = judge.masses(q)
    return {name: inertia.lever for name, inertia in masses.items() if inertia.mass > 0.0}


@pytest.mark.parametrize("a, b", PAIRS, ids=["reach", "old_to_new", "new_to_old"])
def test_centers_of_mass_are_where_the_module_says(a, b):
    if not a.exists():
        pytest.skip(f"no real robots: {a} is not there")
    found = compare.compare(a, b)
    assert found.bound is not None
    module = {"__name__": "adapter"}
    exec(compile(found.adapter(), "adapter", "exec"), module)
    old, new = (Pinocchio(path.read_text("utf-8")) for path in (a, b))
    R, p, r, worst = (
        np.array(module["R_NEW_OLD"]),
        np.array(module["P_NEW_OLD"]),
        random.Random(1),
        0.0,
    )
    partners = {name: module["NEW"][place] for name, place, _, _ in module["MAP"]}
    for _ in range(POSITIONS):
        q = drawn(found.a, r)
        here = centers(old, q)
        there = centers(
            new, dict(zip(module["NEW"], module["to_new"]([q[name] for name in module["OLD"]])))
        )
        worst = max(
            worst,
            *(
                np.linalg.norm(R @ here[name] + p - there[partner])
                for name, partner in partners.items()
            ),
        )
    assert len(partners) >= 4 and worst <= found.bound.position + CENTERS
