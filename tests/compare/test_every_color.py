"""Any one color of a robot, wherever it is written: the comparison of two robots that differ in it never says "same".

And a robot with any colors is the same as what a run or an export makes of it, but for what that names.
"""

import json
import random
import re
from pathlib import Path

import pytest
from commands import folder_with, said
from conftest import examples, SEEDS, some_of
from hypothesis import given
from painted_robots import other_than, random_color, ROBOTS, write_into

from urdf_tools.compare import surface_colors, mesh_comparison
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.read_any_format import read_robot_of
from urdf_tools.compare.difference_kinds import text_of
from urdf_tools.meshes.look_digests import LookDigests

PLACES = [(name, place) for name, robot in ROBOTS.items() for place in robot.places]


def compared(robot, shown, others, folder):
    """Return the comparison of a robot with itself in other colors."""
    for side, painted in (("a", shown), ("b", others)):
        write_into(folder / side, robot.write(painted))
    return compare(*(read_robot_of(folder / side / robot.name) for side in "ab"))


def check(name, place, seed):
    robot, rng = ROBOTS[name], random.Random(seed)
    shown = {each: random_color(rng) for each in robot.places}
    with folder_with({}) as folder:
        found = compared(robot, shown, {**shown, place: other_than(rng, shown[place])}, folder)
        assert found.exit_code == 1, (name, place, found.verdict, found.notes)
        same = compared(robot, shown, shown, folder)
        assert (same.exit_code, same.verdict) == (0, "same"), (name, same.differences)


TAKEN = {  # how a color is taken away from where it is written
    "material": r'<color rgba="[^"]*"/>',
    "mjcf geom": r' rgba="[^"]*"',
    "mjcf default": r' rgba="[^"]*"',
    "mjcf material": r' rgba="[^"]*"',
    "mjcf image": r' texture="t"',
    "texture": r"<texture [^>]*>",
    "gazebo": r"<gazebo .*</gazebo>",
    "usd shape": r"color3f\[\] primvars:displayColor = .*",
    "usd bound": r"color3f inputs:diffuseColor = .*",
    "usd glow": r"color3f inputs:emissiveColor = .*",
    "sdf image": r"<pbr>.*</pbr>",
    "sdf emissive": r"<emissive>.*</emissive>",
}
TAKEN_OF = [
    (name, place) for name, robot in ROBOTS.items() for place in TAKEN if place in robot.places
]


@pytest.mark.parametrize("name, place", some_of(TAKEN_OF, 60))
@given(SEEDS)
@examples(1, fuzzed=4)
def test_a_color_that_is_taken_away_is_a_difference(name, place, seed):
    robot, rng = ROBOTS[name], random.Random(seed)
    files = robot.write({each: random_color(rng) for each in robot.places})
    text = files[robot.name].decode("utf-8")
    taken = re.sub(TAKEN[place], "", text, count=1)
    assert taken != text
    with folder_with({}) as folder:
        write_into(folder / "a", files)
        write_into(folder / "b", {**files, robot.name: taken.encode("utf-8")})
        a, b = (read_robot_of(folder / side / robot.name) for side in "ab")
        for found in (compare(a, b), compare(b, a)):
            assert found.exit_code == 1, (name, place, found.notes)


@pytest.mark.parametrize("name, place", some_of(PLACES, 60))
@given(SEEDS)
@examples(1, fuzzed=4)
def test_another_color_is_never_called_the_same(name, place, seed):
    check(name, place, seed)


RUNS = {
    "--split": ("robot.urdf", "--split", "color", "-o", "made.urdf"),
    **{form: ("robot.urdf", "--mesh-format", form, "-o", "made.urdf") for form in ("obj", "gltf")},
    **{name: ("export", "robot.urdf", f"made.{name}") for name in ("xml", "sdf", "usda", "json")},
}
OF_URDF = [name for name in ROBOTS if name.startswith("urdf")]


DAE = "urdf own, part.dae dae diffuse dae emission dae second"
NOTHING = surface_colors.NOTHING
MUTANTS = [  # what is broken, and a color whose change is then not seen
    (surface_colors, "color_of_file", lambda part: ("", part.color), DAE, "dae diffuse"),
    (surface_colors, "color_of_robot", lambda part: NOTHING, DAE, "material"),
    (surface_colors, "emission_of", lambda part: NOTHING, DAE, "dae emission"),
    (
        surface_colors,
        "tint_of",
        lambda part: NOTHING,
        "urdf own, part.obj mtl image mtl tint mtl second",
        "mtl tint",
    ),
    (
        mesh_comparison,
        "other_looks",
        lambda path: LookDigests(),
        "urdf own, part.glb gltf factor gltf points gltf second",
        "gltf points",
    ),
]


@pytest.mark.parametrize("module, function, broken, name, place", MUTANTS)
def test_a_mutant_of_the_comparison_of_colors_is_seen(
    module, function, broken, name, place, monkeypatch
):
    monkeypatch.setattr(module, function, broken)
    with pytest.raises(AssertionError):
        check(name, place, 1)


def test_a_color_that_only_some_programs_draw_is_named_with_them(tmp_path):
    robot = ROBOTS[DAE]
    shown = {**dict.fromkeys(robot.places, (0.5, 0.25, 0.125)), "dae second": (0.5, 0.5, 0.5)}
    of_file = compared(robot, shown, {**shown, "dae diffuse": (1.0, 0.0, 0.0)}, tmp_path / "file")
    of_robot = compared(robot, shown, {**shown, "material": (1.0, 0.0, 0.0)}, tmp_path / "robot")
    assert [text_of(one) for one in (*of_file.differences, *of_robot.differences)] == [
        "base: visual part has another color in its mesh file, which RViz and Drake draw; MuJoCo and"
        " Pinocchio draw that of the robot's file",
        "base: visual part has another color in the robot's file, which MuJoCo and Pinocchio draw;"
        " RViz and Drake draw that of its mesh file",
    ]


@pytest.mark.parametrize(
    "places, kinds",
    [
        (("sdf diffuse",), ["color"]),
        (("sdf ambient",), ["surface"]),
        (("sdf diffuse", "sdf ambient"), ["color"]),
    ],
)
def test_diffuse_and_ambient_are_named_as_what_changed(places, kinds, tmp_path):
    robot = ROBOTS["sdf, box"]
    shown = dict.fromkeys(robot.places, (0.5, 0.25, 0.125))
    found = compared(robot, shown, {**shown, **dict.fromkeys(places, (1.0, 0.0, 0.0))}, tmp_path)
    assert [one.kind for one in found.differences] == kinds


def test_faces_of_a_usd_subset_without_a_binding_have_that_of_their_mesh(tmp_path):
    robot = ROBOTS["usd parts"]
    files = robot.write(dict.fromkeys(robot.places, (0.5, 0.25, 0.125)))
    unbound = files[robot.name].replace(b"rel material:binding = </r/n>", b"")
    write_into(tmp_path / "a", files)
    write_into(tmp_path / "b", {robot.name: unbound})
    a, b = (read_robot_of(tmp_path / side / robot.name) for side in "ab")
    (_, glows), (whole,) = a.links[0].shapes[0].inline(), b.links[0].shapes[0].inline()
    assert len(whole.triangles) == 4 and whole.color == glows.color
    assert whole.emission == glows.emission != (0.0, 0.0, 0.0)


def test_an_image_that_is_not_there_may_be_any_image(tmp_path):
    """Two files that lack the same image are the same; where only one lacks it, nobody knows."""
    robot = ROBOTS["urdf own, part.obj mtl image mtl tint mtl second"]
    files = robot.write(dict.fromkeys(robot.places, (0.5, 0.25, 0.125)))
    without = {file: data for file, data in files.items() if file != "wood.png"}
    for side, shown in (("a", files), ("b", without), ("c", without)):
        write_into(tmp_path / side, shown)
    a, b, c = (read_robot_of(tmp_path / side / robot.name) for side in "abc")
    assert [one.kind for one in compare(a, b).unproven] == ["mesh_unproven"]
    assert compare(b, c).verdict == "same"


EDITED = {  # where a file that a run wrote says a color
    ".xml": r'rgba="([^"]*)"',
    ".sdf": r"<diffuse>([^<]*)<",
    ".usda": r"(?:diffuseColor|emissiveColor) = \(([^)]*)\)",
    ".urdf": r'(?<=<color )rgba="([^"]*)"',
    ".json": r'"rgba": \[([^\]]*)\]',
    ".mtl": r"(?m)^K[de] (.*)$",
    ".gltf": r'"(?:baseColorFactor|emissiveFactor)": ?\[([^\]]*)\]',
}


def with_another_color(rng, path):
    """Write one color of a file otherwise; return False if it has none."""
    text = path.read_text("utf-8")
    places = list(re.finditer(EDITED[path.suffix], text))
    if not places:
        return False
    start, end = rng.choice(places).span(1)
    comma = ", " if "," in text[start:end] else " "
    first, *rest = text[start:end].replace(",", " ").split()
    changed = comma.join([f"{(float(first) + 0.375) % 1:.4g}", *rest])
    path.write_text(text[:start] + changed + text[end:], "utf-8")
    return True


@pytest.mark.parametrize("run", RUNS)
@given(SEEDS)
@examples(3, fuzzed=100)
def test_another_color_in_what_a_run_made_is_seen_beside_its_input(run, seed):
    """But where the input has no color at all, or the output says it twice: then a note says so."""
    rng = random.Random(seed)
    robot = ROBOTS[rng.choice([name for name in OF_URDF if "named" not in name])]
    words = RUNS[run]
    made = next(word for word in words if word.startswith("made."))
    with folder_with({}) as folder:
        inputs = robot.write({place: random_color(rng) for place in robot.places})
        write_into(folder, inputs)
        assert said(*words, "-y", "-q")[0] == 0
        files = [path for path in folder.rglob("*") if path.suffix in EDITED]
        files = [path for path in sorted(files) if path.name not in inputs]
        if made.endswith(".xml"):  # MuJoCo reads no MTL
            files = [path for path in files if path.suffix != ".mtl"]
        if not with_another_color(rng, rng.choice(files)):
            return
        said("compare", "robot.urdf", made, "--report", "found.json")
        found = json.loads(Path("found.json").read_text("utf-8"))
    notes = {one["kind"] for one in found["noted"]}
    assert found["exit"] == 1 or notes & {"color_gray"}, robot
