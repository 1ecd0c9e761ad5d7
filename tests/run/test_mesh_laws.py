"""Random robots with clashing materials and all kinds of meshes, through all options of meshes: no proof fails."""

import os
import random
import re
import shutil
import tempfile
from pathlib import Path

import pytest
from commands import in_process
from conftest import examples, ROOT
from hypothesis import given
from hypothesis import strategies as st

from mesh_files import binary_stl, TETRAHEDRON
from random_robots import ORDINARY, with_materials, write_robot

MESHES = sorted(
    (
        *(ROOT / "fixtures" / "dae").glob("*.dae"),
        *(ROOT / "fixtures" / "painted_arm").rglob("*.dae"),
    )
)
OPTIONS = (
    "",
    "--merge-all",
    "--keep-all-frames",
    "--no-strip",
    "--no-merge",
    "--no-reorient",
    "--keep-frames",
    "--separate-dae-meshes",
    "--separate-dae-meshes --merge-all --append-mesh-type",
    "--combine-dae-meshes",
    "--separate-dae-meshes --mesh-dir shared",
    "--separate-dae-meshes --keep-equal-colors --max-faces 20",
    "--separate-dae-meshes --mesh-prefix package://x/meshes",
    "--separate-dae-meshes --keep-textured",
    "--mesh-format obj --merge-all --leave-frames",
    "--mesh-format glb",
    "--mesh-format gltf --separate-meshes",
    "--convert-meshes",
    "--combine-meshes",
    "--split",
    "color",
    "--for mujoco",
    "--for drake",
    "--for gazebo",
    "--mesh-paths relative",
)


def write_robot_with_meshes(folder, r):
    """Write robot.urdf and its meshes, some of them with a blank in the name; some names are URIs, and lead nowhere."""
    text = with_materials(write_robot(r, ORDINARY._replace(links=9, hardware=0.3)), r)
    names = ["a.stl"]
    for path in r.sample(MESHES, 4):
        names.append(path.name if r.random() < 0.8 else f"{path.stem} b.dae")
        shutil.copy(path, folder / "meshes" / names[-1])
    (folder / "meshes" / "a.stl").write_bytes(binary_stl(TETRAHEDRON))

    def mesh(found):
        name = r.choice(names).replace(" ", r.choice((" ", "%20")))
        return (
            found[0]
            if r.random() < 0.3
            else f'<mesh filename="{r.choice(("", "./"))}meshes/{name}"/>'
        )

    text = re.sub(r'<mesh filename="package://robot/[^"]*"( scale="[^"]*")?/>', mesh, text)
    if r.random() < 0.3:
        text = text.replace(
            "</robot>",
            f'<mujoco><compiler meshdir="{r.choice((".", "meshes", "no"))}" '
            f'strippath="{r.choice(("true", "false"))}"/></mujoco></robot>',
        )
    (folder / "robot.urdf").write_bytes(text.encode())


@examples(fuzzed=100)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(OPTIONS),
    st.sampled_from(("out.urdf", "elsewhere/out.urdf")),
)
def test_no_robot_fails_its_proof(seed, options, output):
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        folder = Path(name)
        for inside in ("meshes", "elsewhere"):
            (folder / inside).mkdir()
        write_robot_with_meshes(folder, random.Random(seed))
        patch.chdir(folder)
        done = in_process(["robot.urdf", "-y", "-q", "-o", output, *options.split()])
        assert done.returncode in (0, 2), done.stderr.decode()
        assert os.path.exists(output) == (done.returncode == 0)
