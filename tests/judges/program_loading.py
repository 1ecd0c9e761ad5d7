"""Load URDF files in one program, each as a line of JSON: `program_loading.py PROGRAM FILE...`.

A line is written before each file, as a program may end this process: ["start", file], then ["done", file, what], where
what is {"refused": text}, or numbers: of bodies, joints, shapes, moving joints with limits, followers, and the mass.
"""

import json
import os
import sys
import warnings


def mujoco(path):
    import mujoco

    model = mujoco.MjModel.from_xml_path(path)
    return {
        "bodies": model.nbody - 1,
        "joints": model.njnt,
        "shapes": model.ngeom,
        "followers": model.neq,
        "limits": int(model.jnt_limited.sum()),
        "mass": float(model.body_mass[1:].sum()),
        "names": len({model.joint(k).name for k in range(model.njnt)} - {""}),
    }


def drake(path):
    from pydrake.geometry import Role
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
    from pydrake.systems.framework import DiagramBuilder

    plant, scene = AddMultibodyPlantSceneGraph(DiagramBuilder(), 0.001)
    Parser(plant).AddModels(path)
    plant.Finalize()
    shapes = scene.model_inspector()
    return {
        "bodies": plant.num_bodies() - 1,
        "joints": plant.num_joints(),
        "shapes": sum(map(shapes.NumGeometriesWithRole, (Role.kIllustration, Role.kProximity))),
        "mass": plant.CalcTotalMass(plant.CreateDefaultContext()),
    }


def newton(path):
    import newton

    builder = newton.ModelBuilder()
    if path.endswith((".usda", ".usd")):
        builder.add_usd(path)
    else:
        builder.add_urdf(path)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = builder.finalize(device="cpu")
    return {
        "bodies": builder.body_count,
        "joints": builder.joint_count,
        "shapes": builder.shape_count,
        "mass": float(model.body_mass.numpy().sum()),
        "followers": sum(k >= 0 for k in builder.joint_mimic_joint),
        "corrected": any("Inertia validation" in str(warning.message) for warning in told),
    }


def pybullet(path):
    import pybullet

    if pybullet.isConnected():
        pybullet.resetSimulation()
    else:
        pybullet.connect(pybullet.DIRECT)
    robot = pybullet.loadURDF(path)
    count = pybullet.getNumJoints(robot)
    dynamics = [pybullet.getDynamicsInfo(robot, k) for k in range(-1, count)]
    return {
        "bodies": count + 1,
        "joints": count,
        "mass": sum(row[0] for row in dynamics),
        "moments": [row[2] for row in dynamics],
    }


def main(program, *paths):
    load = {
        "mujoco": mujoco,
        "drake": drake,
        "newton": newton,
        "pybullet": pybullet,
    }[program]
    answer = os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)  # the programs write there, too
    os.dup2(nowhere, 2)
    warnings.simplefilter("ignore")
    for path in paths:
        print(json.dumps(["start", path]), file=answer, flush=True)
        os.chdir(os.path.dirname(path))
        try:
            loaded = load(path)
        except BaseException as error:  # also SystemExit of Drake
            loaded = {"refused": f"{type(error).__name__}: {error}"[:400]}
        print(json.dumps(["done", path, loaded]), file=answer, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
