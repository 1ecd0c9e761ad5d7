"""What few COLLADA files need is in the package; the single file names it and refuses, and writes nothing."""

import pickle
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, SINGLE_FILE, load_by_path, rare_of

DAE = ROOT / "fixtures" / "dae" / "valid"
PACKAGE = "which only the package urdf_tools reads: `pip install` a clone of its repository"


@pytest.fixture(scope="module")
def single() -> Any:
    return load_by_path(SINGLE_FILE)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("archive.zae", f"is a .zae archive, {PACKAGE}"),
        ("lookat.dae", f"has <lookat>, {PACKAGE}"),
        ("skew.dae", f"has <skew>, {PACKAGE}"),
        ("tristrips.dae", f"has <tristrips>, {PACKAGE}"),
        ("trifans.dae", f"has <trifans>, {PACKAGE}"),
        ("skin.dae", f"has <controller>, {PACKAGE}"),
        ("quad_with_a_hole.dae", f"has <ph>, {PACKAGE}"),
    ],
)
def test_the_single_file_refuses_it_by_name(single: Any, name: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(single.BrokenMesh) as caught:
        single.extract_meshes_from_dae(DAE / name, tmp_path / "parts")
    assert (caught.value.path, caught.value.message) == (str(DAE / name), reason)
    assert (caught.value.line > 0) == name.endswith(".dae")
    assert not (tmp_path / "parts").exists()


def test_planar_parts_are_merged_by_the_package_only(single: Any, tool: Any, tmp_path: Path) -> None:
    path = DAE / "two_materials.dae"
    with pytest.raises(single.UsageError) as caught:
        single.extract_meshes_from_dae(path, tmp_path / "parts", planar="merge")
    assert str(caught.value) == (
        "planar merge is not in the single file but in the package urdf_tools: `pip install` a clone of its repository")
    assert tool.extract_meshes_from_dae(path, tmp_path / "parts", planar="merge")


def test_what_the_package_brings_goes_to_other_processes(tool: Any) -> None:
    assert pickle.loads(pickle.dumps(rare_of(tool))) == rare_of(tool)
    assert set(rare_of(tool).transforms) == set(rare_of(tool).measured) == {"lookat", "skew"}
