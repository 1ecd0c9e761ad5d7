"""A number that is too large for a proof ends a run with a refusal that names its line, and never as a fault."""

import random
import re

import commands
from conftest import examples
from hypothesis import assume, example, given
from hypothesis import strategies as st
from random_robots import write_robot

NUMBER = re.compile(' (xyz|size|radius|length|lower|upper|effort|velocity|value|ixx)="[^ "]+')
RUNS = (
    "robot.urdf -o same.urdf -y -q",
    "export robot.urdf o.xml o.sdf o.json -y -q",
    "export robot.urdf o.usda o.armature.json -y -q",
    "edit robot.urdf --zero *=0.2 -o zero.urdf -y -q",
    "compare robot.urdf robot.urdf --page page.html -q",
)


@examples(6, fuzzed=150)
@given(st.integers(0, 2**32 - 1), st.integers(-20, 20))
@example(28, 20)
def test_a_number_of_any_size_is_no_fault(seed, power):
    r = random.Random(seed)
    text = write_robot(r)
    numbers = [*NUMBER.finditer(text)]
    assume(numbers)
    place = r.choice(numbers)
    text = f'{text[: place.end(1)]}="1e{power}{text[place.end() :]}'
    with commands.folder_with({"robot.urdf": text}):
        for words in RUNS:
            status, _, said = commands.said(*words.split())
            assert status < 3 and (
                "too large" not in said or re.match(r"error: robot.urdf:\d+: ", said)
            ), said
