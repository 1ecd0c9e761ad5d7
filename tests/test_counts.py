"""A function that a reader would stumble over is named; totals are only shown."""

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


def test_a_table_may_grow_by_rows(monkeypatch):
    monkeypatch.setattr(counts, "STATEMENT", 12)
    table = "T = {\n" + "    'a': f(1),\n" * 9 + "}\n"
    long_row = "T = [\n    f(1),\n    f(1, 2, 3, 4, 5, 6, 7, 8, 9, 0),\n]\n"
    no_table = "x = f(" + "g(1), " * 9 + ")\n"
    in_a_function = "def f():\n    x = (" + "1, " * 20 + ")\n"
    found = [counts.long_statements_in(ast.parse(text)) for text in (table, long_row)]
    assert found == [0, 1]
    found = [counts.long_statements_in(ast.parse(text)) for text in (no_table, in_a_function)]
    assert found == [1, 1]


def counted_function(**values):
    sizes = {"lines": 9, "nodes": 90, "parameters": 2, "complexity": 3, **values}
    return counts.Counted(name="f.py:f", line=1, **sizes)


def test_a_function_above_a_limit_is_named_with_the_limit():
    assert counts.excesses(counted_function()) == []
    assert counts.excesses(counted_function(complexity=26)) == ["26 complexity (limit 25)"]


def test_a_row_for_a_function_within_the_limits_is_named(monkeypatch):
    monkeypatch.setattr(counts, "LARGE", {**counts.LARGE, "f.py:f": "no reason"})
    assert list(counts.complaints()) == ["f.py:f needs no row of its own"]


def test_a_function_above_a_limit_needs_a_row(monkeypatch):
    """With a lower limit a function of the package is above it; a row with its reason is enough."""
    monkeypatch.setattr(counts, "LARGE", {})
    largest = max(counts.counted().functions, key=lambda function: function.nodes)
    monkeypatch.setattr(counts, "LIMITS", counts.LIMITS._replace(nodes=largest.nodes - 1))
    names = [words.partition(": ")[0] for words in counts.complaints()]
    assert largest.name in names
    monkeypatch.setattr(counts, "LARGE", dict.fromkeys(names, "a reason"))
    assert list(counts.complaints()) == []
