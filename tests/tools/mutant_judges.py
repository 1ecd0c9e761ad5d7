"""What became of a run of a mutant: its files against those of the sound package, by the comparison and others.

unchanged  all files are equal
crash      an exception that is no sentence, or no end
proof      a proof refused (exit status 3)
refused    the input was refused, or anything else without a result
same       other files of the same robot, as the comparison and the judges say
decision   another robot than the sound one, but no other than the input says, as far as the comparison sees: what to
           merge or drop, which the plan shows and nobody proves; the floor of a scene
SURVIVOR   another robot than the input, or another file that no judge reads; to be read, with what the run says of it
"""

import json
import re
import xml.etree.ElementTree as ElementTree

CLASSES = ("unchanged", "crash", "proof", "refused", "same", "decision", "SURVIVOR")
WORST_FIRST = ("SURVIVOR", "decision", "same", "crash", "proof", "refused", "unchanged")
SAID = "said.txt"  # what a run printed is no file of its own
DIGEST = re.compile(rb"[0-9a-f]{64}|\d+\.\d+\.\d+\S*edited\S*")
DATA = re.compile(r'(?<=<script type="application/json" id="data">)(.*?)(?=</script>)', re.S)
ROBOTS = (".urdf", ".xml", ".sdf", ".json")
MESHES = (".stl", ".obj", ".mtl", ".gltf", ".glb", ".bin", ".png", ".jpg")
CLOSE = 1e-6  # of the largest number of its kind


def outcome(name, code, sound_code, sound, out):
    """Return the class of one run of a mutant, and what differs."""
    if code.startswith("crash"):
        return "crash", code
    if code != sound_code:
        accepted = "SURVIVOR" if code == "0" else "refused"
        return {"3": "proof"}.get(code, accepted), f"{name}: exit status {code}, not {sound_code}"
    before, after = files_of(sound / name), files_of(out / name)
    known, lines = (
        several.pop(SAID, b"").decode("utf-8").splitlines() for several in (before, after)
    )
    changed = sorted(
        file for file in before.keys() | after.keys() if before.get(file) != after.get(file)
    )
    if not changed:
        return "unchanged", ""
    judged = [(*difference(sound / name / file, out / name / file), file) for file in changed]
    worst = next(kind for kind in WORST_FIRST if kind in {row[0] for row in judged})
    texts = [f"{name} {file}: {text}" for kind, text, file in judged if kind == worst and text]
    return worst, "; ".join(
        [*texts, *[f"it says: {line}" for line in lines if line not in known][:1]]
    )


def files_of(folder):
    """Return what a run wrote, by name; digests of the package are all the same."""
    return {
        path.relative_to(folder).as_posix(): DIGEST.sub(b"DIGEST", path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def difference(before, after):
    """Return the class of a file that a run wrote, of which the sound one is another, and what differs."""
    if not before.exists() or not after.exists():
        is_missed = not after.exists() and (before.suffix not in MESHES or is_named(after))
        return (
            ("SURVIVOR", "it is not there")
            if is_missed
            else ("decision", "only one of them is there")
        )
    if before.name == "scene.xml":
        return "decision", "another scene"
    try:
        if before.name == "armature.json" or before.suffix == ".html":
            text = _of_data(before, after)
            return ("SURVIVOR", text) if text else ("same", "")
        if before.suffix in ROBOTS:
            return _of_robots(before, after)
        if before.suffix == ".srdf":
            is_same = _elements(before) == _elements(after)
            return ("same", "") if is_same else ("SURVIVOR", "other elements")
        if before.suffix in (".stl", ".obj"):
            said = list(_compared(*(_mesh_alone(path) for path in (before, after))))
            return ("SURVIVOR", said[0]) if said else ("same", "")
    except Exception as refused:  # noqa: BLE001  whatever a judge says of a broken file, it is no robot
        return "SURVIVOR", f"it cannot be read: {type(refused).__name__}: {refused}"
    return "SURVIVOR", "the bytes differ, which no judge reads"


def is_named(path):
    """Return whether a file that a run wrote names one that is not there."""
    return any(
        path.name.encode() in content for content in files_of(_input_of(path).parent).values()
    )


def _compared(first, second):
    """Yield what the comparison says of two robots that are not the same, without the places of files."""
    from urdf_tools.compare.robot_comparison import compare
    from urdf_tools.compare.comparison_text import quiet_lines

    comparison = compare(first, second)
    if comparison.differences:
        for line in quiet_lines(comparison) or [comparison.verdict]:
            yield line.partition(": ")[2] or line


def _mesh_alone(path):
    """Return a robot that is nothing but a mesh."""
    from urdf_tools.compare.read_any_format import with_mesh_paths
    from urdf_tools.formats.urdf.read_urdf import read_urdf

    visual = f'<visual><geometry><mesh filename="{path.name}"/></geometry></visual>'
    text = f'<robot name="r"><link name="a">{visual}</link></robot>'
    return with_mesh_paths(read_urdf(text.encode(), path.name), str(path.parent))


def _of_robots(before, after):
    """Return the class of a robot, by the comparison."""
    from urdf_tools.compare.read_any_format import read_robot_of

    right, wrong = read_robot_of(before), read_robot_of(after)
    said = list(_compared(right, wrong))
    if not said:
        return "same", ""
    source = read_robot_of(_input_of(before))
    known = set(_compared(source, right))
    new = [line for line in _compared(source, wrong) if line not in known]
    return ("SURVIVOR", new[0]) if new else ("decision", said[0])


def _input_of(path):
    """Return the input of a run that wrote a file into its folder, or into one below it."""
    return next(
        folder / "robot.urdf" for folder in path.parents if (folder / "robot.urdf").exists()
    )


def _elements(path):
    """Return all elements of an XML file with their attributes, whatever their order."""
    return sorted(
        f"{element.tag} {sorted(element.attrib.items())}"
        for element in ElementTree.parse(path).iter()
    )


def _of_data(before, after):
    """Return where the data of two files of JSON, or of two pages, differ by more than rounding, "" if nowhere."""
    if before.suffix == ".json":
        return other_data(*(json.loads(path.read_text("utf-8")) for path in (before, after)))
    right, wrong = (DATA.split(path.read_text("utf-8")) for path in (before, after))
    if right[::2] != wrong[::2]:
        return "the bytes differ, which no judge reads"
    return other_data(json.loads(right[1]), json.loads(wrong[1]))


def other_data(before, after, path="data"):
    """Return where the data of a page differ by more than rounding, "" if nowhere."""
    if isinstance(before, (int, float)) and isinstance(after, (int, float)):
        is_close = abs(before - after) <= CLOSE * max(1.0, abs(before))
        return "" if is_close else f"{path} is {after}, not {before}"
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        return next(
            filter(None, (other_data(before[key], after[key], f"{path}.{key}") for key in before)),
            "",
        )
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = enumerate(zip(before, after))
        return next(
            filter(None, (other_data(*pair, f"{path}[{number}]") for number, pair in pairs)), ""
        )
    return "" if before == after else f"{path} differs"
