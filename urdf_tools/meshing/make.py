"""Do what the plan wants of meshes, and complete it with what came out."""
from typing import Optional

from ..urdf.model import Edit
from ..plan.decisions import by_line, Plan
from ..plan.mesh_tasks import is_collada, MeshResult
from ..plan.named_materials import first_definitions
from .converter import MeshContext
from .references import name_files


def make_meshes(plan: Plan, folder: str, output_folder: str, context: Optional[MeshContext]) -> Plan:
    """Return a plan with what became of its meshes: their files are in the folder of the context, finished and proven.

    Args:
        plan: what was decided.
        folder: that of the input.
        output_folder: that of the output.
        context: where meshes are made; None: they are left as they are.

    Raises:
        UrdfError: with `strict`, a file that cannot be found or read; or one that cannot be copied.
        ProofFailed: what was written is not what a file holds.
    """
    meshes = convert_meshes(plan, context) if context and plan.mesh_tasks else plan.meshes
    collada = sum(is_collada(shape) for _, shape in plan.staying_shapes)
    meshes = meshes._replace(left=collada - sum(is_collada(one.shape) for one in meshes.converted))
    meshes, warnings = name_files(plan, meshes, folder, output_folder, context)
    compiler = [Edit(plan.robot.document.root, name, value, "mujoco/compiler") for name, value in meshes.compiler]
    updates = plan.updates._replace(edits=(*plan.updates.edits, *compiler))
    return plan._replace(meshes=meshes, updates=updates, definitions=first_definitions(plan, meshes.converted),
                         warnings=by_line([*plan.warnings, *meshes.warnings, *warnings]))


def convert_meshes(plan: Plan, context: MeshContext) -> MeshResult:
    """Convert the meshes of all tasks, and name what comes out."""
    from .conversion import convert_tasks  # few runs convert meshes
    from .naming import MeshNaming

    converted, warnings = convert_tasks(plan, context)
    naming = MeshNaming(plan, context, converted)
    shapes = naming.shapes(converted)
    files, notes = context.converter.finish(naming.files, shapes)
    return plan.meshes._replace(converted=shapes, files=tuple(files), warnings=(
        *warnings, *naming.warnings, *notes))
