"""Microsoft's validator of SARIF reads what --format sarif writes of lint, check and compare."""

import json
import os
import shutil
import subprocess

import golden
import pytest

from urdf_tools.app.command_table import main

PACKAGE = "@microsoft/sarif-multitool"
NO_PAGE = "SARIF2005"  # a warning: the tool names no page of its own in the web


@pytest.fixture(scope="module")
def multitool(tmp_path_factory):
    """The command of the validator, installed by npm into a folder of its own."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("npm")
    done = subprocess.run(
        [npm, "install", "--silent", "--prefix", str(folder), PACKAGE],
        check=False,
        timeout=600,
        capture_output=True,
    )
    program = folder / "node_modules" / ".bin" / "sarif-multitool"
    if done.returncode or not program.exists():
        pytest.skip(f"npm cannot install {PACKAGE}")
    return [str(program)]


def complaints(multitool, text, folder):
    """Return what the validator says of a log, by rule."""
    (folder / "log.sarif").write_text(text, "utf-8")
    done = subprocess.run(
        [*multitool, "validate", "log.sarif", "--output", "said.sarif", "--log", "ForceOverwrite"],
        cwd=folder,
        check=False,
        timeout=300,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"},
    )
    assert (folder / "said.sarif").exists(), done.stdout + done.stderr
    said = json.loads((folder / "said.sarif").read_text(encoding="utf-8-sig"))
    return sorted({result["ruleId"] for result in said["runs"][0].get("results", ())})


@pytest.mark.parametrize(
    "words",
    (
        ["lint", "robot.urdf", "arm.urdf"],
        ["lint", "robot.urdf", "--select", "refused"],
        ["--check", "robot.urdf", "arm.urdf"],
        ["compare", "robot.urdf", "arm.urdf"],
    ),
)
def test_it_is_valid(
    words,
    multitool,
    here,
    capsys,
):
    shutil.copy(golden.FIXTURES / "humanoid" / "robot.urdf", "robot.urdf")
    shutil.copy(golden.FIXTURES / "arm" / "robot.urdf", "arm.urdf")
    main([*words, "--format", "sarif"])
    assert set(complaints(multitool, capsys.readouterr().out, here)) <= {NO_PAGE}


def test_the_validator_finds_what_is_wrong(
    multitool,
    here,
    capsys,
):
    shutil.copy(golden.FIXTURES / "humanoid" / "robot.urdf", "robot.urdf")
    main(["lint", "robot.urdf", "--format", "sarif"])
    broken = capsys.readouterr().out.replace('"ruleIndex": 0', '"ruleIndex": 99')
    assert set(complaints(multitool, broken, here)) - {NO_PAGE}
