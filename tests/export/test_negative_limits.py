"""An effort or velocity below 0 is not written, and each export says so."""
from pathlib import Path

import pytest
from commands import in_process

BOTH = ("effort", "velocity")
FILES = {"mjcf": ("o.xml", ("effort",)), "sdf": ("o.sdf", BOTH), "usd": ("o.usda", BOTH)}


def robot(effort: float, velocity: float) -> str:
    body = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    return (f'<robot name="r"><link name="b">{body}</link><link name="c">{body}</link><joint name="j" type="revolute">'
            '<parent link="b"/><child link="c"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" '
            f'effort="{effort}" velocity="{velocity}"/></joint></robot>')


@pytest.mark.parametrize("form", FILES)
@pytest.mark.parametrize(("effort", "velocity"), [(-3, 2), (3, -2), (-3, -2), (3, 2)])
def test_it_is_named_and_not_written(form: str, effort: float, velocity: float, tmp_path: Path) -> None:
    name, keys = FILES[form]
    (tmp_path / "in.urdf").write_text(robot(effort, velocity), encoding="utf-8")
    done = in_process([str(tmp_path / "in.urdf"), "--as-is", "-y", "-q", f"--{form}", str(tmp_path / name)])
    errors = done.stderr.decode()
    assert done.returncode == 0, errors
    for key, value in (("effort", effort), ("velocity", velocity)):
        said = f"in.urdf:1: joint 'j': its {key} is negative ({value}): it has none in {form.upper()}" in errors
        assert said is (key in keys and value < 0), errors
    text = (tmp_path / name).read_text(encoding="utf-8")
    assert "<effort>-" not in text and "<velocity>-" not in text and "3 -3" not in text and "Force = -" not in text
    assert ("no effort" in errors) is False
