"""Every kind of diagnostic of a run: its short stable name, its meaning, its cure, and its sentences.

In the package they are read from kinds.md, the page for readers. The single file contains each as text.
"""

from __future__ import annotations

from typing import Dict, Mapping, Tuple

from .diagnostics import ERROR, DiagnosticKind, NOTE, WARNING

NO_CURE = "none"  # in the place of a cure on a page
ASKS = ", asks for a decision"  # after the severity of a kind that needs an action, on a page


def sections_of(page: str) -> Dict[str, Dict[str, str]]:
    """Return the texts of a page by their keys, section by section; a key of a sentence keeps its backticks.

    A section is a heading `## NAME` in Markdown, and under it a line `- KEY: TEXT` for each text. Backticks around a
    text are for readers of the page.
    """
    sections = {}
    for section in page.split("\n## ")[1:]:
        name, *lines = section.splitlines()
        texts = (line[2:].partition(": ") for line in lines if line.startswith("- "))
        sections[name.strip("`")] = {key: text.strip("`") for key, _, text in texts}
    return sections


def sentences_in(section: Mapping[str, str]) -> Dict[str, str]:
    """Return the sentences of a section: the texts whose keys are marked as code."""
    return {key.strip("`"): text for key, text in section.items() if key.startswith("`")}


def cures_in(section: Mapping[str, str]) -> Dict[str, str]:
    """Return the cures of a section by the keys of its sentences; "" for a sentence without a cure."""
    cures = {}
    for key, text in section.items():
        if key.startswith("do "):
            cures[key[3:].strip("`")] = "" if text == NO_CURE else text
    return cures


def kinds_in(sections: Mapping[str, Mapping[str, str]]) -> Dict[str, DiagnosticKind]:
    """Return the kinds of diagnostics of a page, by name: its sections that begin with a severity and a meaning."""
    kinds = {}
    for name, section in sections.items():
        first, meaning = next(iter(section.items()))
        severity = first.replace(ASKS, "")
        if severity in (ERROR, WARNING, NOTE):
            kinds[name] = DiagnosticKind(
                name=name,
                severity=severity,
                meaning=meaning,
                hint=section.get("do", ""),
                needs_action=first != severity,
                sentences=sentences_in(section),
                example=section.get("example", ""),
                cures=cures_in(section),
            )
    return kinds


def page_in(package: str, page: str) -> str:
    """Return the text of a page in a package, also from a zip archive or a frozen program."""
    import pkgutil  # imported here: the single file has its texts inside

    data = pkgutil.get_data(package, page)
    if data is None:
        raise FileNotFoundError(f"{package} has no {page}")
    return data.decode("utf-8")


SECTIONS = sections_of(page_in("urdf_tools.base", "kinds.md"))
BY_NAME = kinds_in(SECTIONS)
BASE_FRAME = BY_NAME["base-frame"]
UNUSED_OPTION = BY_NAME["unused-option"]
UNREAD_NOTE = BY_NAME["unread-note"]
REPAIRED = BY_NAME["repaired"]
ASSUMED_VALUE = BY_NAME["assumed-value"]
LOOP_CUT = BY_NAME["loop-cut"]
XML_DECLARATION = BY_NAME["xml-declaration"]
XACRO_TEXT = BY_NAME["xacro-text"]
NO_GEOMETRY = BY_NAME["no-geometry"]
UNREADABLE_GEOMETRY = BY_NAME["unreadable-geometry"]
MISSING_INERTIA = BY_NAME["no-inertia"]
NO_LIMIT = BY_NAME["no-limit"]
MIMIC = BY_NAME["mimic"]
INERTIA = BY_NAME["inertia"]
MASSLESS = BY_NAME["no-mass"]
WORLD_CONTENT = BY_NAME["world-content"]
ROOT_MASS = BY_NAME["root-mass"]
AXIS_NAME = BY_NAME["axis-name"]
FREE_JOINT = BY_NAME["free-joint"]
EXPORTED_TWICE = BY_NAME["exported-twice"]
EXPORTED_ONCE = BY_NAME["exported-once"]
JOINT_TWICE = BY_NAME["joint-twice"]
RENAMED_JOINT = BY_NAME["renamed-joint"]
MESH_NOT_FOUND = BY_NAME["mesh-not-found"]
PACKAGE_ASSUMED = BY_NAME["package-assumed"]
MESH_FOLDER = BY_NAME["mesh-folder"]
MESH_UNREADABLE = BY_NAME["mesh-unreadable"]
MESH_CONTENT = BY_NAME["mesh-content"]
MESH_COLORS = BY_NAME["mesh-colors"]
MESH_SIZE = BY_NAME["mesh-size"]
MESH_PLANAR = BY_NAME["mesh-planar"]
MERGED_LINK = BY_NAME["merged-link"]
FRAME_NAME = BY_NAME["frame-name"]
DROPPED_NAME = BY_NAME["dropped-name"]
REMOVED_JOINT = BY_NAME["removed-joint"]
MERGED_CONTENT = BY_NAME["merged-content"]
SURFACE_MERGED = BY_NAME["surface-merged"]
BODY_MERGED = BY_NAME["body-merged"]
ELEMENT_DROPPED = BY_NAME["element-dropped"]
FLIPPED_JOINT = BY_NAME["flipped-joint"]
MOVED_ZERO = BY_NAME["moved-zero"]
TRANSMISSION_SIGN = BY_NAME["transmission-sign"]
HARDWARE_SIGN = BY_NAME["hardware-sign"]
UNKNOWN_POSE = BY_NAME["unknown-pose"]
UNREADABLE_POSE = BY_NAME["unreadable-pose"]
SENSOR_FRAME = BY_NAME["sensor-frame"]
PLUGIN_VECTOR = BY_NAME["plugin-vector"]
PLUGIN_BODY = BY_NAME["plugin-body"]
CONTACT_COLLISION = BY_NAME["contact-collision"]
WIDER_FILTER = BY_NAME["wider-filter"]
LOOP_FRAME = BY_NAME["loop-frame"]
# Words for updated references in the rest of the file, for the plan and the report.
FOLLOWED = sentences_in(SECTIONS["followed"])
KINDS: Tuple[DiagnosticKind, ...] = tuple(BY_NAME.values())
