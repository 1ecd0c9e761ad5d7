#!/usr/bin/env python3
"""Measure on robots how often each kind of evidence of the base frame agrees with left/right pairs that decide it.

usage: base_agreement.py ROBOT.urdf ...
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from urdf_tools.base.errors import UrdfError  # noqa: E402
from urdf_tools.plan.up_and_forward_evidence import find_evidence  # noqa: E402
from urdf_tools.urdf.lossless_xml import parse_document  # noqa: E402
from urdf_tools.urdf.urdf_reader import read_robot  # noqa: E402


def agreement(files):
    """Return by kind the robots where it agrees with the pairs, and those that have it and such pairs."""
    measured = {}
    for path in files:
        try:
            evidence = find_evidence(read_robot(parse_document(path.read_bytes(), path.name)))
        except UrdfError as error:
            print(error, file=sys.stderr)
            continue
        fronts = [item.forwards[0] for item in evidence if item.decides and item.forwards]
        for item in evidence:
            if fronts and item.forwards and not item.decides:
                agreeing, counted = measured.get(item.kind, (0, 0))
                measured[item.kind] = (agreeing + (fronts[0] in item.forwards), counted + 1)
    return {kind.format(s="s"): counts for kind, counts in measured.items()}


if __name__ == "__main__":
    for kind, (agreeing, counted) in agreement(map(Path, sys.argv[1:])).items():
        print(f"{kind}: {agreeing} of {counted}")
