"""libsdformat judges what Gazebo reads of a URDF and of what was made of it: all of it is the same in the world."""
import os
import random
from pathlib import Path
from typing import Dict, List, Tuple

from gazebo_judge import difference, Reader
from random_gazebo import write_gazebo_robot

from urdf_tools.plan.options import Options
from urdf_tools.run.pipeline import rehearse

ROBOTS = int(300 * float(os.environ.get("URDF_EXAMPLES", "1")))
CHOICES = ({}, {"merge_all": True}, {"reorient": False}, {"leave_frames": True}, {"merge": False})

def test_gazebo_reads_the_same_of_random_robots(gazebo: Reader, tmp_path: Path) -> None:
    files: List[Path] = []
    seeds: List[Tuple[int, Dict[str, bool], bool]] = []
    for seed in range(ROBOTS):
        r = random.Random(seed)
        text, choice = write_gazebo_robot(r), CHOICES[seed // 2 % len(CHOICES)] if seed % 2 else {}
        result = rehearse(text.encode("utf-8"), "robot.urdf", Options(base_frame="ros")._replace(**choice))
        for data in (result.source, result.data):
            files.append(tmp_path / f"{len(files)}.urdf")
            files[-1].write_bytes(data)
        seeds.append((seed, choice, any(notice.kind != "no-mass" for notice in result.plan.warnings)))
    reads = gazebo(files)
    assert len(reads) == len(files)
    wrong, judged = [], 0
    for (seed, choice, warned), before, after in zip(seeds, reads[::2], reads[1::2]):
        if warned or any(what.startswith("error") for what in before):
            continue
        judged += 1
        apart = difference(before, after)
        if apart:
            wrong.append((seed, choice, apart))
    print(f"{judged} of {ROBOTS} robots agree with libsdformat, {len(wrong)} do not")
    assert not wrong, wrong[:3]
    assert judged > 0.7 * ROBOTS
