"""Where mesh references lead: every scheme, every place that is looked at, and what is said when nothing is there."""

import os
from pathlib import Path

from conftest import needs_symlinks
import pytest

FILES = [
    "ws/src/arm/package.xml",
    "ws/src/arm/urdf/robot.urdf",
    "ws/src/arm/meshes/a.dae",
    "ws/src/arm/urdf/b.dae",
    "ws/src/arm/meshes/with space.dae",
    "ws/src/arm/meshes/100%25.dae",
    "ws/src/arm/meshes/100%.dae",
    "ws/src/folder_name/package.xml",
    "ws/src/folder_name/meshes/c.dae",
    "ros/other/meshes/d.dae",
    "ament/share/modern/meshes/e.dae",
    "ament2/share/modern/meshes/f.dae",
    "given/meshes/a.dae",
    "given/g.dae",
    "bare/urdf/robot.urdf",
    "bare/meshes/h.dae",
]


@pytest.fixture
def world(tmp_path):
    """A workspace of ROS 1 and ROS 2 with a robot in it."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "ws/src/arm/package.xml").write_text(
        "<package>\n  <name>\n painted_arm </name>\n</package>\n"
    )
    (tmp_path / "ws/src/folder_name/package.xml").write_bytes(b"\xff\xfe<broken")
    return tmp_path


def find(
    tool,
    world,
    reference,
    folder="ws/src/arm/urdf",
    packages=(),
    **environment,
):
    """Return the file that is found, seen from the world, or "", and the sentences about what was tried; with slashes."""
    values = {
        name: os.pathsep.join(str(world / part) for part in value.split(":")) if value else ""
        for name, value in environment.items()
    }
    given = tuple((name, str(world / path)) for name, path in packages)
    uri_path = world.as_uri()[len("file://") :]  # `/C:/...` of a drive
    found = tool.resolve(
        reference.replace("WORLD", str(world)).replace("URI_PATH", uri_path),
        tool.PackageResolver(str(world / folder), given, values, {}),
    )
    assert found.path is None or found.tried == ""
    path = Path(os.path.relpath(found.path, str(world))).as_posix() if found.path else ""
    tried = found.tried.replace(str(world), "WORLD").replace(os.sep, "/")
    return path, tried.split("; ") if tried else []


MESH = "ws/src/arm/meshes/a.dae"
PLACES = [
    "given/i.dae",
    "ws/src/arm/i.dae",
    "ros/painted_arm/i.dae",
    "ament/share/painted_arm/i.dae",
    "ws/src/arm/urdf/painted_arm/i.dae",
    "ws/src/arm/painted_arm/i.dae",
]


def test_the_order_of_the_places_of_a_package(tool, world):
    """Each place counts when the ones before it hold no such file; at last a folder of that name beside one above."""
    for name in [*PLACES, "ws/src/painted_arm/i.dae"]:
        (world / name).parent.mkdir(parents=True, exist_ok=True)
        (world / name).write_bytes(b"")
    settings = {
        "packages": (("painted_arm", "given"),),
        "ROS_PACKAGE_PATH": "ros",
        "AMENT_PREFIX_PATH": "ament",
    }
    for place in PLACES:
        assert find(tool, world, "package://painted_arm/i.dae", **settings) == (place, [])
        (world / place).unlink()
    assert (
        find(tool, world, "package://painted_arm/i.dae", **settings)[0]
        == "ws/src/painted_arm/i.dae"
    )
    (world / "ws/src/painted_arm/i.dae").unlink()
    assert find(tool, world, "package://painted_arm/i.dae", **settings)[0] == ""


@pytest.mark.parametrize(
    ("settings", "place"),
    (
        ({}, "ws/src/arm/x.dae"),  # the model is a folder above
        ({}, "ws/src/arm/urdf/arm/x.dae"),
        ({"folder": "ws/src/folder_name"}, "ws/src/arm/x.dae"),  # a model beside
        ({"packages": (("arm", "given"),)}, "given/x.dae"),
        ({"GZ_SIM_RESOURCE_PATH": "bare:ros"}, "ros/arm/x.dae"),
        ({"SDF_PATH": "ros"}, "ros/arm/x.dae"),
        ({"GAZEBO_MODEL_PATH": "ros"}, "ros/arm/x.dae"),
    ),
)
def test_a_model_of_gazebo_is_a_folder_of_its_name(tool, world, settings, place):
    (world / place).parent.mkdir(parents=True, exist_ok=True)
    (world / place).write_bytes(b"")
    assert find(tool, world, "model://arm/x.dae", **settings) == (place, [])
    (world / place).unlink()
    assert find(tool, world, "model://arm/x.dae", **settings)[0] == ""


@pytest.mark.parametrize(
    "folder, name", [("ws/src/arm/urdf", "assets"), ("ws/src/arm/urdf/more", "../assets")]
)
def test_a_folder_beside_the_urdf_is_assumed_to_be_the_package(tool, world, folder, name):
    (world / "ws/src/arm/urdf/assets").mkdir()
    (world / "ws/src/arm/urdf/assets/j k.dae").write_bytes(b"")
    (world / folder).mkdir(exist_ok=True)
    found = tool.resolve(
        "package://assets/j%20k.dae", tool.PackageResolver(str(world / folder), (), {}, {})
    )
    assert os.path.samefile(found.path, world / "ws/src/arm/urdf/assets/j k.dae")
    assert found.assumed == ("assets", name)
    assert [one.names for one in tool.package_notices([found, found])] == [found.assumed]


def test_a_folder_beside_any_above_the_urdf_is_assumed_to_be_the_package(tool, world):
    assert find(tool, world, "package://meshes/h.dae", "bare/urdf")[0] == "bare/meshes/h.dae"
    assert find(tool, world, "package://meshes/h.dae", "bare")[0] == "bare/meshes/h.dae"


@pytest.mark.parametrize(
    "reference, expected",
    [
        ("b.dae", "ws/src/arm/urdf/b.dae"),
        ("./b.dae", "ws/src/arm/urdf/b.dae"),
        (" b.dae ", "ws/src/arm/urdf/b.dae"),
        ("../meshes/a.dae", MESH),
        ("..\\meshes\\a.dae", MESH),
        ("WORLD/ws/src/arm/meshes/a.dae", MESH),
        ("file://WORLD/ws/src/arm/meshes/a.dae", MESH),
        ("file://localhostURI_PATH/ws/src/arm/meshes/a.dae", MESH),
        ("file:WORLD/ws/src/arm/meshes/a.dae", MESH),
        ("file://../meshes/a.dae", MESH),
        ("file:../meshes/a.dae", MESH),
        ("file://WORLD\\ws\\src\\arm\\meshes\\a.dae", MESH),
        ("package://painted_arm/meshes/a.dae", MESH),
        ("package://arm/meshes/a.dae", MESH),
        ("package:///arm/meshes/a.dae", MESH),
        ("package://painted_arm\\meshes\\a.dae", MESH),
        ("package://painted_arm/urdf/../meshes/a.dae", MESH),
        ("../meshes/with space.dae", "ws/src/arm/meshes/with space.dae"),
        ("../meshes/with%20space.dae", "ws/src/arm/meshes/with space.dae"),
        ("file://WORLD/ws/src/arm/meshes/with%20space.dae", "ws/src/arm/meshes/with space.dae"),
        ("package://arm/meshes/with%20space.dae", "ws/src/arm/meshes/with space.dae"),
        (
            "../meshes/100%25.dae",
            "ws/src/arm/meshes/100%25.dae",
        ),  # a file name is a file name first
        (
            "file://WORLD/ws/src/arm/meshes/100%25.dae",
            "ws/src/arm/meshes/100%.dae",
        ),  # in a URL it is written so
        ("package://arm/meshes/100%.dae", "ws/src/arm/meshes/100%.dae"),
    ],
)
def test_found(tool, world, reference, expected):
    assert find(tool, world, reference) == (expected, [])


@pytest.mark.parametrize(
    "reference, settings, expected",
    [
        ("package://given/g.dae", {"packages": (("given", "given"),)}, "given/g.dae"),
        (
            "package://painted_arm/meshes/a.dae",
            {"packages": (("painted_arm", "given"),)},
            "given/meshes/a.dae",
        ),
        (
            "package://painted_arm/meshes/a.dae",
            {"packages": (("painted_arm", "ros"),)},
            MESH,
        ),  # not there: the next place
        (
            "package://other/meshes/d.dae",
            {"ROS_PACKAGE_PATH": "nowhere:ros"},
            "ros/other/meshes/d.dae",
        ),
        (
            "package://other/meshes/d.dae",
            {"ROS_PACKAGE_PATH": "ros/other"},
            "ros/other/meshes/d.dae",
        ),
        ("package://painted_arm/meshes/a.dae", {"ROS_PACKAGE_PATH": "ros"}, MESH),
        (
            "package://modern/meshes/e.dae",
            {"AMENT_PREFIX_PATH": "ament:ament2"},
            "ament/share/modern/meshes/e.dae",
        ),
        (
            "package://modern/meshes/f.dae",
            {"AMENT_PREFIX_PATH": "ament:ament2"},
            "ament2/share/modern/meshes/f.dae",
        ),
        (
            "package://folder_name/meshes/c.dae",
            {"folder": "ws/src/folder_name/meshes"},
            "ws/src/folder_name/meshes/c.dae",
        ),
        ("package://bare/meshes/h.dae", {"folder": "bare/urdf"}, "bare/meshes/h.dae"),
    ],
)
def test_packages(tool, world, reference, settings, expected):
    assert find(tool, world, reference, **settings) == (expected, [])


@pytest.mark.parametrize(
    "reference, settings, tried",
    [
        ("c.dae", {}, ["WORLD/ws/src/arm/urdf/c.dae is not there"]),
        ("", {}, ["WORLD/ws/src/arm/urdf/ is not there"]),
        (
            "c%20d.dae",
            {},
            [
                "WORLD/ws/src/arm/urdf/c%20d.dae is not there",
                "WORLD/ws/src/arm/urdf/c d.dae is not there",
            ],
        ),
        ("..", {}, ["WORLD/ws/src/arm is not there"]),
        ("file:///C:/robots/a.dae", {}, ["WORLD/ws/src/arm/urdf/C:/robots/a.dae is not there"]),
        ("C:\\robots\\a.dae", {}, ["WORLD/ws/src/arm/urdf/C:/robots/a.dae is not there"]),
        ("http://example.org/a.dae", {}, ["'http:' is not a file"]),
        (
            "model://none/a.dae",
            {},
            ["no folder of the model 'none' has it (--package none=DIR says where it is)"],
        ),
        (
            "package://unknown/a.dae",
            {},
            [
                "no folder is known for the package 'unknown' (--package unknown=DIR says where it is)"
            ],
        ),
        (
            "package://",
            {},
            ["no folder is known for the package '' (--package =DIR says where it is)"],
        ),
        (
            "package://arm/z.dae",
            {
                "packages": (("arm", "given"),),
                "ROS_PACKAGE_PATH": "ros",
                "AMENT_PREFIX_PATH": "ament",
            },
            [
                "WORLD/given/z.dae is not there",
                "WORLD/ws/src/arm/z.dae is not there",
                "WORLD/ros/arm/z.dae is not there",
                "WORLD/ament/share/arm/z.dae is not there",
            ],
        ),
        ("a\0.dae", {}, ["WORLD/ws/src/arm/urdf/a\0.dae is not there"]),
    ],
)
def test_not_found(tool, world, reference, settings, tried):
    if os.name == "nt" and ":" in reference:
        pytest.skip("C: is a drive here")
    path, sentences = find(tool, world, reference, **settings)
    assert path == ""
    assert [line.replace("urdf/ is", "urdf is") for line in sentences] == [
        line.replace("urdf/ is", "urdf is") for line in tried
    ]


@needs_symlinks
def test_through_a_link(tool, world):
    (world / "elsewhere").symlink_to(world / "ws/src/arm/urdf")
    assert find(tool, world, "package://painted_arm/meshes/a.dae", "elsewhere") == (MESH, [])
    assert find(tool, world, "../meshes/a.dae", "elsewhere")[0].endswith("meshes/a.dae")


def test_a_package_in_the_working_folder(tool, world, monkeypatch):
    monkeypatch.chdir(world / "ws/src/arm/urdf")
    found = tool.resolve("package://painted_arm/meshes/a.dae", tool.PackageResolver("", (), {}, {}))
    assert os.path.samefile(found.path, world / MESH)


def test_missing_meshes_of_a_package_are_one_notice(tool):
    """With how many files and uses there are, and the names of two; one file keeps its own, as do others."""

    def missing(line, name):
        return tool.Diagnostic(tool.MESH_NOT_FOUND, line, "left", (name, "why"))

    names = [
        "package://a/x.stl",
        "package://b/x.stl",
        "package://a/sub/y.stl",
        "z.stl",
        "package://a/x.stl",
        "package://a/w.stl",
        "v.stl",
    ]
    other = tool.Diagnostic(tool.PACKAGE_ASSUMED, 0, "folder", ("a", "../a"))
    notices = [
        *tool.with_missing_meshes_joined(
            [*(missing(9 - k, name) for k, name in enumerate(names)), other]
        )
    ]
    assert [(one.line, one.text) for one in notices] == [
        (
            4,
            "3 files of package 'a' are not found (4 uses): x.stl, y.stl and 1 more; --package a=DIR",
        ),
        (8, "'package://b/x.stl' is not found (why)"),
        (6, "'z.stl' is not found (why)"),
        (3, "'v.stl' is not found (why)"),
        (0, other.text),
    ]


def test_a_package_beside_that_of_the_urdf_is_known_by_its_package_xml(tool, tmp_path):
    """Of `$(find NAME)` and of meshes alike, as xacro and the readers of URDF look a package up by one name."""
    for folder, name in (("cell/urdf", "cell"), ("Arm_Description/meshes", "arm")):
        (tmp_path / folder).mkdir(parents=True)
        xml = f"<package><name>{name}</name></package>"
        (tmp_path / folder).parent.joinpath("package.xml").write_text(xml)
    (tmp_path / "Arm_Description" / "meshes" / "a.stl").write_bytes(b"")
    places = tool.PackageResolver(
        folder=str(tmp_path / "cell" / "urdf"), packages=(), environment={}, ancestors={}
    )
    found = tool.resolve("package://arm/meshes/a.stl", places)
    assert Path(found.path) == tmp_path / "Arm_Description" / "meshes" / "a.stl"
    assert found.assumed == ("arm", "../../Arm_Description")
    assert tool.find_package("arm", places) == str(tmp_path / "Arm_Description")
    assert tool.find_package("leg", places) is None
