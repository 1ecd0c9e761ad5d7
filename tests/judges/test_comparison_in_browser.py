"""The page of a comparison alive in Chromium: rows, sliders that move both robots, colors, sizes and themes."""

import json
import math

import golden
import pytest
from browser import assert_quiet, CAN_RUN, CANVAS, CONTRAST, CUT, middle, WHY_NOT
from pages import apart, block, HOSTILE, hostile_text, poses_of_page
from test_comparison_page import text_and_data

from urdf_tools.compare.robot_comparison import compare
from urdf_tools.formats.urdf.read_urdf import read_urdf
from urdf_tools.export.page.command_pages import write_comparison

pytestmark = pytest.mark.skipif(not CAN_RUN, reason=WHY_NOT)
ARM = (golden.FIXTURES / "arm" / "robot.urdf").read_text("utf-8")
QUADRUPED = (golden.FIXTURES / "quadruped" / "robot.urdf").read_text("utf-8")
EDITS = (
    ('<mass value="9.84"', '<mass value="11.2"'),
    ('upper="0.12"', 'upper="0.3"'),
    ('<origin xyz="0 0.034 -0.19" rpy="0 0 0"/>', '<origin xyz="0 0.034 -0.24" rpy="0 0 0"/>'),
)


@pytest.fixture(scope="module")
def quadrupeds(tmp_path_factory):
    """The quadruped, and one with a heavier trunk, a lower wheel and another limit."""
    other = QUADRUPED
    for old, new in EDITS:
        assert old in other
        other = other.replace(old, new, 1)
    return saved(
        compare(read_urdf(QUADRUPED.encode()), read_urdf(other.encode())),
        tmp_path_factory.mktemp("pair"),
    )


def saved(comparison, folder):
    path = folder / "d.html"
    data, _ = write_comparison(comparison, path.name, (), None)
    path.write_bytes(data)
    return comparison, path


def test_a_slider_moves_both_robots_to_mapped_positions(chromium, quadrupeds):
    comparison, path = quadrupeds
    chromium.open(path, "aa=0&dump&q=FL_hip_joint:0.3")
    assert_quiet(chromium, path)
    number = next(
        k for k, joint in enumerate(comparison.map.a.joints) if joint.raw.name == "FL_thigh_joint"
    )
    x, y, wide, _ = middle(chromium, f"#q{number}")
    chromium.click(x + 0.2 * wide, y)
    free = dict(chromium.run("[...state.free]"))
    assert free[number] != 0.0
    told = json.loads(chromium.run("document.getElementById('poses').textContent"))
    q = {k: free.get(k, 0.0) for k, joint in enumerate(comparison.map.a.joints) if joint.raw.moves}
    assert apart(told, poses_of_page(text_and_data(comparison)[1], q)) < 1e-9
    assert comparison.bound is not None and math.isclose(told["far"], 0.05, abs_tol=1e-9)
    assert told["far"] <= comparison.bound.position + 1e-9
    live = chromium.run("document.querySelector('#live').textContent")
    assert live.startswith(" Largest distance at this pose: 50 mm ('") and live.endswith("' of B).")
    assert chromium.run("document.querySelector('#verdict').className") == "geometry"


def test_a_row_shows_what_it_is_about(chromium, quadrupeds):
    comparison, path = quadrupeds
    chromium.open(path, "aa=0")
    assert len(comparison.differences) == 3
    colors = "JSON.stringify(data.new.links.map((link, k) => colorOf(sides.new, k, null)))"
    all_colored = json.loads(chromium.run(colors))
    names = [link.name for link in comparison.map.a.bodies]
    gray = all_colored[names.index("RR_wheel")]
    assert [name for name, color in zip(names, all_colored) if color != gray] == [
        "trunk",
        "FL_wheel",
    ]
    for number, one in enumerate(comparison.differences):
        x, y, _, _ = middle(chromium, f"[data-row='{number}']")
        chromium.click(x, y)
        chromium.mouse("mouseMoved", 700, 20)
        chromium.wait("state.hovered === -1")
        assert chromium.run("state.chosen") == number
        marked = [
            name for name, color in zip(names, json.loads(chromium.run(colors))) if color != gray
        ]
        assert marked == [{"mass": "trunk", "shifted": "FL_wheel", "limits": "FL_shank"}[one.kind]]
        assert chromium.run("all('#tree [aria-current]').length") == 1
    chromium.wait("location.hash.includes('row=2')")
    chromium.open(path, "aa=0&row=1")
    assert chromium.run("[state.chosen, thing(state.selected).name]") == [1, "trunk"]
    chromium.key("Escape")
    assert chromium.run("[state.chosen, state.selected, all('[aria-current]').length]") == [
        -1,
        -1,
        0,
    ]


def test_a_click_on_a_body_marks_its_rows(chromium, quadrupeds):
    _, path = quadrupeds
    chromium.open(path, "aa=0")
    left, top, wide, high = chromium.run(CANVAS)
    x, y = next(
        (left + wide * i / 40, top + high * j / 40)
        for j in range(40)
        for i in range(40)
        if chromium.run(f"pick({wide * i / 40}, {high * j / 40}).link")
        == chromium.run("numberOf.get('trunk')")
    )
    chromium.click(x, y)
    assert chromium.run("thing(state.selected).name") == "trunk"
    assert chromium.run("all('#tree [aria-current]').map(row => row.dataset.row)") == ["1"]
    tip = chromium.run("find('#tip').textContent")
    assert "A: 10.22 kg" in tip and "B: 11.58 kg" in tip and "trunk: 9.84 kg / 11.2 kg" in tip


def test_b_is_only_seen_where_it_is_not_as_a(chromium, quadrupeds):
    """Of equal robots the overlay shows the pixels of A alone."""
    comparison, path = quadrupeds
    chromium.open(path, "aa=0&view=overlay&show=shapes")
    with_ghost = chromium.screenshot()
    chromium.open(path, "aa=0&view=a&show=shapes")
    assert chromium.run("listsOf(null).ghost.length > 0 && listsOf(sides.new).ghost.length === 0")
    assert chromium.screenshot() != with_ghost
    same, again = saved(compare(comparison.a, comparison.a), path.parent / "..")
    hide = "find('#over').hidden = true; find('#captions').hidden = true"
    # Two frames in a row look like slow ones to a page on a busy machine, which then draws half the pixels.
    first_frame = "coarse = 1; lastFrame = -1e9; draw()"
    seen = []
    for view in ("overlay", "a"):
        chromium.open(again, f"aa=0&view={view}&show=shapes")
        chromium.run(f"state.show.delete('changes'); {hide}; {first_frame}")
        seen.append(chromium.run(f"(() => {{ {first_frame}; return canvas.toDataURL(); }})()"))
    assert seen[0] == seen[1] and not same.differences
    assert chromium.run("find('#live').textContent").endswith(
        "At this pose every body of B is where A has it."
    )


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1280, 800), (800, 600), (390, 844)], ids=str)
def test_nothing_is_cut(chromium, tmp_path, size, theme):
    a, b = read_urdf(QUADRUPED.encode()), read_urdf(ARM.encode())
    _, path = saved(compare(a, b), tmp_path)
    try:
        chromium.resize(*size, phone=size[0] < 500)
        chromium.open(path, f"aa=0&theme={theme}")
        assert chromium.run("[innerWidth, innerHeight]") == [*size]
        # Sentences may go on in a second line, names alone may not.
        beyond, scrolls, _, covered = chromium.run(CUT)
        assert (beyond, scrolls, covered) == ([], [], [])
        assert chromium.run(CONTRAST) >= 4.5
        assert_quiet(chromium, path)
    finally:
        chromium.call("Emulation.clearDeviceMetricsOverride")


def test_what_names_say_does_not_run(chromium, tmp_path):
    a, b = hostile_text(), hostile_text().replace("value='1'", "value='2'")
    _, path = saved(compare(read_urdf(a.encode()), read_urdf(b.encode())), tmp_path)
    assert block(path.read_text("utf-8"), "data").isascii()
    chromium.open(path, "aa=0&row=0")
    assert_quiet(chromium, path)
    assert chromium.run("data.new.links.map(link => link.name)") == ["base", *HOSTILE]
