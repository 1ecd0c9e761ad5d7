"""Numbers of `set` with units, both limits at once, and tables: all give the numbers that plain settings give."""

import random

import pytest
from conftest import examples, SEEDS
from edited_robots import any_text, ARM, assert_refused, carried_out, written
from hypothesis import assume, given

from urdf_tools.base.errors import ProofFailed, UrdfError
from urdf_tools.compare.read_any_format import read_bytes
from urdf_tools.urdf.urdf_records import MOVABLE


def set_words(text, words):
    return carried_out(text, [("set", words)])


def numbers_of(result):
    """Return the numbers of each joint of a result."""
    joints = read_bytes(result.data, "r.urdf").joints
    return {each.child: (each.lower, each.upper, each.effort, each.velocity) for each in joints}


@examples(8, fuzzed=300)
@given(SEEDS)
def test_a_table_sets_what_plain_settings_set(tmp_path_factory, seed):
    r = random.Random(seed)
    text = any_text(seed)
    joints = [each for each in read_bytes(text.encode(), "r").joints if each.type in MOVABLE]
    assume(joints)
    joint = r.choice(joints)
    assume(not set(joint.name) & set("[*?,\"'"))
    values = {"effort": "3", "velocity": "0.25"}
    if joint.type != "continuous":
        values.update(lower="-0.5", upper="1.5")
    table = "".join(f'"{joint.name}",{key},{value}\n' for key, value in values.items())
    path = written(tmp_path_factory.mktemp("t"), "limits.csv", f"joint,field,value\n{table}")
    plain = " ".join(f"'{joint.name}.{key}={value}'" for key, value in values.items())
    try:
        first = numbers_of(set_words(text, plain))
    except ProofFailed:
        raise
    except UrdfError as error:
        assert len(str(error)) > 20
        return
    assert numbers_of(set_words(text, f"@{path}")) == first


def test_units_are_those_of_the_joint():
    both = set_words(ARM, "'left_shoulder.limit=-90deg 90deg' left_slide.limit=0,50mm")
    assert 'lower="-1.570796326795" upper="1.570796326795" effort="5"' in both.text
    assert 'lower="0" upper="0.05" effort="7"' in both.text
    result = set_words(ARM, "left_shoulder.velocity=180deg/s left_slide.velocity=20mm/s")
    assert 'velocity="3.14159265359"' in result.text and 'velocity="0.02"' in result.text
    result = set_words(ARM, "left_shoulder.velocity=60rpm left_shoulder.effort=4Nm base.mass=500g")
    assert 'velocity="6.28318530718"' in result.text and 'effort="4"' in result.text
    assert '<mass value="0.5"/>' in result.text
    assert 'lower="-0.5" upper="1"' in set_words(ARM, "left_shoulder.limit=*0.5").text


@pytest.mark.parametrize(
    "table",
    (
        "joint,lower,upper\nleft_shoulder,-90deg,1\nleft_slide,,20mm\n",
        "\ufeffJoint;Lower;Upper\r\nleft_shoulder;-90deg;1\r\n\r\nleft_slide;;20mm\r\n",
        "joint\tfield\tvalue\nleft_shoulder\tlower\t-90deg\nleft_shoulder\tupper\t1\nleft_slide\tupper\t20mm\n",
        'joint, field, value\nleft_shoulder, limit, "-90deg, 1"\nleft_slide, upper, 20mm\n',
    ),
)
def test_tables_are_written_in_several_ways(table, tmp_path):
    path = written(tmp_path, "limits.csv", table)
    text = set_words(ARM, f"@{path} left_shoulder.effort=9").text
    assert 'lower="-1.570796326795" upper="1" effort="9"' in text
    assert 'lower="0" upper="0.02"' in text


REFUSED = (
    (
        "left_slide.limit=0 90deg",
        "joint 'left_slide' is prismatic: .*the unit 'deg': give m, cm, mm",
    ),
    ("*.velocity=180deg/s", "joint 'left_slide' is prismatic: .*give m/s"),
    ("left_shoulder.damping=1Nm", "give a number without unit"),
    ("left_shoulder.limit=1", "has 1 number, expected 2"),
    ("left_shoulder.limit=1 -1", "would have the lower limit 1 above its upper limit -1: set both"),
    ("base.mass=5lb", "the unit 'lb': give kg, g"),
    ("left_shoulder.effort=*2Nm", "not a finite number"),
)


@pytest.mark.parametrize("words, why", REFUSED)
def test_other_units_are_refused(words, why):
    assert_refused("set", words, why)


TABLES = (
    ("", r"t.csv:1: the first row names the columns"),
    ("left_shoulder,lower,1\n", r"t.csv:1: the first row names the columns"),
    ("joint,lowr\n", r"t.csv:1: there is no column 'lowr' .did you mean 'lower'"),
    ("joint,field,value\nleft_shoulder,lowr,1\n", r"t.csv:2: there is no 'lowr' to set"),
    ("joint,lower\n", "t.csv: the table has no row with a value"),
    ("joint,lower\n\nleft_shoulder,1,2\n", r"t.csv:3: this row has 3 cells"),
    ("joint,lower\nleft_sholder,1\n", r"t.csv:2: .*no such joint .did you mean 'left_shoulder'"),
    ("joint,lower\nleft_shoulder,x\n", r"t.csv:2: .*not a finite number"),
)


@pytest.mark.parametrize("table, why", TABLES)
def test_tables_are_refused_with_their_line(table, why, tmp_path):
    with pytest.raises(UrdfError, match=why):
        set_words(ARM, f"@{written(tmp_path, 't.csv', table)}")
    with pytest.raises(UrdfError, match="gone.csv"):
        set_words(ARM, f"@{tmp_path / 'gone.csv'}")
