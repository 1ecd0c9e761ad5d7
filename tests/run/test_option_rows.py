"""The table of options: every row serves the library and the command line alike, and a wrong value is a sentence."""

import multiprocessing
from pathlib import Path

import golden
import pytest
from conftest import examples, needs_pools
from commands import in_process
from hypothesis import given
from hypothesis import strategies as st

from urdf_tools.base.errors import UsageError
from urdf_tools.export.parallel_calls import call_in_processes
from urdf_tools.base.option_table import as_keyword, rows_of, values_of
from urdf_tools.cli.parse_arguments import parse, VERBS
from urdf_tools.plan.run_options import MeshOptions
from urdf_tools.app.package_options import TABLE
from urdf_tools.run.check_destinations import check_names_urdf
from urdf_tools.run.single_file_options import options_from, PLAN_DEFAULTS
from urdf_tools.api import simplify

CHAIN = golden.FIXTURES / "odd" / "mimic_chain" / "robot.urdf"
PLAN_ROWS = [row for row in TABLE if row.name in PLAN_DEFAULTS]
TEXTS = {
    "base_frame": "ros",
    "axis": "toe=Y",
    "package": "arm=.",
    "snap": "0.01",
    "max_faces": "7",
    "scale": "0.5",
    "visual_error": "0.01",
    "zero": "arm=0.1",
}


@pytest.fixture
def folder(here):
    """An own folder with `robot.urdf` and `robot.srdf` in it, as current folder."""
    (here / "robot.urdf").write_bytes(CHAIN.read_bytes())
    (here / "robot.srdf").write_text('<robot name="mimic_chain"/>')
    return here


def test_no_command_has_a_spelling_twice():
    for verb in VERBS:
        rows = rows_of(verb, TABLE)
        spellings = [spelling for row in rows for spelling in (row.spelling, row.short) if spelling]
        assert len(spellings) == len(set(spellings)), verb
        assert all(row.help and not row.help.endswith(".") for row in rows), verb
    assert not {
        row.verbs for row in TABLE if row.top and not set(row.top.split()) <= set(row.verbs.split())
    }
    assert {verb for row in TABLE for verb in row.verbs.split()} == set(VERBS)


@pytest.mark.parametrize("row", PLAN_ROWS, ids=lambda row: row.name)
def test_the_command_line_and_the_library_say_the_same(row):
    if row.kind is bool:
        words, keyword = [row.spelling], not row.default
    else:
        text = TEXTS.get(row.name) or (row.choices[-1] if row.choices else "word")
        words, keyword = [row.spelling, text], row.kind(text) if row.kind in (int, float) else text
    verb = row.verbs.split()[0]
    needed = {"split": "color"} if row.needs else {}
    rows = rows_of(verb, TABLE)
    by_words = parse(verb, TABLE, ["robot.urdf", *words, *(["--split", "color"] if needed else [])])
    by_call = values_of(rows, {row.name: keyword, **needed}, lambda row: as_keyword(row.name))
    assert options_from(vars(by_words)) == options_from(by_call) != options_from(needed)


@pytest.mark.parametrize("row", [row for row in PLAN_ROWS if row.needs], ids=lambda row: row.name)
def test_an_option_that_would_do_nothing(folder, row):
    """The same words and keywords are taken together with any option that converts meshes."""
    text = TEXTS.get(row.name) or (row.choices[-1] if row.choices else "word")
    words = [row.spelling] if row.kind is bool else [row.spelling, text]
    done = in_process(["robot.urdf", "-n", *words])
    needs = [f"--{name.replace('_', '-')}" for name in row.needs]
    assert (done.returncode, done.stderr.decode()) == (
        2,
        f"error: {row.spelling} needs {', '.join(needs[:-1])} or {needs[-1]}\n",
    )
    keyword = not row.default if row.kind is bool else row.kind(text)
    with pytest.raises(
        UsageError, match=f"^{row.name} needs .*mesh_format, split, for_ or visual_error$"
    ):
        simplify("robot.urdf", **{row.name: keyword})
    for other in (["--separate-dae-meshes"], ["--mesh-format=obj"], ["--for=rviz"]):
        assert in_process(["robot.urdf", "-n", *words, *other]).returncode == 0
    simplify("robot.urdf", for_="rviz", **{row.name: keyword})
    simplify("robot.urdf", **{row.name: row.default})


@pytest.mark.parametrize("row", PLAN_ROWS, ids=lambda row: row.name)
@examples(fuzzed=100)
@given(
    value=st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=4),
        st.binary(max_size=2),
        st.lists(st.one_of(st.text(max_size=3), st.integers(), st.none()), max_size=2),
        st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
        st.just(object()),
    )
)
def test_any_value_is_taken_or_refused_with_a_sentence(row, value):
    try:
        values = values_of(
            [row._replace(needs=(), excludes=())],
            {row.name: value},
            lambda row: as_keyword(row.name),
        )
        options = options_from(values)
    except UsageError as error:
        assert str(error).startswith(f"{row.name} ") and row.spelling not in str(error)
    else:
        taken = getattr(options.meshes if row.name in MeshOptions._fields else options, row.name)
        assert (
            taken is None
            and value is None
            or isinstance(taken, tuple if row.repeatable else row.kind)
        )


REFUSED = (
    ({"snap": "1e-4"}, "snap 1e-4: give an angle from 0 to 0.1 rad (the default is 1e-4)"),
    (
        {"base_frame": None},
        "base_frame None: give auto, onshape, ros, or words such as x=left,y=back,z=up",
    ),
    ({"keep": [1]}, "keep 1: give text"),
    ({"keep": 1}, "keep 1: give text"),
    ({"mesh_dir": None}, "mesh_dir None: give text"),
    ({"merge_all": "no"}, "merge_all no: give True or False"),
    ({"axis": {"toe": 3}}, "axis ('toe', 3): give one word of letters and an axis, such as toe=Y"),
    (
        {"missing_unit": "milimeter", "split": "color"},
        "missing_unit milimeter: give meter or millimeter (did you mean 'millimeter'?)",
    ),
    ({"force": "yes"}, "force yes: give True or False"),
    (
        {"base_frame": "up"},
        "base_frame 'up': give auto, onshape, ros, or all three of x, y and z, such as "
        "x=left,y=back,z=up (the words are forward, back, left, right, up, down)",
    ),
    ({"output": ""}, "output '': give the name of a file"),
    ({"output": 3}, "output 3: give the name of a file"),
    ({"srdf": b"x"}, "srdf b'x': give the name of a file"),
    ({"xacro_args": [1]}, "xacro_args 1: give text"),
)


@pytest.mark.parametrize("choices, message", REFUSED, ids=[str(choices) for choices, _ in REFUSED])
def test_a_wrong_value_in_a_call(folder, choices, message):
    with pytest.raises(UsageError) as refused:
        simplify("robot.urdf", **choices)
    assert str(refused.value) == message


def test_an_input_that_is_no_name():
    for urdf in (b"x", 3, None, ""):
        with pytest.raises(UsageError, match="^urdf .*: give the name of a file$|no such file"):
            simplify(urdf)


def options_of_call(**choices):
    return options_from(
        values_of(rows_of("simplify", TABLE), choices, lambda row: as_keyword(row.name))
    )


def test_what_a_call_may_give(folder):
    assert (
        options_of_call(axis={"toe": 1})
        == options_of_call(axis=["toe=y"])
        == options_of_call(axis="toe=Y")
    )
    assert options_of_call(axis=(("toe", 1),)).axis == (("toe", 1),)
    assert (
        options_of_call(keep="imu_*").keep == ("imu_*",) and options_of_call(keep=None).keep == ()
    )
    assert (
        options_of_call(mesh_dir=Path("a")).meshes.mesh_dir == "a"
        and options_of_call(snap=0).snap == 0.0
    )
    assert options_of_call(package={"a": folder}).meshes.package == (("a", str(folder)),)
    assert (
        options_of_call(split="color", missing_unit="millimetre").meshes.missing_unit
        == "millimeter"
    )


@pytest.mark.parametrize(
    "words",
    [
        ["--no-merge", "--merge-all"],
        ["--no-merge", "--keep-all-frames"],
        ["--no-merge", "--count-once"],
        ["--no-strip", "--strip=a"],
        ["--no-reorient", "--axis=toe=Y"],
        ["--check", "--diff"],
    ],
    ids=str,
)
def test_choices_that_contradict_each_other(words):
    first, other = (word.partition("=")[0] for word in words)
    with pytest.raises(UsageError, match=f"^{first} and {other} cannot be combined$"):
        parse("simplify", TABLE, ["robot.urdf", *words[::-1]])
    for single in words:
        parse("simplify", TABLE, ["robot.urdf", single])


@pytest.mark.parametrize(
    "words, values",
    [
        (["--separate-dae-meshes"], {"split": "color", "mesh_format": None}),
        (["--combine-dae-meshes"], {"split": None, "mesh_format": "stl"}),
        (["--combine"], {"split": None, "mesh_format": "stl"}),
        (
            ["--separate-dae-meshes", "--append-mesh-type"],
            {"split": "color", "append_mesh_type": True},
        ),
    ],
)
def test_the_spellings_that_stay_for_ever(words, values):
    for verb in ("simplify", "export"):
        arguments = parse(verb, TABLE, ["robot.urdf", *words])
        assert {name: getattr(arguments, name) for name in values} == values


@pytest.mark.parametrize(
    "output, message",
    [
        (
            "robot.srdf",
            "robot.srdf: the output is the input file itself: give another output, or force=True",
        ),
        (
            "robot.urdf",
            "robot.urdf: the output is the input file itself: give another output, or force=True",
        ),
        (
            "new/",
            "new/: this names a folder: give output the name of a file, such as new/robot.urdf",
        ),
    ],
)
def test_no_call_writes_over_an_input(folder, output, message):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(UsageError) as refused:
        simplify("robot.urdf", output, srdf="robot.srdf")
    assert str(refused.value) == message
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize("verb", ("simplify", "edit", "collision"))
@pytest.mark.parametrize("ending", (".sdf", ".usd", ".json", ".dae", ".stl", ".obj"))
def test_no_urdf_has_the_name_of_another_format(verb, ending):
    with pytest.raises(UsageError, match=f"{verb} writes a URDF, which is no {ending} file"):
        check_names_urdf(verb, "--output", f"x{ending}")
    check_names_urdf(verb, "--output", "x.xml")
    check_names_urdf("export", "--output", f"x{ending}")


@needs_pools
def test_a_daemonic_process_has_no_pool(monkeypatch):
    assert call_in_processes(2, abs, [-1, 2], print) == [1, 2]
    monkeypatch.setitem(multiprocessing.current_process()._config, "daemon", True)
    assert call_in_processes(2, abs, [-1, 2], print) is None


def test_a_report_of_a_run_that_only_shows(folder):
    for words in (["-n"], ["--check"], ["--diff"], ["-n", "--quiet"]):
        assert in_process(["robot.urdf", *words, "--report", "r.json"]).returncode == (
            words == ["--check"]
        )
        assert sorted(path.name for path in folder.iterdir()) == [
            "r.json",
            "robot.srdf",
            "robot.urdf",
        ]
        (folder / "r.json").unlink()
