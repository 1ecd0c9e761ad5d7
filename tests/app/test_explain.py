"""explain: kinds, options, and errors of other programs as people paste them, each with a command that runs."""

import json
import re
import shlex
import shutil
import time
from pathlib import Path

import golden
import pytest
from commands import in_process
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from program_robots import write_robots
from refused_robots import write_refused

from urdf_tools.app.command_table import main
from urdf_tools.app.run_extension import as_urdf
from urdf_tools.app.program_errors import error_texts, errors_like
from urdf_tools.app.explain_command import explained
from urdf_tools.app.package_options import TABLE
from urdf_tools.base.errors import UrdfError, UsageError
from urdf_tools.export.all_diagnostics import EXPORT_KINDS
from urdf_tools.lint.examine_file import examine
from urdf_tools.lint.program_effects import PROGRAMS
from urdf_tools.report.line_layout import TextStyle

PLAIN = TextStyle(boxes=False, color=False)
ERROR_TEXTS = error_texts()


RECORDED = json.loads(Path(__file__).with_name("recorded_errors.json").read_text("utf-8"))
NAMES = {"isaac": "Isaac", "mujoco": "MuJoCo", "pybullet": "PyBullet"}
# Lint finds nothing in these, and the row of the error names what it finds in others.
UNSEEN = {"material_color_three", "material_no_rgba", "ampersand"}


@pytest.mark.parametrize(
    "error", ERROR_TEXTS, ids=lambda error: f"{error.program}: {error.words[:30]}"
)
def test_an_error_is_known_among_other_words(error):
    words = error.words.replace("...", "'left_hand'")
    pasted = f"[INFO] [1712.2] [node-2]: begins\n[ERROR] [1712.3] [node-2]: {words} (file /tmp/x/robot.urdf, line 12)"
    assert error in errors_like(pasted)
    assert f"  urdf-simplify {error.command}" in explained(pasted, EXPORT_KINDS, PLAIN)


def test_there_are_many_errors_and_each_has_a_source():
    assert len(ERROR_TEXTS) > 240
    assert len({error.words for error in ERROR_TEXTS}) == len(ERROR_TEXTS)
    kinds = {kind.name for kind in EXPORT_KINDS}
    for error in ERROR_TEXTS:
        assert error.source and error.cause and set(error.kinds) <= kinds, error
    # A third of what each of the six programs says is there, at least.
    programs = " ".join(error.program for error in ERROR_TEXTS)
    for program in ("MuJoCo", "Drake", "urdfdom", "Gazebo", "PyBullet", "Isaac"):
        assert programs.count(program) >= 25, program


@pytest.fixture(scope="module")
def findings(tmp_path_factory):
    """Return the findings of lint in each broken robot, by its name."""
    folder = tmp_path_factory.mktemp("refused")
    write_refused(folder)
    names = {name for said in RECORDED.values() for name in said}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return {name: kinds_in(f"{name}.urdf") for name in names}


def kinds_in(path):
    """Return the names of the kinds of findings in a file."""
    try:
        found = examine(Path(path).read_bytes(), path, (), (), as_urdf).findings
    except UrdfError:  # no robot at all
        return {"refused"}
    return {finding.kind.name for finding in found}


@pytest.mark.parametrize("program", RECORDED)
def test_what_programs_said_of_broken_robots_is_known_with_its_finding(program, findings):
    """The judges recorded the texts, and make them again (`judges/test_error_texts.py`)."""
    for name, text in RECORDED[program].items():
        found = errors_like(text)
        own = [
            error for error in found if NAMES.get(program, program).lower() in error.program.lower()
        ]
        assert own, (name, text)
        kinds = own[0].kinds
        assert not kinds or name in UNSEEN or findings[name] & set(kinds), (
            name,
            own[0],
            findings[name],
        )


FROM_THREADS = (  # texts as users pasted them, and words of the row that knows them
    (
        "Error: inertia must satisfy A + B >= C; use 'balanceinertia' to fix\nObject name = MP_NECK, id = 3",
        "A + B",
    ),
    ("inertia must satisfy A + B >= C", "A + B"),
    (
        "ValueError: Error: Error opening file 'package://ergoCub/meshes/sim_ecub_root_link.stl'",
        "Error opening",
    ),
    (
        "Error: could not open STL file '/home/me/Inverted/urdf/base_link.STL' \nObject name = base_link",
        "could not open",
    ),
    (
        "Error: repeated name in mesh array, position 31\nObject name = hip-pitch1, id = 31",
        "mesh array",
    ),
    ("Error: mesh volume is too small...", "volume"),
    (
        "ValueError: Error: faces have inconsistent orientation: robot-v3_6\nObject name = robot-v3_6",
        "have inconsistent",
    ),
    ("error: eigenvalue of mesh inertia too small", "eigenvalue"),
    (
        "  what():  The resulting spatial inertia is not physically valid. See SpatialInertia::IsPhysicallyValid()\nAborted",
        "resulting",
    ),
    ("MakeConvexHull only applies to obj", "MakeConvexHull only"),
    ("KDL does not support a root link with an inertia", "KDL"),
    ("b3Printf: URDF file '~/<my_dir>/test_rob.urdf' not found", "URDF file"),
    (
        "pr2.urdf:80: cannot find 'pr2_description/meshes/base_v0/base.dae' in any directory in urdf path",
        "any directory",
    ),
    (
        "could not load model 'b.dae' for link 'c': FileNotFoundException: Cannot locate resource package://b.dae in resource group O",
        "Could not load model",
    ),
    (
        "for link 'chest':\nCould not load mesh resource 'package://ergoCub/meshes/chest.stl",
        "mesh resource",
    ),
    (
        "[ERROR] [1642689202.8]: Joint 'panda_joint1' declared as part of group 'panda_arm' is not known to the URDF",
        "Joint ... declared",
    ),
    (
        "Warning [parser_urdf.cc:2013] urdf2sdf: link[kinect_ir_frame] has no inertia, not modeled in sdf",
        "not modeled",
    ),
    (
        "[gazebo-3] [Err] [Server.cc:86] Error Code 19: Msg: A link named link has invalid inertia.",
        "invalid inertia",
    ),
    ("Error [parser_urdf.cc:3183] Unable to call parseURDF on robot model", "parseURDF"),
    ("RuntimeError: Accessed invalid null prim", "Accessed"),
    (
        "[Warning] [isaacsim.asset.importer.urdf] Failed to resolve mesh 'package://SO_ARM.SLDASM/meshes/Base.STL'",
        "Failed to resolve",
    ),
)


@pytest.mark.parametrize(("pasted", "words"), FROM_THREADS)
def test_what_users_paste_is_known(pasted, words):
    assert words in " ".join(error.words for error in errors_like(pasted))


UNKNOWN = """
Segmentation fault (core dumped)
ModuleNotFoundError: No module named 'rclpy'
CUDA out of memory. Tried to allocate 2.00 GiB
[ERROR] [spawner]: Could not contact service /controller_manager/list_controllers
No transform from [left_wheel] to [base_link]
Lookup would require extrapolation into the future
joint limit: no acceleration
joint limit: no jerk
material is unique
link is not unique enough for this name server to answer
inertia must satisfy the law
Error opening file: permission denied
the mesh has no texture coordinates
unknown mesh file
Could not parse
URDF file found
cannot find module in any path
expected a robot
ImportError: libGL.so.1: cannot open shared object file: No such file or directory
ValueError: could not broadcast input array from shape (7,) into shape (6,)
ValueError: could not convert string to float: 'a'
KeyError: 'robot_description'
Parameter 'robot_description' is not of type string
[ERROR] [move_group]: Unable to sample any valid states for goal tree
Timed out waiting for transform from base_link to map to become available
FATAL: Waiting for robot model topic to be published
WARNING: Nan, Inf or huge value in QACC at DOF 0. The simulation is unstable.
mj_stackAlloc: insufficient memory: max = 1, available = 0, requested = 8
XML Error: top-level default class name can only be 'main'
failed to load plugin libgazebo_ros2_control.so
gzserver: symbol lookup error: undefined symbol
PhysX error: the application need to increase the number of contact pairs
qhull error
pinocchio: the dimension of the configuration vector is wrong
failed to find a valid inverse kinematics solution
Joint states have NaN
the model has no links and no joints
controller 'arm_controller' is not active
hello world
a b c d e f g
"""


@pytest.mark.parametrize("text", UNKNOWN.strip().splitlines())
def test_other_errors_are_not_known(text):
    assert errors_like(text) == []
    with pytest.raises(UsageError, match="^not known: "):
        explained(text, EXPORT_KINDS, PLAIN)


@given(st.text(st.characters(codec="ascii"), max_size=60))
def test_other_words_are_no_error(text):
    assert errors_like(text) == []


@examples(40, fuzzed=2000)
@given(st.sampled_from(ERROR_TEXTS), st.randoms(use_true_random=False))
def test_an_error_whose_words_are_others_is_another_error(error, random):
    """Each word of an error counts: with one replaced, the text is not known, or known as an error without it."""
    words = re.findall(r"\w+", error.words)
    replaced = random.choice(words)
    text = re.sub(rf"\b{replaced}\b", "zzz", error.words)
    for found in errors_like(text):
        assert found != error or replaced not in re.findall(r"\w+", found.words)


def test_an_unknown_text_gets_the_nearest_findings():
    with pytest.raises(UsageError) as refused:
        explained("the inertia of my forearm violates the triangle inequality", EXPORT_KINDS, PLAIN)
    assert "the nearest findings are " in str(refused.value)
    assert "inertia" in str(refused.value).split("nearest findings")[1]


def test_a_long_log_takes_no_time():
    log = "link 'a' of joint 'b' is in urdf file error value " * 4000
    repeated = "Error:   Could not parse visual element for Link [arm]\n" * 3000
    begun = time.monotonic()
    assert errors_like(log) == []
    assert [error.words for error in errors_like(repeated)] == [
        "Could not parse visual element for Link ..."
    ]
    assert time.monotonic() - begun < 5.0


@pytest.mark.parametrize(
    "cure", sorted({error.command for error in ERROR_TEXTS if "xacro" not in error.command})
)
def test_the_cure_is_a_command_that_runs(cure, here):
    for path in (golden.FIXTURES / "collision").iterdir():
        (shutil.copytree if path.is_dir() else shutil.copy)(str(path), str(here / path.name))
    shutil.copy(str(here / "crane.urdf"), str(here / "robot.urdf"))
    words = shlex.split(cure.replace("my_robot=DIR", "my_robot=."))
    selects = words.index("--select") if "--select" in words else 0
    done = in_process([*words, *([] if words[0] == "lint" and not selects else ["-y"])], main=main)
    assert done.returncode in (0, 1), done.stderr.decode()


@pytest.mark.parametrize(
    "cure", sorted({error.command for error in ERROR_TEXTS if "xacro" in error.command})
)
def test_the_cure_of_xacro_is_a_command_of_xacro(cure, here):
    """There need be no xacro here: what is refused is the file, or the program, and no option."""
    words = shlex.split(cure.replace("NAME=DIR", "name=.").replace("NAME:=VALUE", "name:=1"))
    Path("robot.urdf.xacro").write_text('<robot name="r"><link name="a"/></robot>')
    done = in_process([*words, "-n"], main=main)
    assert (
        done.returncode == 0
        or "xacro" in done.stderr.decode()
        and "option" not in done.stderr.decode()
    )


@pytest.mark.parametrize(
    ("words", "name", "program"),
    (  # an error, a robot that shows it, and the row of the table
        ("mass and inertia of moving bodies", "massless", "mujoco"),
        ("inertia must satisfy A + B", "triangle", "mujoco"),
        ("has no <inertial> block defined", "massless", "gazebo"),
        ("A link named ... has invalid", "triangle", "gazebo"),
        ("unknown mesh file type: .dae", "collision_dae", "mujoco"),
        ("joint ... is not unique", "twice", "rviz"),
        ("decoder failed for mesh file", "collision_glb", "mujoco"),
        ("MakeConvexHull only", "collision_stl", "drake"),
        ("The Proximity role only", "collision_dae", "drake"),
        ("fixed joint ... will be ignored", "fixed", "gazebo"),
    ),
)
def test_the_cure_takes_the_cause_away(words, name, program, here):
    """What the program makes of the robot has another cause then, or none."""
    write_robots(here)
    Path(f"{name}.urdf").replace("robot.urdf")
    error = next(error for error in ERROR_TEXTS if words in error.words)
    known = set(Path().glob("*.urdf"))
    before = row_of("robot.urdf", program)
    assert in_process([*shlex.split(error.command), "-y"], main=main).returncode == 0
    (result,) = set(Path().glob("*.urdf")) - known
    assert before.what[0] not in row_of(str(result), program).what


def row_of(path, program):
    return dict(zip(PROGRAMS, examine(Path(path).read_bytes(), path, ()).programs))[program]


def test_every_option_is_explained():
    for row in TABLE:
        if row.verbs:
            lines = explained(row.spelling, EXPORT_KINDS, PLAIN)
            assert lines[0].startswith(row.shown.split(" ")[0]) and len(lines) > 1


def test_no_sentence_shows_how_it_is_filled():
    for kind in EXPORT_KINDS:
        lines = explained(kind.name, EXPORT_KINDS, PLAIN)
        assert "{" not in "".join(lines[: lines.index("", lines.index("Sentences:"))])


def test_what_is_unknown_is_refused_with_what_is_meant():
    with pytest.raises(UsageError, match="did you mean 'flipped-joint'"):
        explained("fliped-joint", EXPORT_KINDS, PLAIN)
    with pytest.raises(
        UsageError, match="^not known: no finding, option or error text like 'nothing of the kind'"
    ):
        explained("nothing of the kind", EXPORT_KINDS, PLAIN)
