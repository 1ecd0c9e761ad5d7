"""The table of options: every row serves the library and the command line alike, and a wrong value is a sentence."""
import multiprocessing
from pathlib import Path
from typing import Any, Dict, List, Tuple

import golden
import pytest
from conftest import examples
from commands import in_process
from hypothesis import given
from hypothesis import strategies as st

from urdf_tools.base.errors import UsageError
from urdf_tools.export.meshes.process_pool import call_in_processes
from urdf_tools.cli.arguments import BACK_TO_DEFAULT, options_of, OTHER_SPELLINGS, parse_arguments
from urdf_tools.plan.options import MeshOptions, Options
from urdf_tools.run.option_rows import OPTION_ROWS, options_from, PLAN_DEFAULTS
from urdf_tools.api import simplify

CHAIN = golden.FIXTURES / "odd" / "mimic_chain" / "robot.urdf"
PLAN_ROWS = [row for row in OPTION_ROWS if row.name in PLAN_DEFAULTS]
TEXTS = {"base_frame": "ros", "axis": "toe=Y", "package": "arm=.", "snap": "0.01", "max_faces": "7",
         "scale": "0.5", "zero": "arm=0.1"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An own folder with `robot.urdf` and `robot.srdf` in it, as current folder."""
    (tmp_path / "robot.urdf").write_bytes(CHAIN.read_bytes())
    (tmp_path / "robot.srdf").write_text('<robot name="mimic_chain"/>')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_field_has_one_row() -> None:
    names = [row.name for row in PLAN_ROWS]
    assert len(names) == len(set(names))
    assert set(names) == {*Options._fields, *MeshOptions._fields} - {"meshes"}
    spellings = [*(row.spelling for row in OPTION_ROWS), *(one for more in BACK_TO_DEFAULT.values() for one in more),
                 *(one for one in OTHER_SPELLINGS if one != "--full")]
    assert len(spellings) == len(set(spellings))


@pytest.mark.parametrize("row", PLAN_ROWS, ids=lambda row: row.name)
def test_the_command_line_and_the_library_say_the_same(row: Any) -> None:
    if row.kind is bool:
        words, keyword = [row.spelling], not row.default
    else:
        text = TEXTS.get(row.name) or (row.choices[-1] if row.choices else "word")
        words, keyword = [row.spelling, text], row.kind(text) if row.kind in (int, float) else text
    needed = {"separate_dae_meshes": True} if row.needs else {}
    given = options_of(parse_arguments(["robot.urdf", *words, *(["--separate-dae-meshes"] if needed else [])]))
    assert given == options_from({row.name: keyword, **needed}) != options_from(needed)


@pytest.mark.parametrize("row", [row for row in PLAN_ROWS if row.needs], ids=lambda row: row.name)
def test_an_option_that_would_do_nothing(folder: Path, row: Any) -> None:
    """The same words and keywords are taken together with any option that converts meshes."""
    text = TEXTS.get(row.name) or (row.choices[-1] if row.choices else "word")
    words = [row.spelling] if row.kind is bool else [row.spelling, text]
    done = in_process(["robot.urdf", "-n", *words])
    assert done.returncode == 2 and done.stderr.decode() == (
        f"{row.spelling} is for {'--mesh-dir, ' * ('mesh_dir' in row.needs)}"
        f"{'--compare, ' * ('compare' in row.needs)}--separate-dae-meshes, "
        "--combine-dae-meshes, --mesh-format, --convert-meshes, "
        "--separate-meshes, --combine-meshes and --for: give one of them too\n")
    keyword = not row.default if row.kind is bool else row.kind(text)
    with pytest.raises(UsageError, match=f"^{row.name} is for (mesh_dir, )?separate_dae_meshes and "
                                       "combine_dae_meshes: give one of them too$"):
        simplify("robot.urdf", **{row.name: keyword})
    for other in (["--separate-dae-meshes"], ["--mesh-format=obj"], ["--for=rviz"]):
        assert in_process(["robot.urdf", "-n", *words, *other]).returncode == 0
    simplify("robot.urdf", for_="rviz", **{row.name: keyword})
    simplify("robot.urdf", **{row.name: row.default})


@pytest.mark.parametrize("row", PLAN_ROWS, ids=lambda row: row.name)
@examples(20, fuzzed=100)
@given(value=st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=4), st.binary(max_size=2),
                       st.lists(st.one_of(st.text(max_size=3), st.integers(), st.none()), max_size=2),
                       st.dictionaries(st.text(max_size=3), st.integers(), max_size=2), st.just(object())))
def test_any_value_is_taken_or_refused_with_a_sentence(row: Any, value: Any) -> None:
    try:
        options = options_from({row.name: value})
    except UsageError as error:
        assert str(error).startswith(f"{row.name} ") and row.spelling not in str(error)
    else:
        taken = getattr(options.meshes if row.name in MeshOptions._fields else options, row.name)
        assert taken is None and value is None or isinstance(taken, tuple if row.repeatable else row.kind)


REFUSED: Tuple[Tuple[Dict[str, Any], str], ...] = (
    ({"snap": "1e-4"}, "snap 1e-4: give an angle from 0 to 0.1 rad (the default is 1e-4)"),
    ({"base_frame": None}, "base_frame None: give auto, onshape, ros, or words such as x=left,y=back,z=up"),
    ({"keep": [1]}, "keep 1: give text"),
    ({"keep": 1}, "keep 1: give text"),
    ({"mesh_dir": None}, "mesh_dir None: give text"),
    ({"merge_all": "no"}, "merge_all no: give True or False"),
    ({"jobs": True}, "jobs True: give a number of processes, or 0 for all processors"),
    ({"axis": {"toe": 3}}, "axis ('toe', 3): give one word of letters and an axis, such as toe=Y"),
    ({"missing_unit": "milimeter"}, "missing_unit milimeter: give meter or millimeter (did you mean 'millimeter'?)"),
    ({"force": "yes"}, "force yes: give True or False"),
    ({"base_frame": "up"}, "base_frame 'up': give auto, onshape, ros, or all three of x, y and z, such as "
     "x=left,y=back,z=up (the words are forward, back, left, right, up, down)"),
    ({"output": ""}, "output '': give the name of a file"),
    ({"output": 3}, "output 3: give the name of a file"),
    ({"srdf": b"x"}, "srdf b'x': give the name of a file"),
    ({"xacro_args": [1]}, "xacro_args 1: give text"),
)


@pytest.mark.parametrize("choices, message", REFUSED, ids=[str(choices) for choices, _ in REFUSED])
def test_a_wrong_value_in_a_call(folder: Path, choices: Dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        simplify("robot.urdf", **choices)
    assert str(refused.value) == message


def test_an_input_that_is_no_name() -> None:
    for urdf in (b"x", 3, None, ""):
        with pytest.raises(UsageError, match="^urdf .*: give the name of a file$|no such file"):
            simplify(urdf)  # type: ignore[arg-type]


def test_what_a_call_may_give(folder: Path) -> None:
    assert options_from({"axis": {"toe": 1}}) == options_from({"axis": ["toe=y"]}) == options_from({"axis": "toe=Y"})
    assert options_from({"axis": (("toe", 1),)}).axis == (("toe", 1),)
    assert options_from({"keep": "imu_*"}).keep == ("imu_*",) and options_from({"keep": None}).keep == ()
    assert options_from({"mesh_dir": Path("a")}).meshes.mesh_dir == "a" and options_from({"snap": 0}).snap == 0.0
    assert options_from({"package": {"a": folder}}).meshes.package == (("a", str(folder)),)


@pytest.mark.parametrize("words", [["--no-merge", "--merge-all"], ["--no-merge", "--keep-all-frames"],
                                   ["--no-merge", "--coincident=drop"], ["--no-strip", "--strip=a"],
                                   ["--no-reorient", "--axis=toe=Y"]], ids=str)
def test_choices_that_contradict_each_other(words: List[str]) -> None:
    one, other = (word.partition("=")[0] for word in words)
    with pytest.raises(UsageError, match=f"^{one} and {other} exclude each other$"):
        options_of(parse_arguments(["robot.urdf", *words[::-1]]))
    for single in words:
        assert options_of(parse_arguments(["robot.urdf", single])) != Options()


def test_spellings_that_are_not_shown() -> None:
    converts = ["robot.urdf", "--separate-dae-meshes"]
    for words in (["--keep-equal-colours"], ["--merge-equal-colors", "--keep-equal-colors"]):
        assert not options_of(parse_arguments([*converts, *words])).meshes.merge_equal_colors
    for words in (["--merge-equal-colours"], ["--keep-equal-colors", "--merge-equal-colors"]):
        assert options_of(parse_arguments([*converts, *words])).meshes.merge_equal_colors
    assert options_of(parse_arguments([*converts, "--missing-unit", "millimetre"])).meshes.missing_unit == "millimeter"


@pytest.mark.parametrize("output, srdf_output, message", [
    ("out.urdf", "robot.urdf", "robot.urdf: an input and srdf_output are the same file"),
    ("robot.srdf", "x.srdf", "robot.srdf: an input and output are the same file"),
    ("out.urdf", "out.urdf", "out.urdf: output and srdf_output are the same file"),
    ("robot.urdf", "x.srdf", "robot.urdf: the output is the input file itself: give another output, or force=True"),
    ("new/", None, "new/: the output folder 'new/' does not exist; give output a file in a folder that does"),
])
def test_no_call_writes_over_an_input(folder: Path, output: str, srdf_output: Any, message: str) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(UsageError) as refused:
        simplify("robot.urdf", output, srdf="robot.srdf", srdf_output=srdf_output)
    assert str(refused.value) == message
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def pool_in_a_daemon(queue: Any) -> None:
    queue.put(call_in_processes(abs, [-1], 2))


def test_a_daemonic_process_has_no_pool() -> None:
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=pool_in_a_daemon, args=(queue,), daemon=True)
    process.start()
    assert queue.get(timeout=60) is None
    process.join(60)
    assert process.exitcode == 0
    assert call_in_processes(abs, [-1], 2) == [1]


def test_a_report_of_a_run_that_only_shows(folder: Path) -> None:
    for words in (["-n"], ["--check"], ["--diff"], ["-n", "--quiet"]):
        assert in_process(["robot.urdf", *words, "--report", "r.json"]).returncode == (words == ["--check"])
        assert sorted(path.name for path in folder.iterdir()) == ["r.json", "robot.srdf", "robot.urdf"]
        (folder / "r.json").unlink()
