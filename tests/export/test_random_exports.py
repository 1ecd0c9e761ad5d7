"""Robots with all that stands beside links and joints, and variants of them: every export is proven, or refused."""

import random
from pathlib import Path

import pytest
from conftest import FUZZ
from random_beside import write_robot_with_all
from random_gazebo import write_gazebo_robot
from random_robots import write_robot
from edited_robots import varied
from random_variants import draw_variant
from sound_robots import assert_no_mass_is_refused, sound

from engine import simplify
from urdf_tools import UrdfError

WRITERS = (
    write_robot_with_all,
    write_gazebo_robot,
    write_robot,
)
RUNS = ({}, {"as_is": True}, {"merge_all": True}, {"keep_all_frames": True})
EXPORTS = {"mjcf": "out.xml", "sdf": "out.sdf", "usd": "out.usda", "model": "out.json"}


def with_beside(text, r):
    """Put frames, lights, projectors, multicameras and materials of Gazebo's on some links."""
    links = [part.partition('"')[0] for part in text.split('<link name="')[1:]]
    pose = " ".join(f"{r.uniform(-1, 1):.3f}" for _ in range(6))
    added = ""
    for number, link in enumerate(links):
        added += r.choice(
            (
                "",
                f'<frame name="own_{number}" link="{link}" xyz="{pose[:17]}"/>'.replace(
                    pose[:17], "0.1 0.2 0.3"
                ),
                f'<frame name="{r.choice(links)}" link="{link}"/><frame name="own" link="{link}" rpy="0.1 0.2 0.3"/>',
                f'<gazebo reference="{link}"><light name="lamp" type="point"><pose>{pose}</pose></light></gazebo>',
                f'<gazebo reference="{link}"><projector name="beam"><fov>1</fov></projector></gazebo>',
                f'<gazebo reference="{link}"><sensor name="eyes" type="multicamera"><camera name="a"><pose>{pose}</pose>'
                '<horizontal_fov>1</horizontal_fov></camera><camera name="b"><horizontal_fov>1.5</horizontal_fov></camera>'
                "</sensor></gazebo>",
                f'<gazebo reference="{link}"><visual><material><script><name>m_{number % 2}</name></script></material>'
                "</visual></gazebo>",
            )
        )
    return text.replace("</robot>", f"{added}</robot>")


# A joint's name twice, of which one is locked; a loop to the empty root of what floats; a sensor in the world beside it
# (MJCF, SDF); two frames of one name, the first of them in the world.
FOUND = (5724, 5886, 2328, 7763, 6125)
TWICE = (1217, write_gazebo_robot)  # a value twice in one block


@pytest.mark.parametrize(
    "seed, writer",
    [TWICE, *((seed, WRITERS[seed % 3]) for seed in (*FOUND, *range(5000 if FUZZ else 20)))],
)
def test_no_proof_refuses_what_an_exporter_wrote(seed, writer, tmp_path):
    """A proof that fails is no `UrdfError`, and ends this test.

    Some formats lack two types of joints, and a joint of <gazebo> whose ends are one link is one of no SDF.
    """
    r = random.Random(seed)
    text = writer(r)
    text = with_beside(text, r) if r.random() < 0.7 else text
    path, choices = tmp_path / "robot.urdf", dict(RUNS[seed // 3 % 4])
    exports = {option: str(tmp_path / name) for option, name in EXPORTS.items()}
    try:
        text = varied(text, draw_variant(text, r), str(path)) if "as_is" not in choices else text
        path.write_bytes(sound(text).encode("utf-8"))
        done = simplify(
            path, None if "as_is" in choices else tmp_path / "out.urdf", **choices, **exports
        )
    except UrdfError as error:
        assert str(path) in str(error) or "--" in str(error), error
        has_reason = (
            "floating" in text or "planar" in text or "no two links of its SDF" in str(error)
        )
        assert has_reason, error
        assert_no_mass_is_refused(error)
        return
    assert {Path(file[0]).name for file in done.exported.files} >= set(EXPORTS.values())
