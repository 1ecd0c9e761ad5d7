"""Say what PhysX makes of a file of USD, as JSON: its own reader, on the CPU. Run by itself: FILE ARTICULATION_ROOT."""

import json
import sys
import warnings
from typing import Any

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
    "LINK_POSE",
    "MASS_MATRIX",
)
STEPS, STEP = 20, 0.01


def main(path: str, root: str) -> None:
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

    def read(name: str) -> Any:
        binding = physx.create_tensor_binding(pattern=root, tensor_type=getattr(TensorType, f"ARTICULATION_{name}"))
        values = np.zeros(binding.shape, dtype=np.float32)
        binding.read(values)
        return binding, values[0]

    binding, _ = read("LINK_POSE")
    found = {
        "joints": list(binding.dof_names),
        "bodies": list(binding.body_names),
        "fixed": bool(binding.is_fixed_base),
        **{name: read(name)[1].tolist() for name in PROPERTIES},
    }
    before = read("LINK_POSE")[1][0].tolist()
    for _ in range(STEPS):
        physx.step_sync(STEP)
    found["fallen"] = before[2] - read("LINK_POSE")[1][0].tolist()[2]
    print("JSON" + json.dumps(found), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
