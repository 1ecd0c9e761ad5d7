"""COLLADA meshes of a robot: all files and the URDF change as one, or nothing does, whatever comes in between.

Who owns a file: what may be replaced, what is of another source, what another program wrote.
"""

import os
import signal
import subprocess
import time

from commands import as_shown
from conftest import needs_posix, needs_symlinks
import pytest
from engine import PROCESS
from mesh_robots import draws, listing, painted, run, urdf, write

from urdf_tools.api import simplify
from urdf_tools.base.errors import UsageError
from urdf_tools.collada.binary_stl import sign_stl, STL_HEADER, STL_RECORD
from urdf_tools.plan.mesh_tasks import FinishedFile
from urdf_tools.run.check_destinations import check_mesh_files, foreign_files, may_replace


@pytest.mark.parametrize(
    "arguments, answer, status",
    [
        ([], b"no\n", 1),
        ([], b"", 1),
        (["--dry-run"], b"yes\n", 0),
        (["--check"], b"", 1),
        (["--diff"], b"", 0),
        (["-o", "robot.urdf/out.urdf", "-y"], b"", 2),
        (["-o", "-", "-y"], b"", 2),
        (["--scale", "-1", "-y"], b"", 2),
        (["--split", "part", "-y"], b"", 2),
        (["--package", "x=nowhere", "-y"], b"", 2),
        (["--mesh-dir", "robot.urdf", "-y"], b"", 2),
        (["--mesh-dir", "robot.urdf/x", "-y"], b"", 2),
        (["--mesh-dir", "robot.urdf", "-n"], b"", 2),
        (["--mesh-dir", "robot.urdf/x", "--check"], b"", 2),
        (["--mesh-dir", "new/deep", "-n"], b"", 0),
    ],
)
def test_nothing_is_written(command, folder, arguments, answer, status):
    before = listing(folder)
    done = run(command, "robot.urdf", "--separate-dae-meshes", *arguments, answer=answer)
    assert done.returncode == status, done.stderr.decode()
    assert listing(folder) == before
    assert status != 2 or done.stderr.count(b"\n") == 1


def test_foreign_files(command, folder):
    (folder / "out_meshes").mkdir()
    (folder / "out_meshes" / "base_Grey.stl").write_bytes(b"precious")
    before = listing(folder)
    shown = as_shown("out_meshes/base_Grey.stl")
    for more in (["-y"], ["-n"], ["--check"]):
        done = run(
            command, "robot.urdf", "--separate-dae-meshes", "--mesh-dir", "out_meshes", *more
        )
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.decode() == (
            f"error: not written by this tool: {shown}; give another --mesh-dir, or --force\n"
        )
        assert listing(folder) == before
    done = run(
        command, "robot.urdf", "--separate-dae-meshes", "-o", "out.urdf", "--force", answer=b"yes\n"
    )
    assert f"replaces {shown}, not marked as written by this tool\nProceed?" in done.stdout.decode()
    assert done.returncode == 0 and (folder / "out_meshes" / "base_Grey.stl").stat().st_size == 1284


@needs_symlinks
@pytest.mark.parametrize("force", [False, True])
def test_links_never_lead_out(command, folder, force):
    (folder / "out_meshes").mkdir()
    simplify("robot.urdf", "own.urdf", split="color")
    outside = folder / "own_meshes" / "base_Paint.stl"
    before = outside.read_bytes()
    (folder / "out_meshes" / "base_Grey.stl").symlink_to(outside)
    (folder / "out_meshes" / "base.stl").symlink_to(folder / "nowhere")
    done = run(
        command,
        "robot.urdf",
        "--separate-dae-meshes",
        "-y",
        "-o",
        "out.urdf",
        *(["--force"] if force else []),
    )
    assert done.returncode == (0 if force else 2)
    assert outside.read_bytes() == before and not (folder / "nowhere").exists()
    assert (folder / "out_meshes" / "base_Grey.stl").is_symlink() is not force
    assert (folder / "out.urdf").exists() is force


def test_a_folder_in_the_place_of_a_file(command, folder):
    (folder / "out_meshes" / "gripper_Logo.stl").mkdir(parents=True)
    before = listing(folder)
    for more in ([], ["--force"]):
        done = run(command, "robot.urdf", "--separate-dae-meshes", "-y", "-o", "out.urdf", *more)
        assert done.returncode == 2 and listing(folder) == before


@needs_posix("a limit of the size of files")
def test_full_disk(command, folder):
    import resource  # of POSIX alone

    before = listing(folder)
    for jobs in ("1", "2"):
        done = subprocess.run(
            [*PROCESS, "robot.urdf", "--separate-dae-meshes", "-y", "--jobs", jobs],
            capture_output=True,
            timeout=60,
            env={
                **os.environ,
                "PYTHONDONTWRITEBYTECODE": "1",
            },  # a compiled module would be cut off without an error
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)),
        )
        assert done.returncode == 2 and b"cannot be written: File too large\n" in done.stderr
        assert listing(folder) == before


def large(folder, count):
    """Write a robot of large meshes, which take seconds."""
    one = painted("paint")
    numbers = " ".join(str(n % 1000 / 7) for n in range(300_000))
    text = one.replace("</float_array>", f" {numbers}</float_array>").replace(
        "</p>", " 0 1 2" * 500_000 + "</p>"
    )
    write(
        folder,
        {
            "robot.urdf": urdf("".join(draws(f"m{k}.dae") for k in range(count))),
            **{f"m{k}.dae": text for k in range(count)},
        },
    )


@needs_posix("signals to processes")
@pytest.mark.parametrize(
    "number, jobs, group",
    [
        (signal.SIGTERM, "1", False),
        (signal.SIGINT, "2", True),
    ],
)
def test_signals_leave_nothing(command, tmp_path, number, jobs, group):
    large(tmp_path, 4)
    before = listing(tmp_path)
    process = subprocess.Popen(
        [*PROCESS, "robot.urdf", "--separate-dae-meshes", "-y", "--jobs", jobs],
        cwd=str(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    until = time.monotonic() + 60
    while (
        process.poll() is None and not list(tmp_path.rglob(".*/*.stl")) and time.monotonic() < until
    ):
        time.sleep(0.01)
    assert process.poll() is None, "it was over before a signal came"
    os.killpg(process.pid, number) if group else process.send_signal(number)
    out, errors = process.communicate(timeout=60)
    assert process.returncode == (143 if number == signal.SIGTERM else 1)
    assert b"Traceback" not in errors and b"Error" not in errors and out == b"", errors.decode()
    assert listing(tmp_path) == before


OWN_OBJ, OWN_GLTF = (
    b"# written by urdf_simplify\nv 0 0 0\n",
    b'{"asset":{"generator":"urdf_simplify"}}',
)
FOREIGN = b"by hand"


def own_stl(path, source, x):
    """Return an STL file of this tool: one triangle, from a source of that digest ("": of an old release)."""
    path.write_bytes(
        STL_HEADER + (1).to_bytes(4, "little") + STL_RECORD.pack(0, 0, 1, 0, 0, 0, x, 0, 0, 0, 1, 0)
    )
    if source:
        sign_stl(str(path), source * 32)
    return path.read_bytes()


def made_file(folder, ending, there, made, *, shared, along):
    target, source = folder / f"there{ending}", folder / f"made{ending}"
    target.write_bytes(there)
    source.write_bytes(made)
    part = None if along else ()
    return FinishedFile(str(source), str(target), part, "a.dae", shared)


@pytest.mark.parametrize(
    "ending, there, made, along, in_own, in_shared",
    [
        (".obj", OWN_OBJ, OWN_OBJ + b"v 1 0 0\n", False, True, False),
        (".obj", OWN_OBJ, OWN_OBJ, False, True, True),
        (".obj", FOREIGN, OWN_OBJ, False, None, None),
        (".obj", FOREIGN, FOREIGN, False, True, True),  # the same bytes
        (".gltf", OWN_GLTF, OWN_GLTF + b" ", False, True, False),
        (".png", FOREIGN, b"new", True, True, None),  # an image holds no mark
        (".png", FOREIGN, FOREIGN, True, True, True),
    ],
)
def test_a_file_is_replaced_by_what_is_the_same_or_was_made_here(
    tmp_path,
    ending,
    there,
    made,
    along,
    in_own,
    in_shared,
):
    for shared, expected in ((False, in_own), (True, in_shared)):
        assert (
            may_replace(made_file(tmp_path, ending, there, made, shared=shared, along=along))
            is expected
        )


@pytest.mark.parametrize(
    "source, x, in_shared",
    [("a", 2.0, True), ("b", 2.0, False), ("b", 1.0, True), ("", 1.0, True), ("", 2.0, False)],
)
def test_an_stl_file_tells_its_source(tmp_path, source, x, in_shared):
    """One of the same source, or with the same triangles."""
    there, made = own_stl(tmp_path / "one", source, x), own_stl(tmp_path / "other", "a", 1.0)
    for shared, expected in ((False, True), (True, in_shared)):
        file = made_file(tmp_path, ".stl", there, made, shared=shared, along=False)
        assert may_replace(file) is expected
    assert (
        may_replace(made_file(tmp_path, ".stl", b"solid", made, shared=False, along=False)) is None
    )


@needs_symlinks
def test_a_link_and_a_folder_belong_to_somebody_else(tmp_path):
    file = made_file(tmp_path, ".obj", OWN_OBJ, OWN_OBJ, shared=False, along=False)
    os.rename(file.target, tmp_path / "elsewhere")
    assert foreign_files([file]) == []
    os.symlink(tmp_path / "elsewhere", file.target)
    assert may_replace(file) is None
    os.remove(file.target)
    os.mkdir(file.target)
    assert may_replace(file) is None and foreign_files([file]) == [file]


def test_what_is_not_replaced_is_named(tmp_path):
    foreign = made_file(tmp_path, ".obj", FOREIGN, OWN_OBJ, shared=True, along=False)
    check_mesh_files([foreign], force=True)
    with pytest.raises(
        UsageError,
        match="^not written by this tool: .*there.obj; give another --mesh-dir, or --force",
    ):
        check_mesh_files([foreign] * 2, force=False)
    other = made_file(tmp_path, ".gltf", OWN_GLTF, OWN_GLTF + b" ", shared=True, along=False)
    with pytest.raises(
        UsageError, match="was made from another file than a.dae, maybe for another robot"
    ):
        check_mesh_files([other], force=False)
