"""Walks over trees and graphs, without recursion: a robot may be a chain of thousands of links."""

from __future__ import annotations

from typing import Callable, Dict, Hashable, Iterable, Iterator, Sequence, TypeVar

Walked = TypeVar("Walked")
Reached = TypeVar("Reached", bound=Hashable)


def depth_first(
    tops: Sequence[Walked], children_of: Callable[[Walked], Sequence[Walked]]
) -> Iterator[Walked]:
    """Yield the tops of trees and all their descendants, each after its parent, and siblings in their order.

    The children of a node are read after the caller has taken the node.
    """
    # The last of the list is taken next, so that it is reversed.
    waiting = [*tops][::-1]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += children_of(node)[::-1]


def reached_from(
    starts: Iterable[Reached], neighbors_of: Callable[[Reached], Iterable[Reached]]
) -> Dict[Reached, None]:
    """Return the nodes of a graph that the starts reach, with the starts, each once; the graph may have circles."""
    reached = dict.fromkeys(starts)
    waiting = [*reached]
    while waiting:
        for neighbor in neighbors_of(waiting.pop()):
            if neighbor not in reached:
                reached[neighbor] = None
                waiting.append(neighbor)
    return reached
