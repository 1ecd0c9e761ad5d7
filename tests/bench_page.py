"""Time and size of the page, beside the same run without it: `make bench` runs this last.

    python3 tests/bench_page.py [--rounds N]

The humanoid has no meshes that can be found; the other robot has 400,000 triangles in 20 STL files, made of arithmetic.
"""

import argparse
import math
import os
import struct
import sys
import tempfile
from pathlib import Path

from bench import Case, HUMANOID, measured, print_table, verdict

TRIANGLES, FILES = 400_000, 20
MOST_RATIO, MOST_KILOBYTES = 1.5, 250.0  # of the humanoid
MOST_SECONDS, MOST_MEGABYTES = 8.0, 3.0  # with 400,000 triangles, at the default


def bumpy_tube(number, triangles):
    """Return binary STL of a closed tube with waves; no two numbers give the same."""
    around = math.isqrt(triangles // 2) if hasattr(math, "isqrt") else int((triangles // 2) ** 0.5)
    along = triangles // 2 // around

    def point(i, j):
        turn, part = 2.0 * math.pi * (i % around) / around, j / along
        radius = 0.05 + 0.01 * math.sin(5.0 * turn + number) * math.sin(9.0 * math.pi * part)
        return struct.pack("<3f", radius * math.cos(turn), radius * math.sin(turn), 0.3 * part)

    records = bytearray()
    rows = [[point(i, j) for i in range(around + 1)] for j in range(along + 1)]
    for j in range(along):
        for i in range(around):
            a, b, c, d = rows[j][i], rows[j][i + 1], rows[j + 1][i + 1], rows[j + 1][i]
            for corners in (a + b + c, a + c + d):
                records += bytes(12) + corners + bytes(2)
    return bytes(80) + struct.pack("<I", len(records) // 50) + bytes(records)


def write_robot(folder):
    """Write a chain of links with one mesh each, and return its URDF."""
    lines = ["<robot name='tubes'>"]
    for number in range(FILES):
        (folder / f"tube{number}.stl").write_bytes(bumpy_tube(number, TRIANGLES // FILES))
        lines.append(
            f"<link name='l{number}'>"
            "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
            f"<visual><geometry><mesh filename='tube{number}.stl'/></geometry></visual></link>"
        )
        if number:
            lines.append(
                f"<joint name='j{number}' type='continuous'><parent link='l{number - 1}'/>"
                f"<child link='l{number}'/><origin xyz='0 0 0.3'/><axis xyz='0 1 0'/></joint>"
            )
    path = folder / "tubes.urdf"
    path.write_text("\n".join([*lines, "</robot>"]), encoding="utf-8")
    return path


def main():
    """Measure, print the figures and what was aimed at; return 1 if a run failed."""
    parser = argparse.ArgumentParser(description="Time and size of the page.")
    parser.add_argument(
        "--rounds", type=int, default=7, metavar="N", help="runs on the humanoid (default: 7)"
    )
    rounds = max(1, parser.parse_args().rounds)
    tool = (sys.executable, "-m", "urdf_tools")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        tubes, pages = (
            write_robot(folder),
            {name: folder / f"{name}.html" for name in ("humanoid", "tubes")},
        )
        plain = (*tool, str(HUMANOID), "-o", str(folder / "out.urdf"), "--yes")
        try:
            figures = measured(
                [
                    Case("humanoid", plain, rounds),
                    Case("humanoid, page", (*plain, "--page", str(pages["humanoid"])), rounds),
                    Case(
                        f"{TRIANGLES:,} triangles, page",
                        (*tool, str(tubes), "-n", "--page", str(pages["tubes"])),
                        1,
                    ),
                ]
            )
        except RuntimeError as error:
            print(error, file=sys.stderr)
            return 1
        sizes = {name: os.path.getsize(page) for name, page in pages.items()}
    print_table("Page: the package, with and without --page (medians)", figures)
    verdict(
        "humanoid, time with the page over without",
        figures["humanoid, page"].seconds / figures["humanoid"].seconds,
        MOST_RATIO,
    )
    verdict("humanoid, page [KB]", sizes["humanoid"] / 1e3, MOST_KILOBYTES)
    verdict(
        f"{TRIANGLES:,} triangles, time [s]",
        figures[f"{TRIANGLES:,} triangles, page"].seconds,
        MOST_SECONDS,
    )
    verdict(f"{TRIANGLES:,} triangles, page [MB]", sizes["tubes"] / 1e6, MOST_MEGABYTES)
    return 0


if __name__ == "__main__":
    sys.exit(main())
