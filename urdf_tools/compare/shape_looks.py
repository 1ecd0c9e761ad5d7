"""How paired shapes look and touch: colors, images, materials of simulators, friction, and what exports must keep."""
from typing import Iterator, Optional, Sequence

from ..robot.records import RawShape
from .differences import Difference, is_called, Settings
from .joint_differences import differing_values, value_difference
from .placed import ONE_SIDE, OTHER, Placed, SAME, UNKNOWN


def stem_of(file: str) -> str:
    """Return the name of a mesh without folder and ending, in lower case."""
    return file.replace("\\", "/").rsplit("/", 1)[-1].rsplit(".", 1)[0].lower()


def shape_words(shape: RawShape) -> str:
    """Return what to call a shape: its role, and its mesh, name, or geometry."""
    return f"{shape.role} {stem_of(shape.file) or shape.name or shape.geometry}"


def looks(a: Placed, b: Placed, settings: Settings, united: Optional[Sequence[Sequence[Placed]]] = None
          ) -> Iterator[Difference]:
    """Yield differences of color and of what touches; of shapes that are compared all together, of their colors."""
    if "colors" in settings.aspects and a.shape.role == "visual":
        yield from _colors(a, b, settings, united)
        if united is None and not settings.complete:
            yield from _images(a, b, settings)
    if united is not None:
        return
    if settings.complete:
        for word, text, other_text in (("name", a.shape.name, b.shape.name), ("file", a.shape.file, b.shape.file), (
                "texture", a.shape.texture, b.shape.texture), ("script", a.shape.script, b.shape.script)):
            if text != other_text and settings.compares(word) and not (
                    word == "name" and is_called(other_text, text)):
                yield _text(a, b, word, text, other_text)
    if "surfaces" in settings.aspects:
        for name, value, other_value in differing_values(a.shape.surface, b.shape.surface, settings):
            yield value_difference("surface", a.link, name, value, other_value, a.shape.line, b.shape.line)


def _text(a: Placed, b: Placed, word: str, text: str, other_text: str) -> Difference:
    return Difference("shape_text", a.link, 0.0, "", text, other_text, (
        a.link, shape_words(a.shape), word, text or "none", other_text or "none"), (), a.shape.line, b.shape.line)


def _colors(a: Placed, b: Placed, settings: Settings, united: Optional[Sequence[Sequence[Placed]]]
            ) -> Iterator[Difference]:
    """Yield another color; one in only one file is a note, as it may have no effect."""
    first, second = a.shape.color, b.shape.color
    names, lines = (a.link, shape_words(a.shape)), (a.shape.line, b.shape.line)
    if not settings.compares("color"):
        return
    if united is None and (settings.complete or first is not None and second is not None):
        gap = max(abs(p - q) for p, q in zip(first, second)) if first is not None and second is not None else (
            float(first is not second))
        if gap > settings.tolerances.color:
            yield Difference("color", a.link, gap, "", first, second, names, (gap,), *lines)
        return
    # Without a color in the robot, that of the mesh file is drawn.
    outcome = _colors_of_files(a, b, settings, united)
    if outcome == OTHER:
        yield Difference("color", a.link, 1.0, "", first, second, names, (1.0,), *lines)
    elif outcome == UNKNOWN:
        from .words import why_text

        yield Difference("mesh_unproven", a.link, 0.0, "", None, None, (*names, why_text("colors", ())), (), *lines)
    elif outcome == ONE_SIDE:
        yield Difference("color_one_side", a.link, names=(f"{names[1]} of {names[0]}",))


def _colors_of_files(a: Placed, b: Placed, settings: Settings, united: Optional[Sequence[Sequence[Placed]]]) -> str:
    """Return whether the colors are the same, with those in mesh files: a word of `mesh_comparison`."""
    first, second = united or ([a], [b])
    shapes = [placed.shape for placed in (*first, *second)]
    uncolored = a.shape.color is None and b.shape.color is None
    if settings.meshes is None or all(shape.geometry != "mesh" for shape in shapes) or (
            settings.meshes.compare(first, second).kind != SAME):
        return SAME if uncolored else ONE_SIDE
    if united is None and uncolored and a.shape.geometry == b.shape.geometry and (
            settings.meshes.are_equal(a, b, colors=True)):
        return SAME
    return settings.meshes.colors(first, second)


def _images(a: Placed, b: Placed, settings: Settings) -> Iterator[Difference]:
    """Yield another image, by its bytes where both are there, else by its name, or another simulator's material."""
    for word, text, other_text in (("texture", a.shape.texture, b.shape.texture),
                                   ("script", a.shape.script, b.shape.script)):
        if text == other_text and (word == "script" or a.shape.texture_path == b.shape.texture_path) or (
                not settings.compares(word)):
            continue
        if not text or not other_text:
            yield Difference("color_one_side", a.link, names=(f"{shape_words(a.shape)} of {a.link}",))
        elif word == "script" or settings.meshes is None or not settings.meshes.is_one_image(a.shape, b.shape):
            yield _text(a, b, word, text, other_text)
