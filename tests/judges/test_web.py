"""The tool in a browser, as `make web` builds it: driven in Chromium from a server on the loopback address.

What it saves is compared byte for byte with what a run here writes.
"""

import contextlib
import functools
import http.server
import json
import re
import shutil
import threading
import time
import zipfile
from typing import List

import pytest
from browser import CAN_RUN, Chromium, SECONDS, WHY_NOT
from conftest import ROOT
from mesh_files import A, B, binary_stl, C
from web.test_session import run_here

from urdf_tools.base.errors import UsageError
from web_page import build

FIXTURES, SHARED = ROOT / "fixtures", ROOT.parent / "shared"
PAINTED, COMPARED = FIXTURES / "painted_arm", FIXTURES / "compare"
BROKEN = FIXTURES / "refused"
REAL = sorted(SHARED.glob("robots/*.urdf"))
PHONE = (390, 844)
DONE = "document.documentElement.dataset.ran && !document.documentElement.dataset.busy"
pytestmark = [
    pytest.mark.skipif(not CAN_RUN, reason=WHY_NOT),
    pytest.mark.skipif(shutil.which("npm") is None, reason="no npm"),
]


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server of files that keeps what was asked for."""

    asked: List[str] = []

    def log_message(self, *words):
        self.asked.append(self.path)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The address of the folder that is built, with an example."""
    folder = tmp_path_factory.mktemp("web")
    example = tmp_path_factory.mktemp("example")
    shutil.copy(COMPARED / "reach.urdf", example)
    shutil.copy(COMPARED / "reach_exported_again.urdf", example)
    try:
        build(folder, example)
    except UsageError as error:
        pytest.skip(str(error))
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder))
    )
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/index.html"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def opened(address, tmp_path_factory):
    """The page, loaded once, and the folder where it saves."""
    saved = tmp_path_factory.mktemp("saved")
    with Chromium(size="1300,900") as chromium:
        chromium.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(saved))
        load(chromium, address)
        yield chromium, saved


@pytest.fixture(autouse=True)
def nothing_said_yet(opened):
    """What the browser said in the test before is no complaint in this one."""
    opened[0].run("1")
    opened[0].events.clear()


def load(chromium, address):
    """Open the page, and wait until a robot can be dropped."""
    chromium.open_address(f"{address}#aa=0")
    chromium.wait(
        "document.documentElement.dataset.ready || document.documentElement.dataset.error"
    )
    assert chromium.run("document.documentElement.dataset.error") is None


def simplify(chromium):
    """Choose what the page does with the next robot."""
    if (
        chromium.run("document.querySelector('#task-simplify').getAttribute('aria-selected')")
        != "true"
    ):
        chromium.run(click("#task-simplify"))
        chromium.wait("!document.documentElement.dataset.busy")


def give(chromium, paths, side="robot", folder=False):
    """Choose files or a folder, and wait until what comes of it is shown."""
    if side == "robot":
        simplify(chromium)
    chromium.run("delete document.documentElement.dataset.ran; undefined")
    kind = "[webkitdirectory]" if folder else "[multiple]"
    chromium.give_files(f"aside input{kind}[data-side={side}]", paths)
    chromium.wait(DONE)


def again(chromium, script):
    """Do something that runs the tool, and wait for its end."""
    chromium.run(f"delete document.documentElement.dataset.ran; {script}; undefined")
    chromium.wait(DONE)


def click(selector):
    return f"document.querySelector({json.dumps(selector)}).click()"


def choose(name, value):
    """Return a script that sets a field of the form as a user does."""
    what = "checked" if isinstance(value, bool) else "value"
    return (
        f"(field => {{ field.{what} = {json.dumps(value)}; field.dispatchEvent(new Event('change', "
        f"{{ bubbles: true }})); }})(document.querySelector('[data-name={name}]')); {click('#run')}"
    )


def text(chromium, selector):
    return str(chromium.run(f"document.querySelector({json.dumps(selector)}).textContent"))


def until(condition):
    """Return what a condition returns as soon as that is something."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        result = condition()
        if result:
            return result
        time.sleep(0.02)
    raise AssertionError(f"this never came: {condition.__name__}")


def saved_files(chromium, folder, *, meshes=False):
    """Save all as one archive, with the meshes that were dropped or without, and return what is in it."""
    for old in folder.iterdir():
        old.unlink()
    chromium.run(f"document.querySelector('#with-meshes').checked = {json.dumps(meshes)}")
    chromium.run(click("#save-all"))

    def content_of_the_archive():
        with contextlib.suppress(zipfile.BadZipFile, OSError, StopIteration):
            with zipfile.ZipFile(next(folder.glob("*.zip"))) as packed:
                return {name: packed.read(name) for name in packed.namelist()}
        return {}

    return dict(until(content_of_the_archive))


def files_of(folder, before):
    found = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
    return {name: data for name, data in found.items() if name not in before}


def test_a_dropped_folder_gives_the_files_of_a_run_here(opened, tmp_path):
    chromium, saved = opened
    folder = tmp_path / "arm"
    shutil.copytree(
        str(PAINTED), str(folder), ignore=shutil.ignore_patterns("expected*", "plan*", "*.py")
    )
    chromium.run("delete document.documentElement.dataset.ran; undefined")
    chromium.run(click("#home"))
    x, y = chromium.run(
        "(box => [box.left + 9, box.top + 9])(document.querySelector('#drop').getBoundingClientRect())"
    )
    chromium.drop(x, y, [folder])
    chromium.wait(DONE)
    again(chromium, choose("split", "color"))
    assert text(chromium, "#verdict-text") == "Proved the same robot"
    found = saved_files(chromium, saved)
    words = (
        "arm/robot.urdf --srdf arm/painted_arm.srdf --split color --report arm/robot_simplified_report.json "
        "-o arm/robot_simplified.urdf --page arm/robot_simplified.html"
    ).split()
    assert text(chromium, "#command") == " ".join(["urdf-simplify", *words])
    before = list(files_of(tmp_path, []))
    status, _ = run_here(tmp_path, [*words, "-y"])
    assert status == 0 and found == files_of(tmp_path, before) and len(found) > 15
    assert chromium.complaints() == []


def test_nothing_is_asked_for_after_loading(opened, address):
    """Not by the page, its worker or the frame, and the browser refuses if one of them tries."""
    chromium, _ = opened
    load(chromium, address)
    chromium.run("1")
    del Quiet.asked[:]
    chromium.events.clear()
    chromium.run("delete document.documentElement.dataset.ran; undefined")
    chromium.run(click("#example"))
    chromium.wait(DONE)
    again(chromium, click("#task-compare"))
    chromium.run("1")
    assert [
        one for one in chromium.requests() if not one.startswith(("blob:", "data:"))
    ] == [] and Quiet.asked == []
    assert chromium.complaints() == []
    for ask in (
        "fetch('/index.html')",
        "fetch('https://example.org/')",
        "import('/tool.js?again')",
        "new Promise((onload, onerror) => Object.assign(new Image(), { onload, onerror, src: '/icon.svg?' }))",
    ):
        assert chromium.run(f"{ask}.then(() => 'let through', () => 'refused')") == "refused", ask
    worker = (
        "new Promise(done => { const worker = new Worker(URL.createObjectURL(new Blob([`fetch('"
        + address
        + "').then(() => postMessage('let through'), () => postMessage('refused'))`]))); "
        "worker.onmessage = event => done(event.data); })"
    )
    assert chromium.run(worker) == "refused"
    assert [path for path in Quiet.asked if "icon" not in path] == []


@pytest.mark.parametrize(
    "case", sorted({path.parent.name for path in BROKEN.rglob("robot.urdf")})[::7]
)
def test_what_is_refused_is_said_in_the_same_words(opened, tmp_path, case):
    chromium, _ = opened
    shutil.copy(
        next(path for path in BROKEN.rglob("robot.urdf") if path.parent.name == case), tmp_path
    )
    give(chromium, [tmp_path / "robot.urdf"])
    status, said = run_here(tmp_path, ["robot.urdf", "-n"])
    if status == 2:
        assert text(chromium, "#plan").strip() == said.strip()
        assert text(chromium, "#verdict-text") == "Refused: nothing was written"
        assert not chromium.run("Boolean(document.querySelector('#tab-files'))")


@pytest.mark.parametrize("path", REAL or [None], ids=lambda path: path.stem if path else "none")
def test_real_robots(opened, tmp_path, path):
    """The same files as here, of robots that others made; what is refused here is refused there, in the same words."""
    if path is None:
        pytest.skip("no robots beside the project")
    chromium, saved = opened
    shutil.copy(path, tmp_path)
    name = f"{path.stem}_simplified"
    give(chromium, [path])
    status, said = run_here(
        tmp_path,
        [
            path.name,
            "-o",
            f"{name}.urdf",
            "-y",
            "--page",
            f"{name}.html",
            "--report",
            f"{name}_report.json",
        ],
    )
    assert chromium.run("document.documentElement.dataset.ran") == f"simplify {status}"
    if status:
        assert text(chromium, "#plan").strip() == said.strip()
    else:
        assert saved_files(chromium, saved) == files_of(tmp_path, [path.name])
    assert chromium.complaints() == []


def test_two_robots_are_compared(opened):
    chromium, saved = opened
    give(chromium, [COMPARED / "reach.urdf"])
    chromium.run(click("#task-compare"))
    assert text(chromium, "#verdict-text") == "Compare with which robot?"
    give(chromium, [COMPARED / "reach_exported_again.urdf"], "other")
    assert text(chromium, "#verdict-text") == "Different robot"
    assert "same joints, in other places" in text(chromium, "#verdict-more")
    assert sorted(saved_files(chromium, saved)) == ["reach_compared.html", "reach_compared.json"]
    give(chromium, [COMPARED / "reach.urdf"], "other")
    assert chromium.run("document.querySelector('#verdict').className") == "good"


def test_collisions_are_shown_as_what_they_become(opened):
    """The tabs fit; it waits for a shape, and opens the page on collisions."""
    chromium, _ = opened
    give(chromium, [PAINTED / "robot.urdf", *sorted((PAINTED / "meshes").iterdir())])
    assert chromium.run(
        "[...document.querySelectorAll('#tasks button')].every(tab => tab.getBoundingClientRect()"
        ".right <= document.querySelector('#tasks').getBoundingClientRect().right)"
    )
    chromium.run(click("#task-collision"))
    assert text(chromium, "#verdict-text") == "Which shape?"
    again(chromium, choose("collision", "spheres"))
    assert text(chromium, "#verdict-more").startswith(
        "4 → 4 links, 3 → 3 joints, 3 collisions replaced; "
    )
    assert "&show=collision,frames,axes,changes,grid&" in chromium.run(
        "document.querySelector('iframe').src"
    )


def test_an_edit_changes_what_is_named(opened, tmp_path):
    """It waits for a name; the form stays as it was left while another task is looked at."""
    chromium, _ = opened
    shutil.copy(FIXTURES / "humanoid" / "robot.urdf", tmp_path)
    give(chromium, [tmp_path / "robot.urdf"])
    chromium.run(click("#task-edit"))
    assert text(chromium, "#verdict-text") == "Edit what?" and text(chromium, "#command") == ""
    assert not chromium.run("Boolean(document.querySelector('#tabs').children.length)")
    again(chromium, choose("lock", "left_elbow_joint=0.3, waist_*"))
    assert text(chromium, "#verdict-text") == "2 edits applied; nothing else changed"
    assert text(chromium, "#command") == (
        'urdf-simplify edit robot.urdf --lock left_elbow_joint=0.3 --lock "waist_*" '
        "-o robot_edited.urdf --page robot_edited.html"
    )
    chromium.run(click("#tab-lines"))
    chromium.wait("document.querySelector('#lines').textContent.includes('type=\"fixed\"')")
    again(chromium, click("#task-lint"))
    shown = "document.querySelector('#tabs [aria-selected=true]').id"
    assert chromium.run(shown) == "tab-findings"
    again(chromium, click("#task-edit"))
    assert (
        chromium.run("document.querySelector('[data-name=lock]').value")
        == "left_elbow_joint=0.3, waist_*"
    )
    again(chromium, choose("lock", "nobody"))
    assert text(chromium, "#verdict-text") == "Refused: nothing was written"
    assert "there is no such joint" in text(chromium, "#verdict-more")
    chromium.run(choose("lock", ""))
    again(chromium, choose("drop", "left_foot*"))
    assert re.fullmatch(
        r"26 → 24 links, 25 → 23 joints.*; checked to 1e-08 m and rad",
        text(chromium, "#verdict-more"),
    )
    chromium.run(choose("drop", ""))
    chromium.wait("!document.documentElement.dataset.busy")
    assert text(chromium, "#verdict-text") == "Edit what?"


def test_an_export_offers_its_files(opened, tmp_path):
    """With the SRDF that was dropped; what is exported and dropped again goes to a URDF first."""
    chromium, saved = opened
    shutil.copy(PAINTED / "robot.urdf", tmp_path)
    shutil.copy(PAINTED / "painted_arm.srdf", tmp_path)
    shutil.copytree(str(PAINTED / "meshes"), str(tmp_path / "meshes"))
    before = list(files_of(tmp_path, []))
    give(chromium, [tmp_path], folder=True)
    again(chromium, click("#task-export"))
    assert chromium.run("document.querySelector('#srdf-row').hidden") is False
    # MJCF alone: for MuJoCo.
    assert "11 COLLADA meshes converted" in text(chromium, "#verdict-more")
    again(chromium, choose("split", "color"))
    again(chromium, choose("sdf", True))
    assert text(chromium, "#verdict-text") == "Exported: robot.sdf, robot.xml, scene.xml"
    stem = f"{tmp_path.name}/robot"
    words = ["export", f"{stem}.urdf", "--srdf", f"{tmp_path.name}/painted_arm.srdf"]
    words += [f"{stem}.xml", f"{stem}.sdf", "--split", "color"]
    assert text(chromium, "#command") == " ".join(["urdf-simplify", *words])
    found = saved_files(chromium, saved)
    assert run_here(tmp_path.parent, [*words, "-y"])[0] == 0
    assert found == {
        f"{tmp_path.name}/{name}": data for name, data in files_of(tmp_path, before).items()
    }
    for ending in ("sdf", "xml"):
        give(chromium, [tmp_path / f"robot.{ending}"])
        assert text(chromium, "#verdict-text") == "Exported: robot.urdf"
        assert text(chromium, "#command") == f"urdf-simplify export robot.{ending} robot.urdf"
        again(chromium, choose("mjcf", True))
        stem = "robot_new" if ending == "xml" else "robot"
        assert text(chromium, "#verdict-text") == f"Exported: {stem}.urdf, {stem}.xml, scene.xml"
    give(chromium, [COMPARED / "reach.urdf"])
    assert (
        chromium.run("document.querySelector('#task-simplify').getAttribute('aria-selected')")
        == "true"
    )


def test_xacro_is_to_be_expanded_first(opened, tmp_path):
    """There is no xacro here, and nothing that could be installed."""
    chromium, _ = opened
    (tmp_path / "arm.urdf.xacro").write_text('<robot name="arm"/>', "utf-8")
    chromium.give_files("aside input[multiple][data-side=robot]", [tmp_path / "arm.urdf.xacro"])
    chromium.wait(
        "document.querySelector('#verdict-text').textContent === 'This is xacro: expand it first'"
    )
    assert text(chromium, "#verdict-more").startswith("xacro arm.urdf.xacro > arm.urdf, where ROS")
    assert not chromium.run("Boolean(document.querySelector('#tabs').children.length)")


def in_frame(chromium, script):
    """Return the value of an expression in the frame, which is a target by itself; "" while there is none."""
    frames = [
        one for one in chromium.call("Target.getTargets")["targetInfos"] if one["type"] == "iframe"
    ]
    if not frames:
        return ""
    around = chromium.session
    try:
        target = frames[-1]["targetId"]
        chromium.session = chromium.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        return chromium.run(script)
    finally:
        chromium.session = around


def test_the_frame_shows_the_page_and_has_no_way_out(opened):
    """It is alive under both policies, and has another origin than the page around it."""
    chromium, _ = opened
    give(chromium, [FIXTURES / "humanoid" / "robot.urdf"])
    assert chromium.run("document.querySelector('iframe').contentDocument") is None

    def readiness_of_the_frame():
        return in_frame(chromium, "(document.documentElement || {dataset: {}}).dataset.ready || ''")

    assert until(readiness_of_the_frame) == "1"
    assert in_frame(chromium, "self.origin") == "null"
    assert not in_frame(chromium, "document.documentElement.dataset.error || ''")
    assert (
        in_frame(
            chromium, "fetch('https://example.org/').then(() => 'let through', () => 'refused')"
        )
        == "refused"
    )


def test_a_saved_archive_with_its_meshes_is_a_working_folder(opened, tmp_path):
    """The box is on where meshes were dropped; dropped again, the archive is a robot whose meshes are all there."""
    chromium, saved = opened
    folder = tmp_path / "arm"
    shutil.copytree(str(PAINTED / "meshes"), str(folder / "meshes"))
    shutil.copy(PAINTED / "robot.urdf", folder)
    give(chromium, [folder], folder=True)
    again(chromium, choose("split", ""))
    assert chromium.run("document.querySelector('#with-meshes').checked") is True
    named = set(
        re.findall(r'filename="(meshes/[^"]+)"', (PAINTED / "robot.urdf").read_text("utf-8"))
    )
    found = saved_files(chromium, saved, meshes=True)
    assert {f"arm/{name}" for name in named} < set(found) and "arm/robot.urdf" not in found
    archive = tmp_path / "again.zip"
    shutil.copy(next(saved.glob("*.zip")), archive)
    give(chromium, [archive])
    assert text(chromium, "#verdict-text") == "Proved the same robot"
    assert "not found" not in text(chromium, "#plan")
    give(chromium, [COMPARED / "reach.urdf"])
    assert chromium.run("document.querySelector('#with-meshes').closest('label').hidden") is True


def test_results_beside_the_robot_are_counted(opened, tmp_path):
    chromium, _ = opened
    shutil.copy(FIXTURES / "humanoid" / "robot.urdf", tmp_path)
    assert run_here(tmp_path, ["robot.urdf", "--yes", "-o", "larger_simplified.urdf"])[0] == 0
    give(chromium, [tmp_path / "larger_simplified.urdf", tmp_path / "robot.urdf"])
    assert text(chromium, "#robot-facts").startswith(
        "Opened robot.urdf; 1 result of this tool beside it; 2 files"
    )


def test_a_robot_is_linted(opened, tmp_path):
    """Every finding of the report is a card: its kind, its sentence, its line of the file over a caret, its cure."""
    chromium, saved = opened
    shutil.copy(FIXTURES / "humanoid" / "robot.urdf", tmp_path)
    give(chromium, [tmp_path / "robot.urdf"])
    again(chromium, click("#task-lint"))
    words = ["lint", "robot.urdf", "--full", "--report", "robot_lint.json"]
    status, said = run_here(tmp_path, words)
    assert text(chromium, "#plan").strip() == said.strip()
    assert text(chromium, "#command") == " ".join(["urdf-simplify", *words])
    assert saved_files(chromium, saved) == {
        "robot_lint.json": (tmp_path / "robot_lint.json").read_bytes()
    }
    assert chromium.run("document.documentElement.dataset.ran") == f"lint {status}"
    report = json.loads((tmp_path / "robot_lint.json").read_text("utf-8"))
    source = (tmp_path / "robot.urdf").read_text("utf-8").splitlines()
    assert (
        chromium.run("document.querySelector('#tab-findings').getAttribute('aria-selected')")
        == "true"
    )
    for finding in report["findings"]:
        card = chromium.run(
            "(kind => { const card = [...document.querySelectorAll('.finding')].find(one => "
            "one.querySelector('summary b').textContent === kind); return [card.className, "
            f"card.textContent]; }})({json.dumps(finding['kind'])})"
        )
        assert card[0] == f"finding {finding['severity']}" and finding["message"] in card[1]
        assert finding["cure"] in card[1]
        shown = source[finding["line"] - 1].strip()[:100] if finding["line"] else ""
        assert shown in card[1] and (not shown or "^" in card[1])
    assert len(report["findings"]) == chromium.run("document.querySelectorAll('.entry').length")
    chromium.resize(*PHONE, phone=True)
    assert (
        chromium.run(
            "Math.max(...[...document.querySelectorAll('.finding')].map(card => "
            "card.getBoundingClientRect().right))"
        )
        <= PHONE[0]
    )
    chromium.resize(1300, 900)


def large_robot(folder, triangles):
    """Write a robot with a mesh that takes some time."""
    rows = [((0.001 * k, 0, 0), (1, k % 97, 0), (0, 1, k % 31)) for k in range(triangles)]
    (folder / "large.stl").write_bytes(binary_stl([(A, B, C), *rows]))
    (folder / "large.urdf").write_text(
        '<robot name="large"><link name="a"><visual><geometry><mesh filename="large.stl"/></geometry></visual></link>'
        "</robot>",
        "utf-8",
    )


def test_a_large_mesh_leaves_the_page_alive_and_can_be_stopped(opened, tmp_path):
    chromium, _ = opened
    large_robot(tmp_path, 400_000)
    simplify(chromium)
    chromium.run(
        "delete document.documentElement.dataset.ran; self.beats = []; self.clock = setInterval("
        "() => beats.push(performance.now()), 20); undefined"
    )
    chromium.give_files(
        "aside input[multiple][data-side=robot]", [tmp_path / "large.urdf", tmp_path / "large.stl"]
    )
    chromium.wait(
        "document.querySelector('#verdict-text').textContent.startsWith('Working on large.urdf')"
    )
    chromium.wait("beats.length > 20 && beats[beats.length - 1] - beats[0] > 1500")
    assert chromium.run("document.documentElement.dataset.busy") == "1"
    assert chromium.run("Math.max(...beats.slice(1).map((at, k) => at - beats[k]))") < 1000
    chromium.run(click("#stop"))
    chromium.wait("document.querySelector('#verdict-text').textContent === 'Stopped'")
    assert not chromium.run("Boolean(document.querySelector('#tab-files'))")
    chromium.run("clearInterval(clock); undefined")
    chromium.run(click("#run"))
    # A long run.
    chromium.wait(r"/\b([4-9]|\d\d+) s$/.test(document.querySelector('#verdict-more').textContent)")
    assert chromium.run("document.documentElement.dataset.busy") == "1"
    give(chromium, [COMPARED / "reach.urdf"])
    assert text(chromium, "#verdict-text") == "Proved the same robot" and text(
        chromium, "#command"
    ).startswith("urdf-simplify reach.urdf")


def test_an_empty_folder_and_a_broken_archive_are_sentences(opened, tmp_path):
    chromium, _ = opened
    (tmp_path / "a.zip").write_bytes(b"no archive")
    (tmp_path / "notes.pdf").write_bytes(b"x")
    chromium.give_files("aside input[multiple][data-side=robot]", [tmp_path / "notes.pdf"])
    chromium.wait(
        "document.querySelector('#robot-facts').textContent.startsWith('There is no robot in it')"
    )
    chromium.give_files("aside input[multiple][data-side=robot]", [tmp_path / "a.zip"])
    chromium.wait(
        "document.querySelector('#robot-facts').textContent.includes('this archive cannot be read')"
    )
    assert text(chromium, "#verdict-text") == "No robot was found"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, (820, 1180), (1300, 900), (2200, 1200)], ids=str)
def test_everything_is_in_the_window(opened, size, scheme):
    """Nothing is wider than the window, and text and background differ as WCAG 2.2, 1.4.3 asks."""
    chromium, _ = opened
    chromium.resize(*size, phone=size == PHONE)
    chromium.prefer(scheme)
    give(chromium, [COMPARED / "reach.urdf"])
    for home in (False, True):
        if home:
            chromium.run(click("#home"))
        assert chromium.run("document.documentElement.scrollWidth") <= size[0]
        worst = chromium.run("(" + CONTRAST + ")()")
        assert worst["ratio"] >= 4.5, worst
    chromium.resize(1300, 900)
    chromium.prefer("light")


CONTRAST = r"""() => {
  const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const channels = color => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = color;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data];
  };
  const linear = value => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const light = rgba => [0.2126, 0.7152, 0.0722].reduce((sum, part, k) => sum + part * linear(rgba[k] / 255), 0);
  const behind = one => {
    for (let at = one; at; at = at.parentElement) {
      const rgba = channels(getComputedStyle(at).backgroundColor);
      if (rgba[3] > 250) return rgba;
    }
    return [255, 255, 255, 255];
  };
  let worst = { ratio: 99 };
  for (const one of document.querySelectorAll("body *")) {
    const own = [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    if (!own || !one.getClientRects().length || one.closest("noscript, script")) continue;
    const [a, b] = [light(channels(getComputedStyle(one).color)), light(behind(one))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05), of = one.id || one.className || one.tagName;
    if (ratio < worst.ratio) worst = { ratio, text: one.textContent.slice(0, 40), of };
  }
  return worst;
}"""


def test_keys_and_names(opened):
    """Tabs are walked with arrows; every control has a name; one place speaks; headings are in order."""
    chromium, _ = opened
    give(chromium, [COMPARED / "reach.urdf"])
    chromium.run("document.querySelector('#tab-page').focus()")
    chromium.key("ArrowRight")
    assert chromium.run("document.activeElement.id") == "tab-plan"
    assert chromium.run("document.querySelector('#panel-plan').hidden") is False
    chromium.run("document.querySelector('#panel-plan').focus()")
    assert chromium.run("document.activeElement.id") == "panel-plan"
    nodes = chromium.call("Accessibility.getFullAXTree")["nodes"]
    seen = [
        (str(one["role"]["value"]), str(one.get("name", {}).get("value", "")))
        for one in nodes
        if not one["ignored"] and "role" in one
    ]
    kinds = ("button", "checkbox", "textbox", "combobox", "tab", "link", "tabpanel")
    controls = [one for one in seen if one[0] in kinds]
    assert len(controls) > 20 and [one for one in controls if not one[1].strip()] == []
    assert len([one for one in seen if one[0] == "status"]) == 1
    assert {"main", "banner", "complementary", "tablist"} <= {role for role, _ in seen}


def test_wheel_of_the_page_has_the_version(address):
    from urdf_tools.base.version import __version__

    with http_get(address) as page:
        assert re.search(
            rf"urdf_simplify-{re.escape(__version__)}-py3-none-any\.whl",
            page.read().decode("utf-8"),
        )


def http_get(address):
    import urllib.request

    return urllib.request.build_opener(urllib.request.ProxyHandler({})).open(address, timeout=60)
