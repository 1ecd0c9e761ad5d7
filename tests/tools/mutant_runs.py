#!/usr/bin/env python3
"""What a campaign of mutants runs: fixtures with options, all in one process, with whatever package is on the path.

usage: mutant_runs.py FOLDER [run ...]      `--trace` first: note the lines of the package that each run reaches
"""

import contextlib
import importlib
import io
import json
import os
import pkgutil
import resource
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOST_MEMORY = 3 << 30  # [bytes]; a mutant that wants more crashes
SAID = "said.txt"  # warnings and errors of a run
EXPORTS = [
    "--mjcf",
    "out.xml",
    "--sdf",
    "out.sdf",
    "--model",
    "out.json",
    "--armature",
    "armature.json",
]
COLLADA = ["--jobs", "1", "-o", "elsewhere/out.urdf"]
RUNS = {  # name: folder or file below fixtures/, and options
    "humanoid": ("humanoid", EXPORTS),
    "arm": ("arm", EXPORTS),
    "quadruped": ("quadruped", EXPORTS),
    "merged": ("quadruped", ["--merge-all", "--snap", "0"]),
    "as_is": ("arm", ["--as-is", *EXPORTS]),
    "kept": ("arm", ["--keep-frames", "--keep-all-frames", "--base-frame", "onshape"]),
    "page": ("arm", ["--page", "page.html"]),
    "check": ("quadruped", ["--check"]),
    "plain": ("painted_arm", ["-o", "elsewhere/out.urdf"]),
    "separate": ("painted_arm", ["--separate-dae-meshes", *COLLADA, "--srdf", "painted_arm.srdf"]),
    "combined": ("painted_arm", ["--combine-dae-meshes", "--append-mesh-type", *COLLADA]),
    "mujoco": ("painted_arm", ["--for", "mujoco", "--mjcf", "elsewhere/out.xml", *COLLADA]),
    "gazebo": (
        "painted_arm",
        ["--for", "gazebo", "--sdf", "elsewhere/out.sdf", "--split", "color", *COLLADA],
    ),
    "srdf": ("srdf/arm", ["--srdf", "robot.srdf"]),
    "flange": ("srdf/tool_on_a_flange", ["--srdf", "robot.srdf"]),
    "closing": ("odd/closing_frames", EXPORTS),
    "axes": ("odd/axes_between", EXPORTS),
    **{
        name: (f"follow/{name}", ["--base-frame", "ros"])
        for name in (
            "sensor",
            "gazebo_joint",
            "gazebo_pose",
            "surface_kept",
            "quaternion",
            "ros2_control",
            "transmission",
            "drake_points",
            "link_frame",
            "gazebo_closing",
        )
    },
    **{
        name: (f"exports/{name}.urdf", EXPORTS)
        for name in (
            "simulators",
            "mimics",
            "turned_inertia",
            "limits",
            "shapes",
            "massless_between",
        )
    },
    "planar": ("exports/planar.urdf", EXPORTS[:2]),
}


def drive(out, names, trace):
    """Make runs; write their exit codes, and the lines that each reached (those of an import belong to all)."""
    lines = {"import": set()}
    reached = lines["import"]
    package = ""

    def record(frame, event, _):
        """Note a line of the package that is reached."""
        if not frame.f_code.co_filename.startswith(package):
            return None
        reached.add((frame.f_code.co_filename, frame.f_lineno))
        return record

    sys.settrace(record if trace else None)
    sys.path.append(str(ROOT / "tests"))
    import urdf_tools  # of the copy that may hold a mutant
    from engine import main

    codes = {}
    package = str(Path(urdf_tools.__file__).parent)
    for module in pkgutil.walk_packages(urdf_tools.__path__, "urdf_tools.") if trace else ():
        if not module.name.endswith(("__main__", "import_armature")):
            importlib.import_module(module.name)
    for name in names:
        reached = lines.setdefault(name, set())
        codes[name] = _run(main, out / name, *RUNS[name])
    sys.settrace(None)
    reported = {
        name: sorted(
            (file[len(package) + 1 :], line) for file, line in several if file.startswith(package)
        )
        for name, several in lines.items()
    }
    (out / "codes.json").write_text(json.dumps({"codes": codes, "lines": reported}))


def _run(tool_main, folder, source_name, options):
    """Return the exit status of one run in a folder that holds the fixture, or what it crashed with."""
    source = ROOT / "fixtures" / source_name
    if source.is_dir():
        shutil.copytree(
            source,
            folder,
            ignore=shutil.ignore_patterns("expected*", "plan*", "args*", "report*", "*.py"),
        )
    else:
        folder.mkdir()
        shutil.copyfile(source, folder / "robot.urdf")
    (folder / "elsewhere").mkdir()
    os.chdir(folder)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            where = [] if "-o" in options or "--check" in options else ["-o", "out.urdf"]
            return str(tool_main(["robot.urdf", "--yes", "--quiet", *where, *options]))
        except SystemExit as end:
            return str(end.code)
        except BaseException as error:  # noqa: BLE001  any of them is a crash
            return f"crash {type(error).__name__}"
        finally:
            (folder / SAID).write_text(printed.getvalue(), "utf-8")


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    words = [word for word in sys.argv[1:] if word != "--trace"]
    drive(Path(words[0]), words[1:] or list(RUNS), "--trace" in sys.argv)
