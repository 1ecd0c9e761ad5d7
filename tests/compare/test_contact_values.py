"""Each contact value of a collision is compared as a number, in any order; its default is the same as its absence.

Both files may be SDF, or URDFs with the values in a `<gazebo>`. What an export does with such a value is here, too.
"""

import pytest
from commands import in_process

from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.read_any_format import read_bytes
from urdf_tools.facts.contact_values import CONTACT_VALUES
from urdf_tools.formats.format_values import MEANT

SDF = (
    '<sdf version="1.9"><model name="m"><link name="a"><inertial><mass>1</mass></inertial><collision name="c">'
    "<geometry><box><size>1 1 1</size></box></geometry>{}</collision></link></model></sdf>"
)
URDF = (
    '<robot name="m"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    '<collision><geometry><box size="1 1 1"/></geometry></collision></link>'
    '<gazebo reference="a"><collision>{}</collision></gazebo></robot>'
)
FORMS = {"a.sdf": SDF, "a.urdf": URDF}


def nested(path, text):
    """Return a text inside of elements."""
    for tag in reversed(path.split("/")):
        text = f"<{tag}>{text}</{tag}>"
    return text


def verdict(name, first, second):
    """Return the verdict of two files that differ in the content of a collision, and what differs."""
    robots = [read_bytes(FORMS[name].format(text).encode(), name) for text in (first, second)]
    found = compare(*robots)
    return found.verdict, [each.names[1] for each in found.differences], found.notes


def other_than(row):
    """Return a value of a row that is not its default."""
    if row.size == 3:
        return "0 1 0"
    return "0" if row.default == "1" else "1"


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("row", CONTACT_VALUES, ids=lambda row: row.name)
def test_a_value_is_compared_and_its_default_is_its_absence(row, name):
    said = nested(row.path, other_than(row))
    found, names, notes = verdict(name, said, "")
    assert found == "limits" and names == [row.name.replace("_", " ")], (found, names)
    assert not any("not compared" in str(note) for note in notes)
    assert verdict(name, said, said)[0] == "same"
    if row.default:
        default = " ".join(f"{float(number):.3f}" for number in row.default.split())
        default = row.default if row.is_flag else default
        assert verdict(name, nested(row.path, default), "")[0] == "same"


@pytest.mark.parametrize("name", FORMS)
def test_the_order_of_values_is_no_difference(name):
    bounce = "<bounce><threshold>{}</threshold><restitution_coefficient>.5</restitution_coefficient></bounce>"
    bits = "<contact><collide_bitmask>1</collide_bitmask></contact>"
    first = f"<surface>{bounce.format(10)}{bits}</surface>"
    second = f"<surface>{bits}{bounce.format('1e1')}</surface>"
    assert verdict(name, first, second) == ("same", [], verdict(name, first, first)[2])


def test_a_soft_link_and_the_groups_of_a_link_have_no_default():
    """Without `<dart>` a link is rigid, and without `<category_bitmask>` its groups are those it collides with."""
    open_rows = [row.name for row in CONTACT_VALUES if not row.default]
    assert open_rows == [
        "category_bits",
        "soft_attachment",
        "soft_stiffness",
        "soft_damping",
        "soft_flesh",
    ]
    assert MEANT["sdf"].keys() == MEANT["urdf"].keys()


@pytest.mark.parametrize(
    ("file", "said"),
    (
        ("b.xml", 'friction="0.5"'),
        ("b.usda", "float physics:restitution = 0.2"),
        ("b.sdf", "<threshold>3</threshold>"),
    ),
)
@pytest.mark.parametrize("name", FORMS)
def test_a_value_without_a_field_takes_no_other_with_it(name, file, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bounce = "<bounce><threshold>3</threshold><restitution_coefficient>0.2</restitution_coefficient></bounce>"
    friction = "<friction><ode><mu>0.5</mu><slip1>0.1</slip1></ode></friction>"
    (tmp_path / name).write_text(
        FORMS[name].format(f"<surface>{bounce}{friction}</surface>"), "utf-8"
    )
    done = in_process(["export", name, file, "-y", "-q"], b"")
    assert done.returncode == 0, done.stderr
    assert said in (tmp_path / file).read_text("utf-8")
