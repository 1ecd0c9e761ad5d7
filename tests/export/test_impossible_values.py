"""Values that no format may hold; each export says so.

A mass of 0 is no body, whatever its tensor: as the root it is a fixed base, elsewhere it is refused as any. An effort
or velocity below 0 is not written.
"""

import re

import pytest
from commands import in_process
from sound_robots import sound

from urdf_tools.base.errors import ProofFailed
from urdf_tools.model import Robot

TENSOR = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
ALONE, HEAVY = (f'<inertial><mass value="{mass}"/>{TENSOR}</inertial>' for mass in (0, 1))
SAID = "has an inertia and a mass of 0: the inertia is left out of"
FIXED = {
    "mjcf": (("<freejoint", 0), ("mass=", 1)),
    "sdf": (("<parent>world</parent>", 1), ("<mass>", 1)),
    "usd": (("PhysicsFixedJoint", 1), ("mass = 1\n", 1)),
}
FILES = {"mjcf": "o.xml", "sdf": "o.sdf", "usd": "o.usda"}
# The limits of a joint.
LIMITED = {"mjcf": ("effort",), "sdf": ("effort", "velocity"), "usd": ("effort", "velocity")}


def robot(base, child, kind="revolute", effort=1, velocity=1):
    return (
        f'<robot name="r"><link name="b">{base}</link><link name="c">{child}</link><joint name="j" type="{kind}">'
        f'<parent link="b"/><child link="c"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="{effort}" '
        f'velocity="{velocity}"/></joint></robot>'
    )


def export(text, form, folder, *words):
    (folder / "in.urdf").write_text(text, "utf-8")
    out = folder / FILES[form]
    done = in_process(
        [str(folder / "in.urdf"), "--as-is", "-y", "-q", f"--{form}", str(out), *words]
    )
    return (
        done.returncode,
        done.stderr.decode(),
        out.read_text("utf-8") if out.exists() else "",
    )


@pytest.mark.parametrize("form", FILES)
def test_as_the_root_it_is_the_fixed_base(form, tmp_path):
    status, errors, text = export(robot(ALONE, HEAVY), form, tmp_path)
    assert status == 0 and f"link 'b' {SAID} {form.upper()}" in errors
    assert [text.count(words) for words, _ in FIXED[form]] == [count for _, count in FIXED[form]]


def test_a_base_that_has_only_shapes_is_a_link_of_no_mass_in_sdf(tmp_path):
    """libsdformat and Drake take 0 kg for `<mass>0</mass>`, and 1 kg where nothing is written."""
    seen = f'{ALONE}<visual><geometry><box size="1 1 1"/></geometry></visual>'
    status, errors, text = export(robot(seen, HEAVY), "sdf", tmp_path)
    assert status == 0 and f"link 'b' {SAID} SDF" in errors
    assert re.findall(r'<link name="(\w+)">|<mass>(.*)</mass>|<i(..)>[^0]', text) == [
        ("b", "", ""),
        ("", "0", ""),
        ("c", "", ""),
        ("", "1", ""),
        *(("", "", name) for name in ("xx", "yy", "zz")),
    ]


@pytest.mark.parametrize("form", FILES)
def test_elsewhere_it_has_no_mass_until_lint_gives_it_one(form, tmp_path):
    status, errors, _ = export(robot(HEAVY, ALONE), form, tmp_path)
    assert status == 2 and "link 'c': it moves and has no mass" in errors
    status, errors, text = export(sound(robot(HEAVY, ALONE)), form, tmp_path)
    assert status == 0 and SAID not in errors and "1e-05" in text


@pytest.mark.parametrize("form", FILES)
def test_fixed_to_what_has_mass_it_is_a_part_of_that_body(form, tmp_path):
    status, errors, _ = export(robot(HEAVY, ALONE, "fixed"), form, tmp_path)
    assert status == 0 and SAID not in errors


@pytest.mark.parametrize("form", FILES)
def test_a_base_that_floats_without_mass_is_a_fault(form, monkeypatch):
    monkeypatch.setattr(
        f"urdf_tools.formats.{form}.write_{form}.without_massless_tensors",
        lambda robot, found: robot,
    )
    with pytest.raises(ProofFailed):
        getattr(Robot.from_urdf(robot(ALONE, HEAVY)), f"to_{form}")()


@pytest.mark.parametrize("form", FILES)
@pytest.mark.parametrize("effort, velocity", [(-3, 2), (3, -2), (-3, -2), (3, 2)])
def test_a_limit_below_zero_is_named_and_not_written(form, effort, velocity, tmp_path):
    status, errors, text = export(
        robot(HEAVY, HEAVY, effort=effort, velocity=velocity), form, tmp_path
    )
    assert status == 0, errors
    for key, value in (("effort", effort), ("velocity", velocity)):
        said = (
            f"in.urdf:1: joint 'j': its {key} is negative ({value}), so it is left out of {form.upper()}"
            in errors
        )
        assert said is (key in LIMITED[form] and value < 0), errors
    assert (
        "<effort>-" not in text
        and "<velocity>-" not in text
        and "3 -3" not in text
        and "Force = -" not in text
    )
    assert "no effort" not in errors
