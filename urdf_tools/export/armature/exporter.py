"""The exports of this folder: the armature as JSON or GLB, and the script that builds it in Blender."""
import hashlib
import os
import pkgutil
from typing import Any, Dict, List, Tuple

from ...base.diagnostics import Diagnostic
from ...base.errors import UsageError
from ...base.number_text import count_of
from ...run.pipeline import Exported
from ...urdf.package_resolver import resolver_for
from ..request import ExportRequest
from ..requests import reference_of_run
from .document import document_bytes, document_of, warnings_of
from ...verify.comparison import figure_of, figure_text
from .proof import verify_armature
from .rig import Armature, armature_of
from .visuals import coming_meshes, MeshPlaces

SCRIPT = "import_armature.py"
GLB = ".glb"  # the ending that asks for glTF


def export_armature(request: ExportRequest) -> Exported:
    """Return the armature of a result.

    Raises:
        ProofFailed: the armature is not the robot; a fault of this tool.
    """
    result, target = request.result, os.path.abspath(request.choices["armature"])
    folder = os.path.dirname(target)
    is_glb = target.lower().endswith(GLB)
    # glTF has neither Euler angles nor followers: a joined bone and its helpers would have to be moved by hand.
    armature = armature_of(result.after, join=not (is_glb or request.choices["one_bone_per_joint"]))
    beside = os.path.dirname(os.path.abspath(request.output or request.path))
    origin = os.path.dirname(os.path.abspath(request.path))
    resolver = resolver_for(result.after.document.root, beside, result.plan.options.meshes.package, origin)
    places = MeshPlaces(resolver, folder, coming_meshes(result.plan.meshes))
    urdf = {"path": os.path.basename(request.output), "sha256": hashlib.sha256(result.data).hexdigest()}
    document = document_of(armature, urdf, places)
    data = document_bytes(document)
    bound = verify_armature(data, reference_of_run(request), urdf)
    line = (f"Armature: {count_of(len(document['bones']), 'bone')}, {count_of(len(document['links']), 'link')}, read "
            f"again and the same robot, for all positions to {figure_text(figure_of(bound.position))} m and "
            f"{figure_text(figure_of(bound.angle))} rad")
    warnings = [warning._replace(line=warning.line and request.line_of("joint", warning.names[0]))
                for warning in warnings_of(armature, document["links"])]
    if is_glb:
        data, complaints = _as_glb(document, armature, folder, request)
        warnings += complaints
    return Exported(((request.choices["armature"], data),), (line,), tuple(warnings))


def _as_glb(document: Dict[str, Any], armature: Armature, folder: str, request: ExportRequest
            ) -> Tuple[bytes, List[Diagnostic]]:
    from .skin import skinned_glb

    made = {os.path.realpath(file.target): file.source for file in request.result.plan.meshes.files}
    return skinned_glb(document, armature.bones, folder, made)


def export_script(request: ExportRequest) -> Exported:
    """Return the script that builds an armature in Blender."""
    data = pkgutil.get_data(__package__, SCRIPT)
    if data is None:
        raise UsageError(f"{SCRIPT} is not in this package: install it again")
    return Exported(((request.choices["blender_script"], data),))
