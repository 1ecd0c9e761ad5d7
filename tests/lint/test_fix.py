"""lint --fix: only what has one repair, nothing else in the file, and nothing without consent."""

import io
import os
import re
import sys
from unittest import mock

import pytest
from commands import as_shown, refusal, said
from conftest import examples
from hypothesis import given, strategies as st

from urdf_tools.app.command_table import main
from urdf_tools.base.version import __version__
from urdf_tools.base.errors import ProofFailed
from urdf_tools.export.all_diagnostics import EXPORT_KINDS
from urdf_tools.lint import fix_findings
from urdf_tools.lint.examine_file import examine
from urdf_tools.lint.fix_findings import repair

KNOWN = [kind.name for kind in EXPORT_KINDS]
TEXT = """<robot name="r">
  <link name="base"/>
  <link name="arm">  <!-- kept -->
    <visual><origin rpy='0  1.57 0' xyz="0 0 1"/><geometry><box size="1 1 1"/></geometry></visual>
  </link>
  <joint name="j" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0.1 0" rpy="3.14 0 0"/>
    <axis xyz="0,1,0"/>
    <limit lower="0.5" upper="-0.5"\teffort="1" velocity="1"/></joint>
</robot>
"""


@pytest.fixture
def folder(here):
    (here / "robot.urdf").write_text(TEXT)
    return here


NOTE = f"""<!-- urdf_simplify {__version__} decisions, what is not as in the original file:
  repair arm limit (-0.5 0.5)
-->
"""


def test_a_repair_is_shown_and_written_beside_the_input(folder):
    status, out, _ = said("lint", "robot.urdf", "--fix", "--select", "limits-reversed", "--yes")
    assert status == 0 and (folder / "robot.urdf").read_text() == TEXT
    wanted = TEXT.replace('lower="0.5" upper="-0.5"', 'lower="-0.5" upper="0.5"')
    assert (folder / "robot_fixed.urdf").read_text() == NOTE + wanted
    assert (
        '-    <limit lower="0.5" upper="-0.5"' in out
        and '+    <limit lower="-0.5" upper="0.5"' in out
    )
    assert "j: [0.5, -0.5] / [-0.5, 0.5]" in out
    assert "only these values and the note on them differ" in out

    # So the comparison of both names the repair, and nothing else.
    status, out, _ = said("compare", "robot.urdf", "robot_fixed.urdf", "--aspects", "no-meshes")
    assert (status, out.startswith("Same robot, but for 1 repaired limit: ")) == (0, True)


def test_several_kinds_and_in_place(folder):
    """Quotes, blanks and tabs stay as they are."""
    assert said(
        "lint", "robot.urdf", "--fix", "--select", "rounded-*,repaired", "--force", "-y", "-q"
    ) == (
        0,
        "",
        "",
    )
    wanted = TEXT.replace("rpy='0  1.57 0'", "rpy='0 1.570796326795 0'").replace(
        '"3.14 0 0"', '"3.14159265359 0 0"'
    )
    note = f"""<!-- urdf_simplify {__version__} decisions, what is not as in the original file:
  angle base (1.57 3.14)
-->
"""
    assert (folder / "robot.urdf").read_text() == note + wanted.replace("0,1,0", "0 1 0")
    assert sorted(path.name for path in folder.iterdir()) == ["robot.urdf"]


@pytest.mark.parametrize("answer", ("no\n", "", "y\n"))
def test_nothing_is_written_without_consent(answer, folder, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
    assert said("lint", "robot.urdf", "--fix", "--select", "limits-reversed")[0] == 1
    assert said("lint", "robot.urdf", "--fix", "--select", "limits-reversed", "-n")[0] == 0
    assert [path.name for path in folder.iterdir()] == ["robot.urdf"]


def test_what_a_comment_ignores_is_not_repaired(folder):
    (folder / "robot.urdf").write_text(
        TEXT.replace("<joint", "<!-- lint-ignore limits-reversed: on purpose --><joint")
    )
    assert said("lint", "robot.urdf", "--fix", "--select", "limits-reversed", "-y") == (
        0,
        "robot.urdf: nothing to repair\n",
        "",
    )


def test_what_has_several_repairs_stays(folder):
    (folder / "robot.urdf").write_text(TEXT.replace('"-0.5"', '"-0.7"'))
    assert said("lint", "robot.urdf", "--fix", "--select", "limits-reversed", "-y") == (
        1,
        "robot.urdf: nothing to repair; 1 error stays: more than one repair, or none\n",
        "",
    )


def test_the_status_is_that_of_what_stays(folder):
    """As of `lint` without --fix: errors that stay fail, others if --fail-on says so; of the selected kinds alone."""
    stays = TEXT.replace("<axis", '<mimic joint="gone"/><axis')
    (folder / "robot.urdf").write_text(stays)
    fixed = said("lint", "robot.urdf", "--fix", "--select", "mimic,limits-reversed", "-y")
    assert fixed[0] == 1 and "1 error stays: more than one repair, or none" in fixed[1]
    assert (folder / "robot_fixed.urdf").exists()
    for level, status in (("error", 0), ("warning", 0), ("note", 1)):
        words = ("--fix", "--ignore", "mimic", "-n", "--fail-on", level)
        assert said("lint", "robot.urdf", *words)[0] == status


@pytest.mark.parametrize(
    ("words", "message"),
    (
        (["--fix", "--select", "limits"], "--select limits: unknown kind"),
        (["--fix", "-o", "robot.urdf"], "robot.urdf: the output is the input file itself"),
        (["--fix", "--merge-all"], "lint: unknown option --merge-all; it belongs to simplify"),
        (["--fix", "-o", "-"], "--fix writes a file"),
        (["other.urdf", "--fix"], "other.urdf: no such file"),
        (
            ["robot.urdf", "--fix", "-o", "robot.urdf"],
            "robot.urdf: --output must be a folder for several files, and this is a file",
        ),
    ),
)
def test_refused(words, message, folder):
    assert refusal("lint", "robot.urdf", *words).startswith(message)


def test_what_cannot_be_read_cannot_be_repaired(folder):
    (folder / "robot.urdf").write_text("<robot>\n<link/></robot>")
    assert said("lint", "robot.urdf", "--fix", "--select", "repaired", "-y") == (
        2,
        "",
        "error: robot.urdf:2: this <link> has no name\n",
    )


def test_a_missing_origin_is_added(folder):
    """The axes of a tensor, which only one side has, come in an element of their own where there is none."""
    side = (
        '<link name="{s}_arm">\n<inertial>{o}<mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" '
        'izz="0.025"/></inertial>\n</link><joint name="{s}_j" type="continuous"><parent link="base"/><child '
        'link="{s}_arm"/><origin xyz="0 {y} 0"/></joint>\n'
    )
    text = (
        '<robot name="r"><link name="base"/>\n'
        + side.format(s="left", y="0.1", o='<origin rpy="0.3 0 0"/>')
        + side.format(s="right", y="-0.1", o="")
        + "</robot>\n"
    )
    (folder / "robot.urdf").write_text(text)
    assert said("lint", "robot.urdf", "--fix", "--select", "inertia-frame", "-y")[0] == 0
    written = (folder / "robot_fixed.urdf").read_text()
    assert '<inertial><origin rpy="-0.3 0 0"/><mass' in re.sub(r">\s+<", "><", written)
    assert (
        said(
            "lint",
            "robot.urdf",
            "--fix",
            "--select",
            "inertia-frame",
            "-y",
            "-o",
            "robot.urdf",
            "--force",
        )[0]
        == 0
    )
    assert "inertia-frame" not in [
        one.kind.name for one in examine(written.encode(), "robot.urdf", KNOWN).findings
    ]


def carried_out_wrongly(element, edit):
    """Do what is asked for, and something else beside."""
    element.set(edit.attribute, str(edit.value))
    element.set("velocity", "7")


def test_what_is_read_by_cutting_a_loop_is_repaired(folder):
    """The robot is read from a copy without the loop, the repair is one of the file."""
    twice = "".join(
        f'\n<joint name="{name}" type="continuous"><parent link="a"/><child link="b"/></joint>'
        for name in "jk"
    )
    text = f'<robot name="r"><link name="a"/><link name="b"/>{twice}</robot>'
    (folder / "robot.urdf").write_text(text)
    assert said("lint", "robot.urdf", "--fix", "-y")[0] == 1  # the loop stays
    fixed = (folder / "robot_fixed.urdf").read_text()
    assert re.sub("<inertial>.*</inertial></link>", "", fixed) == text.replace(
        '<link name="b"/>', '<link name="b">'
    )
    kinds = [finding.kind.name for finding in examine(fixed.encode(), "r.urdf", KNOWN).findings]
    assert "refused" in kinds and "no-mass" not in kinds


def moved_a_line(element, edit):
    """Do what is asked for, and change white space elsewhere."""
    element.set(edit.attribute, str(edit.value))
    parent = element.parent
    assert parent is not None
    parent.start_tag = parent.start_tag.replace('name="j" type', 'name="j"  type')


@pytest.mark.parametrize("mutant", (carried_out_wrongly, moved_a_line, lambda element, edit: None))
def test_a_repair_that_does_something_else_is_caught(mutant):
    found = examine(TEXT.encode(), "robot.urdf", KNOWN)
    chosen = [one for one in found.findings if one.kind.name == "limits-reversed"]
    assert found.document is not None and chosen
    with mock.patch.object(fix_findings, "_carry_out", mutant), pytest.raises(ProofFailed):
        repair(found.document, chosen)


def document_of(text):
    document = examine(text.encode(), "robot.urdf", KNOWN).document
    assert document is not None
    return document


@examples(fuzzed=100)
@given(
    st.lists(st.sampled_from((" ", "\n", "\t", "<!-- c -->", "<?p i?>")), max_size=6), st.booleans()
)
def test_all_but_the_edited_values_stays(between, windows):
    """Whatever stands between elements, and with either line end."""
    text = TEXT.replace("    <axis", "".join(between) + "    <axis")
    text = text.replace("\n", "\r\n") if windows else text
    found = examine(text.encode(), "robot.urdf", KNOWN)
    chosen = [one for one in found.findings if one.repair and one.kind.name != "no-mass"]
    assert {one.kind.name for one in chosen} == {"limits-reversed", "rounded-angle", "repaired"}
    new = (
        repair(document_of(text), [])
        if not chosen
        else repair(found.document or document_of(text), chosen)
    )
    undone = (
        new.document.text()
        .replace('lower="-0.5" upper="0.5"', 'lower="0.5" upper="-0.5"')
        .replace("0 1.570796326795 0", "0  1.57 0")
        .replace("3.14159265359", "3.14")
        .replace('xyz="0 1 0"', 'xyz="0,1,0"')
    )
    assert undone == text


LATE = '<!-- of a vendor -->\n<?xml version="1.0"?>\n'
FIRST = '<?xml version="1.0"?>\n<!-- of a vendor -->\n'


@pytest.mark.parametrize("front", (LATE, '\n <?xml version="1.0"?>\n'))
def test_a_late_declaration_is_found_and_moved(front, folder):
    """By --fix, and in a file that is written for another repair; the second run finds nothing."""
    found = examine((front + TEXT).encode(), "robot.urdf", KNOWN)
    (late,) = [one for one in found.findings if one.kind.name == "xml-declaration"]
    assert late.diagnostic.line == 2 and late.severity == "error" and late.repair
    (folder / "robot.urdf").write_text(front + TEXT)
    declaration = '<?xml version="1.0"?>\n'
    moved = declaration + front.replace(declaration, "")
    wanted = {
        "xml-declaration": moved + TEXT,
        "limits-reversed": f"{moved}{NOTE}"
        + TEXT.replace('"0.5" upper="-0.5"', '"-0.5" upper="0.5"'),
    }
    for kind, text in wanted.items():
        words = ("lint", "robot.urdf", "--fix", "--select", kind, "-y", "--force", "-o", "new.urdf")
        status, out, _ = said(*words)
        assert status == 0 and (folder / "new.urdf").read_text() == text
        assert '+<?xml version="1.0"?>' in out
    again = examine((moved + TEXT).encode(), "robot.urdf", KNOWN)
    assert "xml-declaration" not in [one.kind.name for one in again.findings]


def test_a_move_of_something_else_is_caught():
    """Such as of a comment that a document lost on the way."""
    found = examine((LATE + TEXT).encode(), "robot.urdf", KNOWN)
    chosen = [one for one in found.findings if one.kind.name == "xml-declaration"]
    assert found.document is not None
    found.document.children.remove("<!-- of a vendor -->")
    with pytest.raises(ProofFailed, match="XML declaration"):
        repair(found.document, chosen)


@pytest.mark.parametrize(
    "words", (("simplify",), ("edit", "--lock", "j"), ("export", "--for", "rviz"))
)
def test_every_written_result_has_the_declaration_first(words, folder):
    (folder / "robot.urdf").write_text(LATE + FIXED.replace("0,1,0", "0 1 0"))
    named = ("robot.urdf", "new.urdf") if words[0] == "export" else ("robot.urdf", "-o", "new.urdf")
    status, out, told = said(words[0], *named, *words[1:], "-y")
    assert status == 0, told
    assert (folder / "new.urdf").read_text().startswith(FIRST)
    assert "[xml-declaration] line 2: <?xml ...?> comes after a comment" in " ".join(
        (out + told).split()
    )


FIX = ("--fix", "--select", "limits-reversed", "-y")
FIXED = NOTE + TEXT.replace('lower="0.5" upper="-0.5"', 'lower="-0.5" upper="0.5"')


@pytest.fixture
def robots(folder):
    """Robots of one name in two folders, one without findings, one that is no URDF, and one beside the folders."""
    for name in ("a", "b/deep"):
        (folder / name).mkdir(parents=True)
        (folder / name / "robot.urdf").write_text(TEXT)
    (folder / "b" / "sound.urdf").write_text(FIXED)
    (folder / "b" / "scene.xml").write_text("<mujoco/>")
    return folder


@pytest.mark.parametrize(
    ("given", "written"),
    (
        (["a", "b"], ["a/robot.urdf", "b/deep/robot.urdf"]),
        (["b"], ["deep/robot.urdf"]),
        (["a/robot.urdf", "b/deep/robot.urdf"], ["a/robot.urdf", "b/deep/robot.urdf"]),
        (["robot.urdf", "a"], ["robot.urdf", "a/robot.urdf"]),
        (["."], ["robot.urdf", "a/robot.urdf", "b/deep/robot.urdf"]),
    ),
)
def test_several_files_and_folders_go_into_a_folder(given, written, robots, capsys):
    """Each by its name below what holds all that is given; a second run does not take what the first wrote."""
    before = {path: path.read_bytes() for path in robots.rglob("*") if path.is_file()}
    for _ in range(2):
        assert main(["lint", *given, *FIX, "-o", "new/fixed"]) == 0
        out = capsys.readouterr().out.replace(os.sep, "/")
        assert re.findall(r"^Wrote (?:new/fixed/)?(.*)", out, re.M) == written
        made = {path for path in robots.rglob("*") if path.is_file()} - before.keys()
        assert made == {robots / "new" / "fixed" / name for name in written}
        assert {path.read_text() for path in made} == {FIXED}
    assert before == {path: path.read_bytes() for path in before}
    assert ("b/scene.xml: not repaired, as it is no URDF" in out) == ("b" in given or "." in given)


def test_several_files_are_repaired_beside_themselves_or_in_place(robots):
    assert main(["lint", "a", "b", *FIX]) == 0
    assert (robots / "a" / "robot_fixed.urdf").read_text() == FIXED
    assert main(["lint", "a", "b", *FIX, "--force"]) == 0
    assert (robots / "b" / "deep" / "robot.urdf").read_text() == FIXED


def test_one_file_goes_into_a_folder_that_is_there_or_named_as_one(robots):
    for output in ("a", "new/"):
        assert main(["lint", "robot.urdf", *FIX, "--force", "-o", output]) == 0
        assert (robots / output / "robot.urdf").read_text() == FIXED


@pytest.mark.parametrize("bad", ("<robot><link/></robot>", "<robot", ""))
def test_no_file_is_written_if_one_cannot_be_read(bad, robots, capsys):
    (robots / "b" / "bad.urdf").write_text(bad)
    before = sorted(robots.rglob("*"))
    assert main(["lint", "a", "b", *FIX, "-o", "fixed"]) == 2
    heard = capsys.readouterr()
    assert heard.err.startswith(f"error: {as_shown('b/bad.urdf')}") and heard.out == ""
    assert sorted(robots.rglob("*")) == before


def test_of_mujoco_too_the_meshes_are_found_in_another_folder(robots):
    """A compiler that looks in `meshes` alone would look beside the result."""
    (robots / "a" / "meshes").mkdir()
    (robots / "a" / "meshes" / "m.stl").write_bytes(b"")
    block = '<mujoco>\n<compiler meshdir="meshes"/></mujoco>\n  <link name="base"/>'
    text = TEXT.replace('<box size="1 1 1"/>', '<mesh filename="m.stl"/>')
    (robots / "a" / "robot.urdf").write_text(text.replace('<link name="base"/>', block))
    assert main(["lint", "a/robot.urdf", *FIX, "-o", "b/o.urdf"]) == 0
    written = (robots / "b" / "o.urdf").read_text()
    assert '<mesh filename="../a/meshes/m.stl"/>' in written
    assert '<compiler meshdir="." strippath="false"/>' in written


def test_a_compiler_stays_where_only_an_image_moves(robots):
    """Its folder is that of meshes, and the robot has none."""
    block = '<mujoco><compiler meshdir="meshes"/></mujoco><link name="base"/>'
    image = '</geometry><material name="m"><texture filename="tex.png"/></material>'
    text = TEXT.replace('<link name="base"/>', block).replace("</geometry>", image)
    (robots / "a" / "robot.urdf").write_text(text)
    (robots / "a" / "tex.png").write_bytes(b"")
    (robots / "a" / "meshes").mkdir()
    assert main(["lint", "a/robot.urdf", *FIX, "-o", "b/o.urdf"]) == 0
    written = (robots / "b" / "o.urdf").read_text()
    assert '<compiler meshdir="meshes"/>' in written
    assert '<texture filename="../a/tex.png"/>' in written


def test_a_path_of_one_machine_is_repaired_where_its_file_is(folder):
    """The file is at its absolute path, too, as it is where the robot was exported."""
    (folder / "meshes").mkdir()
    (folder / "meshes" / "a.stl").write_bytes(b"")
    (folder / "robots").mkdir()
    text = f'<robot name="r"><link name="a"><visual><geometry><mesh filename="{folder}/meshes/a.stl"/></geometry></visual></link></robot>'
    path = folder / "robots" / "r.urdf"
    path.write_text(text)
    assert said("lint", str(path), "--fix", "--select", "absolute-path", "-y")[0] == 0
    fixed = path.with_name("r_fixed.urdf").read_bytes()
    assert b'filename="../meshes/a.stl"' in fixed
    findings = examine(fixed, str(path), KNOWN).findings
    assert "absolute-path" not in [finding.kind.name for finding in findings]


def test_a_repair_of_many_lines_is_shown_in_few(tmp_path):
    """One repair in 60 joints shows the first lines of the difference, `--full` all of them."""
    joints = "".join(
        f'<link name="l{k}"/>\n<joint name="j{k}" type="fixed"><parent link="b"/><child link="l{k}"/>\n'
        '<origin xyz="6.1e-17 0 1"/></joint>\n'
        for k in range(60)
    )
    path = tmp_path / "r.urdf"
    path.write_text(f'<robot name="r"><link name="b"/>\n{joints}</robot>')
    words = ("lint", str(path), "--fix", "--select", "number-noise", "-n")
    short, full = said(*words)[1], said(*words, "--full")[1]
    assert "1 repair" in short and "more lines (--full)" in short and "Proven" in short
    assert short.count("\n") < 40 and full.count("\n+<origin") == 60
    assert "\\u000a" not in full and "\n\\ No newline at end of file\n" in full
