"""What `import urdf_tools` offers, and that it loads no more than is asked for."""
import pickle
import subprocess
import sys
from copy import copy
from types import ModuleType

import pytest
from conftest import ROOT

import urdf_tools
from urdf_tools import api, compare, compare_api, model, model_api
from urdf_tools.model.from_urdf import read_urdf

FACADES = pytest.mark.parametrize("facade, behind", [(urdf_tools, api), (model, model_api), (compare, compare_api)])


def modules_after(statement: str) -> "set[str]":
    """Return the modules of the package that a fresh Python has loaded after a statement."""
    code = f"{statement}\nimport sys\nprint(*(name for name in sys.modules if name.startswith('urdf_tools')))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    return set(done.stdout.split())


@FACADES
def test_every_name_offered_can_be_imported_from_the_package(facade: ModuleType, behind: ModuleType) -> None:
    assert {"simplify", "Robot", "Comparison"} & set(behind.__all__)
    for name in behind.__all__:
        assert getattr(facade, name) is getattr(behind, name)


@FACADES
def test_star_imports_just_what_is_offered(facade: ModuleType, behind: ModuleType) -> None:
    names = {}
    exec(f"from {facade.__name__} import *", names)
    assert set(names) - {"__builtins__"} == set(behind.__all__)


def test_unknown_name_is_the_usual_error() -> None:
    with pytest.raises(AttributeError, match="^module 'urdf_tools' has no attribute 'simplfy'$"):
        urdf_tools.simplfy  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'simplfy' from 'urdf_tools'"):
        exec("from urdf_tools import simplfy")
    with pytest.raises(AttributeError, match="^module 'urdf_tools.model' has no attribute 'Robto'$"):
        model.Robto  # noqa: B018


def test_only_what_is_asked_for_is_loaded() -> None:
    assert modules_after("import urdf_tools") == {"urdf_tools"}
    loaded = modules_after("import urdf_tools.collada.convert")
    assert "urdf_tools.collada.convert" in loaded
    assert loaded.isdisjoint({"urdf_tools.cli.main", "urdf_tools.run.pipeline", "urdf_tools.api"})
    assert "urdf_tools.run.pipeline" in modules_after("from urdf_tools import simplify")
    loaded = modules_after("import urdf_tools.model.records")
    assert "urdf_tools.model.records" in loaded
    assert loaded.isdisjoint({"urdf_tools.model_api", "urdf_tools.model.from_urdf", "urdf_tools.export.mjcf.writer"})


def test_a_robot_of_the_model_stays_one_when_it_is_read_and_changed() -> None:
    """The methods belong to `model.Robot`; what is read by functions is the same record without them."""
    robot = model.Robot.from_urdf("<robot name='a'><link name='b'/></robot>")
    for one in (robot, robot._replace(name="c"), model.Robot.from_json(robot.to_json()), copy(robot),
                pickle.loads(pickle.dumps(robot))):
        assert type(one) is model.Robot and one.root == "b"
    assert robot == read_urdf("<robot name='a'><link name='b'/></robot>") and not hasattr(robot, "__dict__")
