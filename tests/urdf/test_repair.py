"""--lenient: what the common parsers read is read, said, and written so that the result needs no repair."""

import pytest

from urdf_tools.base.errors import BrokenRobot
from urdf_tools.plan.run_options import Options
from urdf_tools.run.run_pipeline import simplify_bytes

MASS = '<mass value="{}"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'


def robot(
    body=MASS.format(1),
    more="",
    rpy="0 0 0",
    limit='lower="-1" upper="2"',
    axis="0 0 1",
):
    """Return the text of two links and a joint."""
    return (
        f'<robot name="r">\n<link name="a"/>\n<link name="b">\n<inertial>{body}</inertial>\n{more}</link>\n'
        f'<joint name="j" type="revolute"><parent link="a"/><child link="b"/>\n<origin rpy="{rpy}"/>'
        f'<axis xyz="{axis}"/>\n<limit {limit} effort="1" velocity="1"/></joint>\n</robot>\n'
    )


def run(text, **choices):
    """Simplify with the base as it is."""
    return simplify_bytes(text.encode(), "robot.urdf", Options(base_frame="ros", **choices))


SECOND = f"<inertial>{MASS.format(5)}</inertial>\n"
CASES = (
    (robot(more=SECOND), 5, "takes the first", "the first is taken"),
    (
        robot(rpy="0.1 0.2 0.3 0.4"),
        7,
        "takes the first three numbers",
        "taken as the first three numbers",
    ),
    (robot(limit='lower="-inf" upper="+Infinity"'), 8, "takes no limit", "taken as no limit"),
    (
        robot(body=MASS.format(1).replace('<mass value="1"/>', "")),
        4,
        "takes it as zero",
        "taken as zero",
    ),
    (robot(body=MASS.format(1).replace(' value="1"', "")), 4, "takes it as zero", "taken as zero"),
)


@pytest.mark.parametrize(("text", "line", "offer", "said"), CASES)
def test_what_is_refused_is_repaired_on_request(text, line, offer, said):
    with pytest.raises(Exception) as caught:
        run(text)
    problem = getattr(caught.value, "problems", [caught.value])[0]
    assert (
        isinstance(problem, BrokenRobot)
        and problem.line == line
        and f"--lenient {offer}" in str(problem)
    )
    for stages in ({}, {"merge": False, "reorient": False, "strip_hardware": False}):
        result = run(text, lenient=True, **stages)
        assert any(notice.line == line and said in notice.text for notice in result.plan.warnings)
        again = run(result.text, **stages)  # without --lenient
        assert again.data == result.data and not any(
            "--lenient" in notice.text for notice in again.plan.warnings
        )


def test_what_is_taken():
    first = run(CASES[0][0], lenient=True).after
    assert first.links["b"].mass == 1.0 and len(first.links["b"].source.elements("inertial")) == 1
    same = [
        run(robot(rpy=rpy), lenient=True).after.joints[0].rpy
        for rpy in ("0.1 0.2 0.3 0.4", "0.1 0.2 0.3")
    ]
    assert same[0] == same[1]
    assert (
        'lower="-1.7976931348623157e+308" upper="1.7976931348623157e+308"'
        in run(CASES[2][0], lenient=True).text
    )
    assert '<mass value="0"/>' in run(CASES[3][0], lenient=True).text


@pytest.mark.parametrize("number", ("1.7976931348623157e+308", "1e31", "3.4e38"))
def test_limits_that_are_none_keep_their_text_and_follow_signs(number):
    limit = f'lower="-2" upper="{number}"'
    assert limit in run(robot(limit=limit)).text
    assert f'lower="-{number}" upper="2"' in run(robot(limit=limit, axis="0 0 -1")).text


@pytest.mark.parametrize(
    "text",
    (
        robot(rpy="0 0"),
        robot(rpy="0 0 x 0"),
        robot(limit='lower="nan" upper="1"'),
        robot(limit='lower="-1" upper="1e309"'),
        robot(body=MASS.format("inf")),
        robot(body=MASS.format("1e31")),
        robot(body=MASS.format("-1")),
    ),
)
def test_what_has_no_common_meaning_stays_refused(text):
    with pytest.raises(BrokenRobot) as caught:
        run(text, lenient=True)
    assert "--lenient" not in str(caught.value)
