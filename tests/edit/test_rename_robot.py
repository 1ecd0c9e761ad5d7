"""`rename robot=NEW`: the robot has this name, in its SRDF, too; there and back is the text."""

import re

import pytest
from conftest import examples, SEEDS
from edited_robots import any_text, ARM, carried_out, NOTES, SRDF, written
from hypothesis import given

from urdf_tools import edit
from urdf_tools.base.errors import ProofFailed, UrdfError
from urdf_tools.urdf.lossless_xml import Element


def renamed(text, *words):
    return carried_out(text, [("rename", each) for each in words])


def test_the_robot_and_its_srdf_have_the_name(tmp_path):
    result = edit(
        written(tmp_path, "arm.urdf", ARM),
        srdf=written(tmp_path, "arm.srdf", SRDF),
        rename="robot=arm 6",
    )
    assert '<robot name="arm 6">' in result.text
    companion = result.companions[0].data.decode()
    assert '<robot name="arm 6">' in companion
    assert re.sub(NOTES, "", companion).replace("arm 6", "arm") == SRDF
    assert result.exported.changes == ("robot arm -> arm 6",)
    back = renamed(result.text, "robot=arm").text
    assert re.sub(NOTES, "", back) == ARM


def test_a_link_of_that_name_is_meant_first():
    text = ARM.replace('"tool"', '"robot"')
    assert '<robot name="arm">' in renamed(text, "robot=flange").text
    assert '<link name="flange"/>' in renamed(text, "robot=flange").text


@pytest.mark.parametrize("words", ("robot=", "robot= ", "robot=arm"))
def test_no_other_name_is_refused(words):
    with pytest.raises(UrdfError, match="give another name than 'arm'"):
        renamed(ARM, words)


def test_a_name_that_is_not_written_is_a_fault(monkeypatch):
    monkeypatch.setattr(Element, "set", lambda self, attribute, value: None)
    with pytest.raises(ProofFailed, match="the robot is called 'arm'"):
        renamed(ARM, "robot=arm6")


@examples(6, fuzzed=300)
@given(SEEDS)
def test_what_a_prefix_renames_is_renamed_back(seed):
    """There and back is the text, but for notes: sensors, transmissions, frames and loops, too."""
    text = any_text(seed)
    try:
        prefixed = carried_out(text, [("prefix", "zz_")]).text
    except ProofFailed:
        raise
    except UrdfError:
        return
    # A robot may have no name but that of the world.
    if "zz_" not in re.sub(NOTES, "", prefixed):
        return
    back = renamed(prefixed, "/^(closing_)?zz_/=\\1").text
    assert re.sub(NOTES, "", back) == re.sub(NOTES, "", text)


def test_a_kind_in_front_is_for_this_kind_alone():
    text = ARM.replace('name="drive"', 'name="left_drive"')
    assert '<transmission name="l_drive">' in renamed(text, "left_*=l_*").text
    assert '<transmission name="left_drive">' in renamed(text, "joint:left_*=l_*").text
    only = renamed(text, "left_drive=drive")
    assert (
        only.exported.changes == ("1 name changed",) and '<transmission name="drive">' in only.text
    )
    with pytest.raises(UrdfError, match="would have no name"):
        renamed(text, "left_drive=")
