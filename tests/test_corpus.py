"""The tables of `make corpus` count what the results say."""

import corpus


def result(robot, **ours):
    """A robot on which all tools are exact, but what is given of this one."""
    exact = {"verdict": "exact", "seconds": 0.5}
    urdf = {**exact, "dangling": ["a", "b"], "comments": [9, 3]}
    rows = {job.key: urdf if job.engine == "Pinocchio" else exact for job in corpus.JOBS}
    return {
        "robot": robot,
        "rows": {**rows, "ours": {**urdf, "dangling_named": 1, **ours}},
        "compared": [
            {"tool": tool, "pair": pair, "said": answer, "seconds": 0.25}
            for tool in corpus.COMPARERS
            for pair, answer in (
                ("skrobot_merge", "same"),
                ("ours", "other"),
                ("shifted", "other"),
                ("heavier", "refused"),
            )
        ],
    }


def cells(lines, name):
    """Return the cells of the row with this name."""
    return next(
        parts
        for parts in ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines)
        if parts[0] == name
    )


def test_jobs_are_counted_by_verdict():
    lines = corpus.job_lines([result("a"), result("b", verdict="wrong", where="M(q)", seconds=0.7)])
    assert cells(lines, "urdf_simplify") == [
        "urdf_simplify",
        "Pinocchio",
        "2",
        "-",
        "-",
        "1",
        "-",
        "1",
        "4, 2 of them in a warning",
        "6 of 18",
        "0.600",
    ]
    assert cells(lines, "yourdfpy: load, write")[3:] == [
        "-",
        "-",
        "2",
        "-",
        "-",
        "4",
        "6 of 18",
        "0.500",
    ]
    assert cells(lines, "urdf_simplify `export` to MJCF")[-3:] == ["no URDF", "no URDF", "0.500"]
    assert len({line.count("|") for line in lines}) == 1
