"""The records of a run: its request, the additions of the package, and its result, also for documents such as an SRDF."""

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple, TYPE_CHECKING

from ..base.types import Choices, Show, Shows, Texts
from ..base.diagnostics import Notes
from ..base.option_table import as_flag, Rows
from ..base.record import Record

if TYPE_CHECKING:  # a command that makes no plan loads none of these
    from ..urdf.model import JointMap, UrdfRobot
    from ..urdf.lossless_xml import Document
    from ..plan.decisions import Plan
    from ..plan.edits import ReferenceUpdates
    from ..plan.mesh_tasks import FinishedFile
    from ..plan.needs import Need
    from ..plan.options import MeshOptions
    from ..meshing.converter import MeshConverter, MeshMaking
    from ..verify.comparison import ComparedTexts
    from ..verify.equivalence import EquivalenceProof
    from .destinations import Destination


class FollowedCompanion(Record):
    """The result of a run for a companion.

    Attributes:
        name: the kind of document in reports, such as SRDF; in lower case its key in the JSON.
        output: the name of its result, "" where none is written.
        updates: what was changed, and the warnings about what was not.
        before, after: the documents read from both texts.
        source, data: the bytes of both.
        proof: its figures; `proof_line` is the same in one line of text.
        added: in words what was added beside the updates, "" for nothing.
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


class Companion(Record):
    """A document that was read, and is updated by the plan of a robot.

    Attributes:
        destination: where its result is written, and its input; without a path it is not written.
        is_named: the caller named that path; it does not follow from the name of the output.
        needs: given the robot, by link, why it has to keep its frame.
        follow: given the plan, and both robots at zero, the updated document, verified.
    """

    destination: Destination
    is_named: bool
    needs: Callable[[UrdfRobot], Dict[str, Need]]
    follow: Callable[[Plan, ComparedTexts], FollowedCompanion]


class EditedRobot(Record):
    """What acts did.

    Attributes:
        verdict: the sentence of the proof.
        old_joints: names in the input by new ones.
        maps, locked: by names in the input, how joints count, and where they are locked [rad or m].
        dropped: the links of the input that are gone, with their masses [kg].
        described: both in the JSON of the run, by its keys.
    """

    verdict: str
    old_joints: Mapping[str, str] = {}
    maps: Mapping[str, JointMap] = {}
    locked: Mapping[str, float] = {}
    dropped: Mapping[str, float] = {}
    described: Mapping[str, Any] = {}


class ExportedFiles(Record):
    """What the package adds to a run; each of its exporters returns one.

    Attributes:
        files: name and bytes of each file to write; its folder may not exist yet.
        lines: lines on these files for the report on the terminal.
        warnings: what the user should know; `line` counts in the input, 0: no line of it.
        choices: the options of the package that were given; exporters leave that to `run_exports`.
        left: what remains to do.
        left_lines: given a style, that in lines, for the report and again for its end.
        finding_lines: given a style, the lint findings about the result; only a plan that shows all asks for them.
        changes: what was changed in the result, in phrases.
        tables: headlines with rows of what was changed.
        decided: the decisions for single exports, as `decision_text` writes them.
        edited: what acts did that the plan does not know.
        but_for: in phrases what keeps the verdict from being "the same robot": shapes that a file lacks, and repairs.
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


class MadeUrdf(Record):
    """A URDF that was made of an input in another format: how, in phrases, and what was lost; or the input itself.

    `files`: meshes that are inside the input, which the result names. `mark_lines` gives the elements of its document
    the lines of the input. `but_for`: its repairs, as in `ExportedFiles`.
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

    `companions` are the updated documents, `exported` is what the options of the package add.
    """

    plan: Plan
    before: UrdfRobot
    after: UrdfRobot
    proof: EquivalenceProof
    source: bytes
    data: bytes
    companions: Tuple[FollowedCompanion, ...] = ()
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
    def srdf(self) -> Optional[FollowedCompanion]:
        """The updated SRDF."""
        return next((followed for followed in self.companions if followed.name == "SRDF"), None)


class RunRequest(Record):
    """What a run requests from an extension.

    Attributes:
        choices: the values of its options by name; {} where none is known.
        path: the name of the input; relative mesh names in `Result.before` are relative to its folder.
        output: the name of the resulting URDF; relative mesh names in `Result.after` are relative to its folder; ""
            where it goes to standard output.
        writes: whether the run writes all its files; False where it only shows, and writes what `with_dry_run` names.
        spelled: how the caller spells an option, for messages.
        exports: whether further files are made; False where the run only shows what it would change.
    """

    choices: Choices
    path: str
    output: str
    writes: bool = True
    spelled: Callable[[str], str] = as_flag
    exports: bool = True


# Is called now and then with the name of a mesh and its triangles.
Progress = Optional[Show]


class Extension(Record):
    """What the package adds to a run.

    Attributes:
        table: the options of all commands.
        outputs: the names of those whose value is a file that `export` makes.
        mesh_converter: given the options of meshes, how meshes are made.
        export: given the run and what shows progress, the further files; nothing is written yet.
        as_urdf: given an input, its name, and the place for meshes inside it, a URDF of it; a URDF as it is.
        companions: the documents to update.
        shows: given the run and whether colors are wanted, what shows more of it, by name.
        change: given the run, the run with further changes of its result, verified; before `export`.
        spelled: how the command line spells an option, by its name.
    """

    table: Rows
    outputs: Texts
    mesh_converter: Callable[[RunRequest, MeshOptions], MeshConverter]
    export: Callable[[RunRequest, Result, Progress], ExportedFiles]
    as_urdf: Callable[[bytes, str, Optional[InputMeshFolder]], MadeUrdf] = lambda source, *_: (
        MadeUrdf(source)
    )
    companions: Callable[[RunRequest], Tuple[Companion, ...]] = lambda _: ()
    shows: Callable[[RunRequest, Result, str], Shows] = lambda *_: {}
    change: Callable[[RunRequest, Result, MeshMaking], Result] = lambda asked, result, making: (
        result
    )
    spelled: Callable[[str], str] = as_flag
