"""The page of a run alive in Chromium: mouse, keys, sliders, sizes; watched; without WebGL."""

import json
import math
import re
import time
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from browser import (
    assert_quiet,
    CAN_RUN,
    CANVAS,
    Chromium,
    CONTRAST,
    CUT,
    middle,
    NO_GL,
    WHY_NOT,
)
from conftest import signs_of
from pages import block, HOSTILE, make_page
from test_page import HUMANOID
from test_page import hostile  # noqa: F401 (a fixture)
from test_poses_in_node import compare, FIXTURES, pose_for
from test_watch import renamed, Watching, with_cranes

from urdf_tools.robot.joint_motion import positions_of
from urdf_tools.urdf.urdf_records import MOVABLE

pytestmark = pytest.mark.skipif(not CAN_RUN, reason=WHY_NOT)
SRDF = b"""<robot name="walker">
  <group_state name="bow" group="all"><joint name="waist_yaw_joint" value="0.25"/>
    <joint name="left_elbow_joint" value="0.5"/></group_state>
</robot>
"""


@pytest.fixture(scope="module")
def humanoid(tmp_path_factory):
    page = make_page(HUMANOID, srdf=SRDF)
    return page, save(page, tmp_path_factory.mktemp("humanoid"))


def save(page, folder):
    path = folder / "page.html"
    path.write_bytes(page.text.encode("utf-8"))
    return path


def address_of(page, moved):
    """Return the state for an address; names are encoded twice."""
    joints = page.robots.a.joints
    return ",".join(
        f"{quote(quote(joints[number].raw.name, safe=''), safe='')}:{value!r}"
        for number, value in moved.items()
    )


def check_in(browser, path, folder):
    page = make_page(path)
    file, moved = save(page, folder), pose_for(page)
    browser.open(file, f"aa=0&dump&q={address_of(page, moved)}")
    assert_quiet(browser, file)
    compare(page, moved, json.loads(browser.run("document.getElementById('poses').textContent")))
    assert browser.run("document.querySelector('#verdict.bad')") is None


@pytest.mark.parametrize(
    "path", [*FIXTURES, "hostile"], ids=lambda path: Path(path).parent.name or "hostile"
)
def test_poses_in_the_browser(chromium, path, hostile, tmp_path):  # noqa: F811
    check_in(chromium, hostile if path == "hostile" else path, tmp_path)


def test_poses_of_real_robots(chromium, shared, tmp_path):
    robots = sorted((shared / "robots").glob("*.urdf"))
    assert len(robots) > 10
    for path in robots:
        check_in(chromium, path, tmp_path)


def test_a_robot_alone_moves_without_a_verdict(chromium, tmp_path):
    page = make_page(HUMANOID, merge=False, reorient=False, strip_hardware=False)
    path = save(page, tmp_path)
    chromium.open(path, "aa=0&view=before")
    assert chromium.run("[state.view, alone, document.querySelector('#verdict')]") == [
        "after",
        True,
        None,
    ]
    assert chromium.run("document.querySelector('.caption b').textContent") == "walker"
    number = joint_number(page, "left_elbow_joint")
    chromium.run(f"setJoint({number}, 0.3)")
    assert chromium.run("document.querySelector('#live').textContent") == ""
    chromium.run("copyPose()")
    pose = json.loads(chromium.run("document.querySelector('#pose').value"))
    assert pose["left_elbow_joint"] == 0.3
    assert_quiet(chromium, path)


def joint_number(page, name):
    return [joint.raw.name for joint in page.robots.a.joints].index(name)


def test_a_slider_moves_both_robots(chromium, humanoid):
    page, path = humanoid
    chromium.open(path)
    number = joint_number(page, "left_elbow_joint")
    x, y, wide, _ = middle(chromium, f"#q{number}")
    before = chromium.run("[now.T_old, now.T_new].map(T => T.join())")
    chromium.click(x - 0.2 * wide, y)
    value = chromium.run(f"state.free.get({number})")
    low, high = page.data["new"]["joints"][number]["range"]
    assert low <= value <= high and abs(value - (low + 0.3 * (high - low))) < 0.06 * (high - low)
    after = chromium.run("[now.T_old, now.T_new].map(T => T.join())")
    assert before[0] != after[0] and before[1] != after[1]
    said = chromium.run(f"document.querySelector('[data-joint=\"{number}\"] .value').textContent")
    assert said == f"{-value:.3f} → {value:.3f} rad".replace("-", "−")
    live = chromium.run("document.querySelector('#live').textContent")
    assert re.fullmatch(
        r"✓ Largest distance at this pose: \S+ µm \('\w+'\), from rounded angles\.", live
    )
    chromium.wait("location.hash.includes('left_elbow_joint')")
    follower = joint_number(page, "head_yaw_joint")
    assert chromium.run(f"document.querySelector('#q{follower}').disabled")
    chromium.run("setJoint({}, 0.3)".format(joint_number(page, "neck_yaw_joint")))
    assert chromium.run(f"now.q_new[{follower}]") == pytest.approx(
        positions_of(
            page.result.after,
            {
                joint.child: 0.3 if joint.name == "neck_yaw_joint" else 0.0
                for joint in page.result.after.joints
            },
        )["head"]
    )
    assert_quiet(chromium, path)


def test_dragging_a_link_turns_its_joint(chromium, humanoid):
    page, path = humanoid
    chromium.open(path, "aa=0&view=after&cam=1.5708,0,4,0,0,0.4")
    number = joint_number(page, "left_knee_joint")
    shin = [body.name for body in page.robots.a.bodies].index("left_shin")
    spot = chromium.run(
        f"(() => {{ const r = canvas.getBoundingClientRect(), T = now.T_new[{shin}], v = views()[0], {{ clip }} = "
        f"cameraFor(v[3], v[4]), p = [...move(T, data.new.links[{shin}].ellipsoid.T.slice(9)), 1], "
        "row = r => p.reduce((sum, value, k) => sum + clip[4 * k + r] * value, 0); "
        "return [r.left + (1 + row(0) / row(3)) / 2 * r.width, r.top + (1 - row(1) / row(3)) / 2 * r.height]; })()"
    )
    camera = chromium.run("state.camera.join()")
    chromium.drag(spot[0], spot[1], 40, 0)
    moved = chromium.run(f"state.free.get({number})")
    assert moved is not None and abs(moved) > 0.05 and chromium.run("state.free.size") == 1
    assert chromium.run("state.camera.join()") == camera
    corner = chromium.run(CANVAS)
    chromium.drag(corner[0] + 20, corner[1] + corner[3] - 90, 60, -20)
    assert (
        chromium.run("state.camera.join()") != camera
        and chromium.run(f"state.free.get({number})") == moved
    )
    assert_quiet(chromium, path)


def test_a_click_selects_in_the_views_and_the_lists(chromium, humanoid):
    page, path = humanoid
    chromium.open(path)
    place = chromium.run(CANVAS)
    for part in (0.25, 0.75):
        chromium.run("select(-1)")
        chromium.click(place[0] + part * place[2], place[1] + 0.42 * place[3])
        assert chromium.run("thing(state.selected).name") == "torso"
        current = chromium.run(
            "[...document.querySelectorAll('[aria-current]')].map(e => e.textContent)"
        )
        assert (
            len(current) == 2 and current[0].startswith("torso") and "waist_yaw_joint" in current[1]
        )
    chromium.run("document.querySelector('#tip').hidden = true")
    chromium.mouse("mouseMoved", place[0] + 0.25 * place[2] + 3, place[1] + 0.42 * place[3])
    chromium.wait("!document.querySelector('#tip').hidden")
    assert chromium.run("document.querySelector('#tip').textContent").startswith("torso12.64 kg")
    row = [row["link"] for row in page.data["rows"]].index("camera_bracket")
    chromium.click(*middle(chromium, f'[data-row="{row}"]')[:2])
    assert chromium.run("thing(state.selected).name") == "head"


def test_a_row_lights_up_its_link_alone(chromium, tmp_path):
    """Of a body that is several links, where they are told apart: before."""
    box = '<visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual>'
    links = "".join(f'<link name="{name}">{box}</link>' for name in ("base", "arm", "camera"))
    joint = '<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/><origin xyz="0 0 1"/></joint>'
    robot = tmp_path / "robot.urdf"
    joints = joint.format("turn", "continuous", "base", "arm") + joint.format(
        "on", "fixed", "arm", "camera"
    )
    robot.write_text(f'<robot name="r">{links}{joints}</robot>', "utf-8")
    page = make_page(robot)
    assert [len(body["parts"]) for body in page.data["old"]["links"]] == [1, 2]
    path = save(page, tmp_path)
    chromium.open(path)
    lit = (
        "Object.fromEntries(Object.values(sides).map(side => [side.title, side.robot.links.flatMap((link, k) => "
        "link.shapes.filter(shape => isSelected(side, k, shape)).map(shape => shape.link || link.name))]))"
    )
    for name, before, after in (
        ("camera", ["camera"], ["arm", "arm"]),
        ("arm", ["arm"], ["arm", "arm"]),
        ("base", ["base"], ["base"]),
    ):
        row = [row["link"] for row in page.data["rows"]].index(name)
        chromium.click(*middle(chromium, f'[data-row="{row}"]')[:2])
        assert chromium.run(lit) == {"Before": before, "After": after}
    assert_quiet(chromium, path)


def test_keys_buttons_search_and_states(chromium, humanoid):
    page, path = humanoid
    chromium.open(path)
    chromium.run("canvas.focus()")
    for key, changes in (
        ("ArrowLeft", "state.camera[0]"),
        ("ArrowUp", "state.camera[1]"),
        ("+", "state.camera[2]"),
        ("7", "state.camera[1]"),
        ("1", "state.camera[1]"),
        ("b", "state.view"),
    ):
        before = chromium.run(changes)
        chromium.key(key)
        assert chromium.run(changes) != before, key
    for show in ("shapes", "collision", "frames", "axes", "bones", "inertia", "changes", "grid"):
        before = chromium.run(f"state.show.has('{show}')")
        chromium.run(f"document.querySelector('[data-show={show}]').click()")
        assert chromium.run(f"state.show.has('{show}')") is not before
        assert (
            chromium.run(f"document.querySelector('[data-show={show}]').ariaPressed")
            == str(not before).lower()
        )
    chromium.key("/")
    chromium.call("Input.insertText", text="elbow")
    assert (
        chromium.run("[...document.querySelectorAll('#joints li')].filter(e => !e.hidden).length")
        == 2
    )
    chromium.run("document.querySelector('[data-state]').click()")
    told = chromium.run(
        "Object.fromEntries([...state.free].map(([k, v]) => [data.new.joints[k].name, v]))"
    )
    sign = signs_of(page.result.plan)
    assert told == {
        name: value * sign[name]
        for name, value in (("waist_yaw_joint", 0.25), ("left_elbow_joint", 0.5))
    }
    chromium.run("document.querySelector('#unit').click()")
    elbow = joint_number(page, "left_elbow_joint")
    degrees = math.degrees(0.5)
    assert chromium.run(
        f"document.querySelector('[data-joint=\"{elbow}\"] .value').textContent"
    ) == (f"{degrees:.1f} → −{degrees:.1f}°")
    chromium.run("document.querySelector('#copy').click()")
    pose = json.loads(chromium.run("document.querySelector('#pose').value"))
    assert pose["before"]["left_elbow_joint"] == 0.5 and pose["after"]["left_elbow_joint"] == -0.5
    assert list(pose["after"]) == [
        joint.name for joint in page.result.after.tree if joint.type in MOVABLE
    ]
    chromium.run("document.querySelector('#free').click()")
    chromium.run(f"setJoint({elbow}, 3)")
    assert chromium.run(f"now.q_new[{elbow}]") == 3
    chromium.run("document.querySelector('#play').click()")
    chromium.wait(f"Math.abs(now.q_new[{joint_number(page, 'left_knee_joint')}]) > 1e-3")
    chromium.run("document.querySelector('#play').click()")
    chromium.run("document.querySelector('#zero').click()")
    assert chromium.run("now.q_new.every(q => q === 0)") is True
    assert_quiet(chromium, path)


def test_the_address_brings_the_state_back(chromium, humanoid):
    page, path = humanoid
    state = (
        "aa=0&q=left_knee_joint:0.6,nonsense:1,left_elbow_joint:x&view=overlay&show=shapes,bones&sel=head"
        "&theme=dark"
    )
    chromium.open(path, state)
    number = joint_number(page, "left_knee_joint")
    assert chromium.run("[...state.free]") == [[number, 0.6]]
    assert chromium.run(
        "[state.view, [...state.show].join(), thing(state.selected).name, isDark()]"
    ) == ["overlay", "shapes,bones", "head", True]
    assert_quiet(chromium, path)


def test_it_is_drawn_and_fits_a_phone(chromium, humanoid):
    _, path = humanoid
    chromium.open(path)
    place = chromium.run(CANVAS)
    clip = dict(zip(("x", "y", "width", "height"), place), scale=1)
    full = len(chromium.screenshot(clip=clip))
    chromium.run(
        "document.querySelectorAll('[data-show][aria-pressed=true]').forEach(e => e.click())"
    )
    chromium.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    # Of a smooth background little is left when it is packed.
    assert full > 2 * len(chromium.screenshot(clip=clip))
    try:
        chromium.resize(390, 844, phone=True)
        chromium.open(path)
        assert chromium.run("document.documentElement.scrollWidth") <= 390
        (left, _, wide, high), (right, _, _, _) = chromium.run("views().map(view => view.slice(1))")
        assert right == left + wide and high > wide  # one beside the other
        tops = chromium.run(
            "['#canvas', '#joints li', '#tree'].map(one => find(one).getBoundingClientRect().top)"
        )
        assert tops[0] < tops[1] < tops[2]
        assert tops[1] < 844, "a slider is on the screen at once"
        assert_quiet(chromium, path)
    finally:
        chromium.call("Emulation.clearDeviceMetricsOverride")


def arm(links):
    """Return a deep chain with long names, every other mesh missing, a box of no size, a fixed joint, a wrong axis."""
    names = ["base", *(f"arm_segment_with_a_long_name_{number}_link" for number in range(1, links))]
    inertial = '<inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>'
    text = ""
    for number, name in enumerate(names):
        mesh = f'<mesh filename="package://arm_description/{name}.stl"/>'
        shape = mesh if number % 2 else '<box size="0.05 0.05 0.2"/>'
        if number == 3:
            shape += '</geometry></visual><visual><geometry><box size="0 0 0"/>'
        text += (
            f'<link name="{name}">{inertial}<visual><geometry>{shape}</geometry></visual></link>'
        )
        if number:
            kind, axis = (
                "fixed" if number % 7 == 6 else "continuous",
                "1 0 0" if number == 4 else "0 -1 0",
            )
            text += (
                f'<joint name="arm_segment_with_a_long_name_{number}_pitch_joint" type="{kind}">'
                f'<parent link="{names[number - 1]}"/><child link="{name}"/><origin xyz="0 0 0.2"/>'
                f'<axis xyz="{axis}"/></joint>'
            )
    return f'<robot name="arm">{text}<link name="shy">{inertial}</link>{SHY}</robot>'


SHY = '<joint name="to_shy" type="fixed"><parent link="base"/><child link="shy"/></joint>'


@pytest.fixture(scope="module")
def deep(tmp_path_factory):
    folder = tmp_path_factory.mktemp("deep")
    (folder / "robot.urdf").write_text(arm(24), "utf-8")
    page = make_page(folder / "robot.urdf", base_frame="ros")
    return page, save(page, folder)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1280, 800), (800, 600), (390, 844)], ids=str)
def test_nothing_is_cut(chromium, deep, size, theme):
    """Nothing is beyond an edge, no name breaks within a word, the picture is not covered, and all can be read."""
    _, path = deep
    try:
        chromium.resize(*size, phone=size[0] < 500)
        chromium.open(path, f"aa=0&theme={theme}")
        assert chromium.run("[innerWidth, innerHeight]") == [*size]
        assert chromium.run(CUT) == [[], [], [], []]
        assert chromium.run(CONTRAST) >= 4.5
        assert chromium.run("document.querySelector('#missing').textContent") == (
            "12 meshes not shown, ellipsoids of inertia in their place: --package arm_description=DIR finds them"
        )
        assert_quiet(chromium, path)
    finally:
        chromium.call("Emulation.clearDeviceMetricsOverride")


def test_ellipsoids_stand_for_missing_meshes_only(chromium, deep):
    """They are in one place before and after; a body with another shape, or without any, has none."""
    page, path = deep
    missing = [link["name"] for link in page.data["old"]["links"] if link.get("missing")]
    with_a_box = (5, 13, 19)  # on the link that is fixed on it, or on which it is
    numbers = [number for number in range(1, 24, 2) if number not in with_a_box]
    assert missing == [f"arm_segment_with_a_long_name_{number}_link" for number in numbers]
    chromium.open(path, "aa=0")
    before, after = (
        chromium.run(
            f"sceneOf(sides.{side}).solid.filter(([shape]) => shape === 'ball')"
            ".map(([, T, size, , id]) => [id, ...T, ...size])"
        )
        for side in ("old", "new")
    )
    assert len(before) == len(after) == len(missing)
    # T_new_old of the page is of frames, and both robots stand in the frame of the new base.
    assert all(
        abs(one - other) < 1e-9 for row, same in zip(before, after) for one, other in zip(row, same)
    )
    live = chromium.run("document.querySelector('#live').textContent")
    assert re.fullmatch(
        r"✓ (Largest distance at this pose: \S+ .?m \('\w+'\), from rounded angles"
        r"|At this pose every body is in its place)\.",
        live,
    )
    chromium.run("now.far = 0; showDistance()")
    assert chromium.run("document.querySelector('#live').textContent") == (
        "✓ At this pose every body is in its place."
    )


def test_it_can_be_used_without_seeing(chromium, humanoid):
    page, path = humanoid
    chromium.open(path)
    nodes = [
        node
        for node in chromium.call("Accessibility.getFullAXTree")["nodes"]
        if not node.get("ignored")
    ]
    roles = {}
    for node in nodes:
        role = node["role"]["value"]
        roles[role] = roles.get(role, 0) + 1
        if role in ("slider", "button", "searchbox", "textbox"):
            assert node["name"]["value"].strip(), node
    movable = sum(joint.type in MOVABLE for joint in page.result.after.joints)
    assert (
        roles["slider"] == movable
        and roles["status"] == 1
        and roles["main"] == 1
        and roles["table"] >= 4
    )


@pytest.mark.parametrize("hidden", ["display: none", "width: 0; height: 0; border: 0"])
def test_a_page_that_is_shown_later_is_fitted(chromium, humanoid, tmp_path, hidden):
    """In a frame without a size nothing can be fitted; with its first size the robot is as large as in one that had it.

    Embedded, the page leaves the verdict and the theme to the page around it.
    """
    distances = []
    shown = "width: 1200px; height: 800px"
    for style in (shown, hidden):
        outer = tmp_path / "outer.html"
        outer.write_text(
            f'<iframe style="{style}" src="{humanoid[1].resolve().as_uri()}#aa=0&embedded"></iframe>',
            "utf-8",
        )
        chromium.open(outer)
        context = [
            event["params"]["context"]
            for event in chromium.events
            if event["method"] == "Runtime.executionContextCreated"
        ][-1]["id"]

        def inside(script, context=context):
            return chromium.call(
                "Runtime.evaluate",
                expression=script,
                returnByValue=True,
                awaitPromise=True,
                contextId=context,
            )["result"].get("value")

        frames = "new Promise(done => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 500))"
        assert inside("document.documentElement.dataset.ready") == "1"
        assert inside("canvas.clientWidth > 0") is (style == shown)
        chromium.run(f"document.querySelector('iframe').style = '{shown}'; 1")
        chromium.run(frames)
        assert inside("canvas.clientWidth") > 0 and inside("state.fitted") is True
        distances.append(inside("state.camera[2]"))
        assert inside(
            "[...document.querySelectorAll('#verdict, #theme')].map(e => e.offsetWidth)"
        ) == [0, 0]
    assert distances[0] == pytest.approx(distances[1], rel=0.01)


def test_a_frame_before_the_observer_fits_as_well(chromium, humanoid):
    """An animation frame comes before what a ResizeObserver hears; it has drawn, and nothing was left to be fitted."""
    chromium.open(humanoid[1])
    fitted = chromium.run("state.camera[2]")
    wait = "new Promise(done => setTimeout(done, 300))"
    chromium.run(f"document.body.style.display = 'none'; {wait}")
    chromium.run("resize(); fit(); 1")  # as at the start of a page without a size
    assert chromium.run("canvas.width") == 1 and chromium.run("state.camera[2]") > 1.3 * fitted
    chromium.run(f"document.body.style.display = ''; ask(); {wait}")
    assert chromium.run("state.camera[2]") == pytest.approx(fitted, rel=1e-3)


def test_without_webgl_the_lists_still_work(humanoid):
    page, path = humanoid
    with Chromium(drawing=NO_GL) as browser:
        browser.open(path, "aa=0&dump&q=left_knee_joint:0.6")
        assert browser.run("gl") is None
        assert not browser.run("document.querySelector('#without').hidden")
        assert_quiet(browser, path)
        compare(
            page,
            {joint_number(page, "left_knee_joint"): 0.6},
            json.loads(browser.run("document.getElementById('poses').textContent")),
        )
        browser.run("rows[3].click()")
        browser.run("document.querySelector('#zero').click()")
        browser.key("f")
        assert_quiet(browser, path)


def test_what_is_injected_does_not_run(chromium, hostile, tmp_path):  # noqa: F811
    page = make_page(hostile)
    path = save(page, tmp_path)
    injected = "<script>window.broken = 1</script><img src=x onerror='window.broken = 1'>"
    path.write_text(page.text.replace("<footer>", f"{injected}<footer>"), "utf-8")
    chromium.open(path)
    assert chromium.run("window.broken") is None
    assert chromium.run("document.documentElement.dataset.ready") == "1"
    names = chromium.run("[...document.querySelectorAll('#tree b')].map(e => e.textContent)")
    assert names == ["base", *HOSTILE]
    assert block(page.text, "data") == chromium.run("document.getElementById('data').textContent")


# Watched.


@pytest.mark.parametrize(
    "files", [["crane.urdf"], ["crane.urdf", "hulls.urdf"]], ids=["one", "two"]
)
def test_camera_and_positions_are_kept(tmp_path, files):
    """The page loads itself anew, with what was set; when the server has ended it stays."""
    robot = with_cranes(tmp_path) / "crane.urdf"
    watching = Watching(tmp_path, *files)
    free = "[[...state.free], state.camera.map(value => +value.toFixed(3)), state.fitted]"
    try:
        with Chromium() as browser:
            browser.open_address(f"{watching.address}#aa=0")
            browser.run(
                "const slider = find('#joints input[type=range]'); slider.value = +slider.max / 2; "
                "slider.dispatchEvent(new Event('input')); orbit(.4, .2); changed(); 1"
            )
            kept = browser.run(free)
            assert kept[0][0][1] and kept[2] is False
            browser.run("self.before = true; 1")
            renamed(robot, 'name="crane"', 'name="crane_of_today"')
            browser.wait(
                "self.before !== true && document.documentElement?.dataset.ready && document.title"
            )
            got = browser.run(free)
            assert got[0][0][0] == kept[0][0][0] and got[0][0][1] == pytest.approx(
                kept[0][0][1], abs=1e-4
            )
            assert got[1] == pytest.approx(kept[1], abs=1e-3) and got[2] is False
            if len(files) == 1:
                assert browser.run("document.querySelector('h1').textContent") == "crane_of_today"
            text = robot.read_text("utf-8")
            robot.write_text(text[:-20], "utf-8")
            alert = "find('[role=alert]')"
            browser.wait(
                f"{alert}.checkVisibility() && /crane.urdf:\\d+/.test({alert}.textContent)"
            )
            robot.write_text(text, "utf-8")
            browser.wait(f"{alert}.hidden")
            asked = {path for path in browser.requests() if not path.startswith(("data:", "blob:"))}
            assert {urlsplit(path).path for path in asked} == {urlsplit(watching.address).path}
            assert browser.complaints() == []
            assert watching.end() == 0
            time.sleep(1.2)
            assert browser.run("document.documentElement.dataset.ready") == "1"
    finally:
        watching.close()
