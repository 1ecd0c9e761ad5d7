#!/usr/bin/env python3
"""What export of an armature takes: on the humanoid over a run, and how it grows with the links; by `make bench`."""

import os
import sys
import tempfile

from bench import Case, HUMANOID, measured, print_table, robot_lines, verdict

MOST_ADDED = 1.25  # of the time of a run on the humanoid
SMALL, LARGE, MOST_GROWTH = 500, 2500, 6.0  # five times the links take at most six times as long
ROUNDS = 5


def main():
    """Measure, and print a table and verdicts."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = os.path.join(folder, "compiled")
        tool = (sys.executable, "-m", "urdf_tools")
        output = ("--yes", "--quiet", "-o", os.path.join(folder, "output.urdf"))
        armature = (os.path.join(folder, "robot.armature.json"), "--yes", "--quiet")
        cases = [
            Case("humanoid", (*tool, str(HUMANOID), *output), ROUNDS),
            Case("humanoid, armature", (*tool, "export", str(HUMANOID), *armature), ROUNDS),
        ]
        for links in (SMALL, LARGE):
            path = os.path.join(folder, f"bush_{links}.urdf")
            with open(path, "w", encoding="utf-8") as stream:
                stream.writelines(robot_lines(links, "bush"))
            cases.append(
                Case(f"bush of {links:,} links, armature", (*tool, "export", path, *armature), 3)
            )
        figures = measured(cases)
    print_table("The armature (medians)", figures)
    verdict(
        "humanoid, export of an armature over a run",
        figures["humanoid, armature"].seconds / figures["humanoid"].seconds,
        MOST_ADDED,
    )
    small, large = (
        figures[f"bush of {links:,} links, armature"].seconds for links in (SMALL, LARGE)
    )
    verdict(f"time of {LARGE:,} links over {SMALL:,}", large / small, MOST_GROWTH)
    return 0


if __name__ == "__main__":
    sys.exit(main())
