"""Whatever simulators are told, in however many blocks: each format is proven against the text, or refused."""
import tempfile
from pathlib import Path
from random import Random

import pytest
from random_gazebo import write_gazebo_robot

from urdf_tools import simplify, UrdfError


@pytest.mark.parametrize("seed", [*range(60), 1217])  # the last: a value twice in one block
def test_no_robot_is_refused_by_a_proof_of_its_exports(seed: int) -> None:
    """A proof that fails is no `UrdfError`, and ends this test."""
    with tempfile.TemporaryDirectory() as folder:
        path, names = Path(folder, "robot.urdf"), ("out.urdf", "out.sdf", "out.xml", "out.json")
        path.write_text(write_gazebo_robot(Random(seed)), encoding="utf-8")
        urdf, sdf, mjcf, model = (str(Path(folder, name)) for name in names)
        try:
            done = simplify(path, urdf, sdf=sdf, mjcf=mjcf, model=model, massless="tiny", inertia="nearest")
        except UrdfError as error:
            assert str(path) in str(error)
            return
        assert {Path(file[0]).name for file in done.exported.files} >= set(names[1:])
