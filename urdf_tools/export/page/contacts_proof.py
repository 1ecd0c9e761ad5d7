"""The contacts of a page are read again from its text: each must be the pose that was found, and its button say so."""
import html
import json
import re
from typing import Any, Dict, List, Tuple

from ...base.errors import ProofFailed
from ...collision.pairs import HOME, TOUCHES
from ...collision.pairs_step import CheckedPairs

BLOCK = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.S)
BUTTON = re.compile(r'<button type="button" data-contact="(\d+)"[^>]*>(.*?)</button>', re.S)
NAME = re.compile(r"<bdi>(.*?)</bdi>", re.S)
Contact = Tuple[str, str, str, Dict[str, float], str, Tuple[float, ...]]


def verify_contacts(text: str, checked: CheckedPairs) -> None:
    """Compare the poses of contact in the text of a page with those that were found, and each button with its pose.

    Joints are those of the page, which were compared with the text of the robot.

    Raises:
        ProofFailed: naming the pair that is missing, or another.
    """
    block = BLOCK.search(text)
    data: Dict[str, Any] = json.loads(block.group(1)) if block else {}
    robot = data["new"]
    links = [link["name"] for link in robot["links"]]
    below = [links[joint["child"]] for joint in robot["joints"]]
    shown: List[Contact] = [
        (links[one["links"][0]], links[one["links"][1]], HOME if one["home"] else TOUCHES,
         {below[joint]: at for joint, at in one["positions"]}, links[one["point"][0]], tuple(one["point"][1:]))
        for one in data["contacts"]]
    known: List[Contact] = [
        (pair.first, pair.second, pair.state, dict(zip((one.child for one in pair.chain.variables),
                                                       pair.witness.positions)), pair.chain.middle, pair.witness.point)
        for pair in checked.decided.pairs if pair.witness and pair.chain]
    for one in known:
        if shown.count(one) != 1:
            raise ProofFailed(f"page: the contact of '{one[0]}' and '{one[1]}' is not the one that was found")
    if len(shown) != len(known):
        raise ProofFailed("page: it shows contacts that were not found")
    home = {child: min(max(0.0, low), high) for child, (low, high) in checked.decided.ranges.of_joint.items()}
    if {below[joint]: at for joint, at in data["home"]} != {child: at for child, at in home.items() if at}:
        raise ProofFailed("page: its joints at home are elsewhere")
    buttons = [(int(number), *(html.unescape(name.replace("<wbr>", "")) for name in NAME.findall(inside)))
               for number, inside in BUTTON.findall(text)]
    if sorted(buttons) != [(number, *one[:2]) for number, one in enumerate(shown)]:
        raise ProofFailed("page: a button is of other links than its pose of contact")
