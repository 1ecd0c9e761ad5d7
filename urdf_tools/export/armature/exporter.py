"""The exports of this folder: the armature as JSON or GLB, and the script that builds it in Blender."""
import hashlib
import os
import pkgutil

from ...base.errors import UsageError
from ...base.number_text import count_of
from ...formats.armature.lower import armature_of
from ...formats.armature.write import document_bytes, document_of, warnings_of
from ...run.records import Exported
from ...verify.comparison import figure_of, figure_text
from ..mesh_table import names_from
from ..request import ExportRequest
from ..requests import mesh_table, reference_of_run
from .proof import verify_armature

SCRIPT = "import_armature.py"
GLB = ".glb"  # the ending that asks for glTF


def export_armature(request: ExportRequest) -> Exported:
    """Return the armature of a result.

    Raises:
        ProofFailed: the armature is not the robot; a fault of this tool.
    """
    result, target = request.result, os.path.abspath(request.choices["armature"])
    is_glb = target.lower().endswith(GLB)
    # glTF has neither Euler angles nor followers: a joined bone and its helpers would have to be moved by hand.
    armature = armature_of(result.after, join=not (is_glb or request.choices["one_bone_per_joint"]))
    urdf = {"path": os.path.basename(request.output), "sha256": hashlib.sha256(result.data).hexdigest()}
    table = mesh_table(request)
    document = document_of(armature, urdf, names_from(os.path.dirname(target), table.meshes))
    data = document_bytes(document)
    bound = verify_armature(data, reference_of_run(request), urdf)
    line = (f"Armature: {count_of(len(document['bones']), 'bone')}, {count_of(len(document['links']), 'link')}, read "
            f"again and the same robot, for all positions to {figure_text(figure_of(bound.position))} m and "
            f"{figure_text(figure_of(bound.angle))} rad")
    warnings = [warning._replace(line=warning.line and request.line_of("joint", warning.names[0]))
                for warning in warnings_of(armature, document["links"])]
    if is_glb:
        from ...formats.armature.write_skin import skinned_glb

        data, complaints = skinned_glb(document, armature.bones, table.source_of)
        warnings += complaints
    return Exported(((request.choices["armature"], data),), (line,), tuple(warnings))


def export_script(request: ExportRequest) -> Exported:
    """Return the script that builds an armature in Blender."""
    data = pkgutil.get_data(document_of.__module__, SCRIPT)  # it stands beside that module
    if data is None:
        raise UsageError(f"{SCRIPT} is not in this package: install it again")
    return Exported(((request.choices["blender_script"], data),))
