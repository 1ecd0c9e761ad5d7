"""Links that float above each other, with and without mass, in all formats: proven, or refused by a sentence."""

import random
from contextlib import suppress

import pytest
from conftest import examples
from floating_robots import floating_robot
from hypothesis import example, given, strategies as st
from random_robots import write_robot
from sound_robots import sound

from model_texts import make_mjcf
from urdf_tools import model
from urdf_tools.base.errors import BrokenRobot, ErrorGroup, ProofFailed
from urdf_tools.robot import canonical_robot
from urdf_tools.formats.urdf.read_urdf import read_urdf
from urdf_tools.export import export_proof
from urdf_tools.export.mjcf_exporter import verify_mjcf
from urdf_tools.export.sdf_exporter import verify_sdf
from urdf_tools.formats.sdf.write_sdf import make_sdf
from urdf_tools.export.usd_exporter import write_usd
from urdf_tools.model.export_options import MjcfOptions, SdfOptions, UsdOptions


def proven_mjcf(robot, base, source):
    written, decided = make_mjcf(robot, MjcfOptions(base=base))
    verify_mjcf(written.text, source, decided)


def proven_sdf(robot, base, source):
    written, decided = make_sdf(robot, SdfOptions(base))
    verify_sdf(written.text, source, decided)


FORMATS = {
    "mjcf": proven_mjcf,
    "sdf": proven_sdf,
    "usd": lambda robot, base, source: write_usd(robot, UsdOptions(base=base), source),
}
IN_THE_WORLD = """<robot name="r"><link name="world"/><link name="mark"/>{0}<joint name="m" type="fixed">
  <parent link="world"/><child link="mark"/><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/></joint>
  <joint name="f" type="floating"><parent link="{1}"/><child link="body"/><origin xyz="0 0 1"/></joint></robot>"""
BODY = """<link name="body"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>
  </inertial></link>"""


def write(text, format, base="auto"):
    """Write a URDF; its own text is the reference of the proof."""
    FORMATS[format](model.Robot.from_urdf(text), base, read_urdf(text.encode()))


def test_what_floats_is_written_and_proven_or_refused():
    written = []

    @examples(24, fuzzed=300)
    @example(1814, "sdf", "auto", True)
    @given(
        st.integers(0, 2**32 - 1),
        st.sampled_from(tuple(FORMATS)),
        st.sampled_from(("auto", "free", "fixed")),
        st.booleans(),
    )
    def law(seed, format, base, repaired):
        for text in (floating_robot(random.Random(seed)), write_robot(random.Random(seed))):
            written.append(False)
            with suppress(BrokenRobot, ErrorGroup):  # a sentence, exit 2; ProofFailed is none
                write(sound(text) if repaired else text, format, base)
                written[-1] = True

    law()
    assert sum(written) >= len(written) // 10


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("above", ("world", "mark"))
def test_frames_that_are_fixed_in_the_world_do_not_hold_what_floats(format, above):
    write(IN_THE_WORLD.format(BODY, above), format)


@pytest.mark.parametrize(
    "module, name, mutant",
    [
        (
            canonical_robot,
            "_first_link",
            lambda top, links, below, welded, seeing: (
                below[top][0].child
                if [joint.type for joint in below.get(top, ())] == ["floating"]
                else top
            ),
        ),
        (export_proof, "_start", lambda robot: robot.raw.T_file_root),
        (export_proof, "base_held", lambda robot, asked: "fixed"),
    ],
)
def test_a_mutant_that_knows_the_root_alone_is_seen(module, name, mutant, monkeypatch):
    monkeypatch.setattr(module, name, mutant)
    with pytest.raises(ProofFailed):
        for above in ("world", "mark"):
            write(IN_THE_WORLD.format(BODY, above), "sdf")
