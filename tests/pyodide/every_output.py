#!/usr/bin/env python3
"""Print a digest of everything that the tool writes and says of the robots here: the same lines on every machine.

Each fixture is run with its options by the package and by the single file. Robots and COLLADA files of ../shared, where
they are, are written in every format. `outside.mjs` runs this in Pyodide.

usage: every_output.py             print the lines
       every_output.py FOLDER      also keep what they stand for there, to see what differs
"""

import contextlib
import hashlib
import io
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SHARED = ROOT.parent / "shared"
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "tools")]

import engine  # noqa: E402 its folder was not known before
import golden  # noqa: E402
import urdf_simplify  # noqa: E402
import urdf_tools  # noqa: E402

EVERYTHING = [
    "--mjcf",
    "out.xml",
    "--sdf",
    "out.sdf",
    "--model",
    "out.json",
    "--armature",
    "armature.json",
    "--page",
    "page.html",
]
LARGEST_MODEL = 1_000_000  # bytes: WebAssembly takes several times as long as a processor
FORMATS = (
    ["--mesh-format", "stl", "--separate-dae-meshes"],
    ["--mesh-format", "obj"],
    ["--mesh-format", "glb", "--sdf", "out.sdf"],
    ["--mesh-format", "gltf", "--for", "gazebo"],
)


def outputs():
    """Yield name and content of all that is written or said."""
    for main, form in ((engine.main, "package"), (urdf_simplify.main, "single")):
        for case in golden.cases():
            source = (case.folder / "robot.urdf").read_bytes()
            yield from _run(main, f"{form}/{case.name}", source, case.args, case.folder / "meshes")
        for folder in golden.refused():
            yield f"{form}/{folder.name}/error.txt", golden.complaint(main, folder)
        for path in sorted(SHARED.glob("robots/*.urdf")):
            yield from _run(
                main, f"{form}/{path.stem}", path.read_bytes(), ["--report", "report.json"]
            )
    for folder in golden.with_srdf():
        for path, data in golden.beside_of(engine.main, urdf_tools.__version__, folder):
            yield f"package/{folder.name}/{path.name}", data
    for case in golden.cases():
        if not case.variant:
            yield from _run(
                engine.main,
                f"exports/{case.name}",
                (case.folder / "robot.urdf").read_bytes(),
                [*case.args, *EVERYTHING],
                case.folder / "meshes",
            )
    as_is = ["--as-is", *EVERYTHING[:4]]
    for path in [
        *sorted(golden.FIXTURES.glob("exports/*.urdf")),
        *sorted(SHARED.glob("robots/*.urdf")),
    ]:
        for name, args in (("result", EVERYTHING), ("as_is", as_is)):
            yield from _run(engine.main, f"exports/{path.stem}/{name}", path.read_bytes(), args)
    for path in [
        *sorted(golden.FIXTURES.glob("dae/*/*.[dz]ae")),
        *sorted(SHARED.glob("dae/*.dae")),
    ]:
        if path.stat().st_size <= LARGEST_MODEL:
            for number, args in enumerate(FORMATS if SHARED in path.parents else FORMATS[:2]):
                yield from _model(path, f"meshes/{path.stem}/{number}", args)


def _run(
    main,
    name,
    source,
    args,
    meshes=None,
):
    done = golden.run(main, source, [*args, "--yes"], meshes=meshes)
    yield f"{name}/status", str(done.status).encode()
    said = {"standard_output": done.report, "standard_error": done.errors, "digests": done.digests}
    texts = {key: text.encode("utf-8") for key, text in said.items()}
    contents = {**done.contents, **texts}
    yield from (
        (f"{name}/{key}", data) for key, data in sorted(contents.items()) if key != "robot.urdf"
    )


def _model(path, name, args):
    """Yield what becomes of a robot of one model, in a folder where that is alone."""
    with golden.tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as back:
        back.callback(os.chdir, os.getcwd())
        os.chdir(folder)
        Path("model" + path.suffix).write_bytes(path.read_bytes())
        robot = (
            f'<robot name="r"><link name="base"><visual><origin rpy="0.1 0.2 0.3"/><geometry><mesh filename="model'
            f'{path.suffix}" scale="1 2 3"/></geometry></visual></link></robot>\n'
        )
        Path("robot.urdf").write_bytes(robot.encode())  # with the same line end on every system
        said = {
            "standard_output": io.StringIO(),
            "standard_error": io.StringIO(),
        }
        with contextlib.redirect_stdout(said["standard_output"]), contextlib.redirect_stderr(
            said["standard_error"]
        ):
            status = engine.main(["robot.urdf", "--yes", "--jobs", "1", *args])
        yield f"{name}/status", str(status).encode()
        yield from (
            (f"{name}/{key}", _without_paths(stream.getvalue(), folder).encode("utf-8"))
            for key, stream in said.items()
        )
        yield from (
            (f"{name}/{found.as_posix()}", found.read_bytes())
            for found in sorted(Path(".").rglob("*"))
            if found.is_file()
        )


def _without_paths(text, folder):
    """Return a text in which a temporary folder has one name, with slashes; how its lines were folded is left out."""
    words = " ".join(text.replace(folder, "FOLDER").split())
    return words.replace(os.sep, "/")


def command_line():
    """Print all lines, in the order of their names; see the text at the top of this file."""
    lines = []
    for name, data in outputs():
        lines.append((name, f"{hashlib.sha256(data).hexdigest()[:16]} {len(data):8} {name}"))
        if sys.argv[1:]:
            target = Path(sys.argv[1], name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    # `sorted` of paths ignores case on Windows.
    print(*(line for _, line in sorted(lines)), sep="\n")


if __name__ == "__main__":
    command_line()
