"""Every kind of diagnostic of a run: its short stable name, what it means, what to do, and its sentences.

Sentences are only in kinds.md: no module holds, compares or parses one.
"""

import os
from typing import Tuple

from .diagnostics import Kind, kinds_in, sections_of, sentences_in

# Empty in the package. In the single file this one line is filled in with the text of the page.
KINDS_PAGE = ""


def kinds_page() -> str:
    """Return the page of the kinds; in the package it is beside the file of this function."""
    if KINDS_PAGE:
        return KINDS_PAGE
    with open(
        os.path.join(os.path.dirname(kinds_page.__code__.co_filename), "kinds.md"), encoding="utf-8"
    ) as stream:
        return stream.read()


SECTIONS = sections_of(kinds_page())
BY_NAME = kinds_in(SECTIONS)
BASE_FRAME = BY_NAME["base-frame"]
UNUSED_OPTION = BY_NAME["unused-option"]
UNREAD_NOTE = BY_NAME["unread-note"]
REPAIRED = BY_NAME["repaired"]
ASSUMED_VALUE = BY_NAME["assumed-value"]
LOOP_CUT = BY_NAME["loop-cut"]
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
COUPLING_SIGN = BY_NAME["coupling-sign"]
UNKNOWN_POSE = BY_NAME["unknown-pose"]
UNREADABLE_POSE = BY_NAME["unreadable-pose"]
SENSOR_FRAME = BY_NAME["sensor-frame"]
PLUGIN_VECTOR = BY_NAME["plugin-vector"]
PLUGIN_BODY = BY_NAME["plugin-body"]
CONTACT_COLLISION = BY_NAME["contact-collision"]
WIDER_FILTER = BY_NAME["wider-filter"]
LOOP_FRAME = BY_NAME["loop-frame"]
GRAVITY = BY_NAME["gravity"]
FOLLOWED = sentences_in(
    SECTIONS["followed"]
)  # what follows in the rest of the file, for the plan and the report
KINDS: Tuple[Kind, ...] = tuple(BY_NAME.values())
