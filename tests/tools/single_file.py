#!/usr/bin/env python3
"""Join the modules of the package into one file that runs alone, urdf_simplify.py.

    python3 tests/tools/single_file.py            write it
    python3 tests/tools/single_file.py --check    write nothing; exit 1 with a summary if it is out of date

All modules of the rooms are joined, room by room in the order of ROOMS: a room imports only itself and the rooms
before it. Within a room they go by alphabet, but each after those that it imports, and these in the order of its import
lines. Folders that are not in ROOMS (`export`) and the modules above the rooms, which only start or name something, are
in the package alone. So that joining changes no meaning, all of them follow the rules of `single_file_rules`.

`api` holds a docstring (that of the file), imports of what the package offers, and `__all__`. Where the package offers
another function, which adds its extension, the rooms have one of that name.
Everything between the imports and the end of a module is copied unchanged, but for the value of SOURCE_DIGEST, and for
the kinds of diagnostics: the package reads them from their page, here each is a row of code, so that a search for a
sentence finds the name of its kind. MAP, with the lines that its names have in the file, comes before the code.
"""

import argparse
import ast
import difflib
import re
import sys
import textwrap
from pathlib import Path
from typing import Dict, List, Optional, Sequence, Set

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from single_file_rules import (  # noqa: E402 its folder was not known before
    is_import,
    late_imports,
    Module,
    package_imports,
    read_module,
    ROOMS,
    rule_problems,
    top_imports,
)
from urdf_tools.base.run_diagnostics import kinds_in, sections_of, sentences_in  # noqa: E402
from urdf_tools.base.errors import ErrorGroup, UrdfError, UsageError  # noqa: E402
from urdf_tools.base.version import source_digest  # noqa: E402

EMPTY_DIGEST_LINE = '\nSOURCE_DIGEST = ""\n'
KINDS = "base.run_diagnostics"  # the module whose rows are written out

ABOUT = """\
urdf_simplify: one file, Python 3.8 or newer, standard library only.

Copy it anywhere, under any name; the notice above must stay.
Upstream this file is generated from the modules in urdf_tools/ by `make single`: there, edit the modules.
In a copy edit what you like: each section is one module, so that a change can be sent back as a patch to it.
To update a copy, replace the file. `--version` prints the release and a digest of the source, and "modified" if
the text was edited.
"""

# Each `{room/module}` or `{room/module:name}` is followed by its line in the file.
MAP = """\
What a run does, and where (lines of this file):

  read       {urdf/urdf_reader:read_robot} keeps each number as it is written, in {urdf/lossless_xml}
  decide     {plan/plan_decisions:make_plan}: everything is decided here, in a `Plan`
  carry out  {apply/apply_plan_passes:apply_plan} does what the plan says, and decides nothing
  prove      {verify/verify_equivalence:verify_robot} reads both texts anew, with arithmetic of its own
  report     {report/plan_text:plan_text}, {report/run_json:record_of}
  write      {run/run_pipeline:write_result}: all files or none, by {base/transaction}
  all of it  {cli/single_file_entry:main}, {cli/run_and_ask:run}, {run/run_pipeline:simplify_bytes}

To change                                        edit
  an option, its help and its errors             {run/single_file_options}
  which links merge, and which are kept          {plan/link_merging:decide_merging}, {plan/kept_links:find_needs}
  which way the robot faces                      {plan/base_frame:find_base_frame}
  the axes of the frames of links                {plan/canonical_frames:decide_frames}
  which words of a name mean an axis             {plan/name_words:AXIS_WORDS}
  which words of a name mean a part of a motor   {plan/name_words:HARDWARE}, {plan/name_words:STRUCTURE}
  which words mean a foot, a hand, a side        {plan/name_words:FOOT}, {plan/name_words:HAND}, {plan/name_words:SIDES}
  which links are the world                      {plan/link_merging:WORLD_LINKS}, {plan/base_frame:PLANNING_FRAMES}
  how near two copies of a part lie              {plan/link_merging:POSE_TOLERANCE}
  which angles are rounded                       `snap` of {plan/run_options}
  how exact a proof is                           {verify/shared_proof_state:TOLERANCE}
  which shapes are removed                       {plan/removed_shapes}
  what follows outside of links and joints       {facts/frame_dependent_values}, {facts/gazebo_value_rules}, {plan/update_values}
  what simulators read for a link                {facts/simulator_values}
  names and places of meshes                     {plan/mesh_tasks}, {meshing/make_meshes}
  how COLLADA is read and split                  {collada/collada_scene:scene_drawings}, {collada/collada_to_stl:convert_dae}
  what a proof compares                          {verify/verify_equivalence}, {verify/verify_looks}, {verify/verify_other_elements}
  a sentence of a warning                        {base/run_diagnostics}
"""

# Before anything else: an old Python is refused, and until `main` runs, Ctrl-C ends the script without a traceback,
# as "not done". Garbage is collected neither while the script is loaded nor while it runs: see `run_command_line`.
GUARD = """\
import gc
import sys

if __name__ == "__main__":
    if sys.version_info < (3, 8):
        print("urdf_simplify needs Python 3.8 or newer; this is " + sys.version.split()[0], file=sys.stderr)
        sys.exit(2)
    sys.excepthook = lambda kind, *rest: sys.exit(1) if kind is KeyboardInterrupt else sys.__excepthook__(kind, *rest)
    gc.disable()
"""


def in_order(modules: Sequence[Module]) -> List[Module]:
    """Return the modules by room and alphabet, but each after those it imports, which come by their lines.

    Raises:
        UsageError: the imports go in a circle; the message names it.
    """
    by_name = {module.name: module for module in modules}
    placed: Dict[str, Module] = {}

    def place(module: Module, path: List[str]) -> None:
        """Place the imports of a module before it; `path` leads to the module."""
        for source, statement in package_imports(module):
            if source in path:
                shown = " -> ".join([*path[path.index(source) :], source])
                raise module.problem(f"imports in a circle: {shown}", statement.lineno)
            if source not in placed:
                place(by_name[source], [*path, source])
        placed[module.name] = module

    for name in sorted(by_name, key=lambda name: (ROOMS.index(by_name[name].room), name)):
        if name not in placed:
            place(by_name[name], [name])
    return list(placed.values())


# The text.


def commented(text: str) -> List[str]:
    """Return a text as lines of a comment."""
    return [f"# {line}".rstrip() for line in text.rstrip().split("\n")]


def import_block(modules: Sequence[Module]) -> List[str]:
    """Return the imports of the standard library of all modules, merged, each once."""
    plain: Set[str] = set()
    by_source: Dict[str, Set[str]] = {}
    for module in modules:
        for statement in top_imports(module):
            wanted = {
                f"{alias.name} as {alias.asname}" if alias.asname else alias.name
                for alias in statement.names
            }
            if isinstance(statement, ast.Import):
                plain |= {f"import {name}" for name in wanted}
            elif not statement.level and statement.module != "__future__":
                by_source.setdefault(statement.module or "", set()).update(wanted)
    by_source["typing"].discard("TYPE_CHECKING")
    lines = sorted(plain - {"import gc", "import sys"})  # GUARD imports these.
    for source, names in sorted(by_source.items()):
        start = f"from {source} import "
        listed = ", ".join(sorted(names))
        if len(start + listed) > 120:
            listed = (
                "(\n"
                + textwrap.fill(listed, 120, initial_indent="    ", subsequent_indent="    ")
                + ",\n)"
            )
        lines.append(start + listed)
    return lines


def lines_of(statements: Sequence[ast.stmt]) -> Set[int]:
    """Return the numbers of the lines of statements."""
    return {
        number
        for statement in statements
        for number in range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
    }


def quoted(text: str) -> str:
    """Return a string as code."""
    return repr(text) if '"' in text or "\\" in text else f'"{text}"'


def rows_of_sentences(sentences: Dict[str, str], indent: str) -> List[str]:
    """Return the rows of a dictionary of sentences."""
    return [f"{indent}{quoted(key)}: {quoted(text)}," for key, text in sentences.items()]


def rows_of_kinds(module: Module, page: str) -> str:
    """Return the kinds of a page as code: the constants of their module, in its order."""
    sections = sections_of(page)
    kinds = kinds_in(sections)
    lines: List[str] = []
    for constant, name in re.findall(r'^(\w+) = BY_NAME\["(.*)"\]', module.text, flags=re.M):
        kind = kinds[name]
        words = [quoted(name), kind.severity.upper(), quoted(kind.meaning), quoted(kind.hint)]
        cures = rows_of_sentences(dict(kind.cures), " " * 8)
        of_cures = ["    cures={", *cures, "    },"] if cures else []
        lines += [
            f"{constant} = DiagnosticKind(",
            *(f"    {word}," for word in [*words, str(kind.needs_action)]),
            "    {",
            *rows_of_sentences(dict(kind.sentences), " " * 8),
            "    },",
            *of_cures,
            ")",
        ]
    followed = rows_of_sentences(sentences_in(sections["followed"]), " " * 4)
    return "\n".join([*lines, "FOLLOWED = {", *followed, "}"])


def with_map(text: str) -> str:
    """Return the file with the lines of all that MAP names.

    Raises:
        UsageError: MAP names what is not in the file.
    """
    lines = text.split("\n")

    def line_of(found: "re.Match[str]") -> str:
        """Return the line of a name that MAP has, with the name."""
        path, _, name = found.group(1).partition(":")
        banner = f"# ==== urdf_tools/{path}.py ===="
        start = lines.index(banner) if banner in lines else len(lines)
        heads = (f"def {name}(", f"{name} =") if name else (banner,)
        for number, line in enumerate(lines[start:], start + 1):
            if line.startswith(heads):
                return f"{name or path + '.py'} {number}"
        raise UsageError(
            f"MAP names {found.group(1)}, which is not there", "tests/tools/single_file.py"
        )

    head, banner, rest = text.partition("\n# ==== ")
    return re.sub(r"\{([a-z_]+/[A-Za-z_:]+)\}", line_of, head) + banner + rest


def section(module: Module, page: str = "") -> str:
    """Return the banner, the docstring as a comment, and all that follows the imports, without late imports.

    With the page of the kinds these follow, as code.
    """
    lines = module.text.split("\n")
    body = module.tree.body
    head = [
        statement
        for position, statement in enumerate(body)
        if position == 0 or is_import(statement)
    ]
    removed = lines_of(head)
    start = max(removed)
    remarks = [
        line
        for number, line in enumerate(lines[:start], 1)
        if number not in removed and line.startswith("#") and not line.startswith("#!")
    ]
    banner = [
        f"# ==== {module.shown_path} ====",
        *commented(ast.get_docstring(module.tree) or ""),
        *remarks,
    ]
    if page:
        return "\n".join([*banner, "", rows_of_kinds(module, page)])
    late = lines_of([*late_imports(module.tree)])
    late |= {number + 1 for number in late if not lines[number].strip()}
    rest = "\n".join(
        line for number, line in enumerate(lines, 1) if number > start and number not in late
    ).rstrip("\n")
    gap = "" if rest.startswith("\n") or not rest else "\n"
    return "\n".join(banner) + "\n" + gap + rest


def source_of(module: Module, statement: ast.stmt) -> str:
    """Return the text of a statement."""
    return "\n".join(module.text.split("\n")[statement.lineno - 1 : statement.end_lineno])


def joined(package: Path, notice: str) -> bytes:
    """Return the bytes of the single file for the package in a folder, with the license that must stay with it.

    Raises:
        ErrorGroup: modules break the rules of `single_file_rules`; each problem has its file and line.
    """
    problems: List[UrdfError] = []
    read: Dict[str, Module] = {}
    for path in [
        *(path for room in ROOMS for path in sorted((package / room).glob("*.py"))),
        package / "api.py",
    ]:
        if path.stem == "__init__":
            continue
        try:
            module = read_module(path, package)
            read[module.name] = module
        except UsageError as error:
            problems.append(error)
    if problems:
        raise ErrorGroup(problems)
    api = read.pop("api")
    modules = list(read.values())
    problems += rule_problems(modules, api, package.name)
    if not problems:
        try:
            modules = in_order(modules)
        except UsageError as error:
            problems.append(error)
    if problems:
        raise ErrorGroup(sorted(problems, key=lambda problem: (problem.path, problem.line)))

    page_of_kinds = package / "base" / "kinds.md"
    page = page_of_kinds.read_text(encoding="utf-8") if page_of_kinds.exists() else ""
    header = [
        "#!/usr/bin/env python3",
        "# SPDX-License-Identifier: MIT",
        "#",
        *commented(notice),
        "#",
        *commented(ABOUT),
        "#",
        *(commented(MAP) if page else ()),
        source_of(api, api.tree.body[0]),
        GUARD,
        *import_block(modules),
    ]
    offered = [
        source_of(api, statement)
        for statement in api.tree.body
        if isinstance(statement, ast.Assign)
    ]
    if offered:
        header += ["", *offered]
    parts = [
        "\n".join(header),
        *(section(module, page if module.name == KINDS else "") for module in modules),
        'if __name__ == "__main__":\n    sys.exit(main())\n',
    ]
    text = "\n\n\n".join(parts)
    if text.count(EMPTY_DIGEST_LINE) != 1:
        raise ErrorGroup(
            [
                UsageError(
                    'the line `SOURCE_DIGEST = ""` must be there once',
                    f"{package.name}/base/version.py",
                )
            ]
        )
    text = with_map(text)
    digest = source_digest(text.encode("utf-8"))
    return text.replace(EMPTY_DIGEST_LINE, f'\nSOURCE_DIGEST = "{digest}"\n').encode("utf-8")


def difference(existing: bytes, wanted: bytes, longest: int = 20) -> str:
    """Return a summary of how the existing bytes differ from those wanted, with the first lines of the difference."""
    if existing.replace(b"\r\n", b"\n") == wanted:
        return "only the line ends differ"
    old = existing.decode("utf-8", "replace").split("\n")
    new = wanted.decode("utf-8").split("\n")
    lines = list(difflib.unified_diff(old, new, "as it is", "as it should be", lineterm="", n=0))
    added = sum(line.startswith("+") for line in lines[2:])
    removed = sum(line.startswith("-") for line in lines[2:])
    more = [f"... and {len(lines) - longest} lines more"] if len(lines) > longest else []
    return "\n".join([f"{added} lines to add, {removed} to remove:", *lines[:longest], *more])


def generate(arguments: Optional[Sequence[str]] = None) -> int:
    """Run the command line; return 0, or 1 if the file is out of date, or 2 if the modules break a rule."""
    package = ROOT / "urdf_tools"
    parser = argparse.ArgumentParser(
        prog="python3 tests/tools/single_file.py",
        description="Join the modules of urdf_tools into one file.",
    )
    parser.add_argument(
        "--check", action="store_true", help="compare only; exit 1 if the file is out of date"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=package.parent / "urdf_simplify.py",
        metavar="FILE",
        help="file to write or to compare (default: urdf_simplify.py beside the package)",
    )
    options = parser.parse_args(arguments)
    output: Path = options.output
    try:
        wanted = joined(package, (package.parent / "LICENSE").read_text(encoding="utf-8"))
        existing = output.read_bytes() if output.exists() else None
        if existing == wanted:
            print(f"{output.name} is up to date")
        elif options.check:
            summary = "it is not there" if existing is None else difference(existing, wanted)
            print(f"{output.name} is out of date, run `make single`: {summary}", file=sys.stderr)
            return 1
        else:
            output.write_bytes(wanted)
            output.chmod(0o755)
            print(f"{output.name} written: {wanted.count(10)} lines, {len(wanted)} bytes")
    except (UrdfError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(generate())
