"""Whatever simulators are told, in however many blocks: each format is proven against the text, or refused."""
import tempfile
from pathlib import Path
from random import Random

import pytest
from random_gazebo import write_gazebo_robot
from sound_robots import assert_no_mass_is_refused, sound

from engine import simplify
from urdf_tools import UrdfError
from urdf_tools.base.errors import ProofFailed
from urdf_tools.formats.urdf.read import read_urdf
from urdf_tools.export.sdf import verify_sdf
from urdf_tools.formats.sdf.write import SdfDecided
from urdf_tools.model.choices import SdfOptions


@pytest.mark.parametrize("seed", [*range(60), 1217])  # the last: a value twice in one block
def test_no_robot_is_refused_by_a_proof_of_its_exports(seed: int) -> None:
    """A proof that fails is no `UrdfError`, and ends this test."""
    with tempfile.TemporaryDirectory() as folder:
        path, names = Path(folder, "robot.urdf"), ("out.urdf", "out.sdf", "out.xml", "out.json")
        path.write_text(sound(write_gazebo_robot(Random(seed))), encoding="utf-8")
        urdf, sdf, mjcf, model = (str(Path(folder, name)) for name in names)
        try:
            done = simplify(path, urdf, sdf=sdf, mjcf=mjcf, model=model)
        except UrdfError as error:
            assert str(path) in str(error)
            assert_no_mass_is_refused(error)
            return
        assert {Path(file[0]).name for file in done.exported.files} >= set(names[1:])


STILL = """<robot name="r">
  <link name="a">{weight}</link><link name="b">{weight}</link><link name="ft"/>
  <joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>
  <joint name="k" type="fixed"><parent link="b"/><child link="ft"/></joint>
  <gazebo reference="j">
    <implicitSpringDamper>1</implicitSpringDamper><provideFeedback>1</provideFeedback>
    <sensor name="ft" type="force_torque"><force_torque><frame>child</frame></force_torque></sensor>
  </gazebo>
</robot>
""".format(weight="""<inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>""")


def test_what_is_told_of_a_fixed_joint(tmp_path: Path) -> None:
    """A sensor there has the name of a link without mass, which is a frame of the exports."""
    path, sdf, mjcf = tmp_path / "robot.urdf", tmp_path / "out.sdf", tmp_path / "out.xml"
    path.write_text(STILL, encoding="utf-8")
    done = simplify(path, tmp_path / "out.urdf", sdf=str(sdf), mjcf=str(mjcf), keep_frames=True)
    assert "<provide_feedback>true</provide_feedback>" in sdf.read_text(encoding="utf-8")
    assert 'site="ft_2"' in mjcf.read_text(encoding="utf-8")
    decided = SdfDecided(frozenset(), {"a": "a", "b": "b"}, {}, SdfOptions())
    for tag in ("provide_feedback", "implicit_spring_damper"):
        text = sdf.read_text(encoding="utf-8").replace(f"<{tag}>true", f"<{tag}>false")
        with pytest.raises(ProofFailed, match=f"{tag} of the fixed joint 'j'"):
            verify_sdf(text, read_urdf(done.text.encode()), decided)
