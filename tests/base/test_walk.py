"""Walks over trees and graphs."""

from hypothesis import given, strategies as st

from urdf_tools.base.graph_walks import depth_first, reached_from

GRAPHS = st.dictionaries(st.integers(0, 9), st.lists(st.integers(0, 9), max_size=4), max_size=10)


def recursive(number, below):
    """Return a node and its descendants as a recursive program lists them."""
    return [
        number,
        *(inner for child in below.get(number, ()) for inner in recursive(child, below)),
    ]


@given(GRAPHS)
def test_parents_first(graph):
    """Trees are walked as a recursive program walks them; children of a higher number make a graph one."""
    below = {
        number: [child for child in children if child > number]
        for number, children in graph.items()
    }
    walked = [*depth_first([0, 3], lambda number: below.get(number, []))]
    assert walked == recursive(0, below) + recursive(3, below)


@given(GRAPHS, st.lists(st.integers(0, 9), max_size=2))
def test_reached_from(graph, starts):
    """The nodes are those of the closure, each once; circles end."""
    closure = set(starts)
    for _ in range(10):
        closure |= {child for number in closure for child in graph.get(number, ())}
    assert sorted(reached_from(starts, lambda number: graph.get(number, ()))) == sorted(closure)


def test_a_long_chain():
    """No recursion limits a walk."""
    assert len([*depth_first([0], lambda number: [number + 1] if number < 50000 else [])]) == 50001
