"""The options of the package: the options of the single file, and the rows of `commands.md`; other pages of this folder."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, Tuple, Union

from ..base.type_aliases import Json
from ..base.number_text import LARGEST, read_factor, read_numbers
from ..base.option_table import as_flag, OptionRow
from ..cli.parse_arguments import Command
from ..collision.collision_settings import ENDINGS, KINDS, read_corners, read_length, read_link_kind
from ..export.export_request import TARGETS
from ..model.option_values import ACTUATORS, BASES, MESH_PLACES
from ..run.single_file_options import FLAG, OPTION_ROWS
from ..texts.text_pages import rows_of_page, text_of_page


def command_of(verb: str) -> Command:
    """Return a command with its help: the section of its name in `commands.md`."""
    section = (
        text_of_page(__name__, "commands.md")
        .split(f"\n## {verb}\n\n")[1]
        .split("\n\n|")[0]
        .split("\n\n## ")[0]
    )
    usage, sentences, examples, *status = section.rstrip().replace("`", "").split("\n\n")
    start = len(f"urdf-simplify {verb} ")
    words, _, output = usage.partition("; writes ")
    rows = (line.partition("  # ") for line in examples.splitlines()[1:])
    shown = tuple((line[start:].rstrip(), meaning) for line, _, meaning in rows)
    return Command(
        verb=verb,
        usage=words[start:],
        sentences=sentences.replace("\n", " "),
        examples=shown,
        status="".join(status).strip(),
        output=output,
    )


Value = Union[float, str]  # a position of a joint [rad or m], or words for a position


def read_actuators(given: Any) -> str:
    """Read `none`, `motor`, `position` or `position=100`, the gain.

    Raises:
        ValueError: the text is anything else.
    """
    kind, equals, gain = str(given).partition("=")
    if kind not in ACTUATORS:
        raise ValueError
    # Only the kind `position` has a gain.
    if equals and (kind != "position" or not 0.0 < float(gain) < float("inf")):
        raise ValueError
    return str(given)


def read_act(given: Any) -> str:
    """Read the words of an edit, or a pair, which a call may pass: {"hip_*.effort": 35}.

    Raises:
        ValueError: it is neither.
    """
    if isinstance(given, str):
        if not given.strip():
            raise ValueError
        return given
    if len(given) != 2:
        raise ValueError
    from shlex import quote

    return quote("=".join(map(str, given)))


def read_position(given: Union[str, Tuple[str, Value]], default: str = "") -> Tuple[str, Value]:
    """Read joints and their target positions: `knee_*=1.57`, `knee=middle`, `knee=state:home` or ("knee", 1.57).

    Raises:
        ValueError: the name is missing, the position is missing without a `default`, or it cannot be read.
    """
    if not isinstance(given, str):
        glob, position = given
    elif "=" in given:
        glob, position = given.rpartition("=")[::2]
    else:
        glob = given
        position = default
    if not glob or not isinstance(glob, str) or isinstance(position, bool):
        raise ValueError
    if isinstance(position, str) and (position == "middle" or re.match("state:.", position)):
        return glob, position
    value = position if isinstance(position, (int, float)) else read_numbers(position, 1)[0]
    if not abs(value) < LARGEST:
        raise ValueError
    return glob, float(value)


def read_density(given: Any) -> str:
    """Return links and their density as words, also from a pair, which a call may pass: {"hand_*": 2700}."""
    return given if isinstance(given, str) else "=".join(map(str, given))


LENGTH: Mapping[str, Any] = {
    "kind": float,
    "read": read_length,
    "advice": "give a length, such as 5mm or 0.005",
    "python_type": "Length",
}
LEVEL: Mapping[str, Any] = {"choices": ("error", "warning", "note")}
SEVERAL: Mapping[str, Any] = {"default": (), "repeatable": True}
PAIRS: Mapping[str, Any] = {**SEVERAL, "kind": tuple}
# A commit of git, from which `compare` finds the files itself.
REVISION: Mapping[str, Any] = {
    "valid": bool,
    "advice": "give a branch, tag or commit, such as main",
    "finds_files": True,
}
# The kinds of values that `commands.md` names, each with the fields of an option: files and words.
FILE_VALUES: Dict[str, Mapping[str, Any]] = {
    "flag": FLAG,
    "text": {},
    "texts": SEVERAL,
    "revision": REVISION,
    "length": LENGTH,
    "output": {"is_output": True},
    "SRDF": {"valid": bool, "advice": "give the name of a file"},
    "baseline": {"valid": bool},
    "acts": {**SEVERAL, "read": read_act, "advice": "give {}", "python_type": "Edits"},
    "module": {
        "is_output": True,
        "valid": lambda value: value.lower().endswith(".py"),
        "advice": "give a name that ends in .py",
    },
    "list of spheres": {
        "is_output": True,
        "valid": lambda value: value.lower().endswith(ENDINGS),
        "advice": "give a name that ends in .yml or .srdf",
    },
}
# The kinds of values of `simplify` and of several commands.
RUN_VALUES: Dict[str, Mapping[str, Any]] = {
    "program": {"choices": ("mujoco", "drake", "gazebo", "rviz", "isaac", "newton", "pinocchio")},
    "format": {"default": "text", "choices": ("text", "json", "github", "sarif")},
    "format with Markdown": {
        "default": "text",
        "choices": ("text", "json", "github", "sarif", "markdown"),
    },
    "distance": {
        **LENGTH,
        "default": 0.0,
        "valid": lambda value: value > 0.0,
        "advice": "give a length, such as 0.5mm",
    },
}
# The kinds of values of `edit`.
EDIT_VALUES: Dict[str, Mapping[str, Any]] = {
    "positions or 0": {
        **PAIRS,
        "read": lambda given: read_position(given, "0"),
        "advice": "give joints and a position, such as 'waist_*' or waist=0.35",
        "python_type": "Positions",
    },
    "positions": {
        **PAIRS,
        "read": read_position,
        "advice": "give joints and a position, such as knee=1.57 or 'knee_*=middle'",
        "python_type": "Positions",
    },
    "factors": {
        **SEVERAL,
        "read": lambda given: read_act(str(given) if isinstance(given, (int, float)) else given),
        "advice": "give {}",
        "python_type": "Factors",
    },
    "densities": {
        **SEVERAL,
        "read": read_density,
        "advice": "give links and kg/m3, such as 'hand_*=2700'",
        "python_type": "Densities",
    },
}
# The kinds of values of `collision` and `pairs`.
COLLISION_VALUES: Dict[str, Mapping[str, Any]] = {
    "shape": {"choices": KINDS},
    "shapes": {
        **PAIRS,
        "read": read_link_kind,
        "advice": "give a link and a kind, such as 'hand_*=box': hull, auto, "
        "box, cylinder, capsule, sphere, spheres, convex, keep, link or parts",
        "python_type": "LinkKinds",
    },
    "corners": {
        "kind": int,
        "read": read_corners,
        "advice": "give a number from 8 on, or isaac",
        "python_type": "Union[int, str]",
    },
    "number": {"kind": int, "valid": lambda value: value > 0, "advice": "give a positive number"},
    "triangles": {
        "kind": int,
        "valid": lambda value: value >= 0,
        "advice": "give a number of triangles, or 0 for all",
    },
}
# The kinds of values of `compare`, `lint` and `export`.
OTHER_VALUES: Dict[str, Mapping[str, Any]] = {
    "match": {"default": "auto", "choices": ("auto", "names", "structure")},
    "tolerance": {
        "kind": float,
        "valid": lambda value: 0.0 < value < float("inf"),
        "advice": "give a small positive number",
    },
    "factor": {
        "kind": float,
        "read": lambda given: float(read_factor(str(given))),
        "valid": lambda value: 0.0 < value < float("inf"),
        "advice": "give a positive number, such as 1.5 or 2/3",
    },
    "level": {**LEVEL, "default": "warning"},
    "failing level": {**LEVEL, "default": "error"},
    "base": {"choices": BASES},
    "where": {"choices": MESH_PLACES},
    "actuators": {
        "read": read_actuators,
        "advice": "give none, motor, or position with its gain, such as position=100",
    },
}
VALUES = {**FILE_VALUES, **RUN_VALUES, **EDIT_VALUES, **COLLISION_VALUES, **OTHER_VALUES}


def _row(option: str, name: str, value: str, verbs: str, text: str) -> OptionRow:
    """Return the option of a row of `commands.md`."""
    flag, _, metavar = option.partition(" ")
    help_, _, more = text.partition(". ")
    kind, *relations = value.split("; ")  # such as `needs baseline`
    fields: Json = {
        **VALUES[kind],
        **{word: tuple(names) for word, *names in map(str.split, relations)},
    }
    fields["advice"] = fields.get("advice", "").format(metavar)
    top = " ".join(verb.strip("*") for verb in verbs.split() if verb.startswith("*"))
    name = name or flag[2:].replace("-", "_")
    return OptionRow(
        name=name,
        verbs=verbs.replace("**", ""),
        help=help_,
        metavar=metavar,
        more=more,
        top=top,
        flag=flag,
        **fields,
    )


# Options that only commands set, without a spelling for users.
SET_BY_COMMANDS: List[OptionRow] = [
    *(OptionRow(name, "", "", flag="TARGET") for name, *_ in TARGETS if name != "output"),
    OptionRow("first_target", "", "", flag="TARGET"),
    OptionRow("srdf_output", "", "", flag="--output"),
    OptionRow("pairs_report", "", "", flag="--report"),
    OptionRow("pairs", "", "", **FLAG),
    OptionRow("acts", "", "", **SEVERAL),
    OptionRow("kp", "", "", kind=float, flag="--actuators position=KP"),
    OptionRow("jobs", "", "", kind=int, default=0),
]
PACKAGE_ROWS: Tuple[OptionRow, ...] = (
    *(_row(*cells) for cells in rows_of_page(__name__, "commands.md")),
    *SET_BY_COMMANDS,
)
TABLE: Tuple[OptionRow, ...] = (*OPTION_ROWS, *PACKAGE_ROWS)
SPELLINGS: Dict[str, str] = {row.name: row.spelling for row in TABLE}


def spelled(name: str) -> str:
    """Return how the command line spells an option."""
    return SPELLINGS.get(name) or as_flag(name)
