"""libsdformat judges what Gazebo reads of a URDF and of what was made of it: all of it is the same in the world."""

import random

from conftest import scaled
from gazebo_judge import difference
from plan.test_one_body import CASES, DEFAULT, expected
from random_gazebo import write_gazebo_robot

from urdf_tools.plan.run_options import Options
from urdf_tools.run.run_pipeline import simplify_bytes

ROBOTS = scaled(300)
CHOICES = (
    {},
    {"merge_all": True},
    {"reorient": False},
    {"keep_all_frames": True},
    {"merge": False},
)


def test_gazebo_reads_the_same_of_random_robots(gazebo, tmp_path):
    """Robots of which a warning says what changes are left out."""
    files = []
    runs = []
    seed = -1
    while len(runs) < ROBOTS:
        seed += 1
        text, choice = (
            write_gazebo_robot(random.Random(seed)),
            CHOICES[seed // 2 % len(CHOICES)] if seed % 2 else {},
        )
        result = simplify_bytes(
            text.encode("utf-8"), "robot.urdf", Options(base_frame="ros")._replace(**choice)
        )
        if not result.plan.warnings:
            runs.append((seed, choice))
            for data in (result.source, result.data):
                files.append(tmp_path / f"{len(files)}.urdf")
                files[-1].write_bytes(data)
    reads = gazebo(files)
    assert len(reads) == len(files) and not any(
        what.startswith("error") for read in reads for what in read
    )
    found = [
        (*run, difference(before, after))
        for run, before, after in zip(runs, reads[::2], reads[1::2])
    ]
    wrong = [one for one in found if one[2]]
    print(
        f"{len(found) - len(wrong)} of {len(found)} robots agree with libsdformat; {seed + 1 - ROBOTS} are warned of"
    )
    assert not wrong, wrong[:3]
    assert seed < 2.0 * ROBOTS


def test_gazebo_reads_what_was_decided_for_a_body(gazebo, tmp_path):
    """Of joints that are given twice urdfdom reads nothing, so what is expected comes from the parts themselves."""
    cases = [case for case in CASES[::5] if case.tag != "mu1" and expected(case)[0] is not None]
    files = [tmp_path / f"{k}.urdf" for k in range(len(cases))]
    for case, file in zip(cases, files):
        file.write_bytes(
            simplify_bytes(case.text.encode(), "robot.urdf", Options(base_frame="ros")).data
        )
    words = {
        "turnGravityOff": "gravity",
        "selfCollide": "self_collide",
        "dampingFactor": "velocity_decay/linear",
    }
    for case, read in zip(cases, gazebo(files)):
        said = [
            what for what in read if what.startswith("body") and words[case.tag] in what.split()
        ]
        assert bool(said) == (expected(case)[0] != DEFAULT) or not case.masses, (case, read)
