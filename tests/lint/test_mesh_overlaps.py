"""Links whose closed meshes overlap at zero: depths by hand."""

import pytest
from mesh_files import binary_stl
from surfaces import ball, box, bracket, inverted, split

from urdf_tools.lint.examine_file import examine

CUBE = box((0.0, 0.0, 0.0), (0.1, 0.1, 0.1))
CAVITY = CUBE + inverted(box((0.01, 0.01, 0.01), (0.09, 0.09, 0.09)))
LINK = (
    '<link name="{}"><collision><origin xyz="{}"/><geometry>{}</geometry></collision></link>'
    '<joint name="j{}" type="continuous"><parent link="{}"/><child link="{}"/></joint>'
)
MESH = '<mesh filename="{}.stl" scale="{}"/>'


def overlaps(
    folder, first, second, scale="1 1 1", at="0 0 0", other=MESH.format("b", "1 1 1"), gap=3
):
    """Return the depths [mm] of overlaps of two links with meshes, `gap` joints apart."""
    for name, surface in (("a", first), ("b", second)):
        (folder / f"{name}.stl").write_bytes(binary_stl(surface))
    shape = MESH.format("a", scale)
    text = f'<link name="l0"><collision><geometry>{shape}</geometry></collision></link>'
    for k in range(1, gap):
        text += f'<link name="l{k}"/><joint name="j{k}" type="continuous"><parent link="l{k - 1}"/><child link="l{k}"/></joint>'
    text += LINK.format(f"l{gap}", at, other, gap, f"l{gap - 1}", f"l{gap}")
    findings = examine(
        f'<robot name="r">{text}</robot>'.encode(), str(folder / "r.urdf"), ()
    ).findings
    return [found.diagnostic.numbers[0] for found in findings if found.kind.name == "overlap"]


SPHERE = '<sphere radius="0.02"/>'


@pytest.mark.parametrize(
    "first, second, words, depth",
    [
        (CUBE, CUBE, {"at": "0.06 0 0"}, 40.0),
        (CUBE, CUBE, {"at": "-0.06 0 0", "scale": "-1 1 1"}, 60.0),
        (inverted(CUBE), split(CUBE, 2), {"at": "0 0.06 0"}, 40.0),
        (CUBE, CUBE, {"at": "0.06 0 0", "scale": "2 1 1"}, 100.0),
        (CUBE, CUBE, {"at": "0.05 0.05 0.05", "other": SPHERE}, 40.0),
        (bracket(), CUBE, {"at": "0.05 0.05 0"}, 100.0),
        (CUBE, ball(8, 12, 0.02), {"at": "0.05 0.05 0.05"}, 38.5),
        (bracket(), CUBE, {"at": "0.4 0.4 0"}, 0.0),  # in the hull of the L, and beside the L
        (CAVITY, SPHERE, {"at": "0.05 0.05 0.05", "other": SPHERE}, 0.0),
        (CUBE, CUBE, {"at": "0.0985 0 0"}, 0.0),  # 1.5 mm are contact
        (CUBE[1:], CUBE, {"at": "0.06 0 0"}, 0.0),  # open
        (CUBE, CUBE, {"at": "0.06 0 0", "gap": 2}, 0.0),  # axes that cross in one housing
    ],
)
def test_depths_by_hand(first, second, words, depth, tmp_path):
    second = CUBE if second is SPHERE else second
    found = overlaps(tmp_path, first, second, **words)
    assert found == ([pytest.approx(depth, rel=0.1)] if depth else [])
    assert not found or found[0] <= depth + 1e-3
