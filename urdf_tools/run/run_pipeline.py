"""One run: read, plan, apply in memory, prove, and, in a library call, write."""

from __future__ import annotations

import os
from contextlib import nullcontext
from fnmatch import fnmatchcase
from functools import lru_cache, partial
from itertools import chain
from typing import (
    Any,
    Callable,
    ContextManager,
    Dict,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Union,
)

from ..base.type_aliases import Choices
from ..base.errors import did_you_mean, glob_meant, ProofFailed, UsageError
from ..base.run_diagnostics import UNUSED_OPTION
from ..base.number_text import LARGEST
from ..base.option_table import as_keyword, rows_of, values_of
from ..base.transaction import Transaction
from ..base.version import OWN_NOTE
from ..urdf.lossless_xml import Document, parse_document, Tag
from ..urdf.urdf_notes import own_notes
from ..urdf.moved_files import lost_packages
from ..urdf.mesh_paths import mesh_stem
from ..urdf.package_resolver import resolver_for
from ..urdf.urdf_reader import read_robot, refuse_extremes
from ..urdf.expand_xacro import read_expanded
from ..plan.plan_decisions import make_plan, Plan
from ..plan.name_words import words_of
from ..plan.run_options import Options
from ..plan.result_notes import decisions_of, losses_in_words
from ..meshing.mesh_converter import mesh_context, mesh_folder, MeshConverter, MeshMakingSettings
from ..meshing.make_meshes import make_meshes
from .check_destinations import (
    check_destinations,
    check_folder,
    check_mesh_files,
    check_names_urdf,
    Destination,
    read_path,
)
from ..apply.apply_plan_passes import apply_plan, as_repaired
from ..verify.shared_proof_state import compare_at_zero, ProofFolders
from ..verify.verify_equivalence import verify_robot
from .run_records import (
    ExtensionRequest,
    CompanionFile,
    ExportedFiles,
    RunExtension,
    UrdfOfInput,
    InputMeshFolder,
    Progress,
    Result,
)
from .single_file_options import OPTION_ROWS, options_from, SIMPLIFY, TERMINAL

# For the single file, and for a program that imports one folder of the package only.
NO_EXTENSION = RunExtension(
    OPTION_ROWS, (), lambda _, meshes: MeshConverter(meshes), lambda *_: ExportedFiles()
)
IN_PACKAGE = "the package has more: from urdf_tools import simplify (pip install . in a clone, or its folder beside)"
WITHOUT_MESH_DIR = ("edit", "collision", "pairs")


def simplify_bytes(
    source: bytes,
    path: str,
    options: Options,
    output: str = "",
    staging_dir: str = "",
    *,
    progress: Progress = None,
    companions: Sequence[CompanionFile] = (),
    converter: Optional[MeshConverter] = None,
    mark_lines: Callable[[Document], None] = lambda _: None,
) -> Result:
    """Simplify a URDF in memory, and verify the result; only meshes are written, to the folder `staging_dir`.

    Args:
        source: the bytes of the input.
        path: its name, for messages; relative mesh names are resolved from its folder.
        options: the choices.
        output: the file the result is for, or "" for a file in the folder of the input.
        staging_dir: a temporary folder for meshes; "" keeps all meshes as they are.
        progress: called now and then with the name of a mesh and its number of triangles so far.
        companions: the documents to update.
        converter: how meshes are made; None: COLLADA to STL.
        mark_lines: see `UrdfOfInput`.

    Raises:
        UrdfError: the input or an option cannot be used.
        ProofFailed: the result is not the same robot; a fault of this tool.
    """
    known: Dict[str, Tag] = {}  # most tags of the result are tags of the input
    document = parse_document(source, path, known)
    mark_lines(document)
    folder = os.path.dirname(path)
    output_folder = os.path.dirname(output) if output else folder
    converter = converter or MeshConverter(options.meshes)
    before = read_robot(document, lenient=options.lenient)

    needs = {}
    for companion in companions:
        needs.update(companion.needs(before))
    plan = make_plan(before, options, needs, converter.form)
    context = None
    if staging_dir:
        context = mesh_context(
            plan, path, output, MeshMakingSettings(staging_dir, converter, progress)
        )
    plan = make_meshes(plan, folder, output_folder, context)

    # The reader moves a late XML declaration to the front; the text after that is the unedited text.
    unedited = document.to_bytes() if document.late_declaration else source
    data = apply_plan(plan, unedited)
    # The proof compares with `before`, which is the input only if no reading pass edited its document.
    if document.to_bytes() != unedited:
        raise ProofFailed("a pass edited the input", path)

    # The proof reads the text that will be written, not the plan.
    written = parse_document(data, path, known)
    known.clear()
    folders = _folders_of_meshes(plan, folder, output_folder)
    comparison = compare_at_zero(as_repaired(plan), plan, written, folders)
    comparison.copies.update(converter.copies_of(plan, comparison.require))
    proof = verify_robot(comparison)
    after = read_robot(written, largest=LARGEST**4)  # merged inertias may grow
    followed = tuple(companion.follow(plan, comparison) for companion in companions)
    return Result(
        plan=plan,
        before=before,
        after=after,
        proof=proof,
        source=source,
        data=data,
        companions=followed,
    )


def _folders_of_meshes(plan: Plan, source: str, target: str) -> ProofFolders:
    """Return the mesh folders of input and result for the proof: in one folder, equal names mean equal files."""
    source_folder = os.path.realpath(source or ".")
    target_folder = os.path.realpath(target or ".")
    by_text = source_folder == target_folder and not plan.meshes.names
    return ProofFolders(source_folder, target_folder, by_text)


def prepare(
    asked: ExtensionRequest,
    options: Options,
    read: Callable[[], bytes],
    extension: RunExtension,
    transaction: Transaction,
    *,
    outputs: Sequence[Destination] = (),
    companions: Sequence[CompanionFile] = (),
    progress: Callable[[], ContextManager[Progress]] = nullcontext,
    to_stream: bool = False,
) -> Result:
    """Return the result of a run, verified and with its exports; only meshes are written, to a temporary folder.

    Args:
        asked: the request of the run to the extension, with the names of input and output.
        options: the choices.
        read: returns the bytes of the input.
        extension: what the package adds.
        transaction: has the temporary folder.
        outputs: the files that the run writes, without the files of the extension.
        companions: the documents to update.
        progress: makes the display of the progress.
        to_stream: the URDF goes to standard output, so no meshes can be written beside it.

    Raises:
        UrdfError: the input or an option cannot be used.
        ProofFailed: see `simplify_bytes`.
    """
    force = bool(asked.choices.get("force"))
    has_several_robots = len(asked.choices.get("files") or ()) > 1
    outputs = [*outputs, *_further_outputs(asked, extension, companions)]
    inputs = [asked.path, *(companion.destination.own_input for companion in companions)]
    # Refusals by name come before the input is read.
    if outputs and asked.output:
        check_names_urdf(asked.choices["verb"], asked.spelled("output"), asked.output)
    check_destinations(inputs, outputs, force=force)
    check_folder(options.meshes.mesh_dir)

    converter = extension.mesh_converter(asked, options.meshes)
    folder = converter.folder = mesh_folder(asked.path, options, asked.output, asked.choices)
    # Meshes that are kept are made in their target folder, so that they are renamed and not copied.
    keeps = asked.writes and (outputs or to_stream)
    staging_target = folder if keeps else ""
    # Made at most once, and only if it is needed.
    stage = lru_cache(maxsize=1)(lambda: transaction.staging_folder(staging_target))
    place = InputMeshFolder(folder, os.path.dirname(asked.output or asked.path), stage)
    made = extension.as_urdf(read(), asked.path, place)
    if to_stream and not options.meshes.mesh_dir:
        _refuse_meshes(asked, made, converter)
    staging_dir = stage() if converter.needs_place else ""
    converter.inside = made.files
    converter.staged = {file.target: file.source for file in made.files}
    try:
        with progress() as show:
            result = simplify_bytes(
                made.data,
                asked.path,
                options,
                asked.output,
                staging_dir,
                progress=show,
                companions=companions,
                converter=converter,
                mark_lines=made.mark_lines,
            )
            # Not earlier, as only the plan knows which patterns named something.
            _refuse_unused(result, several=has_several_robots)
            result = extension.change(
                asked, result, MeshMakingSettings(staging_dir, converter, show)
            )
            result = _with_lost_packages(asked, result)
            check_mesh_files(result.plan.meshes.files, force=force)
            exported = extension.export(asked, result, show)
    except ProofFailed:
        # Numbers out of all proportion make the proof fail. Then the input is at fault, and the error names its line.
        document = parse_document(made.data, asked.path)
        made.mark_lines(document)
        refuse_extremes(document)
        raise
    return result._replace(exported=_with_reading(exported, made, result.plan))


def _with_reading(exported: ExportedFiles, made: UrdfOfInput, plan: Plan) -> ExportedFiles:
    """Return what a run exported, with the losses and changes of reading the input and of the plan."""
    # An edit has its own verdict.
    lost_by_plan = () if exported.edited else losses_in_words(decisions_of(plan))
    return exported._replace(
        warnings=(*made.lost, *exported.warnings),
        changes=(*made.changes, *exported.changes),
        but_for=(*made.but_for, *lost_by_plan, *exported.but_for, *plan.meshes.but_for),
    )


def _further_outputs(
    asked: ExtensionRequest, extension: RunExtension, companions: Sequence[CompanionFile]
) -> List[Destination]:
    """Return the files of companions and of the options of the package.

    A run that only shows skips files whose names were not given but follow from the name of the output.
    """
    files = [file for file, is_named, *_ in companions if file.path and (asked.writes or is_named)]
    for name in extension.outputs:
        if asked.choices[name]:
            files.append(Destination(asked.spelled(name), asked.choices[name], ""))
    return files


def _refuse_meshes(asked: ExtensionRequest, made: UrdfOfInput, converter: MeshConverter) -> None:
    """Refuse a run that would make meshes while the URDF goes to standard output: meshes lie beside the URDF.

    Raises:
        UsageError: meshes would be made.
    """
    form = converter.form
    if made.files or form.endings or form.within or converter.adds_files:
        has_no_folder = asked.choices["verb"] in WITHOUT_MESH_DIR
        cure = "give --output a file" if has_no_folder else "with --output - give --mesh-dir"
        raise UsageError(f"{cure}: the meshes need a place", asked.path)


def _with_lost_packages(asked: ExtensionRequest, result: Result) -> Result:
    """Return a result with warnings about packages that are found from the input's folder but not from the output's."""
    source_folder = os.path.dirname(os.path.abspath(asked.path))
    target_folder = os.path.dirname(os.path.abspath(asked.output or asked.path))
    plan = result.plan
    packages = plan.options.meshes.package
    before = resolver_for(result.before.document.root, source_folder, packages)
    after = resolver_for(result.after.document.root, target_folder, packages)
    lost = lost_packages(result.after.document.root, before, after)
    return result._replace(plan=plan._replace(warnings=(*plan.warnings, *lost)))


def _refuse_unused(result: Result, *, several: bool) -> None:
    """Refuse a pattern that matches no name in the robot.

    With several robots, or a robot that is a result of this tool, the pattern may be for a different robot.

    Raises:
        UsageError: names the first unused pattern, and a similar name.
    """
    robot = result.before
    unused = [warning for warning in result.plan.warnings if warning.kind is UNUSED_OPTION]
    if several or not unused or own_notes(robot.document, OWN_NOTE):
        return
    # By the sentence of the warning: the names that its option matches.
    named_by = {
        "keep": list(robot.links),
        "glob": [mesh_stem(shape.mesh) for _, shape in robot.shapes if shape.mesh],
        "axis": [*chain.from_iterable(words_of(joint.name) for joint in robot.joints)],
    }
    for warning in unused:
        # Such as `--strip nut*` or `toe=Y`.
        names = named_by[warning.sentence]
        pattern = warning.names[0].split(" ")[-1].split("=")[0]
        if not any(fnmatchcase(name, pattern) for name in names):
            raise UsageError(f"{warning.text}{glob_meant(pattern, names)}", robot.document.path)


def write_result(
    result: Result,
    files: Sequence[Tuple[str, bytes]],
    transaction: Transaction,
    *,
    force: bool,
    meanwhile: Optional[Callable[[], None]] = None,
) -> None:
    """Write files, given as name and bytes, and the meshes; if one file cannot be written, no file appears.

    `meanwhile` is called when all files are staged and none has appeared.

    Raises:
        UsageError: a file cannot be written, or must not be replaced.
    """
    check_mesh_files(result.plan.meshes.files, force=force)  # again: the user took time to answer
    for mesh in result.plan.meshes.files:
        transaction.add_file(mesh.target, mesh.source)
    for path, data in files:
        transaction.add(path, data)
    if meanwhile is not None:
        meanwhile()
    transaction.commit()


def simplify(
    urdf: "Union[str, os.PathLike[str]]",
    output: "Union[str, os.PathLike[str], None]" = None,
    **choices: Any,
) -> Result:
    """Simplify and reorient a URDF file without asking or printing.

    Args:
        urdf: the path of the input; a name that ends with `.xacro` is expanded by the `xacro` command.
        output: the path to write to, or None to write nothing.
        choices: the options of the command line by name, with `_` for `-`: `keep=["imu_*"]`, `split="color"`,
            `for_="drake"` (`for` is a word of Python); lists serve as tuples, dictionaries as pairs, such as
            `axis={"toe": "Y"}`. `force` allows the output to be the input itself, and meshes to replace files that
            this tool did not write. In the package also `srdf`, `page` and `adapter` with the name of a file.

    Returns:
        The plan, the proof and the resulting text.

    Raises:
        UrdfError: the input, an option or the output cannot be used; nothing has been written.
        TypeError: a choice that does not exist.
    """
    _refuse_what_is_lacking(choices)
    return run_call(SIMPLIFY, urdf, output, choices, NO_EXTENSION)


def _refuse_what_is_lacking(choices: Choices) -> None:
    """Refuse choices that only the package supports; the command line of the single file runs the package instead.

    Raises:
        UsageError: names the first such choice.
    """
    converts = choices.get("mesh_format") or choices.get("split")
    for name, lacks in (
        ("mesh_format", choices.get("mesh_format") not in (None, "stl")),
        ("mesh_dir", choices.get("mesh_dir") and not converts),
        ("mesh_paths", choices.get("mesh_paths") and not choices.get("mesh_dir")),
    ):
        if lacks:
            raise UsageError(f"{name} {choices[name]}: {IN_PACKAGE}")


def _spelled_in_calls(keywords: Mapping[str, str], name: str) -> str:
    """Return how a call spells an option; a function at module level, as converters that hold it go to other processes."""
    return keywords.get(name) or as_keyword(name)


def run_call(
    verb: str,
    source: "Union[str, os.PathLike[str]]",
    output: "Union[str, os.PathLike[str], None]",
    choices: Choices,
    extension: RunExtension,
    more: Mapping[str, Any] = {},
) -> Result:
    """Run a command for a library call, without asking or printing.

    Args:
        verb: the command.
        source: the path of the robot.
        output: the path to write to, or None.
        choices: its options by their keywords.
        extension: what the package adds.
        more: values of options that no keyword sets, by name.

    Raises:
        UrdfError: the input, an option or the output cannot be used; nothing has been written.
        TypeError: a choice that does not exist.
    """
    # Every choice is checked before the input is read.
    values = {**_values_of_call(verb, choices, extension), **more, "verb": verb}
    path = read_path("urdf", source)
    target = read_path("output", output)
    # Options without a command are set by functions: messages name the keywords of these functions.
    of_calls = {
        row.name: row.flag.replace("--", "").replace("TARGET", "target")
        for row in extension.table
        if not row.verbs
    }
    asked = ExtensionRequest(values, path, target, spelled=partial(_spelled_in_calls, of_calls))
    companions = extension.companions(asked)
    options = options_from(values)
    outputs = [Destination("output", target, path)] if target else []
    read = partial(read_expanded, path, values["xacro_args"], options.meshes.package)
    with Transaction() as transaction:
        result = prepare(
            asked, options, read, extension, transaction, outputs=outputs, companions=companions
        )
        files = []
        if target:
            files.append((target, result.data))
        for followed in result.companions:
            if followed.output:
                files.append((followed.output, followed.data))
        files += result.exported.files
        if files:
            write_result(result, files, transaction, force=values["force"])
        return result


def _values_of_call(verb: str, choices: Choices, extension: RunExtension) -> Dict[str, Any]:
    """Return the values of all options by name: the choices of a call, checked, and the defaults of the others.

    Raises:
        UsageError: a value cannot be used.
        TypeError: a choice that does not exist.
    """
    rows = [row for row in rows_of(verb, extension.table) if row.name not in TERMINAL]
    by_keyword = {as_keyword(row.name): row for row in rows}
    for name in choices:
        if name not in by_keyword:
            known = ", ".join(by_keyword)
            if extension is NO_EXTENSION:
                known += f"; {IN_PACKAGE}"
            meant = did_you_mean(name, tuple(by_keyword))
            raise TypeError(f"unknown option '{name}'{meant}; there are {known}")
    given = {by_keyword[name].name: value for name, value in choices.items()}
    defaults = {row.name: row.default for row in extension.table}
    return {**defaults, **values_of(rows, given, lambda row: as_keyword(row.name))}
