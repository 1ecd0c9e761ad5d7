"""The headline of a run and `compare` of its input and result say the same: where one counts a loss, the other ends with 1."""

import random
import re
from pathlib import Path

import pytest
from commands import in_process
from conftest import examples, ROOT, SEEDS
from hypothesis import example, given
from random_gazebo import write_gazebo_robot

from urdf_tools.app.repair_note import repair_note, with_repair_note
from urdf_tools.base.errors import UrdfError
from urdf_tools.compare import contact_differences, noted_decisions, unread_elements
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.noted_decisions import as_decided
from urdf_tools.compare.difference_records import ASPECTS
from urdf_tools.compare.read_any_format import read_bytes, read_robot_of
from urdf_tools.compare.difference_kinds import text_of
from urdf_tools.plan.run_options import Options
from urdf_tools.plan.result_notes import decisions_of, losses_in_words
from urdf_tools.run.run_pipeline import simplify_bytes
from urdf_tools.urdf.lossless_xml import parse_document

WITHOUT_MESHES = frozenset(ASPECTS) - {"meshes"}
BASES = ("auto", "ros", "onshape", "x=left,y=back,z=up", "x=up,y=left,z=back")
# What a link may hold beside URDF: values of PyBullet, and what no reader knows, with a pose in the link.
IN_LINK = (
    '<contact><lateral_friction value="0.{0}"/><friction_anchor/></contact>',
    '<contact><lateral_friction value="0.5"/></contact>',
    '<camera_mount xyz="0.{0} 0.1 0" rpy="0 0.{0} 0"/>',
    '<camera_mount><origin xyz="0.{0} 0.1 0"/><lens focus="0.{0}"/></camera_mount>',
    '<frame name="f{0}"><origin xyz="0 0.{0} 0"/></frame>',
)
CONSTRAINT = '<constraint name="gear{0}"><reference link="l{0}"/><body link="l1" xyz="0.1 0 0"/></constraint>'
TWIN = 'ixz="0"'
ARM = """<robot name="arm"><link name="base"/>{base}
<link name="arm"><inertial><origin xyz="0 0 -0.1"/><mass value="1"/>
<inertia ixx="0.01" ixy="0.001" ixz="-0.0005" iyy="0.012" iyz="0.0007" izz="0.004"/></inertial></link>
<joint name="j" type="revolute"><parent link="{parent}"/><child link="arm"/><axis xyz="{axis}"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
MARK = '<link name="mark"/><joint name="m" type="fixed"><parent link="base"/><child link="mark"/>{}</joint>'


def decorated_robot(r):
    """Return a random robot for Gazebo, with elements of PyBullet and of nobody in it."""
    # A direction along the axes of a frame that is no link is not read, so it is not compared.
    text = re.sub(r' gz:expressed_in="(?!l\d)[^"]*"', "", write_gazebo_robot(r))
    for number in range(text.count("<link name=")):
        if r.random() < 0.4:
            inside = r.choice(IN_LINK).format(r.randint(1, 3))
            text = re.sub(
                rf'(<link name="l{number}">)(.*)(</link>)', rf"\1\2{inside}\3", text, count=1
            )
        if r.random() < 0.1:
            text = text.replace("</robot>", CONSTRAINT.format(number) + "</robot>")
    if r.random() < 0.3:
        text = text.replace(TWIN, f'{TWIN} izx="0" iyx="0.001"', 2)
    return text


def bare_robot(r):
    """Return an arm on a base that is a mere frame, so that little shows how the base lies."""
    axis = r.choice(("1 0 0", "-1 0 0", "0 1 0", "0 0 1", "0.6 0.8 0"))
    place = r.choice(("", '<origin xyz="0 0 0.1"/>', '<origin rpy="0 0 1.5707963267948966"/>'))
    parent = r.choice(("base", "mark"))
    text = ARM.format(base=MARK.format(place), parent=parent, axis=axis)
    if r.random() < 0.5:
        text = ARM.format(base="", parent="base", axis=axis)
    if r.random() < 0.3:
        text = text.replace("<axis", f"{place}<axis", 1)
    return text


def options_of(r):
    return Options(
        base_frame=r.choice(BASES),
        merge=r.random() < 0.8,
        merge_all=r.random() < 0.5,
        reorient=r.random() < 0.9,
        keep_signs=r.random() < 0.3,
        keep_all_frames=r.random() < 0.3,
    )


def assert_one_word(text, options):
    """Check that the headline of a run counts a loss where `compare` of input and result finds a difference."""
    data = text.encode()
    try:
        result = simplify_bytes(data, "robot.urdf", options)
    except UrdfError:
        return None
    lost = losses_in_words(decisions_of(result.plan))
    found = compare(
        read_bytes(data, "a.urdf"), read_bytes(result.data, "b.urdf"), aspects=WITHOUT_MESHES
    )
    assert found.is_same == (not lost), (
        lost,
        [text_of(difference) for difference in found.counted],
    )
    return found


@pytest.mark.parametrize("robot", (decorated_robot, bare_robot))
@given(seed=SEEDS)
# A merged link says `<max_contacts>` in SDF, and Gazebo takes the tag beside it.
@example(seed=51315)
# A direction of friction is along the axes of another link.
@example(seed=1105)
@examples(8, fuzzed=2000)
def test_a_headline_says_what_compare_says(robot, seed):
    r = random.Random(seed)
    assert_one_word(robot(r), options_of(r))


@pytest.mark.parametrize("merge_all", (False, True))
def test_an_element_for_one_program_in_a_changed_frame_is_counted(merge_all):
    """A constraint of Drake names a link whose frame turns, a link that is merged, and a joint that flips."""
    text = (ROOT / "fixtures/follow/drake_points/robot.urdf").read_text("utf-8")
    found = assert_one_word(text, Options(base_frame="ros", merge_all=merge_all))
    assert found.verdict == "unproven"
    assert {one.kind for one in found.unproven} <= {"program_words", "program_frame"}


# A foot on a fixed joint that turns, and on it what PyBullet, or nobody, reads.
LEG = """<robot name="leg"><link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1.2" izz="1.4"/></inertial></link>
<link name="l0">{shin}</link><link name="l1">{foot}</link>
<joint name="knee" type="revolute"><parent link="base"/><child link="l0"/><origin rpy="1.5707963267948966 0 0"/>
<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="ankle" type="fixed"><parent link="l0"/><child link="l1"/><origin xyz="0.1 0 0" rpy="0 0 0.3"/></joint>{beside}</robot>"""
PART = (
    '<inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.25"/></inertial>'
    '<collision><geometry><box size="0.1 0.2 0.3"/></geometry></collision>'
)
TWO_SIDES = PART.replace('ixy="0"', 'ixy="0.01" iyx="{}"')
MOUNT = '<camera_mount xyz="0 0 {}" rpy="0 0 0"/>'
GRIP = '<contact><lateral_friction value="{}"/></contact>'
TOUCHES = '<gazebo reference="l{}">{}</gazebo>'
FALLS = '<gazebo reference="{}"><gravity>false</gravity></gazebo>'


def leg(shin="", foot="", beside=""):
    return LEG.format(shin=PART + shin, foot=PART + foot, beside=beside)


def verdicts(text, other):
    """Return the verdict on two texts, and the sentences of what counts."""
    found = compare(
        *(read_bytes(each.encode(), f"{side}.urdf") for side, each in (("a", text), ("b", other))),
        aspects=WITHOUT_MESHES,
    )
    return found.verdict, [text_of(difference) for difference in found.counted]


@pytest.mark.parametrize(
    ("text", "other", "verdict", "said"),
    (
        (leg(foot=MOUNT.format(0.1)), leg(foot=MOUNT.format(0.1001)), "same", ""),
        (leg(foot=MOUNT.format(0.1)), leg(foot=MOUNT.format(0.2)), "unproven", "no reader knows"),
        (leg(foot=GRIP.format(0.9)), leg(foot=GRIP.format(0.8)), "limits", "0.9 / 0.8"),
        (leg(foot=GRIP.format("0.50")), leg(), "same", ""),
        (leg(foot=GRIP.format(0.9)), leg(), "limits", "contact lateral friction 0.9 / 0.5"),
        (
            leg().replace(PART, TWO_SIDES.format(0.01)),
            leg().replace(PART, TWO_SIDES.format(0.02)),
            "unproven",
            'iyx="0.02"',
        ),
        (leg(beside=FALLS.format("l0")), leg(), "limits", "gravity 0 / 1"),
        # What l0 says holds for l1, too, and not the other way round.
        (
            leg(beside=FALLS.format("l0")),
            leg(beside=FALLS.format("l0") + FALLS.format("l1")),
            "same",
            "",
        ),
        (leg(beside=FALLS.format("l0")), leg(beside=FALLS.format("base")), "limits", "gravity"),
    ),
)
def test_what_counts_of_a_link_is_compared(text, other, verdict, said):
    found, sentences = verdicts(text, other)
    assert found == verdict and said in " ".join(sentences), (found, sentences)


def test_two_frames_of_one_name_may_come_together():
    """The second one gets a number, as a visual does."""
    frame = IN_LINK[-1].format(1)
    assert assert_one_word(leg(shin=frame, foot=frame), Options()).verdict == "same"


def surface(*parts):
    return f"<collision><surface>{''.join(parts)}</surface></collision>"


FRICTION = "<friction><ode><mu>{}</mu><mu2>{}</mu2></ode></friction>"
BOUNCE = "<bounce><threshold>{}</threshold></bounce>"
SURFACES = (  # of two links that are merged, and whether they are alike
    (
        surface(FRICTION.format(0.5, 0.7), BOUNCE.format(3)),
        surface(BOUNCE.format("3.0"), FRICTION.format("5e-1", ".7")),
        1,
    ),
    (
        surface(FRICTION.format(1, 0.7)),
        surface("<friction><ode><mu2>0.7</mu2></ode></friction>"),
        1,
    ),
    ("<mu1>0.5</mu1>", surface("<friction><ode><mu>0.5</mu></ode></friction>"), 1),
    ("<mu1>1</mu1>", f"<mu1>0.5</mu1>{surface(BOUNCE.format(100000))}", 0),
    ("<mu1>0.5</mu1>", f"<mu1>0.5</mu1>{surface(FRICTION.format(0.3, 1))}", 1),
    ("", surface(FRICTION.format(0.3, 1)) + surface(), 1),
    ("<fdir1>0 1 0</fdir1>", surface("<friction><ode><fdir1>0 1.0 0</fdir1></ode></friction>"), 1),
    (surface(BOUNCE.format(3)), surface(BOUNCE.format(4)), 0),
    (
        surface("<contact><ode><kp>5</kp></ode></contact>"),
        surface("<contact><bullet><kp>5</kp></bullet></contact>"),
        0,
    ),
    ("", surface("<contact><category_bitmask>65535</category_bitmask></contact>"), 0),
)


@pytest.mark.parametrize(
    ("shin", "foot", "is_same"),
    (
        (
            "",
            "<maxContacts>10</maxContacts><collision><max_contacts>3</max_contacts></collision>",
            1,
        ),
        ("", "<collision><max_contacts>10</max_contacts></collision>", 1),
        (
            "<maxContacts>3</maxContacts>",
            "<collision><max_contacts>3</max_contacts></collision>",
            1,
        ),
        (
            "<maxContacts>3</maxContacts>",
            "<collision><max_contacts>4</max_contacts></collision>",
            0,
        ),
        ("", "<collision><laser_retro>2</laser_retro></collision>", 0),
        *SURFACES,
    ),
)
def test_a_value_in_a_collision_of_sdf_counts_as_its_tag_does(shin, foot, is_same):
    text = leg(beside=TOUCHES.format(0, shin) + TOUCHES.format(1, foot))
    found = assert_one_word(text, Options(merge_all=True))
    assert found.is_same == bool(is_same)


@pytest.mark.parametrize("foot", (surface("<wax>2</wax>"), surface(), ""))
def test_what_sdf_does_not_define_in_a_surface_is_compared_as_text(foot):
    text = leg(beside=TOUCHES.format(0, surface("<wax>1</wax>")) + TOUCHES.format(1, foot))
    result = simplify_bytes(text.encode(), "robot.urdf", Options(merge_all=True))
    assert losses_in_words(decisions_of(result.plan)) == ("1 link with another surface or color",)


HOMING = (
    '<limit lower="-1" upper="1" effort="1" velocity="1"/>',
    '<limit upper="1" rest="0.3"/><homing x="1"/>',
)


def test_what_nobody_knows_in_a_joint_leaves_with_its_lock(here):
    """As its limits do, and an attribute of the joint stays."""
    text = leg().replace(*HOMING).replace('name="knee"', 'name="knee" id="7"')
    Path("a.urdf").write_text(text, "utf-8")
    in_process(["edit", "a.urdf", "--lock", "knee=0.3", "-y", "-o", "b.urdf"], b"")
    found = compare(*(read_bytes(Path(name).read_bytes(), name) for name in ("a.urdf", "b.urdf")))
    assert (found.verdict, [each.kind for each in found.decided]) == ("same", ["decided_lock"])


def test_an_edit_counts_what_it_cannot_follow(here):
    """A sensor that is posed in another frame does not move with the link that the lock turns."""
    camera = '<gazebo reference="l0"><sensor name="s" type="camera"><pose relative_to="base">1 0 0 0 0 0</pose></sensor></gazebo>'
    Path("a.urdf").write_text(leg(beside=camera), "utf-8")
    done = in_process(["edit", "a.urdf", "--lock", "knee=0.3", "-y", "-o", "b.urdf"], b"")
    said = " ".join(done.stdout.decode().split())
    assert "nothing else changed, but for 1 sensor that is lost or elsewhere: checked" in said
    found = compare(*(read_bytes(Path(name).read_bytes(), name) for name in ("a.urdf", "b.urdf")))
    assert [each.kind for each in found.differences] == ["sensor_pose"]


@pytest.mark.parametrize("typed", ("1.57 0 0", "1.571 0 3.142"))
def test_a_repair_of_typed_angles_is_an_act(typed):
    text = leg().replace("1.5707963267948966 0 0", typed)
    document = parse_document(text.encode(), "a.urdf")
    exact = parse_document(leg().replace("1.5707963267948966 0 0", EXACT[typed]).encode(), "a.urdf")
    said = repair_note(document, exact)
    assert not said.others and [act.kind for act in said.acts] == ["decided_angle"]
    noted = with_repair_note(exact, said).to_bytes().decode()
    assert verdicts(text, noted)[0] in ("same", "rounded")
    # The note excuses no other angle, and no other number is an act.
    assert verdicts(text, noted.replace(EXACT[typed], "1.5 0 0"))[0] in ("masses", "geometry")
    _, acts = as_decided(
        read_bytes(text.encode(), "a"), read_bytes(text.encode(), "b"), ["angle base (1.58)"]
    )
    assert acts == ()


EXACT = {
    "1.57 0 0": "1.570796326795 0 0",
    "1.571 0 3.142": "1.570796326795 0 3.14159265359",
}
SPOILED = (
    (unread_elements, "lie_alike", lambda *_: False, leg(foot=MOUNT.format(0.1)), Options()),
    (
        contact_differences,
        "_contacts_in",
        lambda robot: {},
        leg(shin=GRIP.format(0.5), foot=GRIP.format(0.9)),
        Options(merge_all=True),
    ),
    (
        noted_decisions,
        "_rotation",
        lambda numbers: ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
        ARM.format(base="", parent="base", axis="1 0 0"),
        Options(base_frame="onshape", keep_signs=True),
    ),
)


@pytest.mark.parametrize(("module", "name", "without", "text", "options"), SPOILED)
def test_a_mutant_of_a_mechanism_is_seen(module, name, without, text, options, monkeypatch):
    assert assert_one_word(text, options) is not None
    monkeypatch.setattr(module, name, without)
    with pytest.raises(AssertionError):
        assert_one_word(text, options)


PAINTED = Path(__file__).resolve().parents[2] / "fixtures" / "painted_arm"


@pytest.mark.parametrize(
    ("options", "but_for"),
    (
        ("--scale 0.1 --up-axis y", ", but for 11 meshes in units of 0.1 m with y up"),
        # One file has no unit.
        ("--missing-unit millimeter", ", but for 1 mesh in units of 0.001 m"),
        ("--up-axis z", ""),
    ),
)
def test_meshes_in_another_unit_are_counted(here, options, but_for):
    """What an option of the user places otherwise than its file does is another surface in each program."""
    source = str(PAINTED / "robot.urdf")
    words = [source, *options.split(), "--split", "material", "-y", "-o", "b.urdf"]
    said = " ".join(in_process(words).stdout.decode().split())
    assert f"Same robot{but_for}: verified" in said
    found = compare(read_robot_of(source), read_robot_of("b.urdf"))
    shapes = [each for each in found.counted if "shape" in each.kind or "mesh" in each.kind]
    assert found.is_same == (not but_for) and bool(shapes) == bool(but_for)
    assert all(each.said for each in found.counted)
