"""The page alive: its forward kinematics in node and in Chromium; mouse, keys, sliders, sizes; without WebGL."""
import html
import json
import math
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple
from urllib.parse import quote

import golden
import pytest
from conftest import signs_of
from browser import CAN_RUN, Chromium, NO_GL, WHY_NOT
from pages import block, make_page, Page
from test_page import HOSTILE, HUMANOID, PAGE, PAINTED
from test_page import hostile  # noqa: F401 (a fixture)

from urdf_tools.robot.principal_axes import principal
from urdf_tools.robot.motion import positions_of
from urdf_tools.urdf.model import motion_of, MOVABLE, poses_at
from urdf_tools.urdf.spatial import compose, IDENTITY_POSE, inverse, multiply, Pose, transpose, ZERO

NODE = shutil.which("node")
ALMOST = 1e-12
FIXTURES = [HUMANOID, PAINTED, *(golden.FIXTURES / name / "robot.urdf" for name in ("arm", "quadruped")),
            golden.FIXTURES / "odd" / "mimic_chain" / "robot.urdf"]
TWO_ARMS = golden.FIXTURES / "variants" / "two_arms" / "robot.urdf"
SRDF = b"""<robot name="walker">
  <group_state name="bow" group="all"><joint name="waist_yaw_joint" value="0.25"/>
    <joint name="left_elbow_joint" value="0.5"/></group_state>
</robot>
"""
CANVAS = "(() => { const r = canvas.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()"
needs_node = pytest.mark.skipif(NODE is None, reason="no node")
needs_chromium = pytest.mark.skipif(not CAN_RUN, reason=WHY_NOT)


def pose_for(page: Page) -> Dict[int, float]:
    """Return a position for every joint of the result that can be moved, by its place in the tree."""
    generator = random.Random(page.result.after.name)
    return {number: round(generator.uniform(-1.5, 1.5), 3) for number, joint in enumerate(page.result.after.tree)
            if joint.type in MOVABLE and page.result.after.named.get(joint.name) is joint}


def poses_by_python(page: Page, moved: Dict[int, float]) -> Dict[str, Dict[str, List[float]]]:
    """Return T_world_link of both robots by the kinematics of the tool, planar and floating joints at zero."""
    before, after, plan = page.result.before, page.result.after, page.result.plan
    free = {joint.child: moved.get(number, 0.0) for number, joint in enumerate(after.tree)}
    q_after = positions_of(after, free)
    q_before = dict.fromkeys((joint.child for joint in before.joints), 0.0)
    for joint in before.joints:
        member = plan.members.get(joint.child)
        owner = member.target if member is not None and member.merged else joint.child
        if owner in q_after:
            q_before[joint.child] = plan.joints[owner].map.sign * q_after[owner]

    def poses(robot: Any, q: Dict[str, float], T_root: Pose) -> Dict[str, List[float]]:
        motions = {joint.child: motion_of(joint, q[joint.child]) for joint in robot.joints
                   if joint.type in MOVABLE}
        return {link: [value for row in (*T.rotation, T.translation) for value in row]
                for link, T in poses_at(robot, motions, T_root).items()}

    T_root = Pose(plan.base.R_new_old, ZERO)
    if after.root != before.root:  # a part: it is drawn where it is at rest
        T_root = compose(plan.placements[after.root], inverse(poses_at(before, {}, IDENTITY_POSE)[after.root]))
    return {"old": poses(before, q_before, T_root),
            "new": poses(after, q_after, Pose(((1, 0, 0), (0, 1, 0), (0, 0, 1)), ZERO))}


def compare(page: Page, moved: Dict[int, float], found: Dict[str, Any]) -> None:
    """Assert that a page's poses are those of Python, and that the page finds every link in its place."""
    for side, poses in poses_by_python(page, moved).items():
        assert set(found[side]) == set(poses)
        worst = max(abs(a - b) for link, T in poses.items() for a, b in zip(T, found[side][link]))
        assert worst <= ALMOST, (side, worst)
    assert found["far"] <= page.data["allowed"] < 0.02


@needs_node
@pytest.mark.parametrize("part", sorted(PAGE.glob("*.js")), ids=lambda path: path.name)
def test_the_script_is_javascript(part: Path) -> None:
    run = subprocess.run([str(NODE), "--check", str(part)], stderr=subprocess.PIPE, encoding="utf-8", timeout=60)
    assert run.returncode == 0, run.stderr


def poses_by_node(page: Page, moved: Dict[int, float]) -> Dict[str, Any]:
    script = (PAGE / "poses.js").read_text(encoding="utf-8") + """
const [data, moved] = JSON.parse(require("fs").readFileSync(0, "utf8"));
const { T_new, T_old, far } = solve(data, new Map(moved));
console.log(JSON.stringify({ new: posesByName(data.new, T_new), old: posesByName(data.old, T_old), far }));
"""
    run = subprocess.run([str(NODE), "-e", script], input=json.dumps([page.data, list(moved.items())]),
                         stdout=subprocess.PIPE, encoding="utf-8", timeout=60, check=True)
    return dict(json.loads(run.stdout))


@needs_node
@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.parent.name)
def test_poses_in_node_are_those_of_python(path: Path) -> None:
    page = make_page(path)
    moved = pose_for(page)
    found = poses_by_node(page, moved)
    compare(page, moved, found)
    joint = next(iter(moved))
    wrong = poses_by_node(page, {**moved, joint: moved[joint] + 1e-3})
    assert wrong["new"] != found["new"] and wrong["old"] != found["old"]


@needs_node
@pytest.mark.parametrize("options", [{"keep_all_frames": True}, {"merge": False}, {"reorient": False},
                                     {"lenient": True}], ids=str)
def test_poses_with_every_kind_of_plan(options: Dict[str, Any]) -> None:
    page = make_page(HUMANOID, **options)
    moved = pose_for(page)
    compare(page, moved, poses_by_node(page, moved))


@needs_node
def test_both_robots_of_the_page_are_in_one_pose() -> None:
    page = make_page(TWO_ARMS, keep_signs=True)
    old = page.data["old"]
    for moved in ({}, pose_for(page)):
        found = poses_by_node(page, moved)
        compare(page, moved, found)
        assert found["far"] < ALMOST
    old["joints"] = [{**joint, "offset": joint.get("offset", 0.0) + 1e-3} for joint in old["joints"]]
    assert poses_by_node(page, pose_for(page))["far"] > page.data["allowed"]


def test_principal_axes_diagonalize() -> None:
    inertia = ((2.0, 0.3, -0.2), (0.3, 1.0, 0.1), (-0.2, 0.1, 1.5))
    moments, R = principal(inertia)
    diagonal = multiply(transpose(R), multiply(inertia, R))
    for row in range(3):
        for column in range(3):
            assert abs(diagonal[row][column] - (moments[row] if row == column else 0.0)) < 1e-14
    cross = [R[1][0] * R[2][1] - R[2][0] * R[1][1], R[2][0] * R[0][1] - R[0][0] * R[2][1]]
    assert abs(cross[0] - R[0][2]) < 1e-14 and abs(cross[1] - R[1][2]) < 1e-14  # right-handed


# In Chromium.


@pytest.fixture(scope="module")
def chromium() -> Iterator[Chromium]:
    if not CAN_RUN:
        pytest.skip(WHY_NOT)
    with Chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def humanoid(tmp_path_factory: pytest.TempPathFactory) -> Tuple[Page, Path]:
    page = make_page(HUMANOID, srdf=SRDF)
    return page, save(page, tmp_path_factory.mktemp("humanoid"))


def save(page: Page, folder: Path) -> Path:
    path = folder / "page.html"
    path.write_bytes(page.text.encode("utf-8"))
    return path


def address_of(page: Page, moved: Dict[int, float]) -> str:
    """Return the state for an address; names are encoded twice."""
    tree = page.result.after.tree
    return ",".join(f"{quote(quote(tree[number].name, safe=''), safe='')}:{value!r}" for number, value in moved.items())


def assert_quiet(browser: Chromium, path: Path) -> None:
    """Assert that the page is ready, says of no error, and asked for no file but itself."""
    assert browser.run("document.documentElement.dataset.ready") == "1"
    assert browser.run("document.documentElement.dataset.error || ''") == ""
    assert browser.complaints() == []
    assert {address.split("#")[0] for address in browser.requests()} <= {path.resolve().as_uri()}


def check_in(browser: Chromium, path: Path, folder: Path) -> None:
    page = make_page(path)
    file, moved = save(page, folder), pose_for(page)
    browser.open(file, f"aa=0&dump&q={address_of(page, moved)}")
    assert_quiet(browser, file)
    compare(page, moved, json.loads(browser.run("document.getElementById('poses').textContent")))
    assert browser.run("document.querySelector('#verdict').classList.contains('bad')") is False


@pytest.mark.parametrize("path", [*FIXTURES, "hostile"], ids=lambda path: Path(path).parent.name or "hostile")
def test_poses_in_the_browser(chromium: Chromium, path: Any, hostile: Path, tmp_path: Path) -> None:  # noqa: F811
    check_in(chromium, hostile if path == "hostile" else path, tmp_path)


def test_poses_of_real_robots(chromium: Chromium, shared: Path, tmp_path: Path) -> None:
    robots = sorted((shared / "robots").glob("*.urdf"))
    assert len(robots) > 10
    for path in robots:
        check_in(chromium, path, tmp_path)


@needs_chromium
def test_the_dumped_page_says_ready_and_holds_the_poses(humanoid: Tuple[Page, Path], tmp_path: Path) -> None:
    """Without a driver: the state is in the address, the answer in the document."""
    from browser import FLAGS, PROGRAM, SOFTWARE_GL

    page, path = humanoid
    moved = pose_for(page)
    run = subprocess.run(
        [str(PROGRAM), *FLAGS, *SOFTWARE_GL, f"--user-data-dir={tmp_path}", "--window-size=400,300", "--dump-dom",
         f"{path.resolve().as_uri()}#aa=0&dump&q={address_of(page, moved)}"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120, check=True)
    text = run.stdout.decode("utf-8")
    start = text[:text.index("<head")]
    assert 'data-ready="1"' in start and "data-error" not in start
    poses = re.search(r'<pre id="poses" hidden="">(.*?)</pre>', text, re.S)
    assert poses
    compare(page, moved, json.loads(html.unescape(poses.group(1))))


def middle(browser: Chromium, selector: str) -> Tuple[float, float, float, float]:
    """Return center and size of an element in the window, scrolled into view."""
    return tuple(browser.run(  # type: ignore[return-value]
        f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'center'}}); "
        "const r = e.getBoundingClientRect(); "
        "return [r.left + r.width / 2, r.top + r.height / 2, r.width, r.height]; })()"))


def joint_number(page: Page, name: str) -> int:
    return [joint.name for joint in page.result.after.tree].index(name)


def test_a_slider_moves_both_robots(chromium: Chromium, humanoid: Tuple[Page, Path]) -> None:
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
    assert live.startswith("✓ At this pose every one of 26 links")
    chromium.wait("location.hash.includes('left_elbow_joint')")
    follower = joint_number(page, "head_yaw_joint")
    assert chromium.run(f"document.querySelector('#q{follower}').disabled")
    chromium.run("setJoint({}, 0.3)".format(joint_number(page, "neck_yaw_joint")))
    assert chromium.run(f"now.q_new[{follower}]") == pytest.approx(
        positions_of(page.result.after, {joint.child: 0.3 if joint.name == "neck_yaw_joint" else 0.0
                                         for joint in page.result.after.joints})["head"])
    assert_quiet(chromium, path)


def test_dragging_a_link_turns_its_joint(chromium: Chromium, humanoid: Tuple[Page, Path]) -> None:
    page, path = humanoid
    chromium.open(path, "aa=0&view=after&cam=1.5708,0,4,0,0,0.4")
    number = joint_number(page, "left_knee_joint")
    shin = list(page.result.before.links).index("left_shin")
    spot = chromium.run(
        f"(() => {{ const r = canvas.getBoundingClientRect(), T = now.T_old[{shin}], v = views()[0], {{ clip }} = "
        f"cameraFor(v[3], v[4]), p = [...move(T, data.old.links[{shin}].ellipsoid.T.slice(9)), 1], "
        "row = r => p.reduce((sum, value, k) => sum + clip[4 * k + r] * value, 0); "
        "return [r.left + (1 + row(0) / row(3)) / 2 * r.width, r.top + (1 - row(1) / row(3)) / 2 * r.height]; })()")
    camera = chromium.run("state.camera.join()")
    chromium.drag(spot[0], spot[1], 40, 0)
    moved = chromium.run(f"state.free.get({number})")
    assert moved is not None and abs(moved) > 0.05 and chromium.run("state.free.size") == 1
    assert chromium.run("state.camera.join()") == camera
    corner = chromium.run(CANVAS)
    chromium.drag(corner[0] + 20, corner[1] + corner[3] - 90, 60, -20)
    assert chromium.run("state.camera.join()") != camera and chromium.run(f"state.free.get({number})") == moved
    assert_quiet(chromium, path)


def test_a_click_selects_in_the_views_and_the_lists(chromium: Chromium, humanoid: Tuple[Page, Path]) -> None:
    page, path = humanoid
    chromium.open(path)
    place = chromium.run(CANVAS)
    for part in (0.25, 0.75):
        chromium.run("select(-1)")
        chromium.click(place[0] + part * place[2], place[1] + 0.42 * place[3])
        assert chromium.run("data.old.links[state.selected].name") == "torso"
        current = chromium.run("[...document.querySelectorAll('[aria-current]')].map(e => e.textContent)")
        assert len(current) == 2 and current[0].startswith("torso") and "waist_yaw_joint" in current[1]
    chromium.run("document.querySelector('#tip').hidden = true")
    chromium.mouse("mouseMoved", place[0] + 0.25 * place[2] + 3, place[1] + 0.42 * place[3])
    chromium.wait("!document.querySelector('#tip').hidden")
    assert chromium.run("document.querySelector('#tip').textContent").startswith("torso12.64 kg")
    chromium.click(*middle(chromium, '[data-link="camera_bracket"]')[:2])
    assert chromium.run("data.old.links[state.selected].name") == "camera_bracket"


def test_keys_buttons_search_and_states(chromium: Chromium, humanoid: Tuple[Page, Path]) -> None:
    page, path = humanoid
    chromium.open(path)
    chromium.run("canvas.focus()")
    for key, changes in (("ArrowLeft", "state.camera[0]"), ("ArrowUp", "state.camera[1]"), ("+", "state.camera[2]"),
                         ("7", "state.camera[1]"), ("1", "state.camera[1]"), ("b", "state.view")):
        before = chromium.run(changes)
        chromium.key(key)
        assert chromium.run(changes) != before, key
    for show in ("shapes", "collision", "frames", "axes", "bones", "inertia", "changes", "grid"):
        before = chromium.run(f"state.show.has('{show}')")
        chromium.run(f"document.querySelector('[data-show={show}]').click()")
        assert chromium.run(f"state.show.has('{show}')") is not before
        assert chromium.run(f"document.querySelector('[data-show={show}]').ariaPressed") == str(not before).lower()
    chromium.key("/")
    chromium.call("Input.insertText", text="elbow")
    assert chromium.run("[...document.querySelectorAll('#joints li')].filter(e => !e.hidden).length") == 2
    chromium.run("document.querySelector('[data-state]').click()")
    told = chromium.run("Object.fromEntries([...state.free].map(([k, v]) => [data.new.joints[k].name, v]))")
    sign = signs_of(page.result.plan)
    assert told == {name: value * sign[name] for name, value in (("waist_yaw_joint", 0.25), ("left_elbow_joint", 0.5))}
    chromium.run("document.querySelector('#unit').click()")
    elbow = joint_number(page, "left_elbow_joint")
    degrees = math.degrees(0.5)
    assert chromium.run(f"document.querySelector('[data-joint=\"{elbow}\"] .value').textContent") == (
        f"{degrees:.1f} → −{degrees:.1f}°")
    chromium.run("document.querySelector('#copy').click()")
    pose = json.loads(chromium.run("document.querySelector('#pose').value"))
    assert pose["before"]["left_elbow_joint"] == 0.5 and pose["after"]["left_elbow_joint"] == -0.5
    assert list(pose["after"]) == [joint.name for joint in page.result.after.tree if joint.type in MOVABLE]
    chromium.run("document.querySelector('#free').click()")
    chromium.run(f"setJoint({elbow}, 3)")
    assert chromium.run(f"now.q_new[{elbow}]") == 3
    chromium.run("document.querySelector('#play').click()")
    chromium.wait(f"Math.abs(now.q_new[{joint_number(page, 'left_knee_joint')}]) > 1e-3")
    chromium.run("document.querySelector('#play').click()")
    chromium.run("document.querySelector('#zero').click()")
    assert chromium.run("now.q_new.every(q => q === 0)") is True
    assert_quiet(chromium, path)


def test_the_address_brings_the_state_back(chromium: Chromium, humanoid: Tuple[Page, Path]) -> None:
    page, path = humanoid
    state = ("aa=0&q=left_knee_joint:0.6,nonsense:1,left_elbow_joint:x&view=overlay&show=shapes,bones&sel=head"
             "&theme=dark")
    chromium.open(path, state)
    number = joint_number(page, "left_knee_joint")
    assert chromium.run("[...state.free]") == [[number, 0.6]]
    assert chromium.run("[state.view, [...state.show].join(), data.old.links[state.selected].name, isDark()]") == [
        "overlay", "shapes,bones", "head", True]
    assert_quiet(chromium, path)


def test_it_is_drawn_and_fits_a_phone(chromium: Chromium, humanoid: Tuple[Page, Path]) -> None:
    _, path = humanoid
    chromium.open(path)
    place = chromium.run(CANVAS)
    clip = dict(zip(("x", "y", "width", "height"), place), scale=1)
    full = len(chromium.screenshot(clip=clip))
    chromium.run("document.querySelectorAll('[data-show][aria-pressed=true]').forEach(e => e.click())")
    chromium.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert full > 2 * len(chromium.screenshot(clip=clip))  # of a smooth background little is left when it is packed
    try:
        chromium.resize(390, 844, phone=True)
        chromium.open(path)
        assert chromium.run("document.documentElement.scrollWidth") <= 390
        (_, upper, _, _), (_, lower, _, _) = chromium.run("views().map(view => view.slice(1))")
        assert upper > lower == 0  # one above the other
        tops = chromium.run("['#canvas', '#tree'].map(one => find(one).getBoundingClientRect().top)")
        assert tops[0] < tops[1]
        assert_quiet(chromium, path)
    finally:
        chromium.call("Emulation.clearDeviceMetricsOverride")


def arm(links: int) -> str:
    """Return a deep chain with long names, every other mesh missing, a box of no size, a fixed joint, a wrong axis."""
    names = ["base", *(f"arm_segment_with_a_long_name_{number}_link" for number in range(1, links))]
    inertial = '<inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>'
    text = ""
    for number, name in enumerate(names):
        mesh = f'<mesh filename="package://arm_description/{name}.stl"/>'
        shape = mesh if number % 2 else '<box size="0.05 0.05 0.2"/>'
        if number == 3:
            shape += '</geometry></visual><visual><geometry><box size="0 0 0"/>'
        text += f'<link name="{name}">{inertial}<visual><geometry>{shape}</geometry></visual></link>'
        if number:
            kind, axis = "fixed" if number % 7 == 6 else "continuous", "1 0 0" if number == 4 else "0 -1 0"
            text += (f'<joint name="arm_segment_with_a_long_name_{number}_pitch_joint" type="{kind}">'
                     f'<parent link="{names[number - 1]}"/><child link="{name}"/><origin xyz="0 0 0.2"/>'
                     f'<axis xyz="{axis}"/></joint>')
    return f'<robot name="arm">{text}<link name="shy">{inertial}</link>{SHY}</robot>'


SHY = '<joint name="to_shy" type="fixed"><parent link="base"/><child link="shy"/></joint>'
CUT = """(() => {
  const box = one => one.getBoundingClientRect(), named = one => one.id || one.className || one.tagName;
  const beyond = all("#top *").filter(one => box(one).right > innerWidth + .5 || box(one).left < -.5).map(named);
  const scrolls = all("html, header, main, nav, aside, #over, #toolbar div, #tree button, #joints li, .caption")
    .filter(one => one.scrollWidth > one.clientWidth + 1).map(named);
  const texts = all("#tree b, #joints label bdi, #toolbar button, #tree small").flatMap(one => {
    const walk = document.createTreeWalker(one, NodeFilter.SHOW_TEXT), found = [];
    while (walk.nextNode()) found.push(walk.currentNode);
    return found;
  });
  const range = document.createRange();
  const pieces = text => (range.selectNode(text), range.getClientRects().length);
  const broken = texts.filter(text => pieces(text) > 1).map(text => text.data);
  const bottom = box(find("#over")).bottom, covered = bottom > box(canvas).top + .5 ? ["canvas"] : [];
  return [beyond, scrolls, broken, covered];
})()"""
CONTRAST = """(() => {
  const rgb = text => text.match(/[\\d.]+/g).map(Number), part = value => (value /= 255,
    value <= .04045 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4);
  const light = ([red, green, blue]) => .2126 * part(red) + .7152 * part(green) + .0722 * part(blue);
  const behind = one => { const color = rgb(getComputedStyle(one).backgroundColor);
    return color.length < 4 || color[3] ? color : behind(one.parentElement); };
  return Math.min(...all("#missing, .tag, #tree b, #tree small, #verdict strong, #counts dd").map(one => {
    const [dark, pale] = [light(rgb(getComputedStyle(one).color)), light(behind(one))].sort((a, b) => a - b);
    return (pale + .05) / (dark + .05);
  }));
})()"""


@pytest.fixture(scope="module")
def deep(tmp_path_factory: pytest.TempPathFactory) -> Tuple[Page, Path]:
    folder = tmp_path_factory.mktemp("deep")
    (folder / "robot.urdf").write_text(arm(24), encoding="utf-8")
    page = make_page(folder / "robot.urdf", base_frame="ros")
    return page, save(page, folder)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1280, 800), (800, 600), (390, 844)], ids=str)
def test_nothing_is_cut(chromium: Chromium, deep: Tuple[Page, Path], size: Tuple[int, int], theme: str) -> None:
    """Nothing is beyond an edge, no name breaks within a word, the picture is not covered, and all can be read."""
    _, path = deep
    try:
        chromium.resize(*size, phone=size[0] < 500)
        chromium.open(path, f"aa=0&theme={theme}")
        assert chromium.run("[innerWidth, innerHeight]") == [*size]
        assert chromium.run(CUT) == [[], [], [], []]
        assert chromium.run(CONTRAST) >= 4.5
        assert chromium.run("document.querySelector('#missing').textContent") == (
            "12 meshes not shown, ellipsoids of inertia in their place: --package arm_description=FOLDER finds them")
        assert chromium.run("all('.fallback').map(one => one.textContent)") == ["'pitch' says Y"]
        assert_quiet(chromium, path)
    finally:
        chromium.call("Emulation.clearDeviceMetricsOverride")


def test_ellipsoids_stand_for_missing_meshes_only(chromium: Chromium, deep: Tuple[Page, Path]) -> None:
    """They are of the links of the input and in one place before and after; a link without shapes has none."""
    page, path = deep
    missing = [link["name"] for link in page.data["old"]["links"] if link.get("missing")]
    assert missing == [f"arm_segment_with_a_long_name_{number}_link" for number in range(1, 24, 2)]
    chromium.open(path, "aa=0")
    before, after = (chromium.run(f"sceneOf(sides.{side}).solid.filter(([shape]) => shape === 'ball')"
                                  ".map(([, T, size, , id]) => [id, ...T, ...size])") for side in ("old", "new"))
    assert len(before) == len(after) == len(missing)
    # T_new_old of the page is of frames, and both robots stand in the frame of the new base.
    assert all(abs(one - other) < 1e-9 for row, same in zip(before, after) for one, other in zip(row, same))
    live = chromium.run("document.querySelector('#live').textContent")
    assert re.fullmatch(r"✓ At this pose every one of 25 links is (exactly in|within \S+ m of) its place\.", live)
    chromium.run("now.far = 0; showDistance()")
    assert chromium.run("document.querySelector('#live').textContent") == (
        "✓ At this pose every one of 25 links is exactly in its place.")


def test_it_can_be_used_without_seeing(chromium: Chromium, humanoid: Tuple[Page, Path]) -> None:
    page, path = humanoid
    chromium.open(path)
    nodes = [node for node in chromium.call("Accessibility.getFullAXTree")["nodes"] if not node.get("ignored")]
    roles: Dict[str, int] = {}
    for node in nodes:
        role = node["role"]["value"]
        roles[role] = roles.get(role, 0) + 1
        if role in ("slider", "button", "searchbox", "textbox"):
            assert node["name"]["value"].strip(), node
    movable = sum(joint.type in MOVABLE for joint in page.result.after.joints)
    assert roles["slider"] == movable and roles["status"] == 1 and roles["main"] == 1 and roles["table"] >= 4


@needs_chromium
@pytest.mark.parametrize("hidden", ["display: none", "width: 0; height: 0; border: 0"])
def test_a_page_that_is_shown_later_is_fitted(chromium: Chromium, humanoid: Tuple[Page, Path], tmp_path: Path,
                                              hidden: str) -> None:
    """In a frame without a size nothing can be fitted; with its first size the robot is as large as in one that had it.

    Embedded, the page leaves the verdict and the theme to the page around it.
    """
    distances = []
    shown = "width: 1200px; height: 800px"
    for style in (shown, hidden):
        outer = tmp_path / "outer.html"
        outer.write_text(f'<iframe style="{style}" src="{humanoid[1].resolve().as_uri()}#aa=0&embedded"></iframe>',
                         encoding="utf-8")
        chromium.open(outer)
        context = [event["params"]["context"] for event in chromium.events
                   if event["method"] == "Runtime.executionContextCreated"][-1]["id"]

        def inside(script: str, context: int = context) -> Any:
            return chromium.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True,
                                 contextId=context)["result"].get("value")

        frames = "new Promise(done => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 500))"
        assert inside("document.documentElement.dataset.ready") == "1"
        assert inside("canvas.clientWidth > 0") is (style == shown)
        chromium.run(f"document.querySelector('iframe').style = '{shown}'; 1")
        chromium.run(frames)
        assert inside("canvas.clientWidth") > 0 and inside("state.fitted") is True
        distances.append(inside("state.camera[2]"))
        assert inside("[...document.querySelectorAll('#verdict, #theme')].map(e => e.offsetWidth)") == [0, 0]
    assert distances[0] == pytest.approx(distances[1], rel=0.01)


def test_a_frame_before_the_observer_fits_as_well(chromium: Chromium, humanoid: Tuple[Page, Path]) -> None:
    """An animation frame comes before what a ResizeObserver hears; it has drawn, and nothing was left to be fitted."""
    chromium.open(humanoid[1])
    fitted = chromium.run("state.camera[2]")
    wait = "new Promise(done => setTimeout(done, 300))"
    chromium.run(f"document.body.style.display = 'none'; {wait}")
    chromium.run("resize(); fit(); 1")  # as at the start of a page without a size
    assert chromium.run("canvas.width") == 1 and chromium.run("state.camera[2]") > 1.3 * fitted
    chromium.run(f"document.body.style.display = ''; ask(); {wait}")
    assert chromium.run("state.camera[2]") == pytest.approx(fitted, rel=1e-3)


def test_without_webgl_the_lists_still_work(humanoid: Tuple[Page, Path]) -> None:
    page, path = humanoid
    with Chromium(drawing=NO_GL) as browser:
        browser.open(path, "aa=0&dump&q=left_knee_joint:0.6")
        assert browser.run("gl") is None
        assert not browser.run("document.querySelector('#without').hidden")
        assert_quiet(browser, path)
        compare(page, {joint_number(page, "left_knee_joint"): 0.6},
                json.loads(browser.run("document.getElementById('poses').textContent")))
        browser.run("document.querySelector('[data-link=head]').click()")
        browser.run("document.querySelector('#zero').click()")
        browser.key("f")
        assert_quiet(browser, path)


def test_what_is_injected_does_not_run(chromium: Chromium, hostile: Path, tmp_path: Path) -> None:  # noqa: F811
    page = make_page(hostile)
    path = save(page, tmp_path)
    injected = "<script>window.broken = 1</script><img src=x onerror='window.broken = 1'>"
    path.write_text(page.text.replace("<footer>", f"{injected}<footer>"), encoding="utf-8")
    chromium.open(path)
    assert chromium.run("window.broken") is None
    assert chromium.run("document.documentElement.dataset.ready") == "1"
    names = chromium.run("[...document.querySelectorAll('#tree b')].map(e => e.textContent)")
    assert names == ["base", *HOSTILE]
    assert block(page.text, "data") == chromium.run("document.getElementById('data').textContent")
