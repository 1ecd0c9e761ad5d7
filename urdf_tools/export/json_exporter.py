"""The typed model of a run as JSON."""
from ..base.errors import ProofFailed
from ..model.json_form import is_json_of, write_json
from ..run.pipeline import Exported
from .options import ExportRequest
from .requests import requested_model


def export_model(request: ExportRequest) -> Exported:
    """Return the model as JSON, read again and compared.

    Raises:
        ProofFailed: it is another when it is read again; a fault of this tool.
    """
    robot, path = requested_model(request), str(request.choices["model"])
    text = write_json(robot)
    if not is_json_of(text, robot):
        raise ProofFailed("the model as JSON is another robot", path)
    return Exported(((path, text.encode("utf-8")),), (f"Model: {path} is read again and is the same robot",))
