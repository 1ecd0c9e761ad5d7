"""All jobs of all tools on robots of the corpus: a line "ROBOT.urdf<tab>FOLDER" of the input becomes a line of JSON.

Every job runs in a process of its own; all tools are loaded before. What it writes is judged by corpus_judge.py.
"""

from collections import namedtuple
import importlib
import json
import os
import pkgutil
import re
import signal
import sys
import traceback
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import corpus_judge as judge
import numpy as np
from corpus_peers import JOBS, skrobot_compare

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
LONGEST = 120  # seconds that a tool may take, on the clock
EDITS = ("shifted", "heavier")
SHIFT, HEAVIER = 0.001, 1.01  # the edits that a comparison is to find: meters, and a factor


class Run(namedtuple("Run", "status printed complained seconds")):
    """One process: exit status (None: no end in time), what it printed and complained, processor time [s]."""


class Case(namedtuple("Case", "path folder text root mechanism")):
    """A robot: its file, where files go, its text and tree, and what Pinocchio makes of it."""


def run(folder, job, *words):
    """Run a job in a copy of this process, in which all tools are loaded."""
    files = [folder / "printed.txt", folder / "complained.txt"]
    pid = os.fork()
    if not pid:
        _as_child(files, job, words)
    _, status, used = os.wait4(pid, 0)
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in files]
    seconds = used.ru_utime + used.ru_stime
    if os.WIFSIGNALED(status):
        is_late = os.WTERMSIG(status) == signal.SIGALRM
        return Run(None if is_late else -os.WTERMSIG(status), *texts, seconds)
    return Run(os.WEXITSTATUS(status), *texts, seconds)


def _as_child(files, job, words):
    """Do a job and end; an exception is a traceback and status 1, as in a process of its own."""
    status = 1
    try:
        signal.alarm(LONGEST)
        for stream, path in zip((1, 2), files):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), stream)
        sys.stdout, sys.stderr = (os.fdopen(stream, "w", encoding="utf-8") for stream in (1, 2))
        status = int(job(*words) or 0)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:  # noqa: BLE001  whatever it is, it is the tool's
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def load_tools():
    """Import what the jobs need, so that no figure holds the start of a program."""
    import mujoco  # noqa: F401
    import pydrake.multibody.parsing  # noqa: F401
    import skrobot.urdf  # noqa: F401
    import yourdfpy  # noqa: F401

    import urdf_tools

    for module in pkgutil.walk_packages(urdf_tools.__path__, "urdf_tools."):
        if not module.name.endswith(("__main__", "import_armature")):
            importlib.import_module(module.name)


def tool(*words):
    """Run the command line of urdf_simplify."""
    from engine import main as command_line

    return command_line(list(words))


def refusal(case, ran):
    """Return the sentence that a tool refuses with: its first line, or the exception; without the path."""
    lines = [
        line.strip()
        for line in ran.complained.splitlines()
        if line.strip() and not line.startswith("warning")
    ]
    if ran.status is None:
        return f"no end within {LONGEST} s"
    if not lines:
        return f"exit status {ran.status}"
    ends = [
        number
        for number, line in enumerate(lines)
        if re.match(r"[\w.]+(Error|Exception|Exit|Interrupt)\b", line)
    ]
    sentence = " ".join(lines[ends[-1] :]) if ends else lines[0]
    for path in (case.path, case.folder / "bare.urdf"):
        sentence = re.sub(re.escape(str(path)) + r"(:\d+)?(: )?", "", sentence)
    return sentence


def finished(case, ran):
    """Return what a run says of itself."""
    row = {"seconds": ran.seconds}
    if ran.status != 0:
        row.update(verdict="refused", reason=refusal(case, ran))
    return row


def told_by_us(case, report):
    """Return the map that a run of ours says: joints, the root before in the root after; and the report."""
    plan = json.loads(report.read_text("utf-8"))
    children = {child.get("link") for child in case.root.findall("joint/child")}
    T = next(link["T_new_old"] for link in plan["links"] if link["name"] not in children)
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = T["rotation"], T["xyz"]
    renamed = {
        warning["names"][0]: warning["names"][1]
        for warning in plan["warnings"]
        if warning["kind"] == "export-renamed" and warning["message"].startswith("joint ")
    }
    names = {
        joint["old_name"]: (renamed.get(joint["name"], joint["name"]), float(joint["sign"]))
        for joint in plan["joints"]
    }
    return names, X, plan


def by_name(case):
    """Return the map of tools that leave joints as they are."""
    return {name: (name, 1.0) for name in case.mechanism.joints}


def judged(row, case, after, names, X):
    """Add how far a mechanism is from the robot."""
    row["worst"], row["where"] = judge.motion(case.mechanism, after, names, X)
    row["verdict"] = (
        "exact"
        if row["worst"] <= judge.EXACT
        else "rounded"
        if row["worst"] <= judge.ROUNDED
        else "wrong"
    )
    return row


def read_in(row, engine, text, *more):
    """Return the mechanism, or add the words of an engine that does not take the file."""
    try:
        mechanism = engine(text, *more)
        return mechanism
    except judge.Unread as unread:
        row.update(verdict="not read", reason=" ".join(str(unread).split()))
        return None


def urdf_judged(row, case, path, names, X):
    """Add the verdict on a URDF that a tool wrote: motion, masses, shapes, limits; names and comments beside it."""
    text = path.read_text("utf-8")
    after = read_in(row, judge.in_pinocchio, text)
    if after is None:
        return row
    root = judge.tree(text)
    judged(row, case, after, names, X)
    lost, new = judge.unmatched(
        judge.shapes(case.root, case.mechanism), judge.shapes(root, after), X
    )
    other = judge.limits(case.root, root, names)
    row.update(
        shapes_lost=lost,
        shapes_new=new,
        limits=other,
        dangling=judge.dangling(case.root, root),
        links=len(root.findall("link")),
    )
    if new or other:
        row["verdict"] = "wrong"
        row["where"] = (other or [f"shape {new[0]}"])[0]
    before, kept = judge.comments(case.text), judge.comments(text)
    row["comments"] = [sum(before.values()), sum((before & kept).values())]
    return row


def ours(case):
    """The plain run."""
    after, report = case.folder / "ours.urdf", case.folder / "ours.json"
    ran = run(
        case.folder, tool, str(case.path), "-y", "-q", "-o", str(after), "--report", str(report)
    )
    row = finished(case, ran)
    if "verdict" in row:
        return row
    names, X, plan = told_by_us(case, report)
    urdf_judged(row, case, after, names, X)
    row["planned"] = len(plan["stripped"]) + len(plan["copies_dropped"])
    warned = {name for warning in plan["warnings"] for name in warning["names"]}
    warned |= {
        word for warning in plan["warnings"] for word in re.findall(r"[\w./-]+", warning["message"])
    }
    row["dangling_named"] = sum(name in warned for name in row.get("dangling", ()))
    return row


def ours_export(case, kind, engine):
    """A run with an export, of the robot without shapes."""
    report, exported = case.folder / f"{kind}.json", case.folder / f"ours.{kind}"
    ran = run(
        case.folder,
        tool,
        str(case.folder / "bare.urdf"),
        "-y",
        "-q",
        "-o",
        str(case.folder / f"{kind}.urdf"),
        "--report",
        str(report),
        f"--{kind}",
        str(exported),
        "--base",
        "fixed",
    )
    row = finished(case, ran)
    if "verdict" in row:
        return row
    children = {child.get("link") for child in case.root.findall("joint/child")}
    root = next(
        str(link.get("name"))
        for link in case.root.findall("link")
        if link.get("name") not in children
    )
    after = read_in(row, engine, exported.read_text("utf-8"), *((root,) if kind == "sdf" else ()))
    return row if after is None else judged(row, case, after, *told_by_us(case, report)[:2])


def peer(case, job, before, after):
    """A job of another tool."""
    row = finished(case, run(case.folder, JOBS[job], str(before), str(after)))
    if "verdict" not in row and not after.exists():
        row.update(verdict="refused", reason="wrote nothing")
    return row


def peer_urdf(case, job):
    """A job that writes a URDF with the same joints."""
    after = case.folder / f"{job}.urdf"
    row = peer(case, job, case.path, after)
    return row if "verdict" in row else urdf_judged(row, case, after, by_name(case), np.eye(4))


def peer_mjcf(case, job):
    """A job that makes a model of MuJoCo; of the importer the model that it compiles, which is more than it saves."""
    before, after = case.folder / "bare.urdf", case.folder / f"{job}.xml"
    row = peer(case, job, before, after)
    if "verdict" in row:
        return row
    mechanism = read_in(
        row,
        judge.in_mujoco,
        (before if job == "mujoco_import" else after).read_text("utf-8"),
    )
    return row if mechanism is None else judged(row, case, mechanism, by_name(case), np.eye(4))


def edited(case):
    """Write the robot with one edit each: the last joint that moves 1 mm elsewhere, the heaviest link 1 % heavier."""
    files = {}
    moving = [
        joint for joint in case.root.findall("joint") if joint.get("name") in case.mechanism.joints
    ]
    masses = [
        mass
        for mass in case.root.findall("link/inertial/mass")
        if float(mass.get("value", 0.0)) > 0.0
    ]
    if moving:
        origin = moving[-1].find("origin")
        if origin is None:
            origin = ElementTree.SubElement(moving[-1], "origin")
        kept = dict(origin.attrib)
        x, y, z = (float(word) for word in kept.get("xyz", "0 0 0").split())
        origin.set("xyz", f"{x + SHIFT!r} {y + SHIFT!r} {z + SHIFT!r}")
        files["shifted"] = _written(case, "shifted")
        origin.attrib.clear()
        origin.attrib.update(kept)
    if masses:
        heaviest = max(masses, key=lambda mass: float(mass.get("value", 0.0)))
        kept = dict(heaviest.attrib)
        heaviest.set("value", repr(HEAVIER * float(kept["value"])))
        files["heavier"] = _written(case, "heavier")
        heaviest.attrib.update(kept)
    return files


def is_other(case, path):
    """Return whether the judge sees an edit: to shift a slide without mass, say, moves nothing else."""
    after = judge.in_pinocchio(path.read_text("utf-8"))
    return judge.motion(case.mechanism, after, by_name(case), np.eye(4))[0] > judge.PLACED


def _written(case, name):
    path = case.folder / f"{name}.urdf"
    ElementTree.ElementTree(case.root).write(path, encoding="utf-8", xml_declaration=True)
    return path


def comparisons(case, rows):
    """Each comparing tool on pairs of which the judge knows whether they are one robot."""
    pairs = {
        name: case.folder / f"{name}.urdf"
        for name in ("ours", "skrobot_merge")
        if rows[name].get("verdict") == "exact"
    }
    answers = []
    for pair, after in {**pairs, **edited(case)}.items():
        if pair in EDITS and not is_other(case, after):
            continue
        ran = run(
            case.folder,
            tool,
            "compare",
            str(case.path),
            str(after),
            "-q",
            "--aspects",
            "motion,mass,limits",
        )
        answer = {0: "same", 1: "other"}.get(-1 if ran.status is None else ran.status, "refused")
        answers.append(
            {
                "tool": "ours",
                "pair": pair,
                "said": answer,
                "seconds": ran.seconds,
                "words": (ran.printed or ran.complained).strip().split("\n")[0][-300:],
            }
        )
        ran = run(case.folder, skrobot_compare, str(case.path), str(after))
        answer = ran.printed.split("\n")[0] if ran.status == 0 else "refused"
        answers.append(
            {
                "tool": "skrobot",
                "pair": pair,
                "said": answer,
                "seconds": ran.seconds,
                "words": refusal(case, ran)[-300:]
                if ran.status
                else " ".join(ran.printed.split())[-300:],
            }
        )
    return answers


def bare(case):
    """Write the robot without shapes, so that no engine looks for meshes."""
    root = judge.tree(case.text)
    for link in root.findall("link"):
        for shape in [element for element in link if element.tag in ("visual", "collision")]:
            link.remove(shape)
    ElementTree.ElementTree(root).write(
        case.folder / "bare.urdf", encoding="utf-8", xml_declaration=True
    )


def main(path, folder):
    """Return all rows of one robot."""
    folder.mkdir(parents=True, exist_ok=True)
    text = path.read_text("utf-8")
    try:
        root = judge.tree(text)
        if any(
            part.find("mass") is None or part.find("inertia") is None
            for part in root.findall("link/inertial")
        ):
            raise judge.Unread(
                "Pinocchio: urdfdom reads nothing of an <inertial> without <mass> or <inertia>"
            )
        case = Case(path, folder, text, root, judge.in_pinocchio(text))
    except (ElementTree.ParseError, judge.Unread) as unread:
        nothing = judge.Mechanism((), lambda _: ({}, None), True, {})
        case = Case(path, folder, text, ElementTree.Element("robot"), nothing)
        ran = run(folder, tool, str(path), "-y", "-q", "-o", str(folder / "ours.urdf"))
        return {"unread": " ".join(str(unread).split()), "ours": finished(case, ran)}
    bare(case)
    rows = {
        "ours": ours(case),
        "ours_mjcf": ours_export(case, "mjcf", judge.in_mujoco),
        "ours_sdf": ours_export(case, "sdf", judge.in_drake),
        **{job: peer_urdf(case, job) for job in ("skrobot_merge", "yourdfpy_write")},
        **{job: peer_mjcf(case, job) for job in ("skrobot_mjcf", "mujoco_import")},
    }
    return {"links": len(root.findall("link")), "rows": rows, "compared": comparisons(case, rows)}


if __name__ == "__main__":
    load_tools()
    for line in sys.stdin:
        robot, where = line.rstrip("\n").split("\t")
        print(json.dumps({"robot": robot, **main(Path(robot), Path(where))}), flush=True)
