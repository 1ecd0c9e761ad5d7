"""Warnings that say the same are one, with the names and lines of all; what mends them can be pasted."""
from typing import List

import golden
import pytest
from hypothesis import given
from hypothesis import strategies as st

from urdf_tools.report.grouped_warnings import alike_lines, left_to_do, OTHERS_SHOWN, warning_section
from urdf_tools.report.layout import Look
from urdf_tools.run.pipeline import Result, simplify
from urdf_tools.base.kinds import Notice

LOOK = Look(True, False, 10000)  # nothing is folded into several lines
ALIKE = [
    ("transmission-sign", "<transmission name='{}'> drives joint 'j', whose sign changes"),
    ("frame-name", "<frameName>{}</frameName> names a link that is merged into 'base'"),
    ("surface-merged", "material Gazebo/Red of 'base' holds for what was in link '{}' too: --keep {} keeps it apart"),
    ("surface-merged", "friction of 'x{}' holds for '{}' too: --keep {} keeps it apart"),
    ("mesh-content", "'meshes/{}': {}: 3 triangles without area left out"),
    ("mesh-content", "'meshes/{}': part: materials {}, a b all have the color 0.5 0.5 0.5 1"),
    ("mesh-not-found", "'meshes/{}' is not found (/a folder/{} is not there): left as it is"),
    ("exported-twice", "link '{}' is the same part as 'foot': its mass of 0.642 kg is counted twice")]


@pytest.fixture(scope="module")
def result() -> Result:
    return simplify(golden.FIXTURES / "humanoid" / "robot.urdf")


@pytest.mark.parametrize("kind, message", ALIKE)
@given(names=st.lists(st.sampled_from([f"name_{k}" for k in range(12)]), min_size=2, max_size=12, unique=True))
def test_what_differs_in_a_name_is_one_warning(result: Result, kind: str, message: str, names: List[str]) -> None:
    notices = [Notice(100 + k, message.replace("{}", name), kind) for k, name in enumerate(names)]
    first, *cure = warning_section("Warnings", notices, result.plan, LOOK).lines
    more = [f"'{name}'" for name in names[1:1 + OTHERS_SHOWN]]
    rest = f" and {len(names) - 1 - OTHERS_SHOWN} more" if len(names) > 1 + OTHERS_SHOWN else ""
    lines = ", ".join(str(notice.line) for notice in notices[1:])
    assert first == (f"  [{kind}] line 100: {notices[0].text}; also {', '.join(more)}{rest} "
                     f"(line{'s' * (len(names) > 2)} {lines})")
    assert len(cure) <= 1
    each = warning_section("Warnings", notices, result.plan, LOOK._replace(full=("warnings",)))
    assert each.lines == [f"  [{kind}] line {notice.line}: {notice.text}" for notice in notices]
    assert each.title == f"Warnings: {len(names)}"


@pytest.mark.parametrize("one, other", [
    (("frame-name", "<frameName>a</frameName> turns"), ("frame-name", "<bodyName>a</bodyName> turns")),
    (("inertia", "link 'a': inertia is zero"), ("inertia", "link 'a': a moment of inertia is negative")),
    (("inertia", "link 'a' is bad"), ("no-mass", "link 'a' is bad"))])
def test_what_differs_otherwise_is_not(result: Result, one: "tuple[str, str]", other: "tuple[str, str]") -> None:
    notices = [Notice(k, message, kind) for k, (kind, message) in enumerate((one, other), 1)]
    lines = warning_section("Warnings", notices, result.plan, LOOK).lines
    assert sum(line.startswith("  [") for line in lines) == 2 and "also" not in "\n".join(lines)


def test_the_same_of_one_name_lists_lines(result: Result) -> None:
    notices = [Notice(line, "'meshes/a.dae' is not found", "mesh-not-found") for line in (3, 5, 9)]
    assert warning_section("Warnings", notices, result.plan, LOOK).lines[0].endswith(" is not found; also lines 5, 9")


def test_links_to_keep_can_be_pasted(result: Result) -> None:
    """Those of all warnings of a kind, each once, in one list."""
    merged = [name for name, member in result.plan.members.items() if member.merged]
    assert len(merged) == 4
    about = ((merged[0],), (merged[1], merged[0]), (merged[2], "pelvis"))
    notices = [Notice(line, f"friction of {' and '.join(names)}", "surface-merged", names=names)
               for line, names in enumerate(about, 1)]
    wanted = " ".join(f"--keep {name}" for name in merged[:3])
    assert warning_section("Warnings", notices, result.plan, LOOK).lines[-1] == f"    cure: {wanted}"
    assert left_to_do(notices, result.plan, LOOK) == [
        f"  [surface-merged] lines 1, 2, 3: links that become one touch or look in different ways (3 times): {wanted}"]


def test_names_are_not_looked_for_in_words(result: Result) -> None:
    """A merged link may be called like a word of the sentence; its own name may hold anything."""
    members = dict.fromkeys(("link", "merged", "cam [1]"), result.plan.members["left_foot_2"])
    plan = result.plan._replace(members={**result.plan.members, **members})
    notice = Notice(1, "<x> names 'cam [1]', a link that is merged", "merged-link", names=("cam [1]",))
    assert left_to_do([notice], plan, LOOK)[0].endswith(": --keep 'cam [[]1]'")


@given(st.lists(st.sampled_from(["a.dae", "b.dae", "c.dae"]), min_size=1, max_size=9))
def test_sentences_of_the_package_are_grouped_by_the_same_rule(names: List[str]) -> None:
    sentences = ["MJCF: arm.xml is read again", "line 9: 'x' is not found: copy it"] + [
        f"for MuJoCo: line {k}: 'meshes/{name}' is not found: copy it" for k, name in enumerate(names, 10)]
    assert alike_lines(sentences, LOOK._replace(full=("follows",)), "follows") == [f"  {one}" for one in sentences]
    lines = alike_lines(sentences, LOOK, "follows")
    assert lines[:2] == [f"  {one}" for one in sentences[:2]] and len(lines) == 3
    assert lines[2].startswith(f"  for MuJoCo: line 10: 'meshes/{names[0]}' is not found: copy it")
    for k, name in enumerate(names, 10):
        assert str(k) in lines[2] and name in lines[2]
