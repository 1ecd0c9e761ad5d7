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
import math
import re
import struct
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
        if before.suffix in ROBOTS:
            return _of_robots(before, after)
        if before.suffix == ".srdf":
            is_same = _elements(before) == _elements(after)
            return ("same", "") if is_same else ("SURVIVOR", "other elements")
        if before.suffix in (".stl", ".obj"):
            return _of_meshes(before, after)
        if before.suffix == ".html":
            right, wrong = (DATA.split(path.read_text("utf-8")) for path in (before, after))
            if right[::2] == wrong[::2]:
                text = other_data(json.loads(right[1]), json.loads(wrong[1]))
                return ("SURVIVOR", text) if text else ("same", "")
    except Exception as refused:  # noqa: BLE001  whatever a judge says of a broken file, it is no robot
        return "SURVIVOR", f"it cannot be read: {type(refused).__name__}: {refused}"
    return "SURVIVOR", "the bytes differ, which no judge reads"


def is_named(path):
    """Return whether a file that a run wrote names one that is not there."""
    return any(
        path.name.encode() in content for content in files_of(_input_of(path).parent).values()
    )


def _of_robots(before, after):
    """Return the class of a robot, by the comparison."""
    from urdf_tools.compare.comparison import compare
    from urdf_tools.compare.read import read_robot_of
    from urdf_tools.compare.report import quiet_lines

    right, wrong = read_robot_of(before), read_robot_of(after)
    comparison = compare(right, wrong)
    if comparison.is_same:
        return "same", ""
    source = read_robot_of(_input_of(before))
    known = {text_of(line) for line in quiet_lines(compare(source, right))}
    new = [line for line in map(text_of, quiet_lines(compare(source, wrong))) if line not in known]
    return (
        ("SURVIVOR", new[0])
        if new
        else ("decision", text_of((quiet_lines(comparison) or [comparison.verdict])[0]))
    )


def _input_of(path):
    """Return the input of a run that wrote a file into its folder, or into one below it."""
    return next(
        folder / "robot.urdf" for folder in path.parents if (folder / "robot.urdf").exists()
    )


def text_of(line):
    """Return a line of the comparison without the place of the file."""
    return line.partition(": ")[2] or line


def _elements(path):
    """Return all elements of an XML file with their attributes, whatever their order."""
    return sorted(
        f"{element.tag} {sorted(element.attrib.items())}"
        for element in ElementTree.parse(path).iter()
    )


def _of_meshes(before, after):
    """Return the class of a mesh: what each color covers has the same area, volume, and first moments."""
    right, wrong = (
        _of_stl(path) if path.suffix == ".stl" else _of_obj(path) for path in (before, after)
    )
    if right.keys() != wrong.keys():
        return "SURVIVOR", f"colors {sorted(wrong)}, not {sorted(right)}"
    for color, triangles in right.items():
        sound, other = _measures(triangles), _measures(wrong[color])
        for what, a, b in zip(("area", "volume", "x", "y", "z"), sound, other):
            if not abs(a - b) <= CLOSE * max(abs(a), sound[0]):
                return "SURVIVOR", f"{what} of {color or 'its triangles'} is {b:.6g}, not {a:.6g}"
    return "same", ""


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


def _of_stl(path):
    """Return the triangles of a binary STL file."""
    records = path.read_bytes()[84:]
    rows = [
        struct.unpack("<9f", records[start + 12 : start + 48])
        for start in range(0, len(records), 50)
    ]
    return {"": [(row[:3], row[3:6], row[6:]) for row in rows]}


def _of_obj(path):
    """Return the triangles of an OBJ file by their material."""
    triangles = {}
    points, material = [], ""
    for row in map(str.split, path.read_text("utf-8").splitlines()):
        if row[:1] == ["v"]:
            points.append(tuple(map(float, row[1:4])))
        elif row[:1] == ["usemtl"]:
            material = row[1]
        elif row[:1] == ["f"]:
            face = [points[int(word.split("/")[0]) - 1] for word in row[1:]]
            triangles.setdefault(material, []).extend(
                (face[0], *pair) for pair in zip(face[1:], face[2:])
            )
    return triangles


def _measures(triangles):
    """Return area, volume and the first moments of the surface."""
    area = volume = 0.0
    moments = [0.0, 0.0, 0.0]
    for a, b, c in triangles:
        u, v = ([end[k] - a[k] for k in range(3)] for end in (b, c))
        normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
        size = math.sqrt(sum(part * part for part in normal)) / 2.0
        area += size
        volume += sum(a[k] * normal[k] for k in range(3)) / 6.0
        moments = [moments[k] + size * (a[k] + b[k] + c[k]) / 3.0 for k in range(3)]
    return (area, volume, *moments)
