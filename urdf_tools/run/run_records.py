"""The records of a run: its request, the additions of the package, and its result, also for documents such as an SRDF."""

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple, TYPE_CHECKING

from ..base.type_aliases import Choices, Show, Shows, Texts
from ..base.diagnostics import Notes
from ..base.option_table import as_flag, Rows
from ..base.record_type import Record

if TYPE_CHECKING:  # only commands that make a plan load these
    from ..urdf.urdf_records import JointMap, UrdfRobot
    from ..urdf.lossless_xml import Document
    from ..plan.plan_decisions import Plan
    from ..plan.reference_updates import ReferenceUpdates
    from ..plan.mesh_tasks import FinishedFile
    from ..plan.kept_links import KeepReason
    from ..plan.run_options import MeshOptions
    from ..meshing.mesh_converter import MeshConverter, MeshMakingSettings
    from ..verify.shared_proof_state import ComparedRobots
    from ..verify.verify_equivalence import EquivalenceProof
    from .check_destinations import Destination


class CompanionResult(Record):
    """The result of a run for a companion.

    Attributes:
        name: the kind of document in reports, such as SRDF; in lower case the key of the JSON.
        output: the name of its result, "" if it is not written.
        updates: the changes, and warnings about references that were not updated.
        before, after: the documents parsed from both texts.
        source, data: the bytes of both.
        proof: the figures of the proof; `proof_line` has the same in one line of text.
        added: in words what was added besides the updates, "" for nothing.
    """

    name: str
    output: str
    updates: ReferenceUpdates
    before: Document
    after: Document
    source: bytes
    data: bytes
    proof: Record
    proof_line: str
    added: str = ""

    @property
    def changed(self) -> bool:
        """Return True if the result differs from the input."""
        return self.source != self.data


class CompanionFile(Record):
    """A document beside the robot that the plan updates.

    Attributes:
        destination: where the result is written, and its input; without a path it is not written.
        is_named: the caller gave that path; otherwise it follows from the name of the output.
        needs: takes the robot; returns by link the reason why its frame must stay.
        follow: takes the plan, and both robots at zero; returns the updated document, verified.
    """

    destination: Destination
    is_named: bool
    needs: Callable[[UrdfRobot], Dict[str, KeepReason]]
    follow: Callable[[Plan, ComparedRobots], CompanionResult]


class EditedRobot(Record):
    """The outcome of edits on a robot.

    Attributes:
        verdict: the sentence of the proof.
        old_joints: names in the input by new ones.
        maps, locked: by names in the input, the map of each joint's position, and the value at which it is locked [rad
            or m].
        dropped: the removed links of the input, with their masses [kg].
        described: the entries of both in the JSON of the run, by key.
    """

    verdict: str
    old_joints: Mapping[str, str] = {}
    maps: Mapping[str, JointMap] = {}
    locked: Mapping[str, float] = {}
    dropped: Mapping[str, float] = {}
    described: Mapping[str, Any] = {}


class ExportedFiles(Record):
    """Files and report lines that the package adds to a run; each exporter returns one record.

    Attributes:
        files: name and bytes of each file to write; its folder may not exist yet.
        lines: lines about these files for the report on the terminal.
        warnings: for the user; `line` counts in the input, 0: the whole file.
        choices: the given options of the package; exporters leave this field to `run_exports`.
        left: the tasks that remain for the user.
        left_lines: takes a style; returns these tasks as lines, for the report and again for its end.
        finding_lines: takes a style; returns the lint findings about the result; only a plan shown in full calls it.
        changes: the changes in the result, in phrases.
        tables: headlines with rows of changes.
        decided: the decisions for single exports, as `decision_text` writes them.
        edited: changes by edits, which the plan does not contain.
        but_for: phrases that restrict the verdict "the same robot": shapes that a file lacks, and repairs.
        refused_by: the program of `--for`, if it does not load the result as it is.
    """

    files: Tuple[Tuple[str, bytes], ...] = ()
    lines: Texts = ()
    warnings: Notes = ()
    choices: Tuple[Tuple[str, Any], ...] = ()
    left: Notes = ()
    left_lines: Callable[[Any], Sequence[str]] = lambda style: ()
    finding_lines: Callable[[Any], Sequence[str]] = lambda style: ()
    changes: Texts = ()
    tables: Tuple[Tuple[str, Tuple[Texts, ...]], ...] = ()
    decided: Texts = ()
    edited: Optional[EditedRobot] = None
    but_for: Texts = ()
    refused_by: Texts = ()


class UrdfOfInput(Record):
    """A URDF made of an input in another format, with the steps and losses in phrases; or the input itself.

    `files`: meshes from inside the input that the result names. `mark_lines` gives the elements of its document the
    lines of the input. `but_for`: its repairs, as in `ExportedFiles`.
    """

    data: bytes
    changes: Texts = ()
    lost: Notes = ()
    files: Tuple[FinishedFile, ...] = ()
    mark_lines: Callable[[Document], None] = lambda _: None
    but_for: Texts = ()


class InputMeshFolder(Record):
    """The folder for the meshes of an input, the folder of the output that names them, and how to make a temporary one."""

    target: str
    output: str
    stage: Callable[[], str]


class Result(Record):
    """The result of a run: the plan, the robots read from both texts, the proof, and the bytes of both files.

    `companions` are the updated documents, `exported` is the addition of the package's options.
    """

    plan: Plan
    before: UrdfRobot
    after: UrdfRobot
    proof: EquivalenceProof
    source: bytes
    data: bytes
    companions: Tuple[CompanionResult, ...] = ()
    exported: ExportedFiles = ExportedFiles()

    def __repr__(self) -> str:
        counts = " -> ".join(str(len(robot.links)) for robot in (self.before, self.after))
        return f"<Result '{self.before.name}': {counts} links>"

    @property
    def changed(self) -> bool:
        """Return True if the resulting URDF differs from the input."""
        return self.source != self.data

    @property
    def text(self) -> str:
        """The text of the resulting URDF."""
        return self.after.document.text()

    @property
    def srdf(self) -> Optional[CompanionResult]:
        """The updated SRDF."""
        return next((followed for followed in self.companions if followed.name == "SRDF"), None)


class ExtensionRequest(Record):
    """The request of a run to its extension: option values, file names, and which files to write.

    Attributes:
        choices: the values of its options by name; {} if none is set.
        path: the name of the input; relative mesh names in `Result.before` are relative to its folder.
        output: the name of the resulting URDF; relative mesh names in `Result.after` are relative to its folder; ""
            for standard output.
        writes: whether the run writes all its files; False if it only shows, and writes only the files that
            `with_dry_run` names.
        spelled: how the caller spells an option, for messages.
        exports: whether further files are made; False if the run only shows the changes.
    """

    choices: Choices
    path: str
    output: str
    writes: bool = True
    spelled: Callable[[str], str] = as_flag
    exports: bool = True


# A function called now and then with the name of a mesh and its number of triangles.
Progress = Optional[Show]


class RunExtension(Record):
    """The features that the package adds to a run.

    Attributes:
        table: the options of all commands.
        outputs: the names of options whose value is a file that `export` makes.
        mesh_converter: takes the mesh options; returns how meshes are made.
        export: takes the run and the progress display; returns the further files, before anything is written.
        as_urdf: takes an input, its name, and the place for meshes inside it; returns a URDF of it, or the input if it
            is one.
        companions: the documents to update.
        shows: takes the run and whether colors are allowed; returns further displays by the answer that opens them.
        change: takes the run; returns it with further verified changes of its result; called before `export`.
        spelled: how the command line spells an option, by its name.
    """

    table: Rows
    outputs: Texts
    mesh_converter: Callable[[ExtensionRequest, MeshOptions], MeshConverter]
    export: Callable[[ExtensionRequest, Result, Progress], ExportedFiles]
    as_urdf: Callable[[bytes, str, Optional[InputMeshFolder]], UrdfOfInput] = lambda source, *_: (
        UrdfOfInput(source)
    )
    companions: Callable[[ExtensionRequest], Tuple[CompanionFile, ...]] = lambda _: ()
    shows: Callable[[ExtensionRequest, Result, str], Shows] = lambda *_: {}
    change: Callable[[ExtensionRequest, Result, MeshMakingSettings], Result] = (
        lambda asked, result, making: result
    )
    spelled: Callable[[str], str] = as_flag
