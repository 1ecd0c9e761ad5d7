"""Convert the meshes of the plan, and complete the plan with the results."""
from typing import Optional

from ..urdf.model import Edit
from ..plan.decisions import by_line, Plan
from ..plan.mesh_tasks import is_collada, MeshResult
from ..plan.named_materials import first_definitions
from .converter import MeshContext
from .references import name_files


def make_meshes(plan: Plan, folder: str, output_folder: str, context: Optional[MeshContext]) -> Plan:
    """Return the plan with its converted meshes: their files are in the folder of the context, finished and verified.

    Args:
        plan: the decisions.
        folder: that of the input.
        output_folder: that of the output.
        context: where meshes are made; None: none is converted.

    Raises:
        UrdfError: with `strict`, a file that cannot be found or read; or one that cannot be copied.
        ProofFailed: the triangles that were written are not those of a file.
    """
    # Definitions of materials come last: converted visuals have other materials than the input.
    meshes = convert_meshes(plan, context) if context and plan.mesh_tasks else plan.meshes
    collada = sum(is_collada(shape) for _, shape in plan.staying_shapes)
    meshes = meshes._replace(unconverted=collada - sum(is_collada(split.shape) for split in meshes.converted))
    meshes, warnings = name_files(plan, meshes, folder, output_folder, context)
    compiler = [Edit(plan.robot.document.root, name, value, "mujoco/compiler") for name, value in meshes.compiler]
    updates = plan.updates._replace(edits=(*plan.updates.edits, *compiler))
    return plan._replace(meshes=meshes, updates=updates, definitions=first_definitions(plan, meshes.converted),
                         warnings=by_line([*plan.warnings, *meshes.warnings, *warnings]))


def convert_meshes(plan: Plan, context: MeshContext) -> MeshResult:
    """Convert the meshes of all tasks, and name the results."""
    from .conversion import convert_tasks  # few runs convert meshes
    from .naming import MeshNaming

    converted, warnings = convert_tasks(plan, context)
    naming = MeshNaming(plan, context, converted)
    shapes = naming.shapes(converted)
    files, notes = context.converter.finish(naming.files, shapes)
    return plan.meshes._replace(converted=shapes, files=tuple(files), warnings=(
        *warnings, *naming.warnings, *notes))
