"""The functions of the package have the signatures and the help of their options."""

import inspect
import subprocess
import sys

import pytest
from conftest import ROOT

import urdf_tools
from urdf_tools.app import argument_types, python_functions
from urdf_tools.app.package_options import TABLE
from urdf_tools.app.function_signatures import rows_of_call, type_of
from urdf_tools.base.option_table import as_keyword, OptionRow

FUNCTIONS = ("simplify", "edit", "collision", "pairs", "export")
# These options are parameters of their functions, by other names.
OWN = {"collision": {"collision": "shape", "collision_link": "link"}}


def test_the_stub_is_what_the_options_give():
    """The stub has the signatures, defaults and sentences of this checkout: `make golden` writes it."""
    done = subprocess.run([sys.executable, ROOT / "tests" / "tools" / "stubs.py", "--check"])
    assert done.returncode == 0


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_has_each_option_of_its_command(name):
    signature = inspect.signature(getattr(urdf_tools, name))
    assert signature == inspect.signature(getattr(python_functions, name))
    assert all(
        parameter.kind is not parameter.VAR_KEYWORD for parameter in signature.parameters.values()
    )
    own = OWN.get(name, {})
    for row in rows_of_call(name, TABLE):
        parameter = signature.parameters[own.get(row.name, as_keyword(row.name))]
        assert parameter.default == row.default
        assert str(parameter.annotation) == type_of(row)
    with pytest.raises(TypeError, match="spilt"):
        signature.bind("robot.urdf", spilt="color")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_help_has_the_sentences_of_the_screen(name):
    shown = " ".join(inspect.getdoc(getattr(python_functions, name)).split())
    own = OWN.get(name, {})
    for row in rows_of_call(name, TABLE):
        if row.name not in own:
            text = f"{row.help}. {row.more}" if row.more else row.help
            off = "=False" if row.default is True else ""
            assert f" {as_keyword(row.name)}{off}: {' '.join(text.split())}" in shown


def test_the_type_of_an_option_follows_from_its_row():
    for row, expected in (
        (OptionRow("one_mesh", "", "", kind=bool, default=False), "bool"),
        (
            OptionRow("split", "", "", choices=("color", "material")),
            "Optional[Literal['color', 'material']]",
        ),
        (OptionRow("unit", "", "", choices=("m", "mm"), default="m"), "Literal['m', 'mm']"),
        (OptionRow("page", "", "", "FILE"), "Optional[Path]"),
        (OptionRow("keep", "", "", "GLOB", repeatable=True, default=()), "Texts"),
        (OptionRow("scale", "", "", kind=float), "Optional[float]"),
    ):
        assert type_of(row) == expected


def test_named_types_exist():
    for row in TABLE:
        if row.python_type and "[" not in row.python_type:
            assert hasattr(argument_types, row.python_type), row.name


def test_a_package_that_is_no_function_has_no_signature():
    with pytest.raises(AttributeError):
        urdf_tools.model.__signature__  # noqa: B018
