"""What is printed of a hostile name is shown, never obeyed: by a terminal, by GitHub's runner, by a reader of lines."""

import json
import re
import xml.etree.ElementTree as ElementTree

import commands
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from xml.sax.saxutils import quoteattr

from urdf_tools.cli.run_command_line import harmless

PIECES = (
    "\n",
    "\r",
    "\t",
    "\x7f",
    "\x85",
    "\x9b31m",
    "\x9d0;title\x9c",
    "\u2028",
    "\u202e",
    "\u2066",
    "::error::no",
    "::stop-commands::x",
    "##[group]",
    "%0A",
    "\nOK Same robot",
    " ",
    "a",
    "</script>",
)
NAMES = st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join)
OBEYED = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]|^\\s*::|##\\[", re.M)
RUNS = (
    ["robot.urdf", "-n"],
    ["robot.urdf", "-n", "--full"],
    "robot.urdf -y -o same.urdf --no-merge --no-reorient --no-strip".split(),
    ["edit", "robot.urdf", "--prefix", "p_", "-n"],
    ["lint", "robot.urdf", "--level", "note", "--full"],
    ["lint", "robot.urdf", "-q"],
    ["compare", "robot.urdf", "other.urdf", "--full"],
    ["compare", "robot.urdf", "other.urdf", "-q"],
    ["pairs", "robot.urdf", "-n"],
    "export robot.urdf robot.xml robot.sdf robot.usda -n".split(),
)


def robot_of(name, mass=1.0):
    """Return a robot whose parts have a hostile name, with an inertia that no body has, and a mesh that is nowhere."""
    robot, base, tip, mesh = map(
        quoteattr, (name, f"a{name}", f"{name}b", f"package://p/{name}.stl")
    )
    entities = {ord(each): f"&#{ord(each)};" for each in "\n\r\t\x85\u2028"}
    return (
        f"<robot name={robot}><link name={base}/><link name={tip}><inertial><mass value='{mass}'/>"
        f"<inertia ixx='1' iyy='1' izz='5' ixy='0' ixz='0' iyz='0'/></inertial>"
        f"<visual><geometry><mesh filename={mesh}/></geometry></visual></link>"
        f"<joint name={robot} type='revolute'><parent link={base}/><child link={tip}/>"
        "<axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>"
    ).translate(entities)


@examples(8, fuzzed=150)
@given(NAMES)
def test_a_name_is_shown_and_not_obeyed(name):
    with commands.folder_with({"robot.urdf": robot_of(name), "other.urdf": robot_of(name, 2.0)}):
        for words in RUNS:
            done = commands.in_process(words)
            printed = (done.stdout + done.stderr).decode("utf-8")
            assert printed and not OBEYED.search(printed), (words, printed)
            assert done.returncode in (0, 1, 2)
        links = ElementTree.parse("same.urdf").getroot().iter("link")
        assert [link.get("name") for link in links] == [f"a{name}", f"{name}b"], "it stays itself"


@examples(8, fuzzed=150)
@given(NAMES)
def test_each_line_for_github_is_one_finding(name):
    with commands.folder_with({"robot.urdf": robot_of(name)}):
        words = ["lint", "robot.urdf", "--level", "note", "--format"]
        said = commands.in_process([*words, "github"]).stdout.decode("utf-8")
        findings = json.loads(commands.in_process([*words, "json"]).stdout)["findings"]
        lines = re.split(r"\r?\n|\r", said.rstrip("\n"))
        assert len(lines) == len(findings) > 0
        for line in lines:
            assert re.match(
                r"::(error|warning|notice) file=robot\.urdf(,line=1)?,title=[\w-]+::", line
            )


@given(st.text(), st.booleans())
def test_a_line_stays_one_and_keeps_what_is_harmless(text, is_red):
    """What is escaped is an escape of JSON, so that a text within quotes can be read back."""
    shown = harmless(f"\033[31m{text}\033[0m" if is_red else text)
    inside = shown[5:-4] if is_red else shown
    assert not OBEYED.search(inside) and "\n" not in inside
    if "\\" not in text:
        back = re.sub(r"\\u([0-9a-f]{4})", lambda match: chr(int(match.group(1), 16)), inside)
        assert back == text


def test_a_name_of_a_file_is_shown_and_not_obeyed(here):
    for words in (
        ["\033[2Jgone.urdf"],
        ["lint", "\033]0;x\007"],
        ["compare", "a\nb", "::error::c"],
    ):
        done = commands.in_process(words)
        assert done.returncode == 2 and not OBEYED.search((done.stdout + done.stderr).decode())
