"""Processor time of comparing two surfaces: python3 tests/bench_shapes.py [--size N]

Rows: the same numbers in another order, text of six digits, each triangle split into four, and a round body that is
triangulated quite otherwise, which is the worst that real meshes do. N rings make 4 N^2 triangles a side (default 50).
"""

import argparse
import random
import sys
import time
from pathlib import Path

from surfaces import ball, by, inverted, moved, split, turned

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from urdf_tools.meshes.same_surface import same_surface  # noqa: E402


def main():
    """Print a row for each pair."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=50)
    size = parser.parse_args().size
    body = ball(size, 2 * size)
    coarse = ball(size // 2, size)
    rows = {
        "the same numbers in another order": (body, random.Random(1).sample(body, len(body))),
        "text of six digits": (
            body,
            moved(body, lambda p: (round(p[0], 6), round(p[1], 6), round(p[2], 6))),
        ),
        "inside out": (body, inverted(body)),
        "split into four": (coarse, split(coarse)),
        "another triangulation": (body, moved(body, turned(0.3))),
        "moved by 1 mm": (body, moved(body, by(0.0, 0.0, 1e-3))),
    }
    for name, (a, b) in rows.items():
        start = time.process_time()
        verdict = same_surface(a, b, 1e-4)
        print(
            f"{time.process_time() - start:8.3f} s  {len(a):6} / {len(b):6} triangles  {name}: {verdict}"
        )


if __name__ == "__main__":
    main()
