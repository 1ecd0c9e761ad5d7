"""What grows unnoticed stays within the limits of this release."""

import ast

import counts


def test_docstrings_are_no_nodes():
    bare = ast.parse("def f(x):\n    return x")
    told = ast.parse('"""A module."""\ndef f(x):\n    """Law."""\n    return x')
    assert counts.nodes_in(counts.without_docstrings(told)) == counts.nodes_in(bare)


def test_complexity_counts_each_way_through():
    text = (
        "def f(x, y):\n    for a in x:\n        if a and y or x:\n"
        "            return [b for b in a if b] if y else x\n"
        "    try:\n        pass\n    except OSError:\n        while x:\n            x = y\n"
    )
    (function,) = counts.functions_in("f.py", ast.parse(text))
    assert (function.name, function.lines, function.parameters, function.complexity) == (
        "f.py:f",
        9,
        2,
        9,
    )
