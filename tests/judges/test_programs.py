"""The table of lint by program is what the programs do: they load robots as they are, and as its commands cure them.

With URDF_WRITE=1 the agreement is written into `urdf_tools/lint/README.md`.
"""

from collections import namedtuple
import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest
from conftest import ROOT
from program_robots import ROBOTS, write_robots
from judges.test_urdfdom import SITE, urdfdom

from urdf_tools.app.command_table import main
from urdf_tools.export.all_diagnostics import EXPORT_KINDS
from urdf_tools.lint import program_effects
from urdf_tools.base.errors import UrdfError
from urdf_tools.lint.examine_file import examine
from urdf_tools.lint.program_rules import weighed_by_mujoco
from urdf_tools.lint.program_effects import (
    command_of,
    EFFECTS,
    LOADS,
    LOSES,
    PROGRAMS,
    programs_of,
    REFUSES,
)
from urdf_tools.lint.shape_bounds import find_bodies
from urdf_tools.facts.simulator_values import lumped_links

LOADER = Path(__file__).with_name("program_loading.py")
PAGE = ROOT / "urdf_tools" / "lint" / "README.md"
KNOWN = [kind.name for kind in EXPORT_KINDS]
FOLDERS = ("fixtures", "../shared/robots", "../shared/peer_suites", "../shared/hunt3")
MOST_STEPS = 6
JUDGES = {
    "rviz": "urdfdom 6 (RViz itself: not judged)",
    "gazebo": "libsdformat 12",
    "mujoco": "MuJoCo 4.0",
    "drake": "Drake 1.51",
    "newton": "Newton 1.8 (Isaac: not judged)",
    "pybullet": "PyBullet 3.2.7",
}
NOT_OF_LINT = {  # by program, errors about what lint does not look at: tags of that program, and names that it reserves
    "gazebo": ("Error reading element <pose>", "attached_to name", "Child frame with name"),
    "drake": (
        "Unable to find the <drake:",
        "has no members",
        "Expected 3 values for attribute damping",
    ),
    "newton": ("invalid predicate",),  # a name with a quote
    "mujoco": (
        "Element name 'pan'",
        "Element name 'tool0_link'",
        "Element name 'camera_link'",  # a joint that is there
        # twice: this tool takes both links for one body
        "required attribute missing: 'name'",
    ),
}  # of a material with a texture
NOT_EXPORTED = (  # why the export that the table names is refused: formats have less than URDF
    "MuJoCo has floating joints at the world only",
    "SDF has no planar joint",
)


def shapes_of(robot):
    """Return how many shapes have a geometry, and if it is a mesh its file."""
    return sum(
        shape.drawn is not None and (shape.drawn.name != "mesh" or bool(shape.mesh))
        for link in robot.links.values()
        for shape in link.shapes
    )


def followers_of(robot):
    return sum(joint.mimic is not None and joint.type != "fixed" for joint in robot.joints)


def written(robot):
    """Return the masses of all links that move."""
    bodies = find_bodies(robot)
    return [link.mass for name, link in robot.links.items() if bodies[name].name != robot.root]


# What a program loses, by the words of the table, and how that is seen in what it has loaded.
SEEN = {
    ("mujoco", "visuals"): lambda loaded, robot: loaded["shapes"] < shapes_of(robot),
    ("mujoco", "the root's mass"): lambda loaded, robot: (
        (sum(written(robot)) if weighed_by_mujoco(robot) else loaded["mass"])
        < (1.0 - 1e-9) * sum(link.mass for link in robot.links.values())
    ),
    ("mujoco", "masses"): lambda loaded, robot: loaded["mass"] > (1.0 + 1e-9) * sum(written(robot)),
    ("mujoco", "fixed links"): lambda loaded, robot: loaded["bodies"] < len(robot.links) - 1,
    ("mujoco", "limits"): lambda loaded, robot: (
        loaded["limits"]
        < sum(
            joint.type in ("revolute", "prismatic") and joint.limit is not None
            for joint in robot.joints
        )
    ),
    ("mujoco", "a joint's name"): lambda loaded, robot: loaded["names"] < loaded["joints"],
    ("mujoco", "a <mimic>"): lambda loaded, robot: loaded["followers"] < followers_of(robot),
    ("newton", "meshes not found"): lambda loaded, robot: loaded["shapes"] < shapes_of(robot),
    ("newton", "faulty inertias"): lambda loaded, robot: loaded["corrected"],
    ("newton", "a <mimic>"): lambda loaded, robot: loaded["followers"] < followers_of(robot),
    ("gazebo", "links without mass"): lambda loaded, robot: (
        loaded["bodies"]
        < len({lumped.body for lumped in lumped_links(robot.document.root).values()} - {"world"})
    ),
    ("rviz", "faulty parts"): lambda loaded, robot: loaded["errors"] > 0,
}


class Look(namedtuple("Look", "robot findings")):
    """A robot as lint sees it: its findings, of which the table is made."""

    def row(self, program):
        return dict(zip(PROGRAMS, programs_of(self.findings)))[program]


@pytest.fixture(scope="module")
def looks(tmp_path_factory):
    """Return all robots that have a table: copies, as the cures write beside them."""
    folder = tmp_path_factory.mktemp("robots")
    for name in FOLDERS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / Path(name).name)
    (folder / "single").mkdir()
    write_robots(folder / "single")
    paths = {path.read_bytes(): path for path in sorted(folder.rglob("*.urdf"), reverse=True)}
    return {path: look for path in sorted(paths.values()) for look in [look_at(path)] if look}


def look_at(path):
    try:
        examined = examine(path.read_bytes(), str(path), KNOWN)
    except UrdfError:  # no robot at all
        return None
    if not examined.programs or examined.robot is None:
        return None
    everything = [*examined.findings, *(finding for finding, _ in examined.ignored)]
    return Look(examined.robot, tuple(everything))


@pytest.fixture(scope="module")
def load(request):
    """Return what loads files in a program."""

    def loaded(program, paths):
        if program == "rviz":
            return {path: in_urdfdom(path) for path in paths}
        if program == "gazebo":  # where libsdformat is absent this program alone is skipped
            resolved = request.getfixturevalue("resolved_by_gazebo")(paths)
            return {path: sdformat(text) for path, text in zip(paths, resolved)}
        return in_python(program, paths)

    return loaded


def in_urdfdom(path):
    is_taken, errors = urdfdom(path)
    return {"errors": len(errors)} if is_taken else {"refused": " ".join(errors) or "refused"}


def sdformat(text):
    lines = text.splitlines()[1:]
    errors = [line for line in lines if line.startswith("error")]
    counts = Counter(line.split("\t")[0] for line in lines)
    return (
        {"refused": errors[0]} if errors else {"bodies": counts["link"], "joints": counts["joint"]}
    )


def in_python(program, paths):
    """Load files in a process of its own, and the others in another one where a file ends it."""
    module = {"drake": "pydrake"}.get(program, program)
    if find_spec(module) is None:
        pytest.skip(f"{module} is not here")
    results = {}
    while len(results) < len(paths):
        done = subprocess.run(
            [sys.executable, str(LOADER), program, *map(str, paths[len(results) :])],
            capture_output=True,
            encoding="utf-8",
        )
        before = len(results)
        for word, path, *what in map(json.loads, done.stdout.splitlines()):
            results[Path(path)] = (
                what[0] if word == "done" else {"refused": f"it ends ({done.returncode})"}
            )
        assert len(results) > before, done.stderr
    return results


def disagreement(program, look, loaded):
    """Return how the table and a program differ about a robot, "" if they do not."""
    row, refused = look.row(program), str(loaded.get("refused", ""))
    if any(words in refused for words in NOT_OF_LINT.get(program, ())):
        return ""
    if bool(refused) != (row.verdict == REFUSES):
        return f"the table says {row.verdict} {row.what}, and the program {refused or 'loads it'}"
    lost = {
        what
        for (key, what), is_seen in SEEN.items()
        if key == program and not refused and is_seen(loaded, look.robot)
    }
    said = {what for what in row.what if row.verdict == LOSES and (program, what) in SEEN}
    return "" if refused or lost == said else f"the table says that {said} is lost, and {lost} is"


def disagreements(program, looks, loaded):
    return [
        f"{path}: {text}"
        for path, look in looks.items()
        for text in [disagreement(program, look, loaded[path])]
        if text
    ]


@pytest.fixture(scope="module", params=PROGRAMS)
def judged(request, looks, load):
    """Return a program, and what it makes of all robots."""
    return request.param, load(request.param, list(looks))


def test_the_table_says_what_the_program_does(judged, looks):
    wrong = disagreements(judged[0], looks, judged[1])
    assert not wrong, "\n".join(wrong)
    assert len(looks) > 80


class Cured(namedtuple("Cured", "steps result rest message", defaults=("", ""))):
    """Cures that were run one after the other.

    Attributes:
        steps: how many.
        result: the last file that was written.
        rest: what is left to do: "" nothing, by hand, or a folder of meshes.
        message: why the last command was refused.
    """


def cure(path, program, look):
    """Run the commands that cure what a program makes of a robot, as far as there are commands."""
    for step in range(MOST_STEPS):
        row = look.row(program) if look else None
        if row is None or row.verdict not in (REFUSES, LOSES) or step and row.verdict != REFUSES:
            return Cured(step, path)
        command = command_of(row, str(path))
        if not command or "NAME=DIR" in command:
            return Cured(step, path, "a folder" if command else "by hand")
        words = command.split()[1:]
        ending = {"simplify": "_simplified.urdf", "lint": "_fixed.urdf"}
        result = (
            Path(words[2]) if words[0] == "export" else path.with_name(path.stem + ending[words[0]])
        )
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(
            io.StringIO()
        ) as told:
            status = main([*words, "-y", "-q"])
        # Of lint --fix 1 is the status of other errors, which stay.
        if status not in (0, words[0] == "lint") or not result.exists():
            message = f"{' '.join(words)}: status {status}: {told.getvalue().strip()}"
            return Cured(
                step,
                path,
                "refused",
                "" if any(text in message for text in NOT_EXPORTED) else message,
            )
        after = look_at(result) if result.suffix == ".urdf" else None
        if after and after.row(program) == row:
            assert row.verdict == LOSES, f"{command} cures nothing"
            return Cured(step + 1, result)
        path, look = result, after
    raise AssertionError(f"{path}: no end")


@pytest.mark.parametrize("program", PROGRAMS)
def test_public_robots_agree(program, load):
    """Those that the packages of the judges bring: of some a program reads more, or less, than lint knows."""
    paths = {
        path.read_bytes(): path
        for path in sorted(SITE.rglob("*.urdf"))
        if "random_urdfs" not in path.parts
    }
    looks = {path: look for path in paths.values() for look in [look_at(path)] if look}
    loaded = load(program, list(looks))
    wrong = [
        path
        for path, look in looks.items()
        if ("refused" in loaded[path]) != (look.row(program).verdict == REFUSES)
    ]
    print(
        f"{program}: {len(looks) - len(wrong)} of {len(looks)} public robots agree",
        *wrong,
        sep="\n",
    )
    if len(looks) < 100:
        pytest.skip("the packages that bring robots are not here")
    assert len(wrong) <= 0.05 * len(looks)


def test_what_is_not_written_is_taken_as_the_notes_say(tmp_path):
    """A limit without ends: none in Drake, from 0 to 0 in urdfdom; an axis of 2 m: PyBullet slides twice as far."""
    parsing = pytest.importorskip("pydrake.multibody.parsing")
    plant = pytest.importorskip("pydrake.multibody.plant").MultibodyPlant(0.001)
    pin, bullet = map(pytest.importorskip, ("pinocchio", "pybullet"))
    no_ends, long_axis = (tmp_path / f"{name}.urdf" for name in ("no_ends", "long_axis"))
    for path in (no_ends, long_axis):
        path.write_text(ROBOTS[path.stem], "utf-8")
    parsing.Parser(plant).AddModels(str(no_ends))
    plant.Finalize()
    assert [*plant.GetJointByName("j").position_upper_limits()] == [float("inf")]
    assert [*pin.buildModelFromUrdf(str(no_ends)).upperPositionLimit] == [0.0]
    bullet.connect(bullet.DIRECT)
    body = bullet.loadURDF(str(long_axis))
    bullet.resetJointState(body, 1, 0.25)
    height = bullet.getLinkState(body, 1, computeForwardKinematics=True)[4][2]
    bullet.disconnect()
    assert height == pytest.approx(0.5 + 0.5 + 2.0 * 0.25)
    (note,) = [
        found.diagnostic
        for found in look_at(long_axis).findings
        if (found.kind.name, found.diagnostic.sentence) == ("in-pybullet", "axis")
    ]
    assert note.numbers == (2.0,)


def test_newton_and_pybullet_turn_a_negative_scale_inside_out(tmp_path):
    """And not the file that has the scale in it."""
    newton, bullet, np = map(pytest.importorskip, ("newton", "pybullet", "numpy"))
    paths = [tmp_path / "mirrored.urdf", tmp_path / "baked.urdf"]
    write_robots(tmp_path)
    with contextlib.redirect_stdout(io.StringIO()):
        assert main(["edit", str(paths[0]), "--bake-scale", "*", "-o", str(paths[1]), "-y"]) == 0
    volumes = []
    for path in paths:
        builder = newton.ModelBuilder()
        builder.add_urdf(str(path))
        (mesh,) = [each for each in builder.shape_source if hasattr(each, "vertices")]
        a, b, c = np.array(mesh.vertices)[np.array(mesh.indices).reshape(-1, 3)].swapaxes(0, 1)
        volumes.append(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)
    assert volumes == pytest.approx([-1.0 / 6.0, 1.0 / 6.0], rel=1e-5)
    assert [
        any(found.diagnostic.sentence == "mirrored" for found in look_at(path).findings)
        for path in paths
    ] == [True, False]


def test_the_commands_cure(judged, looks, load):
    """A robot that is cured loads."""
    program, before = judged
    cured = {path: cure(path, program, look) for path, look in looks.items()}
    loaded = load(program, [done.result for done in cured.values() if done.steps])
    wrong = [
        f"{path} ({done.steps}): {loaded[done.result]['refused']}"
        for path, done in cured.items()
        if done.steps and not done.rest and "refused" in loaded[done.result]
    ]
    known = (*NOT_OF_LINT.get(program, ()), *NOT_EXPORTED)
    wrong = [text for text in wrong if not any(words in text for words in known)]
    wrong += [done.message for done in cured.values() if done.message]
    assert not wrong, f"{len(wrong)} of {len(cured)}\n" + "\n".join(wrong)
    refused = {path for path, what in before.items() if "refused" in what}
    rests = Counter(cured[path].rest for path in refused)
    loads = sum(
        "refused" not in loaded[cured[path].result] for path in refused if cured[path].steps
    )
    agree = len(looks) - sum(
        any(words in str(what) for words in NOT_OF_LINT.get(program, ()))
        for what in before.values()
    )
    row = (
        PROGRAMS[program],
        JUDGES[program],
        len(looks),
        agree,
        len(refused),
        loads,
        rests["by hand"],
        rests["a folder"],
        rests["refused"],
    )
    write("| " + " | ".join(map(str, row)) + " |", program)


def write(line, program):
    """Print a row of the table in the page of lint, and write it there with URDF_WRITE=1."""
    print(line)
    if os.environ.get("URDF_WRITE"):
        text = PAGE.read_text("utf-8")
        new, count = re.subn(rf"^\| {re.escape(PROGRAMS[program])} \|.*$", line, text, flags=re.M)
        assert count == 1
        PAGE.write_text(new, "utf-8")


def test_a_wrong_fact_is_seen(judged, looks, monkeypatch):
    """Each row that says that the program refuses a robot, or loses what is seen here, is needed."""
    program, loaded = judged
    small = {path: look for path, look in looks.items() if path.parent.name == "single"}
    rows = [
        k
        for k, row in enumerate(EFFECTS)
        if program in row.programs.split()
        and (
            row.verdict == REFUSES
            or (program, row.what) in SEEN
            and [other.what for other in EFFECTS if program in other.programs.split()].count(
                row.what
            )
            == 1
        )
    ]
    assert len(rows) > 5
    for k in rows:
        wrong = (*EFFECTS[:k], EFFECTS[k]._replace(verdict=LOADS), *EFFECTS[k + 1 :])
        monkeypatch.setattr(program_effects, "EFFECTS", wrong)
        assert disagreements(program, small, loaded), EFFECTS[k]
