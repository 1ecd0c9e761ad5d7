"""JSON-RPC 2.0 and the Model Context Protocol: one line in, the message or the error of it; no file, no tool.

The protocol has two eras (modelcontextprotocol.io, "Versioning"). Up to 2025-11-25 a client begins with `initialize`, and
both sides agree on a version. From 2026-07-28 on nothing is agreed on: each request names its version in `_meta`, and
`server/discover` lists the versions. This program serves both.
"""

from __future__ import annotations

import json
from typing import Any, Dict, List, NoReturn, Optional, Union

from ...base.type_aliases import Json
from ...base.version import __version__

WITH_HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
WITHOUT_HANDSHAKE = ("2026-07-28",)
# JSON-RPC 2.0, section 5.1; the last code is of the protocol ("Error codes" of 2026-07-28).
PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
UNSUPPORTED_VERSION = -32022
# The keys of `_meta` that the protocol reserves.
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
SERVER_KEY = "io.modelcontextprotocol/serverInfo"
SERVER = {"name": "urdf-simplify", "title": "urdf_simplify", "version": __version__}
CAPABILITIES: Json = {"tools": {}}
# Whoever reads a list again gets the same one: the options change with the release alone.
CACHED: Json = {"ttlMs": 3_600_000, "cacheScope": "private"}
# Longer numbers are no options of a tool, and old Pythons take minutes to read one of a million digits.
MOST_DIGITS = 400

RequestId = Union[str, int, float]


class McpProtocolError(Exception):
    """An error of JSON-RPC: its code, its sentence, and data for the client."""

    def __init__(self, code: int, message: str, data: Optional[Json] = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


def message_of(line: bytes) -> Any:
    """Return the JSON of a line.

    Raises:
        ProtocolError: the line is no JSON in UTF-8.
    """
    try:
        # A mark of the byte order is no JSON (RFC 8259, section 8.1), and some shells of Windows begin with one.
        text = line.decode("utf-8-sig")
        return json.loads(
            text, parse_int=_integer, parse_float=_real, parse_constant=_refuse_constant
        )
    except RecursionError:
        raise McpProtocolError(PARSE_ERROR, "this JSON is nested too deeply") from None
    except ValueError as error:
        raise McpProtocolError(PARSE_ERROR, f"this line is not JSON in UTF-8: {error}") from None


def _integer(digits: str) -> int:
    """Return a whole number that is not too long.

    Raises:
        ValueError: it has more digits than any option of a tool.
    """
    _refuse_long(digits)
    return int(digits)


def _real(digits: str) -> float:
    """Return a finite number: 1e999 would be written again as a word that is no JSON.

    Raises:
        ValueError: it is too long, or too large.
    """
    _refuse_long(digits)
    value = float(digits)
    if value in (float("inf"), -float("inf")):
        raise ValueError(f"the number {digits} is too large")
    return value


def _refuse_long(digits: str) -> None:
    """Raise ValueError for a number with too many digits."""
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"a number has {len(digits)} digits, and at most {MOST_DIGITS} are read")


def _refuse_constant(word: str) -> NoReturn:
    """Raise ValueError for NaN and Infinity, which are words of Python and not of JSON."""
    raise ValueError(f"{word} is no number of JSON")


def line_of(message: Any) -> bytes:
    """Return a message as one line: ASCII, as every reader of UTF-8 takes it, also of names that are no Unicode."""
    return json.dumps(message, allow_nan=False, separators=(",", ":")).encode("ascii") + b"\n"


def request_id_of(message: Any) -> Optional[RequestId]:
    """Return the id of a request, None for a message without a valid one."""
    given = message.get("id") if isinstance(message, dict) else None
    is_number = isinstance(given, (int, float)) and not isinstance(given, bool)
    return given if isinstance(given, str) or is_number else None


def check_request(message: Any) -> None:
    """Check the form of a message that is no response.

    Raises:
        ProtocolError: the message is neither a request nor a notification.
    """
    if not isinstance(message, dict):
        raise McpProtocolError(INVALID_REQUEST, "a message is a JSON object")
    if message.get("jsonrpc") != "2.0":
        raise McpProtocolError(INVALID_REQUEST, 'a message has "jsonrpc": "2.0"')
    if not isinstance(message.get("method"), str):
        raise McpProtocolError(INVALID_REQUEST, 'a request has a "method", which is a text')
    if "id" in message and request_id_of(message) is None:
        raise McpProtocolError(INVALID_REQUEST, "the id of a request is a text or a number")
    if not isinstance(message.get("params", {}), dict):
        raise McpProtocolError(INVALID_PARAMS, "params is a JSON object")


def is_response(message: Any) -> bool:
    """Return True for an answer. This server sends no requests, and must not answer an answer."""
    return (
        isinstance(message, dict)
        and "method" not in message
        and ("result" in message or "error" in message)
    )


def has_no_handshake(params: Json) -> bool:
    """Return True for a request that names its version itself, as from 2026-07-28 on.

    Raises:
        ProtocolError: it names a version that this server does not know, or lacks what such a request must have.
    """
    meta = params.get("_meta")
    if not isinstance(meta, dict) or VERSION_KEY not in meta:
        return False
    version = meta[VERSION_KEY]
    if not isinstance(version, str):
        raise McpProtocolError(INVALID_PARAMS, f"{VERSION_KEY} is a text")
    if version not in WITHOUT_HANDSHAKE:
        supported = {"supported": [*WITHOUT_HANDSHAKE], "requested": version}
        raise McpProtocolError(UNSUPPORTED_VERSION, f"unsupported version '{version}'", supported)
    if not isinstance(meta.get(CAPABILITIES_KEY), dict):
        raise McpProtocolError(INVALID_PARAMS, f"_meta lacks {CAPABILITIES_KEY}, a JSON object")
    return True


def initialized(params: Json, instructions: str) -> Json:
    """Return the answer to `initialize`: the version of the client, or the newest one that has a handshake.

    Raises:
        ProtocolError: the client names no version.
    """
    version = params.get("protocolVersion")
    if not isinstance(version, str):
        raise McpProtocolError(
            INVALID_PARAMS, "initialize needs a protocolVersion, which is a text"
        )
    return {
        "protocolVersion": version if version in WITH_HANDSHAKE else WITH_HANDSHAKE[-1],
        "capabilities": CAPABILITIES,
        "serverInfo": SERVER,
        "instructions": instructions,
    }


def discovered(instructions: str) -> Json:
    """Return the answer to `server/discover`: the versions without a handshake, and what the server can do."""
    return {
        **CACHED,
        "supportedVersions": [*WITHOUT_HANDSHAKE],
        "capabilities": CAPABILITIES,
        "instructions": instructions,
    }


def as_newer(result: Json) -> Json:
    """Return a result with what each result has from 2026-07-28 on."""
    return {"resultType": "complete", "_meta": {SERVER_KEY: SERVER}, **result}


def answer_of(request: Optional[RequestId], result: Json) -> Json:
    """Return the message that answers a request."""
    return {"jsonrpc": "2.0", "id": request, "result": result}


def error_of(request: Optional[RequestId], error: McpProtocolError) -> Json:
    """Return the message of an error; `request` is None if the id of the request cannot be read."""
    content: Dict[str, Any] = {"code": error.code, "message": str(error)}
    if error.data is not None:
        content["data"] = error.data
    return {"jsonrpc": "2.0", "id": request, "error": content}


def messages_in(message: Any) -> List[Any]:
    """Return the messages of a batch, which versions up to 2025-03-26 know.

    Raises:
        ProtocolError: the batch is empty (JSON-RPC 2.0, section 6).
    """
    if not message:
        raise McpProtocolError(INVALID_REQUEST, "a batch has a message")
    return list(message)
