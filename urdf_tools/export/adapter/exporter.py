"""Write the module, once it was run and does what the plan says of each joint."""
from typing import Any, Dict, List, Tuple, Union

from ...base.errors import ProofFailed
from ...plan.decisions import Plan
from ...report.run_json import joint_orders
from ...run.pipeline import Exported, Result
from ...urdf.model import MOVABLE
from ..options import ExportRequest
from .module_text import Adapted, Held, module_text, Moved
from .orders import joints_in_order

PROBES = (0.0, 1.0, -2.75)


def export_adapter(request: ExportRequest) -> Exported:
    """Return the module that `--adapter` asks for.

    Raises:
        Unusable: the order cannot be used.
        ProofFailed: the module does something else than the plan; a fault of this tool.
    """
    path, result = str(request.choices["adapter"]), request.result
    asked = str(request.choices["adapter_order"] or "ros")
    adapted = adapted_joints(result, joints_in_order(asked, joint_orders(result.after)))
    text = module_text(adapted)
    verify_module(text, adapted, result)
    counts = f"{len(adapted.old)} -> {len(adapted.new)} joints"
    return Exported(((path, text.encode("utf-8")),), (f"Adapter: {path} ({counts}, in the order of {asked}) was run "
                                                      "and agrees with the proven map",))


def adapted_joints(result: Result, order: List[str]) -> Adapted:
    """Return the joints of the input that move, in file order, and those of the result in another.

    A joint that the input has twice is there once.
    """
    plan, before, after = result.plan, result.before, result.after
    place = {name: number for number, name in enumerate(dict.fromkeys(order))}
    new_place = {child: place[joint.name] for child, joint in after.above.items() if joint.type in MOVABLE}
    old: Dict[Union[int, str], Tuple[str, Union[Moved, Held]]] = {}
    for joint in before.joints:
        if joint.type not in MOVABLE:
            continue
        owner = _owner(plan, joint.child)
        if owner in new_place and joint.child not in plan.variant.locked:
            sign, zero = plan.joints[owner].map
            old.setdefault(new_place[owner], (joint.name, Moved(new_place[owner], sign, zero)))
        else:
            at = plan.variant.locked.get(joint.child)
            old[joint.child] = joint.name, Held(at or 0.0, "dropped" if at is None else "locked")
    R_new_old = plan.placements[after.root].rotation
    return Adapted(before.name, tuple(old.values()), tuple(place), R_new_old, after.root)


def _owner(plan: Plan, child: str) -> str:
    """Return the child link of the joint of the result that a joint of the input has become; "" for what is dropped."""
    member = plan.members.get(child)
    if member is None:
        return ""
    return member.target if member.merged else child


def verify_module(text: str, adapted: Adapted, result: Result) -> None:
    """Run the module: each joint of the result counts as the plan says, and there and back changes nothing.

    Raises:
        ProofFailed: one does not, or the module's own test fails.
    """
    module: Dict[str, Any] = {"__name__": "adapter"}
    exec(compile(text, "adapter", "exec"), module)  # this tool has written it just now: names are in it as literals
    before = {joint.name for joint in result.before.joints if joint.type in MOVABLE}
    after = {joint.name: child for child, joint in reversed(result.after.above.items()) if joint.type in MOVABLE}
    if sorted(module["NEW"]) != sorted(after) or {*module["OLD"]} != before:
        raise ProofFailed("the adapter names other joints than the robots have")
    numbers = {adapted.new[one.place]: k for k, (_, one) in enumerate(adapted.old) if isinstance(one, Moved)}
    for q in PROBES:
        old = module["to_old"]([q] * len(adapted.new))
        back = module["to_new"](old)
        speeds = module["velocities_to_new"](module["velocities_to_old"]([q] * len(adapted.new)))
        if max([abs(value - q) for value in (*back, *speeds)], default=0.0) > 1e-12:
            raise ProofFailed("the adapter comes back to other positions")
        for name, child in after.items():
            sign, zero = result.plan.joints[child].map
            if abs(sign * (old[numbers[name]] - zero) - q) > 1e-12:
                raise ProofFailed(f"the adapter has joint '{name}' elsewhere")
    module["self_test"]()
