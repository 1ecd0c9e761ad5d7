"""A program of a user, as they write it with types: `make lint` checks it with mypy against the wheel, and runs it.

usage: user_program.py robot.urdf other.urdf
"""

import sys
from typing import Dict, List, Optional

import urdf_tools
from urdf_tools import Result, simplify, UrdfError
import urdf_tools.compare as comparing
from urdf_tools import model


def signs_of(path: str) -> Optional[Dict[str, int]]:
    """Return the sign of each joint, None for a file that cannot be used."""
    try:
        result: Result = simplify(path, count_once=True, snap=1e-3)
    except UrdfError as error:
        where: str = f"{error.path}:{error.line}"
        print(where, error.message, file=sys.stderr)
        return None
    lines: List[str] = result.text.splitlines()
    assert lines and isinstance(result.changed, bool)
    return {
        joint["old_name"]: joint["sign"]
        for joint in urdf_tools.record_of(result, "out.urdf")["joints"]
    }


def same(first: str, second: str) -> bool:
    """Return True if two files describe one robot."""
    comparison: comparing.Comparison = comparing.compare(first, second, tolerance=1e-6)
    text: str = comparing.as_text(comparison)
    return comparison.exit_code == 0 and bool(text)


def page_of(path: str) -> str:
    """Return the page of a run, and open nothing."""
    shown: Result = simplify(path)
    return shown.page() + comparing.compare(path, path).page() + model.Robot.from_file(path).page()


def joints_left(path: str, output: str) -> int:
    """Lock joints by name, export the result, and return the number of its joints."""
    edited: Result = urdf_tools.edit(path, output, lock={"shoulder*": 0.0})
    exported: Result = urdf_tools.export(output, output.replace(".urdf", ".json"))
    return len(edited.after.joints) if exported.after.joints else 0


def masses_of(path: str) -> Dict[str, float]:
    """Return the mass of each link that has one."""
    robot: model.Robot = model.Robot.from_urdf(path)
    return {link.name: link.inertial.mass for link in robot.links if link.inertial is not None}


if __name__ == "__main__":
    a, b = sys.argv[1:]
    print(len(signs_of(a) or ()), same(a, a), same(a, b), len(masses_of(a)))
