"""All jobs of all tools on robots of the corpus, each in a process of its own; all tools are loaded before.

What a job writes is judged by corpus_judge.py.
"""

from collections import namedtuple
import importlib
import json
import multiprocessing
import os
import pkgutil
import re
import signal
import sys
import traceback
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import corpus_judge as judge  # noqa: E402
from judged_texts import tree_of  # noqa: E402

LONGEST = 120  # seconds that a tool may take, on the clock
SHIFT, HEAVIER = 0.001, 1.01  # the edits that a comparison is to find: meters, and a factor


# (1) The jobs of other tools, each called as its manual says; all raise as the tool does.


def skrobot_merge(before, after):
    """Links on fixed joints are merged; with `keep_frames`, the default, those without shapes stay."""
    from skrobot.urdf import merge_fixed_links_file

    merge_fixed_links_file(before, after)


def skrobot_mjcf(before, after):
    """MJCF with a fixed base and no scene."""
    from skrobot.urdf import urdf_to_mjcf

    urdf_to_mjcf(before, after, add_ground=False)


def skrobot_compare(before, after):
    """Exit with 0 for the same robot, with 1 for another one, as our own tool does."""
    from skrobot.urdf import compare_kinematics

    difference = compare_kinematics(after, before)
    print(difference.format_summary())
    return int(not difference.is_equivalent)


def yourdfpy_write(before, after):
    """Loaded without meshes, and written."""
    import yourdfpy

    yourdfpy.URDF.load(before, build_scene_graph=False, load_meshes=False).write_xml_file(after)


def mujoco_import(before, after):
    """Compiled; links on fixed joints are merged, as MuJoCo does by default with a URDF; and saved."""
    import mujoco

    mujoco.mj_saveLastXML(after, mujoco.MjModel.from_xml_path(before))


def tool(*words):
    """Run the command line of urdf_simplify."""
    from engine import main as command_line

    return command_line([*map(str, words)])


def load_tools():
    """Import what the jobs need, so that no figure holds the start of a program."""
    import urdf_tools

    names = [module.name for module in pkgutil.walk_packages(urdf_tools.__path__, "urdf_tools.")]
    ours = [name for name in names if not name.endswith(("__main__", "import_armature"))]
    for name in ("mujoco", "pydrake.multibody.parsing", "skrobot.urdf", "yourdfpy", *ours):
        importlib.import_module(name)


# (2) Processes.


class Run(namedtuple("Run", "status printed complained seconds")):
    """One process: exit status, below 0 for a signal, what it printed and complained, processor time [s]."""


def run(folder, job, *words):
    """Run a job in a copy of this process, in which all tools are loaded."""
    files = [folder / "printed.txt", folder / "complained.txt"]
    pid = os.fork()
    if not pid:
        _as_child(files, job, words)
    _, status, used = os.wait4(pid, 0)
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in files]
    code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    return Run(code, *texts, used.ru_utime + used.ru_stime)


def _as_child(files, job, words):
    """Do a job and end; an exception is a traceback and status 2, as none of a comparison."""
    status = 2
    try:
        signal.alarm(LONGEST)
        for stream, path in zip((1, 2), files):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), stream)
        sys.stdout, sys.stderr = (os.fdopen(stream, "w", encoding="utf-8") for stream in (1, 2))
        status = int(job(*words) or 0)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 2
    except BaseException:  # noqa: BLE001  whatever it is, it is the tool's
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def measure(robots, out, log, processes):
    """Append the results of robots to a log, a line of JSON each."""
    load_tools()
    fork = multiprocessing.get_context("fork")
    parts = [robots[start::processes] for start in range(processes)]
    workers = [fork.Process(target=_measure_part, args=(fork, part, out, log)) for part in parts]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def _measure_part(fork, robots, out, log):
    """Measure one robot after the other; one with which its process ends is such a result."""
    for path in robots:
        process = fork.Process(target=_write_row, args=(path, out / "_".join(path.parts[-3:]), log))
        process.start()
        process.join()
        if process.exitcode:
            _append(log, path, {"unread": f"the judges end with {process.exitcode}", "ours": {}})
        print(path, flush=True)


def _append(log, path, row):
    """Add a row to the log."""
    with log.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"robot": str(path), **row}) + "\n")


def _write_row(path, folder, log):
    """Do all jobs on a robot, and add their results to the log."""
    _append(log, path, results_of(path, folder))


# (3) What becomes of one robot.


class Case(namedtuple("Case", "path folder text root mechanism")):
    """A robot: its file, where files go, its text and tree, and what Pinocchio makes of it."""


def refusal(case, ran):
    """Return the sentence that a tool refuses with: its first line, or the exception; without the path."""
    lines = [line.strip() for line in ran.complained.splitlines()]
    lines = [line for line in lines if line and not line.startswith("warning")]
    if ran.status == -signal.SIGALRM:
        return f"no end within {LONGEST} s"
    if not lines:
        return f"exit status {ran.status}"
    is_end = re.compile(r"[\w.]+(Error|Exception|Exit|Interrupt)\b").match
    ends = [number for number, line in enumerate(lines) if is_end(line)]
    sentence = " ".join(lines[ends[-1] :]) if ends else lines[0]
    for path in (case.path, case.folder / "bare.urdf"):
        sentence = re.sub(re.escape(str(path)) + r"(:\d+)?(: )?", "", sentence)
    return sentence


def finished(case, after, job, *words):
    """Return what a run says of itself: seconds, and a verdict if it refuses or writes nothing."""
    ran = run(case.folder, job, *map(str, words))
    row = {"seconds": ran.seconds}
    if ran.status != 0 or not after.exists():
        reason = refusal(case, ran) if ran.status != 0 else "wrote nothing"
        row.update(verdict="refused", reason=reason)
    return row


def told_by_us(report, root):
    """Return the map that a run of ours says: joints, the root before in the root after; and the report."""
    plan = json.loads(report.read_text("utf-8"))
    T = next(link["T_new_old"] for link in plan["links"] if link["name"] == root)
    renamed = dict(
        warning["names"][:2]
        for warning in plan["warnings"]
        if warning["kind"] == "export-renamed" and warning["message"].startswith("joint ")
    )
    names = {
        joint["old_name"]: (renamed.get(joint["name"], joint["name"]), float(joint["sign"]))
        for joint in plan["joints"]
    }
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = T["rotation"], T["xyz"]
    return names, X, plan


def by_name(case):
    """Return the map of tools that leave joints and the base as they are."""
    return {name: (name, 1.0) for name in case.mechanism.joints}, np.eye(4)


def root_of(tree):
    """Return the name of the link that is no child."""
    children = {child.get("link") for child in tree.findall("joint/child")}
    return next(
        link.get("name") for link in tree.findall("link") if link.get("name") not in children
    )


def judged(row, case, engine, told, text, *more):
    """Add how far what an engine makes of a text is from the robot, or the words with which it does not take it."""
    try:
        after = engine(text, *more)
    except judge.Unread as unread:
        row.update(verdict="not read", reason=" ".join(str(unread).split()))
        return None
    row["worst"], row["where"] = judge.motion(case.mechanism, after, *told)
    is_within = [row["worst"] <= judge.EXACT, row["worst"] <= judge.ROUNDED, True]
    row["verdict"] = ("exact", "rounded", "wrong")[is_within.index(True)]
    return after


def urdf_judged(row, case, path, names, X):
    """Add the verdict on a URDF that a tool wrote: motion, masses, shapes, limits; names and comments beside it."""
    text = path.read_text("utf-8")
    after = judged(row, case, judge.in_pinocchio, (names, X), text)
    if after is None:
        return
    root = tree_of(text.encode())
    shapes = judge.shapes(case.root, case.mechanism), judge.shapes(root, after)
    new = judge.new_shapes(*shapes, X)
    other = judge.limits(case.root, root, names)
    row.update(shapes_new=new, limits=other, dangling=judge.dangling(case.root, root))
    if new or other:
        row.update(verdict="wrong", where=[*other, *(f"shape {shape}" for shape in new)][0])
    before, kept = judge.comments(case.text), judge.comments(text)
    row["comments"] = [sum(before.values()), sum((before & kept).values())]


def ours(case):
    """The plain run."""
    after, report = case.folder / "ours.urdf", case.folder / "ours.json"
    row = finished(case, after, tool, case.path, "-y", "-q", "-o", after, "--report", report)
    if "verdict" not in row:
        names, X, plan = told_by_us(report, root_of(tree_of(after.read_bytes())))
        urdf_judged(row, case, after, names, X)
        said = {
            word for each in plan["warnings"] for word in re.findall(r"[\w./-]+", each["message"])
        }
        said.update(name for each in plan["warnings"] for name in each["names"])
        row["dangling_named"] = sum(name in said for name in row.get("dangling", ()))
    return row


def ours_export(case, kind, engine):
    """A run with an export, of the robot without shapes."""
    report, exported = case.folder / f"{kind}.json", case.folder / f"ours.{kind}"
    urdf = case.folder / f"{kind}.urdf"
    words = ["-y", "-q", "-o", urdf, "--report", report, f"--{kind}", exported, "--base", "fixed"]
    row = finished(case, exported, tool, case.folder / "bare.urdf", *words)
    if "verdict" not in row:
        told = told_by_us(report, root_of(tree_of(urdf.read_bytes())))
        more = (root_of(case.root),) if kind == "sdf" else ()
        judged(row, case, engine, told[:2], exported.read_text("utf-8"), *more)
    return row


def peer_urdf(case, job):
    """A job that writes a URDF with the same joints."""
    after = case.folder / f"{job.__name__}.urdf"
    row = finished(case, after, job, case.path, after)
    if "verdict" not in row:
        urdf_judged(row, case, after, *by_name(case))
    return row


def peer_mjcf(case, job):
    """A job that makes a model of MuJoCo; of the importer the model that it compiles, which is more than it saves."""
    before, after = case.folder / "bare.urdf", case.folder / f"{job.__name__}.xml"
    row = finished(case, after, job, before, after)
    if "verdict" not in row:
        text = (before if job is mujoco_import else after).read_text("utf-8")
        judged(row, case, judge.in_mujoco, by_name(case), text)
    return row


def edited(case):
    """Write the robot with one edit each: the last joint that moves 1 mm elsewhere, the heaviest link 1 % heavier."""
    root = tree_of(case.text.encode())
    joints = [
        joint for joint in root.findall("joint") if joint.get("name") in case.mechanism.joints
    ]
    for joint in joints[-1:]:
        origin = joint.find("origin")
        if origin is None:
            origin = ElementTree.SubElement(joint, "origin")
        xyz = [float(word) for word in origin.get("xyz", "0 0 0").split()]
        origin.set("xyz", " ".join(repr(number + SHIFT) for number in xyz))
        yield "shifted", written(case, "shifted", root)

    root = tree_of(case.text.encode())
    masses = root.findall("link/inertial/mass")
    heaviest = max(masses, key=lambda mass: float(mass.get("value")), default=None)
    if heaviest is not None and float(heaviest.get("value")) > 0.0:
        heaviest.set("value", repr(HEAVIER * float(heaviest.get("value"))))
        yield "heavier", written(case, "heavier", root)


def written(case, name, root):
    """Write a tree into the folder of a case, and return its path."""
    path = case.folder / f"{name}.urdf"
    ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)
    return path


def is_other(case, path):
    """Return whether the judge sees an edit: to shift a slide without mass, say, moves nothing else."""
    after = judge.in_pinocchio(path.read_text("utf-8"))
    return judge.motion(case.mechanism, after, *by_name(case))[0] > judge.PLACED


def comparisons(case, rows):
    """Each comparing tool on pairs of which the judge knows whether they are one robot."""
    same = ("ours", "skrobot_merge")
    pairs = [
        *(
            (name, case.folder / f"{name}.urdf")
            for name in same
            if rows[name]["verdict"] == "exact"
        ),
        *(pair for pair in edited(case) if is_other(case, pair[1])),
    ]
    for pair, after in pairs:
        files = str(case.path), str(after)
        for ran, name in (
            (
                run(case.folder, tool, "compare", *files, "-q", "--aspects", "motion,mass,limits"),
                "ours",
            ),
            (run(case.folder, skrobot_compare, *files), "skrobot"),
        ):
            answer = {0: "same", 1: "other"}.get(ran.status, "refused")
            words = refusal(case, ran) if answer == "refused" else ran.printed
            row = {"tool": name, "pair": pair, "said": answer, "seconds": ran.seconds}
            yield {**row, "words": " ".join(words.split())[-300:]}


def write_bare(case):
    """Write the robot without shapes, so that no engine looks for meshes."""
    root = tree_of(case.text.encode())
    for link in root.findall("link"):
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(shape)
    written(case, "bare", root)


def results_of(path, folder):
    """Return all rows of one robot."""
    folder.mkdir(parents=True, exist_ok=True)
    text = path.read_text("utf-8")
    try:
        root = tree_of(text.encode())
        for inertial in root.findall("link/inertial"):
            if inertial.find("mass") is None or inertial.find("inertia") is None:
                raise judge.Unread(
                    "Pinocchio: urdfdom reads nothing of an <inertial> without <mass> or <inertia>"
                )
        case = Case(path, folder, text, root, judge.in_pinocchio(text))
    except (ElementTree.ParseError, judge.Unread) as unread:
        case = Case(path, folder, text, None, None)
        after = folder / "ours.urdf"
        row = finished(case, after, tool, path, "-y", "-q", "-o", after)
        return {"unread": " ".join(str(unread).split()), "ours": row}
    write_bare(case)
    rows = {
        "ours": ours(case),
        "ours_mjcf": ours_export(case, "mjcf", judge.in_mujoco),
        "ours_sdf": ours_export(case, "sdf", judge.in_drake),
        **{job.__name__: peer_urdf(case, job) for job in (skrobot_merge, yourdfpy_write)},
        **{job.__name__: peer_mjcf(case, job) for job in (skrobot_mjcf, mujoco_import)},
    }
    return {"rows": rows, "compared": [*comparisons(case, rows)]}
