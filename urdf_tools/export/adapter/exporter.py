"""Write the module of a run, once it was executed and moves input and result alike."""
from ...compare.words import ADAPTER, length_text
from ...run.records import Exported
from ..edited import comparison_of_run
from ..request import ExportRequest
from .of_comparison import adapter_of, POSITIONS


def export_adapter(request: ExportRequest) -> Exported:
    """Return the module that `--adapter` asks for.

    Raises:
        UsageError: no joint moves.
        ProofFailed: the module does not move both alike; a fault of this tool.
    """
    path, made = str(request.choices["adapter"]), adapter_of(comparison_of_run(request))
    return Exported(((path, made.text.encode("utf-8")),), (ADAPTER["proven"].format(
        path, *made.joints, POSITIONS, length_text(made.worst)), *made.warnings))
