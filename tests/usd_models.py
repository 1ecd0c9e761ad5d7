"""A robot of USD as `pinocchio` has it, built of what USD's own reader of physics says; and the same for Newton.

Nothing of the project is asked here: the composed stage is all that is known of the text.
"""

from collections import namedtuple

import numpy as np

try:
    import newton_usd_schemas as _  # noqa: F401  USD learns of schemas before its first stage is opened, or never
except ImportError:
    pass


class Pinocchio(namedtuple("Pinocchio", "model bodies joints")):
    """A model, and where bodies are in it: by their true name, joint and placement in that."""


def true_name(prim):
    """Return the name that a program shows: USD cannot have all names."""
    return str(prim.GetMetadata("displayName") or prim.GetName())


def open_stage(path):
    """Return the stage of a file; USD's diagnostics become errors."""
    from pxr import Tf, Usd

    mark = Tf.Error.Mark()
    mark.SetMark()
    stage = Usd.Stage.Open(str(path))
    assert stage is not None
    assert mark.IsClean(), [str(error) for error in mark.GetErrors()]
    return stage


def complaints(stage):
    """Return what all validators of USD say."""
    from pxr import UsdValidation

    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    problems = UsdValidation.ValidationContext(validators).Validate(stage)
    return [f"{problem.GetName()}: {problem.GetMessage()}" for problem in problems]


def placement(pin, position, orientation):
    """Return the pose of a position and a quaternion of USD."""
    w = orientation.GetReal()
    v = orientation.GetImaginary()
    return pin.SE3(
        pin.Quaternion(float(w), *map(float, v)).normalized().matrix(),
        np.array([*map(float, position)]),
    )


def pinocchio_of(stage):
    """Return the model of a stage, by the descriptions that its physics are parsed to."""
    import pinocchio as pin
    from pxr import Usd, UsdGeom, UsdPhysics

    robot = stage.GetDefaultPrim()
    objects = UsdPhysics.UsdPhysicsLoadStageFromPrimRange(stage, [robot.GetPath()])
    joints = {}
    for paths, descriptions in objects.values():
        for path, description in zip(paths, descriptions):
            if hasattr(description, "localPose0Position"):
                assert description.isValid and description.jointEnabled, path
                joints.setdefault(str(description.body0), []).append(
                    (stage.GetPrimAtPath(path), description)
                )
    paths, descriptions = objects[UsdPhysics.ObjectType.RigidBody]
    bodies = {
        str(path): stage.GetPrimAtPath(path)
        for path, description in zip(paths, descriptions)
        if description.rigidBodyEnabled
    }
    model = pin.Model()
    made = Pinocchio(pin.Model(), {}, {})
    made = made._replace(model=model)
    cache = UsdGeom.XformCache(Usd.TimeCode.Default())

    def add_body(path, joint, T_joint_body):
        """Add a body to its joint, and the joints that hang on it."""
        prim = bodies[path]
        mass = UsdPhysics.MassAPI(prim)
        axes = placement(pin, (0, 0, 0), mass.GetPrincipalAxesAttr().Get()).rotation
        tensor = axes @ np.diag([*map(float, mass.GetDiagonalInertiaAttr().Get())]) @ axes.T
        center = np.array([*map(float, mass.GetCenterOfMassAttr().Get())])
        inertia = pin.Inertia(float(mass.GetMassAttr().Get()), center, tensor)
        model.appendBodyToJoint(joint, inertia, T_joint_body)
        made.bodies[true_name(prim)] = (joint, T_joint_body)
        for prim_of_joint, description in joints.get(path, ()):
            add_joint(prim_of_joint, description, joint, T_joint_body)

    def add_joint(prim, description, parent, T_parent_body):
        """Add a joint to the model with the body below it; a fixed one joins both bodies."""
        T0 = T_parent_body * placement(
            pin, description.localPose0Position, description.localPose0Orientation
        )
        T1 = placement(pin, description.localPose1Position, description.localPose1Orientation)
        if description.type == UsdPhysics.ObjectType.FixedJoint:
            add_body(str(description.body1), parent, T0 * T1.inverse())
            return
        turns = description.type == UsdPhysics.ObjectType.RevoluteJoint
        kind = getattr(pin, f"JointModel{'R' if turns else 'P'}{str(description.axis)[-1]}")()
        name = true_name(prim)
        made.joints[name] = model.addJoint(parent, kind, T0, prim.GetName())
        add_body(str(description.body1), made.joints[name], T1.inverse())

    children = {str(description.body1) for several in joints.values() for _, description in several}
    outside = [path for path in joints if path not in bodies]
    for path in outside:
        for prim, description in joints[path]:
            add_joint(prim, description, 0, pin.SE3.Identity())
    for path in bodies:
        if path not in children:
            transform = cache.ComputeRelativeTransform(bodies[path], robot)[0]
            rotation = transform.ExtractRotationQuat()
            add_body(
                path,
                model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root"),
                pin.SE3.Identity(),
            )
            made.bodies[""] = placement(pin, transform.ExtractTranslation(), rotation)
    return made
