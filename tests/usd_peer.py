#!/usr/bin/env python3
"""The table of USD's page: this project beside NVIDIA's urdf-usd-converter, on the same URDFs, by the same judges.

Run it with a Python that has usd-core, newton, ovphysx, pin and urdf-usd-converter: FILE.urdf ...
"""

import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
import numpy as np  # noqa: E402
import usd_models  # noqa: E402
from sound_robots import sound  # noqa: E402

from urdf_tools import model as m  # noqa: E402
from urdf_tools.model.choices import UsdOptions  # noqa: E402
from urdf_tools.model.tree import poses_at  # noqa: E402

SAME = 1e-5  # of an effort


def converted(urdf, folder):
    """Return what the converter makes of a URDF, without its meshes."""
    program = Path(sys.executable).with_name("urdf_usd_converter")
    subprocess.run(
        [str(program), str(urdf), str(folder), "--no-layer-structure"],
        capture_output=True,
        check=True,
    )
    return next(path for path in sorted(folder.iterdir()) if path.suffix.startswith(".usd"))


def places_of(stage, robot):
    """Return how far the prim of any link is from where the URDF has it at zero, seen from the first [m]."""
    from pxr import Usd, UsdGeom

    cache = UsdGeom.XformCache(Usd.TimeCode.Default())
    prims = {
        usd_models.true_name(prim): prim
        for prim in stage.Traverse()
        if prim.HasAPI("PhysicsMassAPI")
    }
    wanted = {name: T.translation for name, T in poses_at(robot, {}).items() if name in prims}
    positions = {
        name: np.array(cache.GetLocalToWorldTransform(prims[name]).ExtractTranslation())
        for name in wanted
    }
    first = next(iter(wanted))
    return max(
        float(np.abs(point - positions[first] - wanted[name] + np.array(wanted[first])).max())
        for name, point in positions.items()
    )


def newton_of(usd, stage, robot):
    """Return how many efforts are right in Newton, its base, and how far off the worst center of mass is [m]."""
    import newton

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        builder = newton.ModelBuilder()
        builder.add_usd(str(usd))
        model = builder.finalize(device="cpu")
    efforts, starts = model.joint_effort_limit.numpy(), model.joint_qd_start.numpy()
    joint_efforts = {
        usd_models.true_name(stage.GetPrimAtPath(label)): float(efforts[starts[number]])
        for number, label in enumerate(model.joint_label)
        if stage.GetPrimAtPath(label) and starts[number] < len(efforts)
    }
    free = newton.JointType.FREE in model.joint_type.numpy()
    links = {link.name: link for link in robot.links}
    centers = [
        float(np.abs(np.array(links[name].mass_properties.center) - center).max())
        for label, center in zip(model.body_label, model.body_com.numpy())
        for name in [usd_models.true_name(stage.GetPrimAtPath(label))]
        if name in links
    ]
    return f"efforts {right(joint_efforts, robot)}, base {'free' if free else 'fixed'}, center {max(centers):.0e} m"


def physx_of(usd, stage, robot):
    """Return how many efforts are right in PhysX, and its base."""
    roots = [
        prim
        for prim in stage.Traverse()
        if "PhysicsArticulationRootAPI" in prim.GetAppliedSchemas()
    ]
    joints = {
        prim.GetName(): 0.0 for prim in stage.Traverse() if prim.GetTypeName().endswith("Joint")
    }
    done = subprocess.run(
        [
            sys.executable,
            str(ROOT / "tests/judges/physx_dump.py"),
            str(usd),
            str(roots[0].GetPath()),
            json.dumps([joints]),
        ],
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    line = next((line for line in done.stdout.splitlines() if line.startswith("JSON")), None)
    if line is None:
        return "not loaded"
    printed = json.loads(line[4:])
    true = {prim.GetName(): usd_models.true_name(prim) for prim in stage.Traverse()}
    efforts = {
        true[name]: value for name, value in zip(printed["joints"], printed["DOF_MAX_FORCE"])
    }
    return f"efforts {right(efforts, robot)}, base {'fixed' if printed['fixed'] else 'free'}"


def right(efforts, robot):
    """Return how many joints have the effort of the URDF, of those that have one there."""
    limits = {joint.name: joint.limit for joint in robot.joints}
    wanted = {
        name: limit.effort for name, limit in limits.items() if limit is not None and limit.effort
    }
    same = [
        name
        for name, value in wanted.items()
        if abs(efforts.get(name, -1.0) - value) <= SAME * value
    ]
    return f"{len(same)} of {len(wanted)}"


def main(paths):
    """Print two lines for each URDF; return 0."""
    for path in map(Path, paths):
        with tempfile.TemporaryDirectory() as folder:
            robot = m.Robot.from_urdf(sound(path.read_text("utf-8")))
            ours = Path(folder) / "own.usda"
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ours.write_text(m.to_usd(robot, UsdOptions(meshes="none")))
            for name, usd in (
                ("here", ours),
                ("converter", converted(path, Path(folder) / "other")),
            ):
                stage = usd_models.open_stage(usd)
                print(
                    f"{path.stem:16} {name:10} poses {places_of(stage, robot):.0e} m; Newton: "
                    f"{newton_of(usd, stage, robot)}; PhysX: {physx_of(usd, stage, robot)}",
                    flush=True,
                )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
