"""The note that says how the joints of the result count, from those of the original file."""

import re
from xml.sax.saxutils import quoteattr

from conftest import examples, signs_of
from hypothesis import given, strategies as st

from urdf_tools.base.version import __version__
from urdf_tools.edit.edit_session import old_word
from urdf_tools.plan.result_notes import joint_map_note
from urdf_tools.urdf.urdf_notes import NotedJointMap, read_joint_map
from urdf_tools.plan.run_options import Options
from urdf_tools.run.run_pipeline import simplify_bytes
from urdf_tools.urdf.urdf_records import JointMap
from urdf_tools.urdf.lossless_xml import parse_document
from urdf_tools.urdf.urdf_reader import XACRO

HEAD = f"<!-- urdf_simplify {__version__} joint map, q is the position in the original file:"
INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
# Such a file is refused.
NAMES = st.text(
    st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="\ufffe\uffff"),
    min_size=1,
).filter(lambda name: not re.search(XACRO, name))


def chain(*joints, front=""):
    """Return a chain of joints about Z, each as its name with a minus in front if it turns the other way."""
    links = "".join(f'<link name="link{k}">{INERTIAL}</link>' for k in range(len(joints) + 1))
    made = [
        f'<joint name={quoteattr(name.replace("-", "", name[0] == "-"))} type="revolute">'
        f'<parent link="link{k}"/><child link="link{k + 1}"/><origin xyz="0 0 1"/>'
        f'<axis xyz="0 0 {-1 if name[0] == "-" else 1}"/><limit lower="-1" upper="2" effort="1" velocity="1"/>'
        "</joint>"
        for k, name in enumerate(joints)
    ]
    return f'{front}<robot name="r">\n{links}{"".join(made)}\n</robot>\n'.encode()


def run(source, **options):
    return simplify_bytes(source, "r.urdf", Options(base_frame="ros", **options))


def noted(result):
    """Return the lines of the map."""
    found = re.findall(r"<!-- urdf_simplify \S+ joint map.*?-->", result.text, re.S)
    assert len(found) <= 1
    return str(found[0]).splitlines() if found else []


def test_what_counts_the_other_way_is_noted():
    result = run(chain("-knee", "hip", "-neck"))
    assert noted(result) == [f"{HEAD} knee = -q, neck = -q -->"]
    assert run(result.data).data == result.data


def test_a_joint_that_is_flipped_again_disappears_and_another_stays():
    first = run(chain("-knee", "-neck")).text
    again = run(
        re.sub('(name="knee".*?<axis xyz="0 0 )1', r"\g<1>-1", first, flags=re.S).encode("utf-8")
    )
    assert signs_of(again.plan) == {"knee": -1, "neck": 1}
    assert noted(again) == [f"{HEAD} neck = -q -->"]


def test_a_map_that_is_empty_leaves_no_note():
    source = chain("-knee", front=f"<!-- mine -->\n{HEAD} knee = -q -->\n")
    note = f"<!-- urdf_simplify {__version__}: x=forward y=left z=up -->"
    assert run(source).text.startswith(f"<!-- mine -->\n{note}\n<robot")


def test_zeros_stay_where_they_are():
    before = "knee = -(q - 1.57), hip = q - -0.5"
    result = run(chain("-knee", "-hip", front=f"{HEAD} {before} -->\n"))
    assert noted(result) == [f"{HEAD} knee = q - 1.57, hip = -(q - -0.5) -->"]


def test_what_is_no_more_drops_out():
    source = chain("knee", "-neck", front=f"{HEAD} knee = -q, gone = -q -->\n").replace(
        b'name="knee" type="revolute"', b'name="knee" type="fixed"'
    )
    assert noted(run(source)) == [f"{HEAD} neck = -q -->"]
    kept = run(
        source.replace(b' -1"/><limit', b' 1"/><limit'),
        merge=False,
        reorient=False,
        strip_hardware=False,
    )
    assert noted(kept) == []


def test_a_file_that_keeps_its_signs_keeps_its_bytes():
    source = chain(
        "knee", front=f"<!-- urdf_simplify 0.0.1: x=forward y=left z=up -->\n{HEAD} knee = -q -->\n"
    )
    assert run(source).data == source


def test_a_long_map_is_wrapped():
    names = [f"a_joint_with_a_long_name_{k}" for k in range(20)]
    lines = noted(run(chain(*(f"-{name}" for name in names))))
    assert lines[0] == HEAD and lines[-1] == "-->" and max(map(len, lines)) <= 120
    assert [word.strip() for word in " ".join(lines[1:-1]).split(",")] == [
        f"{name} = -q" for name in names
    ]


@examples(fuzzed=100)
@given(st.lists(NAMES, min_size=1, max_size=4, unique=True))
def test_every_name_can_be_noted(names):
    source = chain(*(f"-{name}" for name in names))
    result = run(source)
    assert list(signs_of(result.plan).values()) == [-1] * len(names)
    assert len(noted(result)) >= 1  # and the proof has read it
    assert run(result.data).data == result.data


@examples(fuzzed=100)
@given(
    st.dictionaries(
        NAMES.map(lambda name: re.sub(r"\W", "_", name, flags=re.A)),
        st.builds(
            NotedJointMap,
            st.builds(
                JointMap, st.sampled_from((1, -1)), st.sampled_from((0.0, 1.57, -2e-3, 2.5e-11))
            ),
            st.one_of(st.just("q"), NAMES.map(old_word)),
            st.sampled_from((1.0, 1.5, 0.1, 0.666666666667)),
        ),
        max_size=20,
    ),
    st.sampled_from(("\n", "\r\n")),
)
def test_a_note_is_read_as_it_was_written(said, newline):
    note = joint_map_note(said, newline)
    assert read_joint_map(parse_document(f"{note}<robot/>".encode(), "r.urdf")) == said
