"""A run of the page, without a browser: what was dropped, the words of the form, the command line in a folder."""

import contextlib
import io
import itertools
import json
import os
import re
import shutil
import zipfile
from pathlib import Path

import pytest
from conftest import needs_symlinks, ROOT
from hypothesis import assume, given
from hypothesis import strategies as st
from mesh_files import binary_stl
from surfaces import as_float32, ball

from urdf_tools.app.command_table import main
from urdf_tools.base.errors import UsageError
from urdf_tools.app.package_options import TABLE
from urdf_tools.cli.parse_arguments import parse, VERBS
from urdf_tools.compare.read_any_format import read_robot_of
from urdf_tools.web import browser_session
from urdf_tools.web.dropped_files import find_robots, format_of, place_by_name, unpack
from urdf_tools.web.browser_session import (
    COLLISION,
    command_line,
    command_words,
    COMPARE,
    EDIT,
    EXPORT,
    FIELDS,
    form,
    LINT,
    ROWS,
    SIMPLIFY,
    tasks,
)

FIXTURES = ROOT / "fixtures"
HUMANOID, PAINTED = FIXTURES / "humanoid" / "robot.urdf", FIXTURES / "painted_arm"


def run(folder, robot, task=SIMPLIFY, more="", **values):
    """Run as the page does."""
    return browser_session.run(
        str(folder),
        {"robot": robot, "task": task, "values": values, "more": more},
        lambda line: None,
    )


def run_here(folder, words):
    """Run the command line in a folder; return its exit status and what it prints."""
    shown = io.StringIO()
    with browser_session.work_in(str(folder)), contextlib.redirect_stdout(
        shown
    ), contextlib.redirect_stderr(shown):
        return main(words), shown.getvalue()


@pytest.fixture
def painted(tmp_path):
    """A folder with the painted arm, its meshes and its SRDF."""
    folder = tmp_path / "dropped"
    shutil.copytree(str(PAINTED / "meshes"), str(folder / "meshes"))
    for name in ("robot.urdf", "painted_arm.srdf"):
        shutil.copy(PAINTED / name, folder)
    return folder


@pytest.mark.parametrize(
    "name, text, expected",
    [
        ("a.urdf", "<robot/>", "URDF"),
        ("a.URDF", "no XML", "URDF"),
        ("a.xml", "<?xml version='1.0'?><!-- <sdf> --><robot>", "URDF"),
        ("a.xml", "<!DOCTYPE robot [<!ENTITY a 'b'>]><robot>", "URDF"),
        ("a.xml", "\ufeff<mujoco model='a'>", "MJCF"),
        ("world", "<sdf>", ""),
        ("a.world", "<sdf version='1.9'>", "SDF"),
        ("package.xml", "<package>", ""),
        ("a.srdf", "<robot name='a'>", "SRDF"),
        ("a.urdf.xacro", "<robot>", "xacro"),
        ("a.stl", "solid", "model"),
        ("a.txt", "<robot/>", ""),
        ("a.sdf", "", ""),
        ("a.json", '{"format": 1,\n "name": "r",', "JSON"),
        ("report.json", '{"format": 1,\n "tool": {', ""),
    ],
)
def test_what_a_file_is(tmp_path, name, text, expected):
    (tmp_path / name).write_text(text, "utf-8")
    assert format_of(str(tmp_path / name)) == expected


def test_the_robot_on_top_comes_first(tmp_path):
    for name, size in (
        ("deep/in/a.urdf", 900),
        ("b/small.urdf", 10),
        ("b/large.urdf", 400),
        ("b/c.urdf.xacro", 999),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x" * size, "utf-8")
    assert [one.path for one in find_robots(str(tmp_path))] == [
        "b/large.urdf",
        "b/small.urdf",
        "deep/in/a.urdf",
        "b/c.urdf.xacro",
    ]


def test_a_result_of_this_tool_comes_after_what_it_was_made_of(tmp_path):
    """Whatever it is called, and also where the robot lies deeper; a robot that only has such a name is no result."""
    (tmp_path / "deep").mkdir()
    shutil.copy(HUMANOID, tmp_path / "deep" / "robot.urdf")
    assert browser_session.main([str(HUMANOID), "-o", str(tmp_path / "a.urdf"), "--yes"]) == 0
    assert browser_session.main(["export", str(HUMANOID), str(tmp_path / "b.xml"), "--yes"]) == 0
    (tmp_path / "c_simplified.urdf").write_text("<robot/>", "utf-8")
    found = [one.path for one in find_robots(str(tmp_path))]
    assert found[:2] == ["c_simplified.urdf", "deep/robot.urdf"] and set(found[2:]) == {
        "a.urdf",
        "b.xml",
        "scene.xml",
    }


def test_the_form_of_lint_shows_notes(tmp_path):
    """A verdict over an empty page helps nobody: notes are shown unless they are switched off."""
    (tmp_path / "r.urdf").write_text('<robot name="r"><link name="a"/></robot>', "utf-8")
    shown = {
        field["name"]: field["on"] for field in browser_session.form() if field["task"] == LINT
    }
    assert shown["full"] is True and "--full" in run(tmp_path, "r.urdf", LINT, full=True).command


def test_of_robots_at_one_depth_the_main_one_comes_first(tmp_path):
    """`robot`, or the name of the folder, whatever is larger; and it is said which file is a result."""
    for name in ("arm/arm.urdf", "arm/large.urdf", "leg/robot.urdf"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("<robot/>" + "x" * name.count("large"), "utf-8")
    assert (
        browser_session.main([str(HUMANOID), "-o", str(tmp_path / "leg" / "made.urdf"), "--yes"])
        == 0
    )
    assert [(one.path, one.is_result) for one in find_robots(str(tmp_path))] == [
        ("arm/arm.urdf", False),
        ("leg/robot.urdf", False),
        ("arm/large.urdf", False),
        ("leg/made.urdf", True),
    ]


IMAGE = b"\x89PNG\r\n\x1a\n"
OBJ = b"mtllib colors%d.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
NEEDED = [  # reference, the file it is, further files, and what has to be in the archive
    (
        "meshes/a.obj",
        "meshes/a.obj",
        {
            "meshes/colors1.mtl": b"newmtl a\nmap_Kd images/a.png",
            "meshes/images/a.png": IMAGE,
            "meshes/other.png": IMAGE,
            "meshes/other.obj": OBJ,
        },
        {"meshes/a.obj", "meshes/colors1.mtl", "meshes/images/a.png"},
    ),
    (
        "package://arm/meshes/a.obj",
        "meshes/a.obj",
        {"package.xml": b"<package><name>arm</name></package>"},
        {"meshes/a.obj", "package.xml"},
    ),
    (
        "package://arm/meshes/a.obj",
        "arm/meshes/a.obj",
        {"other/package.xml": b"<package/>"},
        {"arm/meshes/a.obj"},
    ),
    # The MJCF names what was linked.
    pytest.param(
        "../shapes/a.obj", "a.obj", {}, {"../shapes/a.obj", "a.obj"}, marks=needs_symlinks
    ),
    pytest.param("in/a.obj", "a.obj", {}, {"in/a.obj", "a.obj"}, marks=needs_symlinks),
    ("nowhere.obj", "a.obj", {}, set()),
]


@pytest.mark.parametrize(
    "reference, path, more, expected", NEEDED, ids=lambda value: str(value)[:24]
)
def test_an_archive_with_meshes_is_a_working_folder(reference, path, more, expected, tmp_path):
    """Of what was dropped it holds what the results name, and what that names; they are found in it, wherever it is."""
    folder = tmp_path / "home" / "robot"
    mesh = f'<geometry><mesh filename="{reference}"/></geometry>'
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    robot = (
        f'<robot name="r"><link name="a">{inertial}<visual>{mesh}</visual></link></robot>'.encode()
    )
    for name, data in {"robot.urdf": robot, path: OBJ % 1, **more}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    browser_session.look(str(folder), str(folder.parent))
    simplified, exported = (
        run(folder, "robot.urdf"),
        run(folder, "robot.urdf", EXPORT, mjcf=True, sdf=True),
    )
    names = [name for ran in (simplified, exported) for name, _ in ran.files]
    needed = browser_session.beside(str(folder), names)
    assert simplified.status == exported.status == 0 and {name for name, _ in needed} == expected
    assert all(size == (folder / name).stat().st_size for name, size in needed)
    elsewhere = tmp_path / "elsewhere"
    with zipfile.ZipFile(
        io.BytesIO(browser_session.archive(str(folder), [*names, *expected]))
    ) as packed:
        packed.extractall(elsewhere)
    for result in (
        one
        for one in browser_session.look(str(elsewhere), str(elsewhere))["robots"]
        if one["format"] != "JSON"
    ):
        shapes = [
            shape
            for link in read_robot_of(elsewhere / result["path"]).links
            for shape in link.shapes
        ]
        assert [shape.path.startswith(str(elsewhere)) for shape in shapes] == [
            bool(expected)
        ] * len(shapes), result
        assert shapes or result["path"].endswith(".xml")


def test_an_archive_is_unpacked_in_its_place_and_nowhere_else(tmp_path):
    (tmp_path / "in").mkdir()
    with zipfile.ZipFile(tmp_path / "in" / "a.zip", "w") as packed:
        for name in (
            "robot/a.urdf",
            ".git/config",
            "__MACOSX/robot/._a.urdf",
            "../../outside.urdf",
        ):
            packed.writestr(name, "<robot/>")
    unpack(str(tmp_path / "in"), "a.zip")
    found = sorted(
        path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()
    )
    assert found == ["in/robot/a.urdf"]


@pytest.mark.parametrize("broken", [b"no archive", b"PK\x03\x04 cut"])
def test_a_broken_archive_is_one_sentence(tmp_path, broken):
    (tmp_path / "a.zip").write_bytes(broken)
    with pytest.raises(UsageError, match="^a.zip: this archive cannot be read: "):
        unpack(str(tmp_path), "a.zip")
    looked = browser_session.look(str(tmp_path), str(tmp_path))
    assert looked["robots"] == [] and looked["refused"][0].startswith(
        "a.zip: this archive cannot be read: "
    )


@pytest.mark.parametrize(
    "reference, expected",
    [
        pytest.param("package://arm/meshes/part.stl", "arm/meshes/part.stl", marks=needs_symlinks),
        pytest.param("meshes/part.stl", "meshes/part.stl", marks=needs_symlinks),
        pytest.param("file:///home/me/part.stl", "home/me/part.stl", marks=needs_symlinks),
        ("../part.stl", ""),
        ("part.stl", ""),
        ("other.stl", ""),
    ],
)
def test_where_a_mesh_is_linked(tmp_path, reference, expected):
    """Not outside, not where the file is, and not if no file has the name."""
    folder = tmp_path / "a"
    folder.mkdir()
    (folder / "part.stl").write_bytes(b"")
    (folder / "a.urdf").write_text(
        f'<robot name="a"><link name="l"><visual><geometry><mesh filename="{reference}"/>'
        "</geometry></visual></link></robot>",
        "utf-8",
    )
    placed = place_by_name(str(folder), "a.urdf", str(folder))
    assert placed == ([(reference, "part.stl")] if expected else [])
    assert [
        path.relative_to(folder).as_posix() for path in tmp_path.rglob("*") if path.is_symlink()
    ] == ([expected] if expected else [])


@pytest.mark.parametrize(
    "reference, expected",
    [
        ("c/part.stl", ""),
        ("package://all/robots/arm/a/part.stl", "a/part.stl"),
        ("x/b/part.stl", "b/part.stl"),
        ("part.stl", ""),
    ],
)
def test_of_several_files_that_is_meant_whose_path_ends_alike(tmp_path, reference, expected):
    for name in ("a/part.stl", "b/part.stl", "a/d/part.stl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "a.urdf").write_text(
        f'<robot name="a"><mesh filename="{reference}"/></robot>', encoding="utf-8"
    )
    placed = place_by_name(str(tmp_path), "a.urdf", str(tmp_path))
    assert placed == ([(reference, expected)] if expected else [])


def test_a_run_is_that_of_the_command_line(painted, tmp_path):
    """The same status, the same files byte for byte, the same words but for the consent."""
    other = tmp_path / "other"
    shutil.copytree(str(painted), str(other))
    ran = run(
        painted,
        "robot.urdf",
        srdf="painted_arm.srdf",
        report=True,
        keep="grip*, fore*",
        more="--snap 1e-3",
        mesh_format="obj",
    )
    words = (
        "robot.urdf --srdf painted_arm.srdf --keep grip* --keep fore* --mesh-format obj "
        "--report robot_simplified_report.json -o robot_simplified.urdf --page robot_simplified.html --snap 1e-3"
    ).split()
    assert (
        ran.command == command_line(words)
        and ran.status == 0
        and ran.page == "robot_simplified.html"
    )
    status, _ = run_here(other, [*words, "-y"])
    files = {
        path.relative_to(other).as_posix(): path.read_bytes()
        for path in other.rglob("*")
        if path.is_file()
    }
    assert status == 0 and {name: (painted / name).read_bytes() for name in files} == files
    assert {name for name, _ in ran.files} == {name for name in files if "simplified" in name}
    assert "\033[1mResult joint origins:" in ran.shown and "Proceed?" not in ran.shown


@pytest.mark.parametrize(
    "task, values, words, written",
    [
        (
            EDIT,
            {"flip": "elbow*"},
            "edit robot.urdf --flip elbow* -o robot_edited.urdf --page robot_edited.html".split(),
            {"robot_edited.urdf", "robot_edited.html"},
        ),
        (
            EXPORT,
            {"mjcf": True, "model": True, "actuators": "none", "for": "mujoco"},
            "export robot.urdf robot.xml robot.json --for mujoco --actuators none".split(),
            {"robot.xml", "robot.json", "scene.xml"},
        ),
        (
            EXPORT,
            {"output": True, "for": "mujoco"},
            ["export", "robot.urdf", "robot_new.urdf", "--for", "mujoco"],
            {"robot_new.urdf"},
        ),
        (
            EXPORT,
            {"sdf": True, "split": "color", "srdf": "painted_arm.srdf"},
            "export robot.urdf --srdf painted_arm.srdf robot.sdf --split color".split(),
            {"robot.sdf"},
        ),
    ],
    ids=lambda value: str(value)[:12],
)
def test_a_task_is_a_command(painted, task, values, words, written):
    ran = run(painted, "robot.urdf", task, **values)
    assert (ran.status, ran.command) == (0, command_line(words)), ran.shown
    assert {name for name, _ in ran.files if "/" not in name} == written


@pytest.mark.parametrize("case", ["two_roots", "mesh_prefix_alone"])
def test_what_is_refused_is_the_same_sentence_and_leaves_nothing(case, tmp_path):
    folders = sorted(path.parent for path in (FIXTURES / "refused").rglob("robot.urdf"))
    source = next((one for one in folders if one.name == case), folders[0])
    shutil.copy(source / "robot.urdf", tmp_path)
    ran = run(tmp_path, "robot.urdf", report=True)
    status, said = run_here(tmp_path, ["robot.urdf", "-y", "-o", "out.urdf"])
    assert ran.status == status == 2 and ran.files == () and ran.page == ""
    assert ran.shown.replace("\033[31m", "").replace("\033[0m", "") == said


def test_options_that_cannot_be_read_are_a_sentence(tmp_path):
    shutil.copy(HUMANOID, tmp_path)
    for more, words in (
        ("--snapp 3", "unknown option --snapp"),
        ("--keep 'a", "no closing quotation in the further options"),
    ):
        ran = run(tmp_path, "robot.urdf", more=more)
        assert ran.status == 2 and words in ran.shown and ran.files == ()


def test_two_robots_are_compared(tmp_path):
    for side, name in (("robot", "reach.urdf"), ("other", "reach_exported_again.urdf")):
        (tmp_path / side).mkdir()
        shutil.copy(FIXTURES / "compare" / name, tmp_path / side)
    ran = run(tmp_path, "robot/reach.urdf", COMPARE, compare="other/reach_exported_again.urdf")
    assert ran.status == 1 and ran.page == "reach_compared.html" and "Different robot" in ran.shown
    assert [name for name, _ in ran.files] == ["reach_compared.html", "reach_compared.json"]
    assert json.loads((tmp_path / "reach_compared.json").read_bytes())["exit"] == 1


def test_a_robot_is_linted(tmp_path):
    shutil.copy(HUMANOID, tmp_path)
    ran = run(tmp_path, "robot.urdf", LINT, ignore="mesh-*, left-*")
    words = "lint robot.urdf --ignore mesh-* --ignore left-* --report robot_lint.json".split()
    status, said = run_here(tmp_path, [*words, "--color", "always"])
    assert ran.command == command_line(words)
    assert (ran.status, ran.shown) == (status, said) and "exported-twice" in said
    assert [name for name, _ in ran.files] == ["robot_lint.json"] and json.loads(
        (tmp_path / "robot_lint.json").read_bytes()
    )["command"] == "lint"


def test_a_robot_as_json_can_be_the_other_one(tmp_path):
    shutil.copy(HUMANOID, tmp_path)
    assert run(tmp_path, "robot.urdf", EXPORT, model=True).status == 0
    found = [one for one in find_robots(str(tmp_path)) if one.format == "JSON"]
    assert [one.path for one in found] == ["robot.json"]
    assert (
        run(tmp_path, "robot.urdf", COMPARE, compare=found[0].path, aspects="motion,mass").status
        == 0
    )


def test_the_lines_that_change_are_only_shown(tmp_path):
    shutil.copy(HUMANOID, tmp_path)
    for task, values in (
        (SIMPLIFY, {"report": True, "merge": False}),
        (EDIT, {"flip": "*_knee_*"}),
    ):
        request = {"robot": "robot.urdf", "task": task, "values": values, "differences": True}
        ran = browser_session.run(str(tmp_path), request, print)
        assert (
            ran.status == 0
            and ran.files == ()
            and "\033[32m+" in ran.shown
            and ran.command.endswith(" --diff")
        )


def test_the_files_of_a_run_are_those_that_changed(tmp_path):
    shutil.copy(HUMANOID, tmp_path)
    first = run(tmp_path, "robot.urdf", report=True)
    browser_session.remove(str(tmp_path), [name for name, _ in first.files])
    assert sorted(os.listdir(tmp_path)) == ["robot.urdf"]
    packed = browser_session.archive(str(tmp_path), ["robot.urdf"])
    assert packed == browser_session.archive(str(tmp_path), ["robot.urdf"])
    with zipfile.ZipFile(io.BytesIO(packed)) as read:
        assert read.read("robot.urdf") == HUMANOID.read_bytes()


def test_no_file_of_the_user_is_replaced(tmp_path):
    """The folder may hold what an earlier run wrote."""
    for name in ("robot.urdf", "robot_simplified.urdf", "robot_simplified_new.xml"):
        shutil.copy(HUMANOID, tmp_path / name)
    ran = run(tmp_path, "robot.urdf", report=True)
    assert [name for name, _ in ran.files] == [
        "robot_simplified_new_new" + ending for ending in (".html", ".urdf", "_report.json")
    ]
    assert (
        "--report robot_simplified_new_new_report.json -o robot_simplified_new_new.urdf"
        in ran.command
    )
    assert (tmp_path / "robot_simplified.urdf").read_bytes() == HUMANOID.read_bytes()


def test_an_export_has_the_name_of_the_robot_unless_a_file_has_it(tmp_path):
    names = ["robot.urdf", "robot.srdf", "robot_front.png"]
    assert browser_session.free_stem("robot", names, [".xml", ".sdf"]) == "robot"
    assert browser_session.free_stem("robot", names, [".urdf"]) == "robot_new"
    assert (
        browser_session.free_stem("robot", [*names, "robot_meshes/a.stl"], [".xml"]) == "robot_new"
    )


def test_progress_is_not_part_of_the_text():
    told = []
    screen = browser_session.TerminalScreen(told.append)
    screen.write("\r\x1b[Karm.dae: 12,000 triangles ")
    screen.write("Plan\n")
    screen.write("\r\x1b[K")
    assert (
        told == ["arm.dae: 12,000 triangles", ""] and screen.shown() == "Plan\n" and screen.isatty()
    )


def test_calls_of_the_worker_are_json(tmp_path):
    shutil.copy(HUMANOID, tmp_path)
    about = json.loads(browser_session.call("about", "[]", print))
    assert about["tasks"][0] == "simplify" and {one["name"] for one in about["form"]} >= {
        "merge",
        "mjcf",
        "match",
    }
    looked = json.loads(
        browser_session.call("look", json.dumps([str(tmp_path), str(tmp_path)]), print)
    )
    assert [one["path"] for one in looked["robots"]] == ["robot.urdf"] and looked["files"] == 1
    request = {"robot": "robot.urdf", "task": "simplify", "values": {}}
    assert (
        json.loads(browser_session.call("run", json.dumps([str(tmp_path), request]), print))[
            "status"
        ]
        == 0
    )
    assert json.loads(
        browser_session.call("clear", json.dumps([str(tmp_path)]), print)
    ) is None and not os.listdir(tmp_path)


def test_every_field_is_an_option():
    assert set(tasks()) <= set(VERBS) and {field.task for field in FIELDS} == set(tasks())
    for control in form():
        row = ROWS[control["name"]]
        assert control["kind"] != "choice" or control["choices"]
        if control["kind"] == "file" and control["task"] == EXPORT:  # a target
            assert control["ending"] and (row.name == "output" or not row.verbs)
        else:
            sentences = [f"{row.spelling}: {row.help}", *([row.more] if row.more else [])]
            assert control["task"] in row.verbs.split() and control["help"] == ". ".join(sentences)
        assert "{" not in control["help"]


def test_spheres_go_into_a_list_too(painted):
    ran = run(
        painted,
        "robot.urdf",
        COLLISION,
        collision_link="base=spheres",
        spheres=True,
        srdf="painted_arm.srdf",
        collision_overhang="100mm",
    )
    assert ran.command == (
        "urdf-simplify collision robot.urdf --srdf painted_arm.srdf --link base=spheres --overhang "
        "100mm --spheres robot_collision.yml -o robot_collision.urdf --page robot_collision.html"
    )
    assert {name for name, _ in ran.files} == {
        f"robot_collision.{ending}" for ending in ("urdf", "yml", "html", "srdf")
    }


@st.composite
def forms(draw):
    """Values of a form: some flags and files, choices, and texts from their hints."""
    values = {}
    for control in form():
        if control["task"] == SIMPLIFY and draw(st.booleans()):
            values[control["name"]] = (
                draw(st.booleans())
                if control["kind"] in ("flag", "file")
                else draw(st.sampled_from(["", *control["choices"]]))
                if control["choices"]
                else "ros"
                if control["name"] == "base_frame"
                else control["hint"]
            )
    return values


@given(forms())
def test_every_form_is_a_command_line_that_means_it(values):
    # These cannot be combined.
    assume(
        not any(
            values.get(stage) is False and values.get(other)
            for stage, other in (("strip_hardware", "strip"), ("merge", "keep_all_frames"))
        )
    )
    words = command_words("my robot.urdf", SIMPLIFY, values)
    arguments = vars(parse("simplify", TABLE, words))
    for control in form():
        if control["task"] != SIMPLIFY:
            continue
        name, given_value, read = (
            control["name"],
            values.get(control["name"]),
            arguments[control["name"]],
        )
        needed = not control["needs"] or any(values.get(one) for one in control["needs"])
        if control["kind"] == "file":
            assert (read == "my robot_simplified" + control["ending"]) == bool(given_value)
        elif not needed or given_value in (None, ""):
            assert read == ROWS[name].default
        elif ROWS[name].repeatable:
            assert ", ".join(read) == given_value
        else:
            reader = ROWS[name].read  # a length becomes meters
            assert read == (reader(given_value) if reader else given_value)


@pytest.mark.parametrize(
    "task, values",
    [
        (SIMPLIFY, {}),
        (EDIT, {"flip": "*"}),
        (EDIT, {"prefix": "a_"}),
        (COLLISION, {"collision": "spheres", "collision_overhang": "100mm"}),
        (EXPORT, {"sdf": True}),
    ],
)
def test_the_page_finds_the_verdict_in_what_was_printed(painted, task, values):
    """`results.js` reads the lines above the question: as they are printed with colors, which have a mark for OK."""
    script = (Path(browser_session.__file__).parent / "results.js").read_text("utf-8")
    (proof,) = re.findall(r"^const PROOF = /(.*)/;$", script, flags=re.M)
    (block,) = re.findall(r"const lines = /(.*)/m\.exec\(text\)", script)
    ran = run(painted, "robot.urdf", task, **values)
    text = re.sub("\x1b\\[[0-9;]*m", "", ran.shown).strip()
    lines = re.search(block, text, flags=re.M)
    assert ran.status == 0 and lines and lines.group().startswith("\u2713 ")
    verdict = re.search(proof, " ".join(lines.group().split()))
    same, how = (
        ("1 edit applied; nothing else changed", "checked to 1e-08 m and rad")
        if task == EDIT
        else ("Same robot", "verified in 4 poses")
    )
    assert verdict and verdict.group(1) == same and verdict.group(2).startswith(how)
    assert re.search(r"\d+ links|Nothing to do|The robot stays", verdict.group(4))
    # By more spheres than that.
    assert task != COLLISION or "3 collisions replaced" in verdict.group(4)


def test_the_page_shows_how_far_a_long_step_is(tmp_path, monkeypatch):
    """Fewer triangles take seconds: the page gets a line with the mesh and its triangles, as a terminal does."""
    (tmp_path / "ball.stl").write_bytes(binary_stl(as_float32(ball(24, 36))))
    (tmp_path / "robot.urdf").write_text(
        '<robot name="r"><link name="base"><visual><geometry><mesh filename="ball.stl"/></geometry></visual></link>'
        "</robot>",
        "utf-8",
    )
    clock = itertools.count()
    monkeypatch.setattr(
        "urdf_tools.cli.run_command_line.time.monotonic", lambda: float(next(clock))
    )
    lines = []
    done = browser_session.run(
        str(tmp_path),
        {"robot": "robot.urdf", "task": SIMPLIFY, "values": {"visual_error": "5mm"}},
        lines.append,
    )
    assert done.status == 0 and any(name.endswith("ball_5mm.stl") for name, _ in done.files)
    assert any(re.fullmatch(r"ball\.stl: [\d,]+ triangles", line) for line in lines)
