"""lint from the command line: statuses, formats, what is ignored, what is known, and what is refused."""

import json
import os

import pytest
from commands import refusal, said

from dae_writer import document, instance, node, paragraph, primitive, simple_geometry
from conftest import ROOT
from mesh_files import binary_stl, TETRAHEDRON, tetrahedron_glb

from urdf_tools.app.command_table import main
from urdf_tools.export.all_diagnostics import EXPORT_KINDS
from urdf_tools.lint.examine_file import examine

MASS = '<inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="{izz}"/></inertial>'
JOINT = '<joint name="j" type="revolute"><parent link="base"/><child link="arm"/>{limit}</joint>'
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
GOOD = (
    f'<robot name="r">\n<link name="base"/>\n<link name="arm">{MASS.format(izz="0.1")}</link>\n'
    f"{JOINT.format(limit=LIMIT)}\n</robot>\n"
)
TIP = (
    '<link name="tip"/><joint name="f" type="fixed"><parent link="arm"/><child link="tip"/></joint>'
)
TIP_APART = '<robot name="r"><disable_collisions link1="base" link2="tip" reason="Never"/></robot>'
FOLLOWER = (
    '<link name="hand"/><joint name="k" type="prismatic"><parent link="arm"/><child link="hand"/>'
    '<limit lower="0" upper="0.1" effort="1" velocity="1"/><mimic joint="j"/></joint></robot>'
)
BAD = (
    f'<robot name="r">\n<link name="base"/>\n{{before}}<link name="arm">{MASS.format(izz="0.9")}</link>\n'
    f"{JOINT.format(limit='')}\n</robot>\n"
)


@pytest.fixture
def folder(here):
    (here / "good.urdf").write_text(GOOD)
    (here / "bad.urdf").write_text(BAD.format(before=""))
    return here


def as_json(*words):
    status, out, problem = said("lint", *words, "--format", "json")
    assert status in (0, 1), problem
    found = json.loads(out)
    return found


def kinds_of(data, least=("error", "warning")):
    return [(one["kind"], one["line"]) for one in data["findings"] if one["severity"] in least]


def test_a_sound_robot_is_passed_and_errors_fail(folder):
    assert said("lint", "good.urdf")[0] == 0
    status, out, _ = said("lint", "bad.urdf")
    assert status == 1
    assert "error[inertia]: link 'arm': not physical: the principal moments" in out
    source = (folder / "bad.urdf").read_text().splitlines()[2]
    place = source.index("arm")
    assert f"\n  --> bad.urdf:3:{place + 1}\n3 | {source[:76]}\n  | {' ' * place}^^^\n" in out
    assert "cure: add <limit lower upper effort velocity>" in out


def test_several_files_and_one_line_each(folder):
    status, out, _ = said("lint", "good.urdf", "bad.urdf", "-q")
    assert status == 1
    assert [line.split(" ", 3)[:3] for line in out.splitlines()] == [
        ["bad.urdf:3:", "error:", "[inertia]"],
        ["bad.urdf:4:", "error:", "[no-limit]"],
    ]
    assert said("lint", "good.urdf", "bad.urdf")[1].endswith(
        "\nFound 2 errors in 1 of 2 files; programs refuse 2 of 2 robots; 2 notes (--level note); 1 fixable with --fix\n"
    )
    (folder / "heavy.urdf").write_text(GOOD.replace("</robot>", FOLLOWER))
    out = said("lint", "good.urdf", "heavy.urdf", "--fail-on", "warning")[1]
    assert out.startswith("good.urdf: no errors, 1 note; Gazebo refuses it\n")
    assert "heavy.urdf: OK" not in out
    assert out.endswith(
        "\nFound 1 error, 1 warning in 1 of 2 files; programs refuse 2 of 2 robots; 3 notes (--level note); 1 fixable with --fix\n"
    )


@pytest.mark.parametrize("name", ("humanoid", "quadruped", "painted_arm", "arm"))
def test_quiet_is_a_line_for_what_is_alike_and_shorter(name):
    path = str(ROOT / "fixtures" / name / "robot.urdf")
    quiet = said("lint", path, "-q", "--full")[1].splitlines()
    assert len(quiet) < len(said("lint", path, "--full")[1].splitlines())
    kinds = {one["kind"] for one in as_json(path)["findings"]}
    assert {line.partition("[")[2].partition("]")[0] for line in quiet} == kinds


def test_the_level_decides_the_status(folder):
    """A note on the root alone, and a level that asks for it."""
    (folder / "note.urdf").write_text(
        f'<robot name="r"><link name="base">{MASS.format(izz="0.1")}</link></robot>'
    )
    assert [
        said("lint", "note.urdf", "--fail-on", level)[0] for level in ("error", "warning", "note")
    ] == [0, 0, 1]
    assert "in-readers" not in said("lint", "note.urdf")[1]
    assert "in-readers" in said("lint", "note.urdf", "--full")[1]


def test_select_and_ignore(folder):
    assert kinds_of(as_json("bad.urdf", "--select", "no-*")) == [("no-limit", 4)]
    assert kinds_of(as_json("bad.urdf", "--ignore", "no-limit,mimic")) == [("inertia", 3)]
    status, _, err = said("lint", "bad.urdf", "--select", "inertai")
    assert (status, err) == (
        2,
        "error: --select inertai: unknown kind (did you mean 'inertia'?); explain lists them\n",
    )


@pytest.mark.parametrize(
    ("before", "found", "ignored"),
    (
        ("<!-- lint-ignore inertia: measured -->\n", [("no-limit", 5)], [("inertia", "measured")]),
        (
            "<!-- lint-ignore inertia, left-right: made up -->",
            [("lint-comment", 3), ("no-limit", 4)],
            [("inertia", "made up")],
        ),
        (
            "<!-- lint-ignore inertia -->",
            [("inertia", 3), ("lint-comment", 3), ("no-limit", 4)],
            [],
        ),
        (
            "<!-- lint-ignore no-limit: there is one -->",
            [("inertia", 3), ("lint-comment", 3), ("no-limit", 4)],
            [],
        ),
        (
            "<!-- lint-ignore nonsense: why not -->",
            [("inertia", 3), ("lint-comment", 3), ("no-limit", 4)],
            [],
        ),
    ),
)
def test_a_comment_ignores_a_kind_of_one_element(
    before,
    found,
    ignored,
    folder,
):
    (folder / "bad.urdf").write_text(BAD.format(before=before))
    data = as_json("bad.urdf")
    assert sorted(kinds_of(data)) == sorted(found)
    assert [(one["kind"], one["reason"]) for one in data["ignored"]] == ignored


def test_a_comment_before_the_robot_is_for_all_of_it(folder):
    (folder / "bad.urdf").write_text(
        "<!-- lint-ignore inertia no-limit: a test -->\n" + BAD.format(before="")
    )
    assert said("lint", "bad.urdf")[0] == 0


def test_a_baseline_leaves_only_what_is_new(folder):
    """Lines may move; another of the same kind is new; without the file the run is refused."""
    assert said("lint", "bad.urdf", "--baseline", "known.json", "--update-baseline")[0] == 0
    (folder / "bad.urdf").write_text(BAD.format(before="\n\n"))
    assert said("lint", "bad.urdf", "--baseline", "known.json")[0] == 0
    more = BAD.format(before="").replace(
        "</robot>",
        f'<link name="arm2">{MASS.format(izz="0.9")}</link>'
        '<joint name="k" type="fixed"><parent link="arm"/><child link="arm2"/></joint>'
        "</robot>",
    )
    (folder / "bad.urdf").write_text(more)
    data = as_json("bad.urdf", "--baseline", "known.json")
    assert [one["names"][0] for one in data["findings"] if one["severity"] == "error"] == ["arm2"]
    status, _, err = said("lint", "bad.urdf", "--baseline", "gone.json")
    assert status == 2 and err.startswith("error: gone.json: ")
    (folder / "odd.json").write_text("[1]")
    assert said("lint", "bad.urdf", "--baseline", "odd.json")[0::2] == (
        2,
        "error: odd.json: this is not a baseline of lint; write one with lint --update-baseline\n",
    )


def test_of_several_files_the_others_are_looked_at(folder):
    status, out, err = said("lint", "gone.urdf", "bad.urdf", "-q")
    assert status == 2 and err.startswith("error: gone.urdf: no such file") and out.count("\n") == 2


def test_what_parsers_refuse_is_found_with_all_lines(folder):
    (folder / "broken.urdf").write_text(
        '<robot name="r">\n<link name="a"/>\n<link name="b"/>\n<link/>\n</robot>'
    )
    data = as_json("broken.urdf")
    assert data["exit"] == 1 and ("refused", 4) in kinds_of(data)
    (folder / "xml.urdf").write_text("<robot><link></robot>")
    assert kinds_of(as_json("xml.urdf")) == [("refused", 1)]


def test_what_repair_accepts_is_an_error_and_the_rest_is_looked_at(folder):
    (folder / "two.urdf").write_text(
        BAD.format(before="").replace("</link>", f"{MASS.format(izz='1')}</link>")
    )
    assert {"refused", "inertia", "no-limit"} <= {kind for kind, _ in kinds_of(as_json("two.urdf"))}


@pytest.mark.parametrize(
    ("words", "message"),
    (
        (
            ["bad.urdf", "--check"],
            "lint: unknown option --check; it belongs to simplify, pairs\n",
        ),
        (
            ["bad.urdf", "--levle", "note"],
            "lint: unknown option --levle (did you mean '--level'?)\n",
        ),
        (["bad.urdf", "--format", "xml"], "--format xml: give text, json, github or sarif\n"),
        (["bad.urdf", "--level", "worst"], "--level worst: give error, warning or note\n"),
        (["bad.urdf", "--update-baseline"], "--update-baseline needs --baseline\n"),
        (["-", "-"], "only one of the files can be standard input\n"),
        (["."], ".: no URDF, xacro, SDF or MJCF is in this folder\n"),
        (["gone.urdf", "lost.urdf"], "gone.urdf: no such file"),
        ([], "no file is given; "),
    ),
)
def test_refused(words, message, folder):
    if words == ["."]:
        for path in folder.iterdir():
            path.unlink()
    assert refusal("lint", *words).startswith(message)


def test_the_level_decides_what_is_shown_and_not_the_status(folder):
    """A file with a note on its root, which is shown from the level of notes on; formats that are kept have all."""
    (folder / "note.urdf").write_text(
        f'<robot name="r"><link name="base">{MASS.format(izz="0.1")}</link></robot>'
    )
    notes = {
        level: said("lint", "note.urdf", "--level", level) for level in ("error", "warning", "note")
    }
    assert [(status, "note[" in out) for status, out, _ in notes.values()] == [
        (0, False),
        (0, False),
        (0, True),
    ]
    (folder / "heavy.urdf").write_text(GOOD.replace("</robot>", FOLLOWER))
    shown = {
        level: said("lint", "heavy.urdf", "--level", level)[1].count("\nwarning[")
        for level in notes
    }
    assert shown == {"error": 0, "warning": 1, "note": 1}
    assert "\nwarning[" in said("lint", "heavy.urdf", "--level", "error", "--fail-on", "warning")[1]
    assert "\nnote[" in said("lint", "heavy.urdf", "--fail-on", "note")[1]
    assert said("lint", "note.urdf", "--level", "error", "--format", "github")[1] == ""
    assert as_json("note.urdf", "--level", "error") == as_json("note.urdf", "--level", "note")
    assert kinds_of(as_json("note.urdf"), ("note",))


def test_folders_are_searched_for_robots_of_all_formats(folder):
    """But hidden ones and those of builds; of XML files those that are MJCF."""
    for name in (".git", "build", "install/share", "log", "models", "models/deep"):
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "r.urdf").write_text(GOOD)
    (folder / "models/m.xml").write_text(
        '<!-- made --><mujoco><worldbody><body name="b"/></worldbody></mujoco>'
    )
    (folder / "models/package.xml").write_text("<package/>")
    (folder / "models/notes.txt").write_text("none")
    status, out, err = said("lint", ".", "--format", "json")
    assert err == "" and status == 1
    assert json.loads(out)["files"] == [
        os.path.join(".", *name.split("/"))
        for name in ("bad.urdf", "good.urdf", "models/m.xml", "models/r.urdf", "models/deep/r.urdf")
    ]
    assert said("lint", "models", "good.urdf", "-q")[::2] == (0, "")


def test_mjcf_and_sdf_are_examined_with_their_own_lines(folder):
    """What they are is what their first element says; what a URDF would be in programs is nothing about them."""
    inertia = "<inertial><mass>1</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.9</izz></inertia></inertial>"
    (folder / "r.sdf").write_text(
        '<sdf version="1.9"><model name="r">\n<link name="base"/>\n'
        f'<link name="arm">{inertia}</link>\n'
        '<joint name="j" type="revolute"><parent>base</parent><child>arm</child>'
        "<axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>1</upper><effort>1</effort>"
        "<velocity>1</velocity></limit></axis></joint></model></sdf>"
    )
    (folder / "m.urdf").write_text(
        '<mujoco model="m"><worldbody>\n<body name="b"><freejoint/>\n<inertial mass="1" '
        'pos="0 0 0" diaginertia="1 1 1"/></body></worldbody></mujoco>'
    )
    data = as_json("r.sdf", "m.urdf")
    assert [
        (one["file"], one["kind"], one["line"])
        for one in data["findings"]
        if one["severity"] == "error"
    ] == [("r.sdf", "inertia", 3)]
    assert not [one["kind"] for one in data["findings"] if one["kind"].startswith("in-")]
    (folder / "two.sdf").write_text(
        '<sdf version="1.9"><model name="r"><link name="a"/>\n<link name="a"/></model></sdf>'
    )
    start = "error: two.sdf:2: 'a' is defined twice"
    status, out, err = said("lint", "two.sdf")
    assert (status, out) == (2, "") and err.startswith(start)
    assert said("lint", "r.sdf", "--fix") == (
        2,
        "",
        "error: r.sdf: --fix repairs a URDF: urdf-simplify export r.sdf r.urdf makes one\n",
    )


def test_github_shows_annotations(folder):
    """Percent signs and line ends are escaped in a message, and colons and commas in a property too."""
    (folder / "50%,a.urdf").write_text(BAD.format(before="").replace('"arm"', '"a%b"'))
    status, out, _ = said("lint", "50%,a.urdf", "--format", "github")
    assert status == 1
    assert out.splitlines()[0] == (
        "::error file=50%25%2Ca.urdf,line=3,title=inertia::link 'a%25b': not physical: the principal moments "
        "violate A + B >= C%0Awrite the <inertia> from CAD, or: lint ROBOT --fix; a simulator may refuse this one"
    )
    assert said("lint", "good.urdf", "--format", "github") == (0, "", "")


# What SARIF 2.1.0 requires of each object (OASIS, section 3), by where it stands.
REQUIRED = {
    "log": ("version", "runs"),
    "run": ("tool",),
    "driver": ("name",),
    "rule": ("id",),
    "result": ("message",),
    "location": ("artifactLocation",),
}


def test_sarif_has_what_it_must_have(folder):
    (folder / "a b.urdf").write_text(BAD.format(before="<!-- lint-ignore inertia: measured -->"))
    status, out, _ = said("lint", "a b.urdf", "--format", "sarif")
    log = json.loads(out)
    run = log["runs"][0]
    rules, results = run["tool"]["driver"]["rules"], run["results"]
    objects = {
        "log": [log],
        "run": [run],
        "driver": [run["tool"]["driver"]],
        "rule": rules,
        "result": results,
        "location": [one["locations"][0]["physicalLocation"] for one in results],
    }
    assert {
        name: [key for one in objects[name] for key in keys if key not in one]
        for name, keys in REQUIRED.items()
    } == dict.fromkeys(REQUIRED, [])
    assert (status, log["version"], run["invocations"][0]["exitCode"]) == (1, "2.1.0", 1)
    assert all(rules[one["ruleIndex"]]["id"] == one["ruleId"] for one in results)
    assert {one["level"] for one in results} <= {"error", "warning", "note"}
    assert objects["location"][0]["artifactLocation"] == {"uri": "a%20b.urdf"}
    assert [
        one["suppressions"][0]["justification"] for one in results if "suppressions" in one
    ] == ["measured"]
    assert all(one["region"]["startLine"] > 0 for one in objects["location"])


def test_report_is_the_json(folder):
    status, out, _ = said("lint", "bad.urdf", "-q", "--report", "r.json")
    assert status == 1 and out.count("\n") == 2
    assert json.loads((folder / "r.json").read_text()) == as_json("bad.urdf")


def test_check_has_the_formats(folder, capsys):
    """Exit 1 is an error, a file that cannot be used is exit 2 and found too; text is as ever."""
    turned = GOOD.replace("<child", '<origin rpy="0 0 1"/><child')
    (folder / "turned.urdf").write_text(turned)
    (folder / "broken.urdf").write_text("<robot/>")
    assert main(["turned.urdf", "--check", "--format", "github"]) == 1
    assert capsys.readouterr().out.startswith(
        "::error file=turned.urdf,title=would-change::a run would change it: "
    )
    (folder / "merged.urdf").write_text(GOOD.replace("</robot>", f"{TIP}</robot>"))
    (folder / "merged.srdf").write_text(TIP_APART)
    assert main(["merged.urdf", "--check", "--format", "github", "--srdf", "merged.srdf"]) == 1
    assert (
        "::error file=merged.srdf,title=would-change::would change: 1 element updated"
        in capsys.readouterr().out
    )
    assert main(["turned.urdf", "broken.urdf", "--check", "--format", "json"]) == 2
    data = json.loads(capsys.readouterr().out)
    assert {("turned.urdf", "would-change"), ("broken.urdf", "refused")} <= {
        (one["file"], one["kind"]) for one in data["findings"]
    }
    assert main(["turned.urdf", "--check", "--format", "text"]) == 1
    assert capsys.readouterr().out.startswith("turned.urdf would change: ")
    assert main(["turned.urdf", "--check", "--format", "sarif", "--report", "r.json"]) == 2


def test_compare_has_the_formats(folder, capsys):
    (folder / "other.urdf").write_text(GOOD.replace('mass value="1"', 'mass value="2"'))
    assert main(["compare", "good.urdf", "other.urdf", "--format", "github"]) == 1
    assert capsys.readouterr().out.startswith("::error file=other.urdf,line=3,")
    assert main(["compare", "good.urdf", "good.urdf", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["findings"] == []


def test_no_file_of_the_shared_robots_ends_in_a_traceback(shared):
    known = [kind.name for kind in EXPORT_KINDS]
    paths = sorted(shared.glob("**/*.urdf"))
    assert len(paths) > 30
    for path in paths:
        assert examine(path.read_bytes(), str(path), known).findings is not None


@pytest.mark.parametrize("name", ["part.stl", "part.dae", "part.glb", "part.gltf"])
def test_meshes_of_all_formats_are_measured(folder, name):
    """The mass is 0.3 m from its center, root mean square, and the part is a tetrahedron of 1 m, or of 0.1 m."""
    drawn = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    faces = primitive("triangles", "g", paragraph([0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]), 4)
    if name == "part.gltf":
        tetrahedron_glb().gltf(folder, "part")
    else:
        (folder / name).write_bytes(
            {
                "part.stl": binary_stl(TETRAHEDRON),
                "part.glb": tetrahedron_glb().glb(),
                "part.dae": document(
                    simple_geometry("g", drawn, faces), node(instance("g"))
                ).encode(),
            }[name]
        )
    for scale, kinds in (("1 1 1", []), (".1 .1 .1", [("inertia-outside", 3)])):
        shape = f'<visual><geometry><mesh filename="package://parts/{name}" scale="{scale}"/></geometry></visual>'
        (folder / "drawn.urdf").write_text(GOOD.replace("</inertial>", f"</inertial>{shape}"))
        assert kinds_of(as_json("drawn.urdf", "--package", f"parts={folder}")) == kinds


def test_a_package_without_a_folder_is_refused(folder):
    cure = "--package parts=nowhere: give a name and a folder that exists"
    assert cure in refusal("lint", "good.urdf", "--package", "parts=nowhere")
