"""The order in which mimic joints get their positions: leaders before followers."""
from typing import Hashable, List, Mapping, Optional, Tuple, TypeVar

Name = TypeVar("Name", bound=Hashable)


def leaders_first(leader_of: Mapping[Name, Optional[Name]]) -> List[Tuple[Name, Optional[Name]]]:
    """Return every joint with its leader, each leader before its followers; None for a free joint.

    `leader_of` has every joint, with None where it follows no other. In a circle of followers, the joint that is
    reached last from the first of them is free.
    """
    order: List[Tuple[Name, Optional[Name]]] = []
    done = set()
    for name in leader_of:
        chain = [name]
        while chain[-1] not in done:  # up the leaders, to a joint that has its position or is free
            leader = leader_of[chain[-1]]
            if leader is None or leader in chain:
                order.append((chain[-1], None))
                done.add(chain[-1])
            else:
                chain.append(leader)
        order += zip(chain[-2::-1], chain[:0:-1])
        done.update(chain)
    return order
