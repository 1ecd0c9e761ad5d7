"""The readers of the comparison share nothing with what they judge."""

from test_rooms import IMPORTS, room_of

FOREIGN = {"plan", "apply", "model", "export", "run", "report", "cli", "srdf"}
READER_AND_WRITERS = {
    "urdf/urdf_reader.py",
    "meshes/prepare_surfaces.py",
    "meshes/convert_mesh.py",
    "meshes/write_mesh_files.py",
    "meshes/stl_files.py",
}


def test_no_reader_and_no_comparison_knows_the_reader_the_plan_the_model_or_a_writer():
    loaded = {name for row in IMPORTS if row.file.startswith("compare/") for name in row.loads} - {
        "compare/__init__.py"
    }
    assert "robot/raw_robot.py" in loaded
    assert [name for name in loaded if room_of(name) in FOREIGN or name in READER_AND_WRITERS] == []
