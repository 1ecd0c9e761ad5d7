"""The SRDF as a companion of a run: read before the plan, updated after it, and verified."""
import os
from functools import partial

from ..base.errors import ProofFailed
from ..plan.decisions import Plan
from ..run.records import Companion, Followed
from ..run.destinations import Destination
from ..urdf.lossless_xml import Document, parse_document
from ..urdf.xml_edits import copy_document
from ..verify.comparison import Comparison
from .follow import find_srdf_needs, follow_srdf
from .verify import srdf_proof_line, verify_srdf


def default_srdf_output(output: str) -> str:
    """Return the name of the output with `.srdf`, or "" if there is none."""
    return f"{os.path.splitext(output)[0]}.srdf" if output else ""


def srdf_companion(source: bytes, path: str, output: str = "", *, spelled: str = "srdf_output", is_named: bool = False
                   ) -> Companion:
    """Return an SRDF as a companion for a run.

    Args:
        source, path: its bytes and its name.
        output: the name of its result, "" if none is written.
        spelled: how the caller spells the option that names the result.
        is_named: that option was given.

    Raises:
        MalformedXml: it is not XML.
    """
    document = parse_document(source, path)
    return Companion(Destination(spelled, output, path), is_named, partial(find_srdf_needs, document),
                     partial(_follow, document, source, output))


def _follow(before: Document, source: bytes, output: str, plan: Plan, comparison: Comparison) -> Followed:
    document = copy_document(before)
    updates = follow_srdf(document, plan)
    data = document.to_bytes()
    if before.to_bytes() != source:
        raise ProofFailed("a pass edited the input", before.path)
    after = parse_document(data, before.path)
    proof = verify_srdf(before, after, comparison, updates.warnings)
    return Followed("SRDF", output, updates, before, after, source, data, proof, srdf_proof_line(proof))
