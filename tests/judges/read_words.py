"""Print, as JSON, what a program keeps of each of some URDF files: `read_words.py PROGRAM FILE...`."""

import json
import os
import sys


def mujoco(path):
    import mujoco

    model = mujoco.MjModel.from_xml_path(path)
    mujoco.mj_saveLastXML(f"{path}.saved", model)
    with open(f"{path}.saved", encoding="utf-8") as stream:
        return stream.read()


def drake(path):
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
    from pydrake.systems.framework import DiagramBuilder

    plant, scene = AddMultibodyPlantSceneGraph(DiagramBuilder(), 0.001)
    Parser(plant).AddModels(path)
    plant.Finalize()
    shapes = scene.model_inspector()
    joints = [plant.get_joint(index) for index in plant.GetJointIndices()]
    bodies = [plant.GetBodyByName(name) for name in ("a", "b", "e")]
    return [
        *(
            [
                joint.frame_on_parent().GetFixedPoseInBodyFrame().GetAsMatrix4().tolist(),
                *(
                    limits().tolist()
                    for limits in (
                        joint.position_lower_limits,
                        joint.velocity_upper_limits,
                        joint.acceleration_upper_limits,
                    )
                ),
                joint.default_damping_vector().tolist(),
            ]
            for joint in joints
        ),
        *(
            body.default_spatial_inertia().CalcRotationalInertia().CopyToFullMatrix3().tolist()
            for body in bodies
        ),
        *(
            [type(shapes.GetShape(k)).__name__, shapes.GetPoseInFrame(k).GetAsMatrix4().tolist()]
            for k in shapes.GetAllGeometryIds()
        ),
        plant.num_constraints(),
    ]


def newton(path):
    import newton

    builder = newton.ModelBuilder()
    builder.add_urdf(path)

    def plain(value):
        if isinstance(value, (list, tuple)):
            return [plain(part) for part in value]
        if isinstance(value, (int, float, str, bool)) or value is None:
            return value
        return [plain(part) for part in value] if hasattr(value, "__len__") else 0

    return {
        name: plain(value)
        for name, value in vars(builder).items()
        if name.startswith(("body_", "joint_", "shape_")) and isinstance(value, list)
    }


def urdfdom(path):
    import pinocchio

    model = pinocchio.buildModelFromUrdf(path)
    shapes = [
        shape
        for kind in (pinocchio.VISUAL, pinocchio.COLLISION)
        for shape in pinocchio.buildGeomFromUrdf(model, path, kind).geometryObjects
    ]
    limits = [model.lowerPositionLimit, model.upperVelocityLimit, model.damping]
    return [
        *map(str, model.jointPlacements),
        *map(str, model.inertias),
        *(limit.tolist() for limit in limits),
        *([type(shape.geometry).__name__, str(shape.placement)] for shape in shapes),
    ]


def main(program, *paths):
    load = {"mujoco": mujoco, "drake": drake, "newton": newton, "urdfdom": urdfdom}[program]
    answer = os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)  # the programs write there, too
    os.dup2(nowhere, 2)
    print(json.dumps([load(path) for path in paths]), file=answer, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
