"""Leaders come before their followers, and of a circle one joint is free."""

from hypothesis import given
from hypothesis import strategies as st

from urdf_tools.robot.joint_motion import leaders_first

names = st.integers(0, 7)


@given(st.dictionaries(names, st.none() | names))
def test_each_joint_comes_once_behind_its_leader(asked):
    leader_of = {name: leader if leader in asked else None for name, leader in asked.items()}
    order = [*leaders_first(leader_of)]
    assert sorted(name for name, _ in order) == sorted(leader_of)
    for index, (name, leader) in enumerate(order):
        assert (
            leader is None
            or leader == leader_of[name]
            and leader in [other for other, _ in order[:index]]
        )
        assert leader is not None or leader_of[name] is None or _is_in_circle(name, leader_of)
    for name in leader_of:
        circle = _circle(name, leader_of)
        assert not circle or sum(leader is None for other, leader in order if other in circle) == 1


def _circle(name, leader_of):
    """Return the joints that follow each other in a circle with this one; none where it is in no circle."""
    seen, other = {name}, leader_of[name]
    while other is not None and other not in seen:
        seen.add(other)
        other = leader_of[other]
    return seen if other == name else set()


def _is_in_circle(name, leader_of):
    return bool(_circle(name, leader_of))
