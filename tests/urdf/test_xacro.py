"""Input named `*.xacro`: the xacro command on the PATH expands it; the tool itself runs nothing else."""

import os
import sys

import golden
import pytest
from conftest import needs_posix, SINGLE_FILE
from commands import as_shown, on_path, run, write_command

from urdf_tools.base.errors import UsageError
from urdf_tools.urdf.expand_xacro import read_expanded

ROBOT = golden.FIXTURES / "quadruped" / "robot.urdf"
# A stand-in for xacro: it says how it was called, and prints the file that lies beside its argument.
FAKE = """
import os, sys
words = sys.argv[1:]
with open(os.path.join(os.path.dirname(__file__), "called"), "w") as called:
    print(*words, file=called)
with open(words[0] + ".expanded", "rb") as expanded:
    sys.stdout.buffer.write(expanded.read())
"""


@pytest.fixture
def folder(here, monkeypatch):
    """A folder with `robots/robot.urdf.xacro`, and a fake xacro command on the PATH."""
    commands, robots = here / "commands", here / "robots"
    commands.mkdir()
    robots.mkdir()
    (robots / "robot.urdf.xacro").write_text('<robot xmlns:xacro="x"><xacro:all/></robot>', "utf-8")
    (robots / "robot.urdf.xacro.expanded").write_bytes(ROBOT.read_bytes())
    monkeypatch.setenv("PATH", on_path(commands))
    write_command(commands, "xacro", FAKE)
    return here


def remove_command(folder):
    """Remove what `write_command` wrote."""
    for file in folder.iterdir():
        file.unlink()


def test_expanded_and_written(command, folder):
    done = run(
        command,
        "robots/robot.urdf.xacro",
        "--xacro-arg",
        "prefix:=left_",
        "--xacro-arg",
        "a:=$(touch x); b",
        "--yes",
        "--quiet",
    )
    assert done.returncode == 0
    plain = run(command, str(ROBOT), "-o", "plain.urdf", "--yes", "--quiet")
    assert (folder / "robots" / "robot_simplified.urdf").read_bytes() == (
        folder / "plain.urdf"
    ).read_bytes()
    assert done.stderr == plain.stderr.replace(str(ROBOT).encode(), b"robots/robot.urdf.xacro")
    assert (folder / "commands" / "called").read_text() == (
        "robots/robot.urdf.xacro prefix:=left_ a:=$(touch x); b\n"
    )
    assert not (folder / "x").exists()


def test_meshes_are_seen_from_its_folder(command, folder):
    (folder / "robots" / "robot.urdf.xacro.expanded").write_text(
        '<robot name="r"><link name="a"><visual><geometry><mesh filename="m/a.stl"/></geometry></visual></link>'
        "</robot>"
    )
    assert run(command, "robots/robot.urdf.xacro", "-o", "out.urdf", "--yes").returncode == 0
    assert 'filename="robots/m/a.stl"' in (folder / "out.urdf").read_text()


def test_a_name_like_an_option(command, folder):
    (folder / "-o.xacro").write_text("<robot/>")
    (folder / "-o.xacro.expanded").write_bytes(ROBOT.read_bytes())
    assert run(command, "--check", "--quiet", "--", "-o.xacro").returncode == 1
    assert (folder / "commands" / "called").read_text() == as_shown("./-o.xacro\n")


@pytest.mark.parametrize(
    "script, message",
    [
        (
            "import sys; sys.stderr.write('one\\ntwo\\n\\n  error: three \\nwhen processing file: x\\n'); sys.exit(2)",
            "xacro failed: two; error: three; when processing file: x",
        ),
        (
            "import sys; sys.stderr.write('error: no name\\nwhen 1\\nwhen 2\\nwhen 3\\nin file: x\\n'); sys.exit(2)",
            "xacro failed: error: no name; when 1; in file: x",
        ),
        (
            "import sys; sys.exit('error: Undefined substitution argument kind')",
            "xacro failed: error: Undefined substitution argument kind: --xacro-arg kind:=VALUE gives it a value",
        ),
        ("raise SystemExit(3)", "xacro failed: no message, exit status 3"),
        ("", "xacro printed nothing"),
    ],
)
def test_a_xacro_that_fails(command, folder, script, message):
    write_command(folder / "commands", "xacro", script)
    done = run(command, "robots/robot.urdf.xacro", "--yes")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == f"error: robots/robot.urdf.xacro: {message}\n"
    assert sorted(os.listdir("robots")) == ["robot.urdf.xacro", "robot.urdf.xacro.expanded"]


@needs_posix("a script names its interpreter")
def test_a_command_that_cannot_run(command, folder):
    (folder / "commands" / "xacro").write_text("#!/no/such/interpreter\n")
    done = run(command, "robots/robot.urdf.xacro", "--yes")
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: robots/robot.urdf.xacro: xacro cannot be run: ")


def test_without_xacro(command, folder):
    remove_command(folder / "commands")
    done = run(command, "robots/robot.urdf.xacro", "--yes", PATH=str(folder / "commands"))
    assert (done.returncode, done.stderr.decode()) == (
        2,
        (
            "error: robots/robot.urdf.xacro: this is xacro, and there is no xacro command on the PATH: `pip install "
            "xacro`, or run `xacro robots/robot.urdf.xacro > robot.urdf` where ROS is installed and give robot.urdf\n"
        ),
    )


@pytest.mark.parametrize(
    "args, message",
    [
        (
            ["robot.urdf", "--xacro-arg", "a:=b"],
            "robot.urdf: --xacro-arg is for a file that ends with .xacro\n",
        ),
        (
            ["robots/robot.urdf.xacro", "--xacro-arg", "a=b"],
            "--xacro-arg a=b: give a name and a value, such as prefix:=left_\n",
        ),
        (
            ["robots/robt.urdf.xacro"],
            "robots/robt.urdf.xacro: no such file (did you mean 'robot.urdf.xacro'?)\n",
        ),
        (
            ["robots/robot.urdf.xacro", "-o", "robots/robot.urdf.xacro", "--force"],
            "robots/robot.urdf.xacro: the output is the input file itself, which is xacro: give another --output\n",
        ),
    ],
)
def test_refused(folder, command, args, message):
    done = run(command, *args, "--yes")
    assert (done.returncode, done.stderr.decode()) == (2, f"error: {message}")
    assert not (folder / "commands" / "called").exists()


# A stand-in for the xacro of ROS 2: it replaces `$(find NAME)` as that does, and includes files as that does.
FINDING = """
import re, sys

def text_of(path):
    from ament_index_python.packages import get_package_share_directory
    text = re.sub(r"[$][(]find (\\w+)[)]", lambda match: get_package_share_directory(match.group(1)), open(path).read())
    return re.sub(r"<include>(.*?)</include>", lambda match: text_of(match.group(1)), text)

try:
    print(text_of(sys.argv[1]))
except Exception as error:
    sys.exit("error: " + str(error))
"""


@pytest.mark.parametrize(
    "folders, given, expected",
    [
        (("robots/arm",), (), "robots/arm"),  # beside the file
        (("arm",), (), "arm"),  # beside a folder above it
        (("elsewhere",), (("arm", "elsewhere"),), "elsewhere"),
        (("arm", "elsewhere"), (("arm", "elsewhere"),), "elsewhere"),  # what is given comes first
        (("elsewhere",), (("arm", "nowhere"),), None),
        ((), (), None),
    ],
)
def test_packages(
    folder,
    folders,
    given,
    expected,
):
    """`$(find NAME)` is the folder of the package without ROS, also in a file that is included from one."""
    write_command(folder / "commands", "xacro", FINDING)
    for name in folders:
        (folder / name).mkdir()
        (folder / name / "part.xacro").write_text(
            "<a>$(find arm)</a><b>$(find robots)</b>", "utf-8"
        )
    (folder / "robots" / "package.xml").write_text(
        "<package><name>robots</name></package>", "utf-8"
    )
    (folder / "robots" / "robot.urdf.xacro").write_text(
        "<include>$(find arm)/part.xacro</include>", "utf-8"
    )
    if expected is None:
        with pytest.raises(
            UsageError,
            match=r"'arm' that \$\(find arm\) names: --package arm=DIR says where it is",
        ):
            read_expanded("robots/robot.urdf.xacro", (), given)
    else:
        printed = read_expanded("robots/robot.urdf.xacro", (), given).decode().rstrip()
        assert printed == f"<a>{folder / expected}</a><b>{folder / 'robots'}</b>"


def test_a_package_beside_that_of_the_file_is_known_by_its_package_xml(folder):
    """The folder of a repository has any name: a package is called as its package.xml says."""
    write_command(folder / "commands", "xacro", FINDING)
    (folder / "robots" / "package.xml").write_text("<package><name>cell</name></package>")
    repository = folder / "Arm_ROS2_Description"
    repository.mkdir()
    (repository / "package.xml").write_text('<package format="3"><name>arm</name></package>')
    (repository / "part.xacro").write_text("<a>$(find arm)</a>")
    text = "<include>$(find arm)/part.xacro</include>"
    (folder / "robots" / "robot.urdf.xacro").write_text(text)
    printed = read_expanded("robots/robot.urdf.xacro").decode().rstrip()
    assert printed == f"<a>{repository}</a>"
    (repository / "package.xml").write_text("<package><name>other</name></package>")
    with pytest.raises(UsageError, match="--package arm=DIR"):
        read_expanded("robots/robot.urdf.xacro")


@pytest.mark.parametrize(
    "mode",
    [
        ("--dry-run",),
        ("--check",),
        ("lint",),
        ("compare", "robots/robot.urdf.xacro"),
        ("export", "robot.xml", "-n"),
        ("edit", "--drop", "b", "-n"),
    ],
)
def test_every_command_hands_on_the_packages(command, folder, mode):
    write_command(folder / "commands", "xacro", FINDING)
    (folder / "robots" / "robot.urdf.xacro").write_text(
        '<robot name="r"><link name="a"><visual><geometry><sphere radius="1"/></geometry></visual></link><link name="b"/>'
        '<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint><!-- $(find arm) --></robot>',
        "utf-8",
    )
    if not mode[0].startswith("-") and SINGLE_FILE.name in " ".join(command):
        pytest.skip("the single file has no such command")
    first = () if mode[0].startswith("-") else mode[:1]
    words = (*first, "robots/robot.urdf.xacro", *mode[len(first) :])
    done = run(command, *words)
    assert done.returncode == 2 and b"--package arm=DIR" in done.stdout + done.stderr
    done = run(command, *words, "--package", "arm=commands")
    assert done.returncode in (0, 1) and b"--package" not in done.stderr


def test_in_a_browser(folder, monkeypatch):
    """There is no PATH and no pip there."""
    monkeypatch.setattr(sys, "platform", "emscripten")
    remove_command(folder / "commands")
    monkeypatch.setenv("PATH", str(folder / "commands"))
    with pytest.raises(UsageError) as refused:
        read_expanded("robots/robot.urdf.xacro")
    assert str(refused.value) == (
        "robots/robot.urdf.xacro: this is xacro, which a browser cannot expand: run `xacro robots/robot.urdf.xacro > "
        "robot.urdf` where ROS is installed and give robot.urdf"
    )


def test_library(tool, folder):
    result = tool.simplify("robots/robot.urdf.xacro", xacro_args=["a:=b"])
    assert result.source == ROBOT.read_bytes()
    assert result.before.document.path == "robots/robot.urdf.xacro"
    assert SINGLE_FILE.exists()
