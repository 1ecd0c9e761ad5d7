"""What `lock`, `zero`, `flip` and `drop` decide is what their words ask for: worked out by hand, joint by joint."""

import pytest
from edited_robots import carried_out

from urdf_tools.edit import edit_session

LIMIT = '<limit lower="{}" upper="{}" effort="1" velocity="1"/>'
JOINTS = (  # parent, child, name, type, and what else the joint says
    ("base", "a", "lead", "revolute", LIMIT.format(-1, 2)),
    (
        "a",
        "b",
        "knee",
        "revolute",
        LIMIT.format(-9, 9) + '<mimic joint="lead" multiplier="2" offset="0.1"/>',
    ),
    ("b", "c", "toe", "continuous", '<mimic joint="knee" multiplier="-1"/>'),
    ("base", "d", "slide", "prismatic", LIMIT.format(0, 0.4)),
    ("d", "e", "weld", "fixed", ""),
    ("e", "f", "tip", "continuous", '<mimic joint="weld" offset="0.3"/>'),
    ("d", "g", "lid", "continuous", ""),
)
ROBOT = (
    '<robot name="r"><link name="base"/>'
    + "".join(
        f'<link name="{child}"/><joint name="{name}" type="{kind}"><parent link="{parent}"/>'
        f'<child link="{child}"/><axis xyz="0 0 1"/>{more}</joint>'
        for parent, child, name, kind, more in JOINTS
    )
    + "</robot>"
)
ROWS = (  # act, its value, and what the law has: of `held` and `maps` by joint, `removed` links
    ("lock", ("lead", 0.5), {"lead": 0.5, "knee": 1.1, "toe": -1.1}),
    ("lock", ("lead", "middle"), {"lead": 0.5, "knee": 1.1, "toe": -1.1}),
    ("lock", ("slide", "middle"), {"slide": 0.2}),
    ("lock", ("[ls]*d*", 0.0), {"lead": 0.0, "knee": 0.1, "toe": -0.1, "slide": 0.0, "lid": 0.0}),
    ("lock", ("tip", 0.0), {"tip": 0.3}),
    ("zero", ("lead", 0.5), {"lead": (1, 0.5)}),
    ("zero", ("slide", "middle"), {"slide": (1, 0.2)}),
    ("zero", ("l*d", 0.0), {}),
    ("zero", ("l*d", -0.5), {"lead": (1, -0.5), "lid": (1, -0.5)}),
    ("flip", "l*d", {"lead": (-1, 0.0), "lid": (-1, 0.0)}),
    ("flip", "toe", {"toe": (-1, 0.0)}),
    ("drop", "[bd]", {"b", "c", "d", "e", "f", "g"}),
    ("drop", "e", {"e", "f"}),
)


@pytest.mark.parametrize("act, value, asked", ROWS, ids=str)
def test_a_law_is_what_the_words_ask_for(act, value, asked, monkeypatch):
    laws, verify = [], edit_session.verify

    def noting(before, after, made, *others):
        laws.append(made.law)
        return verify(before, after, made, *others)

    monkeypatch.setattr(edit_session, "verify", noting)
    carried_out(ROBOT, [(act, value)])
    (law,) = laws
    held, maps, removed = (
        asked if act in acts else {} for acts in (("lock",), ("zero", "flip"), ("drop",))
    )
    assert law.held == pytest.approx(held) and law.removed == set(removed)
    assert law.maps.keys() == maps.keys()
    for name, (sign, zero) in maps.items():
        assert (law.maps[name].sign, law.maps[name].zero) == (sign, pytest.approx(zero))
