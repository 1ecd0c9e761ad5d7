"""Write the module of a run, once its tables were read again and have the plan's map of each joint."""
import ast
from typing import Any, Dict, Set, Tuple, Union

from ...base.errors import ProofFailed
from ...base.version import __version__
from ...plan.decisions import Plan
from ...run.pipeline import Exported, Result
from ...urdf.model import MOVABLE, Robot
from ...urdf.spatial import Pose, ZERO
from ...robot.followers import followers, positions_of
from ..request import ExportRequest
from .module_text import Adapted, Follower, Held, module_text, Moved, orders_of, word

TABLES = ("MAP", "NEW", "ORDERS", "FOLLOWERS", "OLD_FOLLOWERS", "BASE", "R_NEW_OLD", "P_NEW_OLD")


def export_adapter(request: ExportRequest) -> Exported:
    """Return the module that `--adapter` asks for.

    Raises:
        ProofFailed: the module differs from the plan; a fault of this tool.
    """
    path, result = str(request.choices["adapter"]), request.result
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
    places = tuple((program, tuple(number_of[name] for name in names)) for program, names in orders.items())
    return Adapted(f"Joints of '{word(before.name)}' before and after urdf_simplify {__version__}", tuple(old.values()),
                   tuple(number_of), places, _followers(after), _followers(before),
                   Pose(plan.placements[after.root].rotation, ZERO), after.root)


def _followers(robot: Robot) -> Tuple[Follower, ...]:
    """Return the joints that follow another, each after its leader: of several of a name the one that it means."""
    rules = [(robot.tree[follower], robot.tree[leader].name, multiplier, offset)
             for follower, leader, multiplier, offset in followers(robot)]
    return tuple((follower.name, leader, multiplier, offset) for follower, leader, multiplier, offset in rules
                 if robot.named[follower.name].child == follower.child)


def _owner(plan: Plan, child: str) -> str:
    """Return the child link of the joint of the result that a joint of the input became; "" if it was dropped."""
    member = plan.members.get(child)
    if member is None:
        return ""
    return member.target if member.merged else child


def verify_module(text: str, result: Result) -> None:
    """Read the tables of the module again: each joint has the map of the plan, which was proven; none is missing.

    Raises:
        ProofFailed: a table differs from the plan; a fault of this tool.
    """
    def require(holds: bool, what: str) -> None:
        if not holds:
            raise ProofFailed(f"adapter: {what}")

    plan, before, after = result.plan, result.before, result.after
    tables: Dict[str, Any] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id in TABLES:
            tables[node.targets[0].id] = ast.literal_eval(node.value)
    new = {joint.name: child for child, joint in reversed(after.above.items()) if joint.type in MOVABLE}
    require(sorted(tables["NEW"]) == sorted(new), "it names other joints than the result has")
    require({row[0] for row in tables["MAP"]} == {joint.name for joint in before.joints if joint.type in MOVABLE},
            "it names other joints than the input has")
    require({word: tuple(tables["NEW"][index] for index in places) for word, places in tables["ORDERS"].items()}
            == orders_of(after.joints, after.root), "a program orders the joints otherwise")
    places = [row[1] for row in tables["MAP"] if row[1] is not None]
    require(sorted(places) == list(range(len(new))), "a joint of the result has not one place")
    of_old: Dict[str, Set[str]] = {}
    for joint in before.joints:
        of_old.setdefault(joint.name, set()).add(joint.child)
    for name, number, sign, zero in tables["MAP"]:
        if number is not None:
            child = new[tables["NEW"][number]]
            require(before.above[child].name == name and plan.joints[child].map == (sign, zero),
                    f"joint '{name}' counts otherwise")
        else:
            positions = [plan.variant.locked.get(child, 0.0) for child in of_old[name] if child not in new.values()]
            require(zero in positions, f"joint '{name}' is held elsewhere")
    for robot, table in ((after, "FOLLOWERS"), (before, "OLD_FOLLOWERS")):
        children = {name: joint.child for name, joint in robot.named.items() if joint.type in MOVABLE}
        for moved in ("", *children):  # they are affine: all are right if those of zero and of each joint alone are
            at = {name: float(name == moved) for name in children}
            expected = positions_of(robot, {joint.child: at.get(joint.name, 0.0) for joint in robot.joints})
            for row in tables[table]:
                at.pop(row[0], None)
            for name, leader, multiplier, offset in tables[table]:
                at[name] = multiplier * at.get(leader, 0.0) + offset
            require(at == {name: expected[child] for name, child in children.items()}, "a joint follows otherwise")
    require(tables["R_NEW_OLD"] == plan.placements[after.root].rotation and tables["BASE"] == after.root
            and tables["P_NEW_OLD"] == ZERO, "the base is another")
