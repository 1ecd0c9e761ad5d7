"""Loops that are written as one joint too many: --repair cuts the right joint into two frames where it was."""

import re
from xml.etree import ElementTree
from xml.parsers import expat

import pytest
from conftest import examples
from hypothesis import given, strategies as st
from random_robots import robots

from engine import simplify
from urdf_tools.base.errors import UrdfError
from urdf_tools.plan.options import Options
from urdf_tools.run.pipeline import simplify_bytes

INERTIAL = (
    '<inertial><mass value="1"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/>'
    "</inertial>"
)


def run(text, *, repair=True):
    """Simplify with the base as it is."""
    return simplify_bytes(text.encode(), "robot.urdf", Options(base_frame="ros", lenient=repair))


def joints_of(text):
    """Return the joints of a text, in its order."""

    def end(joint, name):
        part = joint.find(name)
        return (part.get("link") if part is not None else None) or ""

    return [
        (
            joint.get("name") or "",
            joint.get("type") or "",
            end(joint, "parent"),
            end(joint, "child"),
        )
        for joint in ElementTree.fromstring(text.encode()).findall("joint")
    ]


def starts_of(text):
    """Return where the joints of a text begin, in bytes."""
    parser, depth, starts = expat.ParserCreate(), [0], []

    def enter(name, _):
        if name == "joint" and depth[0] == 1:
            starts.append(parser.CurrentByteIndex)
        depth[0] += 1

    def leave(_):
        depth[0] -= 1

    parser.StartElementHandler, parser.EndElementHandler = enter, leave
    parser.Parse(text.encode(), True)
    return starts


def is_tree(joints):
    """Return True if one walk up from each link ends at one root."""
    above = {child: parent for _, _, parent, child in joints}
    roots = set()
    for link in {*above, *above.values()}:
        for _ in above:
            link = above.get(link, link)
        roots.add(link)
    return len(above) == len(joints) and len(roots) == 1 and roots.isdisjoint(above)


def expected_cut(joints):
    """Return the last joint that turns and without which there is a tree."""
    return max(
        (
            k
            for k, joint in enumerate(joints)
            if joint[1] in ("revolute", "continuous") and is_tree([*joints[:k], *joints[k + 1 :]])
        ),
        default=None,
    )


@given(
    robots(),
    st.randoms(use_true_random=False),
    st.sampled_from(("revolute", "continuous", "prismatic", "fixed")),
)
@examples(fuzzed=400)
def test_the_last_joint_that_a_tree_can_do_without_is_cut(text, r, kind):
    names = [child for _, _, _, child in joints_of(text)]
    if len(names) < 2:
        return
    parent, child = r.sample(names, 2)
    rod = (
        f'<joint name="rod" type="{kind}"><parent link="{parent}"/><child link="{child}"/><origin xyz="1 2 3" '
        'rpy="0.25 0 0"/><axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>\n'
    )
    place, data = r.choice([*starts_of(text), text.encode().rindex(b"</robot")]), text.encode()
    looped = (data[:place] + rod.encode() + data[place:]).decode()
    joints = joints_of(looped)
    cut = expected_cut(joints)
    if cut is None:
        with pytest.raises(UrdfError) as caught:
            run(looped)
        assert "--lenient" not in str(caught.value)
        return
    name, _, above, below = joints[cut]
    with pytest.raises(UrdfError, match=f"; --lenient cuts '{re.escape(name)}'"):
        run(looped, repair=False)
    result = run(looped)
    (warning,) = (one for one in result.plan.warnings if one.kind.name == "loop-cut")
    assert warning.names == (name, below, f"closing_{name}")
    written = ElementTree.fromstring(looped.encode()).findall("joint")[cut].find("origin")
    first, second = (result.before.above[f"closing_{name}_{end}"] for end in "12")
    assert (first.parent, second.parent, first.type, second.type) == (
        above,
        below,
        "fixed",
        "fixed",
    )
    line = 1 + looped.encode()[: starts_of(looped)[cut]].count(b"\n")
    assert first.source.line == second.source.line == warning.line == line
    origin = first.source.find("origin")
    assert (origin.attributes if origin else None) == (
        written.attrib if written is not None else None
    )
    assert second.source.find("origin") is None
    assert len(result.before.joints) == len(joints) + 1 and result.source == looped.encode()
    again = run(result.text, repair=False)
    assert {f"closing_{name}_1", f"closing_{name}_2"} <= set(
        result.after.links
    ) and again.data == result.data


def bars(rod, ground=""):
    """Return a four-bar linkage whose coupler hangs on both cranks by joints."""
    links = "".join(
        f'<link name="{name}">{INERTIAL}</link>\n' for name in ("base", "left", "right", "coupler")
    )
    rows = (
        ("a", "base", "left", "0 0 0"),
        ("b", "base", "right", "1 0 0"),
        ("c", "left", "coupler", "0 0 0.5"),
    )
    joints = "".join(
        f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}"/><axis xyz="0 1 0"/></joint>\n'
        for name, parent, child, xyz in rows
    )
    return f'<robot name="bars">\n{links}{joints}{rod}\n{ground}</robot>\n'


ROD = (
    '<joint name="{}" type="{}"><parent link="right"/><child link="{}"/><origin xyz="-1 0 0.5"/><axis xyz="0 1 0"/>'
    '<limit lower="-1" upper="1" effort="1" velocity="1"/><dynamics damping="3"/></joint>'
)


def test_the_loop_is_closed_in_mjcf(tmp_path):
    path, output = f"{tmp_path}/bars.urdf", f"{tmp_path}/bars.xml"
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(bars(ROD.format("d", "revolute", "coupler")))
    simplify(path, f"{tmp_path}/out.urdf", lenient=True, mjcf=output)
    with open(output, encoding="utf-8") as stream:
        text = stream.read()
    assert '<connect name="closing_d" site1="closing_d_1" site2="closing_d_2"/>' in text
    assert 'damping="3"' not in text and text.count("<joint ") == 3


@pytest.mark.parametrize(
    ("text", "names"),
    (
        (
            bars(ROD.format("d", "revolute", "coupler")).replace("coupler", "closing_d_2"),
            ["closing_d_"],
        ),
        (
            bars(ROD.format("d", "revolute", "coupler") + ROD.format("d", "revolute", "left")),
            ["closing_d", "closing_d_"],
        ),
        (bars(ROD.format("a", "revolute", "coupler")), ["closing_a"]),
        (
            bars(
                ROD.format("d", "revolute", "base"),
                '<joint name="e" type="fixed"><parent link="left"/><child link="base"/></joint>',
            ),
            None,
        ),
        (bars(ROD.format("d", "revolute", "base")), ["closing_d"]),
    ),
)
def test_names_are_distinct(text, names):
    if names is None:
        with pytest.raises(UrdfError):
            run(text)
        return
    result = run(text)
    made = {}
    for warning in result.plan.warnings:
        made.setdefault(warning.kind.name, []).append(warning.names[-1])
    assert sorted(made["loop-cut"]) == names and len(result.after.links) == 4 + 2 * len(names)


def test_a_joint_with_other_faults_is_still_refused():
    with pytest.raises(UrdfError, match="has no name"):
        run(bars(ROD.format("", "revolute", "coupler")))
