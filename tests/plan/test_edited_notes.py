"""Notes that were edited by hand: they are read as they stand or not at all, by the plan and by the proof alike.

A run on such a robot ends like any other: with a result that is the same robot, or with a sentence about the input.
"""

import random
import re

import pytest
from conftest import examples, ROOT, SEEDS
from hypothesis import example, given

from urdf_tools.base.errors import UrdfError
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.read_any_format import read_bytes
from urdf_tools.plan.run_options import Options
from urdf_tools.run.run_pipeline import simplify_bytes

NOTED = sorted(
    path
    for folder in ("variants", "srdf", "follow", "arm", "quadruped")
    for path in (ROOT / "fixtures" / folder).rglob("expected*.urdf")
    if b"<!-- urdf_simplify VERSION" in path.read_bytes()
)
NOTE = re.compile(r"<!-- urdf_simplify .*?-->", re.S)
PIECES = re.compile(r"[\w.%*-]+|\W")
SPICE = (
    *(
        "VERSION",
        "0.3.0",
        "9",
        "flip",
        "keep-signs",
        "then",
        "then flip",
        "*",
        "-q",
        "q - 0.35",
        "q",
        "-(q - 1)",
    ),
    *(
        "%20",
        "%5F",
        "%zz",
        "nan",
        "1e999",
        "",
        " ",
        ",",
        ":",
        "=",
        "(",
        ")",
        "x",
        "left_elbow",
        "lock torso",
    ),
)


def edited(note, chance):
    """Return a note with one to three of its pieces replaced, doubled or removed."""
    pieces = PIECES.findall(note[4:-3])
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(pieces))
        pieces[place] = chance.choice((*SPICE, chance.choice(pieces), pieces[place] * 2))
    return f"<!--{''.join(pieces).replace('--', '-').rstrip('-')}-->"


@pytest.mark.parametrize("path", NOTED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_notes_of_no_release_are_not_read(path):
    """The fixtures have a word for the release: no reader takes such a note."""
    result = simplify_bytes(path.read_bytes(), "r.urdf", Options(lenient=True))
    assert result.data


@examples(fuzzed=3000)
@example(5574)
@given(SEEDS)
def test_an_edited_note_is_no_fault_of_the_run(seed):
    chance = random.Random(seed)
    text = chance.choice(NOTED).read_text("utf-8")
    text = text.replace("urdf_simplify VERSION", "urdf_simplify 0.3.0")
    notes = NOTE.findall(text)
    note = chance.choice(notes)
    source = text.replace(note, edited(note, chance), 1).encode()
    try:
        result = simplify_bytes(
            source, "r.urdf", Options(lenient=True, keep_signs=chance.random() < 0.3)
        )
    except UrdfError:
        return
    mass = re.sub(rb'(<mass value=")([^"]+)', rb"\g<1>1\2", result.data, count=1)
    assert not compare(read_bytes(source, "a"), read_bytes(mass, "b")).is_same
