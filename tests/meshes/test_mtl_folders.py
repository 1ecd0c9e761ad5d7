"""An MTL in another folder than its OBJ: its images are beside the MTL, else beside the OBJ, for every command."""

import pytest
from mesh_files import png

from urdf_tools.meshes.mesh_readers import named_files, read_mesh
from urdf_tools.export.meshes.obj_materials import look_of_obj

OBJ = """mtllib looks/m.mtl
v 0 0 0
v 1 0 0
v 0 1 0
vt 0 0
vt 1 0
vt 0 1
usemtl a
f 1/1 2/2 3/3
"""
IMAGES = {"looks/t.png": png(255), "t.png": png(0, 255)}


@pytest.mark.parametrize(
    ("places", "wanted"),
    [
        (["looks/t.png"], "looks/t.png"),
        (["t.png"], "t.png"),
        (["t.png", "looks/t.png"], "looks/t.png"),
    ],
)
def test_an_image_is_beside_the_mtl_that_names_it_else_beside_the_obj(places, wanted, tmp_path):
    (tmp_path / "looks").mkdir()
    (tmp_path / "m.obj").write_text(OBJ, "utf-8")
    (tmp_path / "looks" / "m.mtl").write_text("newmtl a\nmap_Kd t.png\n", "utf-8")
    for place in places:
        (tmp_path / place).write_bytes(IMAGES[place])
    path = str(tmp_path / "m.obj")
    (surface,) = read_mesh(path).surfaces
    assert surface.material.image.data == IMAGES[wanted]
    with open(look_of_obj(path).look.image, "rb") as stream:
        assert stream.read() == IMAGES[wanted]
    assert str(tmp_path / wanted) in named_files(path).colors
