"""The cure of every kind is carried out on the smallest input that shows the kind, as a user would: the finding is gone.

The rows are in `cured_examples.py`. `test_sentence_cures.py` has the faults of a format that one robot has together,
`test_examples.py` the options of the steps at the end of a run, and `lint/test_cures.py` the commands of lint.
"""

import json
import re
import shlex

import pytest
from report.cured_examples import CURED, MORE, THEN
from report.test_examples import AT_THE_END, completed, folder, LEG, parts_of  # noqa: F401
from report.test_sentence_cures import CASES

from urdf_tools.app.command_table import main
from urdf_tools.cli.parse_arguments import VERBS
from urdf_tools.export.all_diagnostics import example_of, EXPORT_KINDS
from urdf_tools.lint.lint_diagnostics import LINT_KINDS
from urdf_tools.srdf.srdf_diagnostics import SRDF_KINDS

KINDS = {kind.name: kind for kind in EXPORT_KINDS}
# Nothing is to be done in the robot: it is said what else to do, or where to look.
NO_ACT = re.compile(
    "nothing|ignore it|use the new name|write the real|to keep the loop closed|compare the two|look at"
    "|turn the pose of the robot in the programs|write it for the twin|add the twin of the link|change it there"
)
# `test_examples.py` runs these options with the example of each kind.
RUN_AT_THE_END = re.compile("--(keep|no-reorient|no-merge)")
# No input of a few elements shows these kinds or sentences, or only a test of its own can carry the cure out.
ELSEWHERE = {
    "srdf-fit": "the note of an SRDF: lint/test_neighbors.py",
    "input-unselected": "a USD: compare/test_usd_of_others.py",
    "input-lost": "lines of an MJCF, SDF or USD: inputs/test_as_urdf.py, compare/test_usd_of_others.py",
    "would-change": "it ends with 0 after the run",
    "macro-twice": "the xacro command: lint/test_xacro_sources.py",
    "mesh-folder": "meshes that a run makes in another folder: judges/test_mesh_folders.py",
    "mesh-size no-unit": "a COLLADA file without a unit: cli/test_extract_meshes.py",
    "follower still": "edit --set of a multiplier 0: edit/test_set_mimic.py",
    "pair-unlimited": "pairs of three links: collision/test_pairs.py",
    "export-misread loop": "a <joint> of <gazebo>: export/test_loops_in_gazebo.py",
    "export-lost mimic-fixed": "a leader that is fixed: export/test_lower.py",
    "pair-hollow": "hulls of a ring take seconds",
    "in-urdfdom encoding": "a file in UTF-16: lint/test_urdfdom_rules.py",
    "hull-overhang whole": "a command: lint/test_cures.py",
    "in-drake loop": "an export to SDF: judges/test_programs.py",
    "mesh-image unreadable": "a file that this user may not read",
    "mesh-image no-image": "a GLB without its image",
    "export-left-out mesh-large": "a mesh of 200001 faces",
    "export-left-out sensor": "a model of Python: no URDF has it",
    "export-left-out frame": "a model of Python",
    "export-misread package": "a model of Python",
    "export-look image-stl": "a COLLADA file with an image that becomes STL",
    "export-look image-unreadable": "a file that this user may not read",
    "srdf-root moved": "a pose in programs",
    "in-mujoco file": "an export to MJCF: judges/test_programs.py",
    "in-mujoco mesh": "an export to MJCF: judges/test_programs.py",
    "mesh-unopened large": "a mesh of 64 MB",
    "in-mujoco inertia": "the error `inertia` of lint hides it, whose row corrects the same numbers",
    "in-newton file": "a folder of a package: lint/test_simulator_notes.py",
    "mesh-image drake-jpeg": "a JPEG",
    "not-loaded": "each sentence has its cure: export/meshes/test_runs.py",
    "export-left-out mesh-format": "an option of armature files",
    "export-left-out bone": "an option of armature files: export/test_options_of_formats.py",
    "export-look image-format": "an image that becomes PNG by another program",
}


def sentences_of(kind, rows, said):
    """Return the sentences of a kind that records of findings have, or a text."""
    texts = [row["message"] for row in rows if row["kind"] == kind.name]
    found = set()
    for key, sentence in kind.sentences.items():
        pattern = re.sub(r"\\\{.*?\\\}", ".*", re.escape(sentence))
        is_said = said and re.search(pattern, said)
        if is_said or any(re.fullmatch(f"(?:'.*': )?{pattern}", text) for text in texts):
            found.add(key)
    return found


def found_in(kind, text, place, capsys):
    """Run an input, and return the sentences of a kind that are reported."""
    xml, *options = parts_of(text)
    is_srdf = kind in SRDF_KINDS
    urdf = LEG if is_srdf or not xml else xml if xml.startswith("<?xml") else completed(xml)
    (place / "robot.urdf").write_text(urdf)
    if is_srdf:
        (place / "robot.srdf").write_text(f'<robot name="leg">{xml}</robot>')
        options += ["--srdf", "robot.srdf"]
    return found_by(kind, "robot.urdf", options, place, capsys)


def found_by(kind, path, options, place, capsys):
    """Run a command on a robot, and return the sentences of a kind that are reported."""
    verb = "lint" if kind in LINT_KINDS else "simplify"
    verb, *options = options if options and options[0] in VERBS else (verb, *options)
    if verb == "lint":
        main(["lint", path, "--level", "note", "--format", "json", *options])
        return sentences_of(kind, json.loads(capsys.readouterr().out)["findings"], "")
    output = [] if verb in ("export", "pairs") else ["-o", "out.urdf"]
    status = main(
        [verb, path, *options, "-y", "--force", "--full", *output, "--report", "report.json"]
    )
    said = capsys.readouterr()
    assert status == 0, said.err
    if verb == "pairs":  # whose report is about the pairs
        return sentences_of(kind, (), " ".join(said.out.split()))
    record = json.loads((place / "report.json").read_text())
    of_srdf = record["srdf"]["warnings"] if record["srdf"] else []
    at_the_end = " ".join(said.out.split()) if kind.name in AT_THE_END else ""
    return sentences_of(kind, (*record["warnings"], *of_srdf), at_the_end)


def found_after(kind, before, after, place, capsys):
    """Carry out a cure, and return what is found then."""
    if after.startswith(THEN):
        found_in(kind, before, place, capsys)
        verb, *words = shlex.split(after[len(THEN) :])
        output = [] if verb == "export" else ["-o", "out.urdf"]
        assert main([verb, "robot.urdf", *words, *output, "-y", "-q", "--force"]) == 0
        capsys.readouterr()
        return found_by(kind, "out.urdf", parts_of(before)[1:], place, capsys)
    if after.startswith(MORE.rstrip()):
        after = f"{before} {after[len(MORE) :]}"
    return found_in(kind, after, place, capsys)


def write_all(place, files):
    """Write files beside a robot, from text or bytes."""
    for name, content in files.items():
        if isinstance(content, bytes):
            (place / name).write_bytes(content)
        else:
            (place / name).write_text(content)


@pytest.mark.parametrize("name", CURED)
def test_the_finding_is_gone_after_its_cure(name, folder, capsys):  # noqa: F811
    row = CURED[name]
    kind = KINDS[name.split()[0]]
    before = row.before or example_of(kind)
    wanted = {*(name.split()[1:] or kind.sentences)}
    write_all(folder, row.files)
    first = found_in(kind, before, folder, capsys)
    assert wanted & first, first
    write_all(folder, row.files_after)
    left = found_after(kind, before, row.after, folder, capsys)
    assert not wanted & left


def test_each_cure_is_carried_out_in_some_test():
    """A new kind, or a new cure of a sentence, needs a row."""
    rows = {tuple(name.split()) for name in (*CURED, *ELSEWHERE)}
    rows |= {pair for case in CASES.values() for pair in case[0]}
    lacks = []
    for kind in KINDS.values():
        for key in kind.sentences:
            cure = kind.cures.get(key, kind.hint)
            alike = {other for other in kind.sentences if kind.cures.get(other, kind.hint) == cure}
            is_run = {(kind.name,), *((kind.name, other) for other in alike)} & rows
            if cure and not (is_run or NO_ACT.match(cure) or RUN_AT_THE_END.search(cure)):
                lacks.append(f"{kind.name} {key}: {cure}")
    assert lacks == []
