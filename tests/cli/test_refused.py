"""Input that is refused: the exact message, exit status 2, and nothing written."""

import errno
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import golden
from conftest import needs_posix, needs_symlinks
import pytest
from commands import as_shown, listing

ROBOT = golden.FIXTURES / "odd" / "mimic_chain" / "robot.urdf"
REFUSED = golden.refused()
NO_ANSWER = (
    "<stdin>: standard input holds the robot, so it cannot answer the question: give --output and --yes, or "
    "--dry-run\n"
)


def refusal(tool, capsys, *arguments):
    """Run the command line, which must refuse and write nothing; return what it says."""
    before = listing(Path("."))
    assert tool.main(list(arguments)) == 2
    assert listing(Path(".")) == before
    said = capsys.readouterr()
    assert said.out == "" and said.err
    lines = said.err.splitlines(keepends=True)
    assert [line for line in lines if not line.startswith("error: ")] == []
    return "".join(line[len("error: ") :] for line in lines)


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_message(tool, case):
    done = golden.run(tool.main, (case / "robot.urdf").read_bytes(), ["--yes"])
    assert done.errors == (case / "error.txt").read_text(encoding="utf-8")
    assert (done.status, done.report, done.files) == (2, "", ("robot.urdf",))


def test_messages_name_the_place():
    assert len(REFUSED) > 40
    for case in REFUSED:
        lines = (case / "error.txt").read_text(encoding="utf-8").splitlines()
        assert lines, case.name
        for line in lines:
            assert line.startswith("error: robot.urdf:") and len(line) > 20, case.name
            assert case.name == "empty" or line.split(":")[2].isdigit(), (
                f"{case.name}: no line number"
            )


# Errors that are in no file.


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["robto.urdf", "-y"], "robto.urdf: no such file (did you mean 'robot.urdf'?)\n"),
        (["robto.srdf", "-n"], "robto.srdf: no such file (did you mean 'robot.urdf'?)\n"),
        (["nowhere/robot.urdf", "-n"], "nowhere/robot.urdf: no such file\n"),
        (["", "-n"], "'': no such file\n"),
        (["folder", "-y"], "folder: this is a folder\n"),
        (["folder/", "--diff"], "folder/: this is a folder\n"),
        (
            ["robot.urdf", "-y", "-o", "robot.urdf/such/out.urdf"],
            "robot.urdf/such/out.urdf: the folder 'robot.urdf/such' cannot be made: a file is in its way\n",
        ),
        (
            ["robot.urdf", "-n", "-o", "robot.urdf"],
            "robot.urdf: the output is the input file itself: give another --output, or --force\n",
        ),
        (
            ["robot.urdf", "-y", "-o", "folder"],
            f"folder: the output is a folder: give a file name, such as {as_shown('folder/robot.urdf')}\n",
        ),
        (
            ["robot.urdf", "-y", "-o", "robot.urdf"],
            "robot.urdf: the output is the input file itself: give another --output, or --force\n",
        ),
        (
            ["robot.urdf", "-y", "-o", "./folder/../robot.urdf"],
            "./folder/../robot.urdf: the output is the input file itself: give another --output, or --force\n",
        ),
        (["-", "-o", "out.urdf"], NO_ANSWER),
        (
            ["robot.urdf", "-n", "--combine-dae-meshes", "--mesh-dir", "robot.urdf/meshes"],
            "robot.urdf: this is not a folder, so --mesh-dir cannot be it or be in it\n",
        ),
        (
            ["robot.urdf", "-y", "--snap", "-0.1"],
            "--snap -0.1: give an angle from 0 to 0.1 rad (the default is 1e-4)\n",
        ),
        (
            ["robot.urdf", "-y", "--snap", "nan"],
            "--snap nan: give an angle from 0 to 0.1 rad (the default is 1e-4)\n",
        ),
    ],
)
def test_command(tool, folder, capsys, arguments, message):
    (folder / "folder").mkdir()
    assert refusal(tool, capsys, *arguments) == message


def test_a_folder_names_the_robots_in_it(tool, folder, capsys):
    (folder / "inside").mkdir()
    for name in ("b.urdf", "a.xacro", "c.sdf", "d.urdf", "notes.txt"):
        (folder / "inside" / name).write_text("")
    assert refusal(tool, capsys, "inside", "-n") == (
        "inside: this is a folder: name a file in it, such as a.xacro, b.urdf, c.sdf; lint takes folders\n"
    )


@pytest.mark.parametrize("form", ["zip", "gztar", "bztar", "xztar"])
def test_an_archive_is_said_to_be_one(tool, folder, capsys, form):
    archive = os.path.basename(shutil.make_archive("packed", form, ".", "robot.urdf"))
    for words in ([archive, "-n"], [archive, "--check"]):
        assert (
            refusal(tool, capsys, *words)
            == f"{archive}: this is an archive: unpack it, and name a file in it\n"
        )


def test_a_dry_run_does_not_ask_for_the_place_of_an_output_that_nobody_named(tool, folder):
    (folder / "robot_simplified.urdf").mkdir()
    assert tool.main(["robot.urdf", "-n", "-q"]) == 0
    assert tool.main(["robot.urdf", "-y", "-q"]) == 2


@pytest.mark.parametrize(
    "frame",
    [
        "sideways",
        "x=left",
        "x=left,y=back",
        "x=left,y=back,z=skyward",
        "x=left,y=back,z=up,w=down",
        "x=left,y=back,x=up",
        "left,back,up",
        "",
    ],
)
def test_base_frame_of_unknown_words(tool, folder, capsys, frame):
    assert refusal(tool, capsys, "robot.urdf", "-y", "--base-frame", frame) == (
        f"--base-frame '{frame}': give auto, onshape, ros, or all three of x, y and z, such as x=left,y=back,z=up "
        "(the words are forward, back, left, right, up, down)\n"
    )


@pytest.mark.parametrize(
    "frame, wanted",
    [
        ("x=right,y=forward,z=down", "up"),
        ("x=forward,y=right,z=up", "down"),
        ("x=up,y=left,z=forward", "back"),
    ],
)
def test_base_frame_of_the_left_hand(tool, folder, capsys, frame, wanted):
    assert refusal(tool, capsys, "robot.urdf", "-y", "--base-frame", frame) == (
        f"--base-frame '{frame}' is not a right-handed frame: with this x and y it is z={wanted}\n"
    )
    mended = f"{frame.rpartition('=')[0]}={wanted}"
    assert tool.main(["robot.urdf", "-n", "-q", "--base-frame", mended]) == 0


@pytest.mark.parametrize(
    "frame, blamed",
    [
        ("x=left,y=left,z=up", "x=left and y=left"),
        ("x=up,y=left,z=down", "x=up and z=down"),
        ("x=left,y=back,z=back", "y=back and z=back"),
        ("x=up,y=up,z=up", "x=up and y=up"),
    ],
)
def test_base_frame_of_one_direction_twice(tool, folder, capsys, frame, blamed):
    assert refusal(tool, capsys, "robot.urdf", "-y", "--base-frame", frame) == (
        f"--base-frame '{frame}': {blamed} are along one line\n"
    )


@pytest.mark.parametrize(
    "axis", ["toe", "toe=", "toe=W", "=Y", "toe=YZ", "big toe=Y", "toe=y=z", "7=X"]
)
def test_axis_word(tool, folder, capsys, axis):
    assert refusal(tool, capsys, "robot.urdf", "-y", "--axis", axis) == (
        f"--axis {axis}: give one word of letters and an axis, such as toe=Y\n"
    )


@pytest.mark.parametrize(
    "arguments, message",
    [
        (
            ["--snap", "little"],
            "--snap little: give an angle from 0 to 0.1 rad (the default is 1e-4)",
        ),
        (["--split", "colour"], "--split colour: give color or material (did you mean 'color'?)"),
        (
            ["--mesh-format", "st"],
            "--mesh-format st: give stl, obj, gltf or glb (did you mean 'stl'?)",
        ),
        (["--lock", "waist=0"], "simplify: unknown option --lock; it belongs to edit"),
        (["--missing-unit", "inch"], "--missing-unit inch: give meter or millimeter"),
        (
            ["--package", "a=nowhere"],
            "--package a=nowhere: give a name and a folder that exists, such as my_robot=../my_robot",
        ),
        (
            ["--sperate-dae-meshes"],
            "simplify: unknown option --sperate-dae-meshes (did you mean '--separate-dae-meshes'?)",
        ),
        (["--xyzzy=red"], "simplify: unknown option --xyzzy; HELP"),
        (
            ["other.urdf"],
            "simplify takes one robot, and 'other.urdf' is one more",
        ),
        (["--snap"], "--snap: expected one argument"),
        (["--keep-f"], "simplify: unknown option --keep-f (did you mean '--keep-frames'?)"),
        (["--check", "-o", "out.urdf"], "--check and --output cannot be combined"),
        (["--check", "--page", "p.html"], "--check and --page cannot be combined"),
        (["--diff", "--page", "p.html"], "--diff and --page cannot be combined"),
        (["--check", "--diff"], "--check and --diff cannot be combined"),
        (["-o", ""], "--output '': give the name of a file"),
        (["--report="], "--report '': give the name of a file"),
        (
            ["-o", "new/"],
            "new/: this names a folder: give --output the name of a file, such as new/robot.urdf",
        ),
        (
            ["-o", "x.USDA"],
            "x.USDA: simplify writes a URDF, which is no .USDA file: give --output a name that ends with .urdf, and "
            "convert the result with export",
        ),
    ],
)
def test_arguments(
    tool,
    folder,
    capsys,
    monkeypatch,
    arguments,
    message,
):
    monkeypatch.setattr(sys, "argv", ["/usr/bin/urdf-simplify"])
    expected = message.replace("HELP", "see urdf-simplify simplify --help")
    assert refusal(tool, capsys, "robot.urdf", *arguments) == f"{expected}\n"


def test_no_arguments(tool, folder, capsys):
    assert refusal(tool, capsys) == "no file is given; -h shows how to start\n"


# The command.


@pytest.mark.parametrize(
    "words, message",
    [
        (["-n", "compare", "robot.urdf"], "the command comes first: urdf-simplify compare ...\n"),
        (
            ["compar", "robot.urdf"],
            "no file 'compar', and no such command (did you mean 'compare'?)\n",
        ),
        (
            ["chek", "robot.urdf"],
            "no file 'chek', and no such command (did you mean '--check'?)\n",
        ),
        (["r2", "robot.urdf"], "simplify takes one robot, and 'robot.urdf' is one more\n"),
        (
            ["edit", "robot.urdf", "-y"],
            "edit needs an edit to make, such as --root or --lock; edit -h lists them\n",
        ),
        (["edit", "--lock", "x"], "no file is given; -h shows how to start\n"),
        (
            ["edit", "robot.urdf", "other.urdf", "--flip", "x"],
            "edit takes one robot, and 'other.urdf' is one more\n",
        ),
        (
            ["edit", "robot.urdf", "--keep", "x"],
            "edit: unknown option --keep; it belongs to simplify\n",
        ),
        (
            ["collision", "robot.urdf"],
            "which shape? give --shape hull, auto, box, cylinder, capsule, sphere, spheres or convex (or --link GLOB=KIND)\n",
        ),
        (
            ["pairs", "robot.urdf", "--check"],
            "--check needs an SRDF: urdf-simplify pairs ROBOT SRDF --check\n",
        ),
        (
            ["compare", "robot.urdf"],
            "compare takes two files, and there is only robot.urdf; --since REVISION compares it with a commit of git\n",
        ),
        (["compare", "-", "-"], "only one of both files can be standard input\n"),
        (
            ["export", "robot.urdf"],
            "export robot.urdf to what? Name a file for each format, such as robot.xml robot.sdf\n",
        ),
        (
            ["export", "robot.urdf", "-o", "robot.xml"],
            "export: unknown option -o: the files to write follow the robot, as "
            "in urdf-simplify export robot.urdf robot.xml\n",
        ),
        (
            ["export", "robot.urdf", "robot.xml", "--usd-meshes", "inline"],
            "--usd-meshes needs a target that ends in .usda\n",
        ),
        (
            ["model.dae"],
            "model.dae: this is a mesh, not a robot: urdf-simplify export model.dae converts it\n",
        ),
        (
            ["model.OBJ", "--check"],
            "model.OBJ: this is a mesh, not a robot: urdf-simplify export model.OBJ converts it\n",
        ),
        (
            ["simplify", "-o", "robot.urdf"],
            "which robot? 'robot.urdf' was read as the value of --output\n",
        ),
        (
            ["view", "robot.urdf", "a.urdf", "b.urdf"],
            "view takes 2 files, and 'b.urdf' is one more\n",
        ),
        (["lint", "robot.urdf", "--update-baseline"], "--update-baseline needs --baseline\n"),
        (
            ["explain", "fliped-joint"],
            "not known: no finding, option or error text like 'fliped-joint' "
            "(did you mean 'flipped-joint'?); explain without words lists the findings\n",
        ),
    ],
)
def test_a_command_refuses_what_it_cannot_do(
    tool,
    folder,
    capsys,
    monkeypatch,
    words,
    message,
):
    monkeypatch.setattr(sys, "argv", ["/usr/bin/urdf-simplify"])
    assert refusal(tool, capsys, *words) == message


def test_a_file_with_the_name_of_a_command_has_a_folder(tool, folder):
    """The first word is the command whatever files there are: a script must not change its meaning with its folder."""
    (folder / "lint").write_bytes(ROBOT.read_bytes())
    assert tool.main(["lint"]) == 2
    assert (
        tool.main(["./lint", "-n", "-q"]) == 0 and tool.main(["simplify", "lint", "-n", "-q"]) == 0
    )


@needs_symlinks
def test_input_through_a_link(tool, folder, capsys):
    (folder / "link.urdf").symlink_to("robot.urdf")
    os.link("robot.urdf", "hard.urdf")
    for source, output in [
        ("robot.urdf", "link.urdf"),
        ("link.urdf", "robot.urdf"),
        ("robot.urdf", "hard.urdf"),
    ]:
        assert refusal(tool, capsys, source, "-y", "-o", output) == (
            f"{output}: the output is the input file itself: give another --output, or --force\n"
        )


def test_input_that_may_not_be_read(tool, folder, capsys, monkeypatch):
    def locked(*arguments, **options):
        raise PermissionError(errno.EACCES, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr("builtins.open", locked)
        assert tool.main(["robot.urdf", "--yes"]) == 2
    assert capsys.readouterr().err == "error: robot.urdf: cannot be read: Permission denied\n"


@pytest.mark.skipif(
    getattr(os, "geteuid", int)() == 0,
    reason="root may read and write everything, and Windows knows no modes",
)
def test_permissions(tool, folder, capsys):
    (folder / "locked").mkdir(mode=0o500)
    (folder / "old.urdf").write_text("old")
    (folder / "old.urdf").chmod(0o400)
    for output in ("locked/out.urdf", "old.urdf"):
        assert refusal(tool, capsys, "robot.urdf", "-y", "-o", output) == (
            f"{output}: the output cannot be written: permission denied\n"
        )
    for shown in ("-n", "-y"):
        assert refusal(
            tool, capsys, "robot.urdf", shown, "--combine-dae-meshes", "--mesh-dir", "locked/meshes"
        ) == ("locked/meshes: --mesh-dir cannot be written: permission denied\n")
    (folder / "robot.urdf").chmod(0)
    assert tool.main(["robot.urdf", "-y"]) == 2
    assert capsys.readouterr().err == "error: robot.urdf: cannot be read: Permission denied\n"


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize("old", [None, b"the old file"])
def test_disk_full(
    tool,
    folder,
    capsys,
    monkeypatch,
    call,
    old,
):
    def full(*arguments, **options):
        raise OSError(errno.ENOSPC, "No space left on device")

    if old is not None:
        (folder / "out.urdf").write_bytes(old)
    before = listing(folder)
    with monkeypatch.context() as patch:
        patch.setattr(os, call, full)
        assert tool.main(["robot.urdf", "-y", "-o", "out.urdf"]) == 2
    assert capsys.readouterr().err == (
        "error: out.urdf: cannot be written: No space left on device (nothing was written)\n"
    )
    assert listing(folder) == before


@needs_posix("a named pipe")
def test_output_that_is_no_plain_file(command, folder):
    os.mkfifo("pipe")  # stands for /dev/null, which must not be replaced by a file either
    done = subprocess.run(
        [*command, "robot.urdf", "-y", "-o", "pipe"], capture_output=True, timeout=60
    )
    assert stat.S_ISFIFO(os.stat("pipe").st_mode)
    assert done.returncode == 2 and done.stderr.startswith(b"error: pipe: "), done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no /dev/zero here")
def test_a_device_is_not_read(tool, folder, capsys):
    assert tool.main(["/dev/zero", "-y"]) == 2
    assert capsys.readouterr().err == "error: /dev/zero: this is a device, not a file\n"


def test_path_with_a_null_character(tool, folder):
    for arguments in [
        ("ro\0bot.urdf",),
        ("ro\0bot.urdf", "out.urdf"),
        ("robot.urdf", "o\0ut.urdf"),
    ]:
        with pytest.raises(tool.UsageError):
            tool.simplify(*arguments)
