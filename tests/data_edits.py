"""Edits of JSON data, each a path and what is to be there: planted faults, a row each."""

GONE = object()  # what a path leads to is removed


def put(data, path, value):
    """Change what a path such as `bones 1 dofs 0 lower` leads to; a function gets what is there."""
    *above, last = (int(word) if word.isdigit() else word for word in path.split())
    for key in above:
        data = data[key]
    if value is GONE:
        del data[last]
    else:
        data[last] = value(data[last]) if callable(value) else value
