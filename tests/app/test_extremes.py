"""A number that is too large for a proof ends a run with a refusal that names its line, and never as a fault."""

import random
import re

import commands
from conftest import examples
from hypothesis import assume, given
from hypothesis import strategies as st
from random_robots import write_robot

NUMBER = re.compile(' (xyz|size|radius|length|lower|upper|effort|velocity|value|ixx)="[^ "]+')
RUNS = (
    "robot.urdf -o same.urdf",
    "export robot.urdf o.xml o.sdf o.json",
    "export robot.urdf o.usda o.armature.json",
    "edit robot.urdf --zero *=0.2 -o zero.urdf",
)


@examples(12, fuzzed=150)
@given(st.integers(0, 2**32 - 1), st.integers(-20, 20))
def test_a_number_of_any_size_is_no_fault(seed, power):
    r = random.Random(seed)
    text = write_robot(r)
    numbers = [*NUMBER.finditer(text)]
    assume(numbers)
    place = r.choice(numbers)
    text = f'{text[: place.end(1)]}="1e{power}{text[place.end() :]}'
    with commands.folder_with({"robot.urdf": text}):
        for words in RUNS:
            status, _, said = commands.said(*words.split(), "-y", "-q")
            assert status in (0, 2) and (
                "too large" not in said or re.match(r"error: robot.urdf:\d+: ", said)
            ), said
