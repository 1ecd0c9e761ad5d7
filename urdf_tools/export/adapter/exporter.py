"""Write the module of a run, once it was executed and has the plan's map of each joint."""
from typing import Dict, Tuple

from ...base.errors import ProofFailed
from ...base.version import __version__
from ...compare.read import read_bytes
from ...compare.words import ADAPTER, length_text
from ...run.records import Exported, Result
from ...urdf.model import MOVABLE
from ...urdf.spatial import Pose, ZERO
from ..edited import comparison_of_edits
from ..request import ExportRequest
from .module_text import Adapted, module_text, Moved, orders_of, word
from .of_comparison import adapter_of, executed, followers_of, POSITIONS


def export_adapter(request: ExportRequest) -> Exported:
    """Return the module that `--adapter` asks for.

    Raises:
        ProofFailed: the module differs from the plan; a fault of this tool.
    """
    path, result = str(request.choices["adapter"]), request.result
    if result.exported.edited is not None:
        made = adapter_of(comparison_of_edits(request, result.exported.edited))
        return Exported(((path, made.text.encode("utf-8")),), (ADAPTER["proven"].format(
            path, *made.joints, POSITIONS, length_text(made.worst)), *made.warnings))
    adapted = adapted_joints(result)
    text = module_text(adapted)
    verify_module(text, result)
    counts = f"{len(adapted.old)} -> {len(adapted.new)} joints"
    return Exported(((path, text.encode("utf-8")),), (
        f"Adapter: {path} ({counts}) is read again and has the map that was proven",))


def adapted_joints(result: Result) -> Adapted:
    """Return the joints of the input that move and those of the result, both in file order.

    A joint that the input has twice is in it once.
    """
    plan, before, after = result.plan, result.before, result.after
    orders = orders_of(after.joints, after.root)
    number_of = {name: number for number, name in enumerate(orders["ros"])}
    new_place = {child: number_of[joint.name] for child, joint in after.above.items() if joint.type in MOVABLE}
    old: Dict[int, Tuple[str, Moved]] = {}
    for joint in before.joints:
        if joint.type not in MOVABLE:
            continue
        owner = plan.members[joint.child].target if plan.members[joint.child].merged else joint.child
        sign, zero = plan.joints[owner].map
        old.setdefault(new_place[owner], (joint.name, Moved(new_place[owner], sign, zero)))
    places = tuple((program, tuple(number_of[name] for name in names)) for program, names in orders.items())
    return Adapted(f"Joints of '{word(before.name)}' before and after urdf_simplify {__version__}", tuple(old.values()),
                   tuple(number_of), places, followers_of(read_bytes(result.data, "")),
                   followers_of(read_bytes(result.source, "")), Pose(plan.placements[after.root].rotation, ZERO),
                   after.root)


def verify_module(text: str, result: Result) -> None:
    """Read the tables of the module again: each joint has the map of the plan, which was proven; none is missing.

    Raises:
        ProofFailed: a table differs from the plan; a fault of this tool.
    """
    def require(holds: bool, what: str) -> None:
        if not holds:
            raise ProofFailed(f"adapter: {what}")

    plan, before, after = result.plan, result.before, result.after
    module = executed(text, *(read_bytes(data, "") for data in (result.source, result.data)))
    new = {joint.name: child for child, joint in reversed(after.above.items()) if joint.type in MOVABLE}
    require(sorted(module["NEW"]) == sorted(new), "it names other joints than the result has")
    require({row[0] for row in module["MAP"]} == {joint.name for joint in before.joints if joint.type in MOVABLE},
            "it names other joints than the input has")
    require({word: tuple(module["NEW"][index] for index in places) for word, places in module["ORDERS"].items()}
            == orders_of(after.joints, after.root), "a program orders the joints otherwise")
    for name, number, sign, zero in module["MAP"]:
        child = new[module["NEW"][number]]
        require(before.above[child].name == name and plan.joints[child].map == (sign, zero),
                f"joint '{name}' counts otherwise")
    require(module["R_NEW_OLD"] == plan.placements[after.root].rotation and module["BASE"] == after.root
            and module["P_NEW_OLD"] == ZERO, "the base is another")
