"""Say what PhysX makes of a file of USD, as JSON: its own reader, on the CPU. Run by itself: FILE ROOT POSITIONS."""

import json
import sys
import warnings

import numpy as np

PROPERTIES = (
    "DOF_LIMIT",
    "DOF_MAX_FORCE",
    "DOF_MAX_VELOCITY",
    "DOF_FRICTION_PROPERTIES",
    "DOF_ARMATURE",
    "DOF_STIFFNESS",
    "DOF_DAMPING",
    "BODY_MASS",
    "BODY_COM_POSE",
    "BODY_INERTIA",
)
STEPS, STEP = 20, 0.01
AT_REST = (0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)  # x y z, and a quaternion x y z w


def main(path, root, tried):
    """Print properties, how far it falls in a moment, and poses and mass matrices at positions.

    `tried` are positions by the names of joints: those to fall from, and others to be looked at.
    """
    import ovphysx
    import ovstage
    from ovphysx.samples.python_samples.schema_support import physx_schema_paths
    from ovphysx.types import TensorType

    warnings.simplefilter("ignore")
    ovphysx.PhysX.set_cpu_mode(True)
    physx = ovphysx.PhysX()
    schemas = [*map(str, physx_schema_paths()), str(ovphysx.newton_schema_root())]
    ovstage.population.register_usd_schemas(schemas)
    stage = ovstage.Stage("judged")
    ovstage.population.open_usd(stage, path, ordinal=1, domains=ovstage.PopulationDomain.ALL)
    stage.advance_write_floor(ordinal=1).wait()
    physx.wait_task(physx.attach_ovstage(stage, read_ordinal=1))

    def bound(name):
        return physx.create_tensor_binding(
            pattern=root, tensor_type=getattr(TensorType, f"ARTICULATION_{name}")
        )

    def read(name):
        binding = bound(name)
        values = np.zeros(binding.shape, dtype=np.float32)
        binding.read(values)
        return values[0].tolist()

    def write(name, values):
        binding = bound(name)
        binding.write(np.array(values, dtype=np.float32).reshape(binding.shape))

    links = bound("LINK_POSE")
    free = not links.is_fixed_base
    found = {
        "joints": list(links.dof_names),
        "bodies": list(links.body_names),
        "fixed": not free,
        **{name: read(name) for name in PROPERTIES},
    }

    def place(positions):
        """Let it rest at positions of its joints; the first step that PhysX makes by itself has moved it."""
        write("DOF_POSITION", [positions[name] for name in links.dof_names])
        write("DOF_VELOCITY", [0.0] * len(links.dof_names))
        if free:
            write("ROOT_POSE", AT_REST)
            write("ROOT_VELOCITY", [0.0] * 6)

    start, *others = json.loads(tried)
    found["poses"], found["masses"] = [], []
    for positions in others:
        place(positions)
        found["poses"].append(read("LINK_POSE"))
        found["masses"].append(read("MASS_MATRIX"))
    place(start)
    found["place"] = read("LINK_POSE")[0]
    before = read("MASS_CENTER_WORLD")[2]
    for _ in range(STEPS):
        physx.step_sync(STEP)
    found["fallen"], found["held"] = before - read("MASS_CENTER_WORLD")[2], read("DOF_POSITION")
    found["placed"] = read("LINK_POSE")[0]
    print("JSON" + json.dumps(found), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
