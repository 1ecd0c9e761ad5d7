"""What cannot be compared is refused in one sentence with file and line: fixtures/compare/refused has them."""

import os

import pytest
from conftest import ROOT

from urdf_tools.base.errors import UrdfError
from urdf_tools.compare.read_any_format import read_robot_of

FOLDER = ROOT / "fixtures/compare/refused"
FILES = sorted(path for path in FOLDER.iterdir() if path.suffix != ".refused")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_that_cannot_be_compared_is_one_sentence(path, monkeypatch):
    monkeypatch.chdir(FOLDER)
    with pytest.raises(UrdfError) as refused:
        read_robot_of(path.name)
    sentence = path.with_name(path.name + ".refused").read_text("utf-8")
    assert f"{refused.value}\n" == sentence
    assert len(sentence.splitlines()) == 1 and sentence.startswith(path.stem.partition("_loop")[0])


def test_every_expectation_has_its_file():
    assert {f"{path.name}.refused" for path in FILES} == {
        path.name for path in FOLDER.glob("*.refused")
    }


@pytest.mark.parametrize(
    "text",
    (
        "[" * 100_000,
        '{"links": ' * 20_000,
        "<robot>" * 100_000,
        "<mujoco>" * 100_000,
        "<sdf>" * 100_000,
    ),
)
def test_what_is_nested_without_end_is_one_sentence(text, tmp_path):
    path = tmp_path / "deep"
    path.write_text(text, "utf-8")
    with pytest.raises(UrdfError) as refused:
        read_robot_of(path)
    assert len(str(refused.value).splitlines()) == 1


def test_nothing_of_a_file_that_is_no_mjcf_is_shown(tmp_path):
    """An include may lead out of the folder; what is there is said by its name alone."""
    (tmp_path / "models").mkdir()
    for name, text in (
        ("secret.txt", "password: hunter2"),
        ("secret.xml", "<password>hunter2</password>"),
        ("robot.urdf", "<robot name='hunter2'/>"),
    ):
        (tmp_path / name).write_text(text, "utf-8")
        main = tmp_path / "models" / "robot.xml"
        main.write_text(f'<mujoco>\n<include file="../{name}"/></mujoco>', "utf-8")
        with pytest.raises(UrdfError) as refused:
            read_robot_of(main)
        assert "hunter2" not in str(refused.value) and str(refused.value).startswith(f"{main}:2: ")


def test_an_include_outside_the_folder_is_followed_and_listed(tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "arm.xml").write_text(
        '<mujocoinclude><worldbody><body name="a"><joint name="j"/><geom size="1"/>'
        "</body></worldbody></mujocoinclude>",
        "utf-8",
    )
    main = tmp_path / "models" / "robot.xml"
    main.write_text('<mujoco><include file="../arm.xml"/></mujoco>', "utf-8")
    robot = read_robot_of(main)
    assert [joint.name for joint in robot.joints] == ["j"]
    assert [note for note in robot.notes if f"..{os.sep}arm.xml" in note or "../arm.xml" in note]
