"""What `import urdf_tools` offers, and that it loads no more than is asked for."""

import inspect
import json
import pickle
import re
import subprocess
import sys
from copy import copy
from html import escape

import pytest
from commands import path_of_address
from conftest import ROOT

import urdf_tools
from urdf_tools import api, compare, compare_api, lint, lint_api, model, model_api
from urdf_tools.formats.urdf.urdf_model_conversion import read_urdf

FACADES = pytest.mark.parametrize(
    "facade, behind",
    [(urdf_tools, api), (model, model_api), (compare, compare_api), (lint, lint_api)],
)


BY_PACKAGE = (
    "Robot",
    "collision",
    "compare",
    "edit",
    "export",
    "extract_meshes_from_dae",
    "lint",
    "model",
    "pairs",
)


def offered(facade, behind):
    """Return the names of a package."""
    return {*behind.__all__, *(BY_PACKAGE if facade is urdf_tools else ())}


def modules_after(statement):
    """Return the modules of the package that a fresh Python has loaded after a statement."""
    code = f"{statement}\nimport sys\nprint(*(name for name in sys.modules if name.startswith('urdf_tools')))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, encoding="utf-8", check=True
    )
    return set(done.stdout.split())


@FACADES
def test_every_name_offered_can_be_imported_from_the_package(facade, behind):
    assert {"simplify", "Robot", "Comparison", "lint"} & set(behind.__all__)
    for name in behind.__all__:
        assert getattr(facade, name) is getattr(behind, name)


@FACADES
def test_dir_has_just_what_is_offered(facade, behind):
    assert dir(facade) == sorted(offered(facade, behind))


@FACADES
def test_star_imports_just_what_is_offered(facade, behind):
    names = {}
    exec(f"from {facade.__name__} import *", names)
    assert set(names) - {"__builtins__"} == offered(facade, behind)


def test_unknown_name_is_the_usual_error():
    with pytest.raises(
        AttributeError, match="^module 'urdf_tools' has no attribute 'nothing_like_it'$"
    ):
        urdf_tools.nothing_like_it  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'nothing_like_it' from 'urdf_tools'"):
        exec("from urdf_tools import nothing_like_it")
    with pytest.raises(
        AttributeError, match="^module 'urdf_tools.model' has no attribute 'nothing_like_it'$"
    ):
        model.nothing_like_it  # noqa: B018


def test_only_what_is_asked_for_is_loaded():
    assert modules_after("import urdf_tools") == {"urdf_tools", "urdf_tools.lazy_names"}
    loaded = modules_after("import urdf_tools.collada.collada_to_stl")
    assert "urdf_tools.collada.collada_to_stl" in loaded
    assert loaded.isdisjoint(
        {"urdf_tools.cli.single_file_entry", "urdf_tools.run.run_pipeline", "urdf_tools.api"}
    )
    assert "urdf_tools.run.run_pipeline" in modules_after("from urdf_tools import simplify")
    loaded = modules_after("import urdf_tools.model.model_records")
    assert "urdf_tools.model.model_records" in loaded
    assert loaded.isdisjoint(
        {
            "urdf_tools.model_api",
            "urdf_tools.formats.urdf.urdf_model_conversion",
            "urdf_tools.formats.mjcf.write_mjcf",
        }
    )


def test_a_robot_of_the_model_stays_one_when_it_is_read_and_changed():
    """The methods belong to `model.Robot`; what is read by functions is the same record without them."""
    robot = model.Robot.from_urdf("<robot name='a'><link name='b'/></robot>")
    for changed in (
        robot,
        robot._replace(name="c"),
        model.Robot.from_json(robot.to_json()),
        copy(robot),
        pickle.loads(pickle.dumps(robot)),
    ):
        assert type(changed) is model.Robot and changed.root == "b"
    assert robot == read_urdf("<robot name='a'><link name='b'/></robot>") and not hasattr(
        robot, "__dict__"
    )


def test_what_is_returned_is_shown_in_one_line():
    arm = str(ROOT / "fixtures" / "arm" / "robot.urdf")
    result = urdf_tools.simplify(arm)
    assert re.fullmatch(
        r"<Result 'reachSix': 13 -> 10 links, .*3 links merged.*, same robot>", repr(result)
    )
    assert (
        str(result).startswith("urdf_simplify ")
        and "reachSix" in str(result)
        and "\n" in str(result)
    )
    assert isinstance(result, api.Result)
    robot = model.Robot.from_urdf(arm)
    assert re.fullmatch(r"<Robot 'reachSix': 13 links, 12 joints, \d+\.\d{3} kg>", repr(robot))
    assert str(robot) == repr(robot)
    unsound = model.Link("a", collisions=(model.Collision(model.Mesh("x.stl"), density=5.0),))
    assert repr(model.Robot("r", (unsound,))) == "<Robot 'r': 1 link, 0 joints>"
    assert (
        repr(compare.compare(arm, arm))
        == "<Comparison: Same robot: exactly, for all positions (0 differences)>"
    )


def test_what_is_returned_has_a_page(tmp_path, monkeypatch, capsys):
    """Each page is that of the command; `show` opens it and says where it is; notebooks get the text."""
    crane = ROOT / "fixtures" / "collision" / "crane.urdf"
    result, robot = urdf_tools.simplify(crane), model.Robot.from_file(crane)
    comparison = compare.compare(crane, crane)
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    for shown, folder in ((result, ()), (comparison, ()), (robot, (str(crane.parent),))):
        page = shown.page(*folder)
        assert page.startswith("<!DOCTYPE html>") and "crane" in page and 'id="missing"' not in page
        shown.show(*folder)
        path = path_of_address(opened[-1])
        assert (
            capsys.readouterr().out == f"Opened {path} in the browser\n"
            and path.read_text("utf-8") == page
        )
        assert shown._repr_html_() == f"<pre>{escape(str(shown))}</pre>"
    assert 'id="missing"' in robot.page(str(tmp_path)), "its meshes are in another folder"
    assert urdf_tools.main(["view", str(crane), "-o", str(tmp_path / "view.html")]) == 0
    script = re.compile('<script type="application/json" id="data">(.*)</script>')
    (of_robot,), (of_view,) = (
        script.findall(text)
        for text in (robot.page(str(crane.parent)), (tmp_path / "view.html").read_text("utf-8"))
    )
    assert json.loads(of_robot)["new"] == json.loads(of_view)["new"]


def test_a_comparison_is_true_of_the_same_robot_alone():
    arm, quadruped = (str(ROOT / "fixtures" / name / "robot.urdf") for name in ("arm", "quadruped"))
    assert compare.compare(arm, arm)
    other = compare.compare(arm, quadruped)
    assert not other and str(other) == compare.as_text(other) == other.text() != other.text(
        full=True
    )


def test_the_package_alone_is_enough():
    arm = ROOT / "fixtures" / "arm" / "robot.urdf"
    code = (
        f"import sys, urdf_tools as ut; path = {str(arm)!r}; assert 'urdf_tools.model_api' not in sys.modules;"
        "print(repr(ut.compare(path, path)), repr(ut.lint(path)), ut.Robot.from_file(path))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, encoding="utf-8", check=True
    )
    assert (
        done.stdout
        == f"{compare.compare(arm, arm)!r} {lint.lint(arm)!r} {model.Robot.from_urdf(arm)!r}\n"
    )
    assert urdf_tools.Robot is model.Robot and urdf_tools.lint(
        str(arm), package={"x": "."}
    ) == lint.lint(arm)
    with pytest.raises(AttributeError, match="'urdf_tools.model' has no attribute 'model'"):
        model()


@pytest.mark.filterwarnings("ignore::urdf_tools.model.ExportWarning")
def test_a_robot_is_read_from_a_file_of_any_format(tmp_path):
    """What a file is its content says: under the name of another format, in UTF-16, and as text."""
    robot = model.Robot.from_urdf(ROOT / "fixtures" / "quadruped" / "robot.urdf")._replace(
        extensions=()
    )
    for text, read in (
        (robot.to_urdf(), model.Robot.from_urdf),
        (robot.to_mjcf(), model.Robot.from_mjcf),
        (robot.to_sdf(), model.Robot.from_sdf),
        (robot.to_json(), model.Robot.from_json),
    ):
        expected, text = read(text), text.replace(' encoding="utf-8"', "")
        assert (
            model.Robot.from_file(text)
            == model.Robot.from_file(f"\ufeff\n{text}".lstrip("\ufeff\n"))
            == expected
        )
        for encoding in ("utf-8", "utf-16", "utf-16-le", "utf-16-be"):
            path = tmp_path / "robot.stl"
            path.write_text(text, encoding=encoding)
            if encoding == "utf-8" or text.startswith("<"):
                assert model.Robot.from_file(path) == expected
                assert not compare.compare(path, path).differences
            if text.startswith("<"):
                urdf_tools.simplify(path, tmp_path / "out.urdf", reorient=False, force=True)
                assert compare.compare(
                    path, tmp_path / "out.urdf", aspects=frozenset(("motion", "mass"))
                )
    for unreadable in ("", "{}", "<html/>", str(tmp_path), "{", tmp_path / "none.urdf"):
        with pytest.raises(urdf_tools.UrdfError):
            model.Robot.from_file(unreadable)


def test_findings_for_programs(tmp_path):
    file = tmp_path / "robot.urdf"
    file.write_text(
        "<robot name='r'><link name='a'/><link name='b'/>\n<joint name='j' type='revolute'><parent "
        "link='a'/><child link='b'/><limit lower='1' upper='-1' effort='1' velocity='1'/></joint></robot>"
    )
    findings = lint.lint(file)
    (reversed_,) = (finding for finding in findings if finding.kind == "limits-reversed")
    assert (
        file.read_text().splitlines()[1][reversed_.column - 1 :].startswith("j' type='revolute'")
    ), "its name"
    assert all(finding.column for finding in findings)
    about_file = lint.lint(ROOT / "fixtures" / "humanoid" / "robot.urdf")
    assert {finding.column for finding in about_file if not finding.line} == {0}
    assert (reversed_.severity, reversed_.line) == (
        "error",
        2,
    ) and "lower 1 is above upper -1" in reversed_.message
    assert repr(findings) == "<Findings: 2 errors, 3 notes>" and len(findings) == 5
    file.write_text("<robot")
    assert [(finding.kind, finding.severity) for finding in lint.lint(file)] == [
        ("refused", "error")
    ]


@pytest.mark.parametrize("facade", [urdf_tools, compare, lint], ids=lambda one: one.__name__)
def test_a_name_that_is_misspelled_has_a_hint(facade):
    for name in dir(facade):
        wrong = name[:-3] + name[-2] + name[-3] + name[-1]
        if wrong in dir(facade) or len(name) < 5 or name.startswith("_"):
            continue
        with pytest.raises(AttributeError, match=r"no attribute .* \(did you mean '\w+'\?\)"):
            getattr(facade, wrong)
    assert not hasattr(facade, "__wrapped__")
    with pytest.raises(AttributeError, match="no attribute '__dirr__'$"):
        facade.__dirr__  # noqa: B018


def test_the_hint_is_the_name_that_was_meant():
    with pytest.raises(AttributeError, match=r"'simplfy' \(did you mean 'simplify'\?\)"):
        urdf_tools.simplfy  # noqa: B018


@pytest.mark.parametrize("name", ["collision", "compare", "edit", "export", "lint"])
def test_the_help_of_a_package_begins_with_its_call(name):
    """Such a package is called as its function: `help()` says so in its first line, with arguments that it has."""
    package = getattr(urdf_tools, name)
    call = re.match(rf"`urdf_tools\.{name}\((.*?)\)`: ", package.__doc__)
    assert callable(package) and call
    bind = inspect.signature(getattr(package, name)).bind
    eval(f"bind({call.group(1)})", {"bind": bind})
