"""mcp: any line gets its answer, whatever it holds, and the next one works; in this process, without the tools' own work."""

import io
import json
import sys
import threading
import time
from unittest import mock

import pytest
from conftest import examples
from hypothesis import example, given
from hypothesis import strategies as st

from urdf_tools.app.mcp import call_processes
from urdf_tools.app.mcp.call_processes import CallOutcome, CallProcess
from urdf_tools.app.mcp.mcp_protocol import CAPABILITIES_KEY, VERSION_KEY, WITH_HANDSHAKE
from urdf_tools.app.mcp.mcp_server import MOST_BYTES, McpServer
from urdf_tools.app.mcp.mcp_tools import rows_of_tool, tool_json, TOOLS
from urdf_tools.app.package_options import TABLE
from urdf_tools.app.function_signatures import rows_of_call, type_of
from urdf_tools.base.option_table import rows_of

NEWER = {VERSION_KEY: "2026-07-28", CAPABILITIES_KEY: {}}
DONE = CallOutcome(status=0, text="done", errors="", report={"format": 1})


def served(*lines, folder=".", **choices):
    """Return the answers of a server to lines, which are bytes, or messages to write as JSON."""
    wire = io.BytesIO()
    data = b"".join(
        (line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines
    )
    McpServer(str(folder), wire, writes=False, **choices).serve(io.BytesIO(data))
    # Nothing but the protocol: each line is JSON, in ASCII.
    return [json.loads(line) for line in wire.getvalue().decode("ascii").splitlines()]


def request(method, number=1, **params):
    """Return a request."""
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def call(name, number=1, **arguments):
    """Return a call of a tool."""
    return request("tools/call", number, name=name, arguments=arguments)


def error_code(*lines):
    """Return the code of the error that is the only answer to lines."""
    (answer,) = served(*lines)
    return answer["error"]["code"]


@pytest.fixture
def no_process(monkeypatch):
    """Answer each call without a process."""
    monkeypatch.setattr(CallProcess, "run", lambda *_, **__: DONE)


@pytest.mark.parametrize("version", WITH_HANDSHAKE)
def test_the_version_of_the_client_is_taken(version):
    (answer,) = served(request("initialize", protocolVersion=version, capabilities={}))
    assert answer["result"]["protocolVersion"] == version
    assert answer["result"]["capabilities"] == {"tools": {}}
    assert answer["result"]["serverInfo"]["name"] == "urdf-simplify"


@pytest.mark.parametrize("version", ["2026-07-28", "1.0", ""])
def test_to_another_version_the_newest_with_a_handshake_is_proposed(version):
    (answer,) = served(request("initialize", protocolVersion=version))
    assert answer["result"]["protocolVersion"] == WITH_HANDSHAKE[-1]


def test_a_request_without_a_handshake_names_its_version(no_process):
    discovered, listed, called, refused, incomplete = served(
        request("server/discover", 1, _meta=NEWER),
        request("tools/list", 2, _meta=NEWER),
        request("tools/call", 3, name="explain", arguments={"text": "no-mass"}, _meta=NEWER),
        request("tools/list", 4, _meta={**NEWER, VERSION_KEY: "2031-01-01"}),
        request("tools/list", 5, _meta={VERSION_KEY: "2026-07-28"}),
    )[:5]
    by_id = {answer["id"]: answer for answer in (discovered, listed, called, refused, incomplete)}
    assert by_id[1]["result"]["supportedVersions"] == ["2026-07-28"]
    for number in (1, 2, 3):
        assert by_id[number]["result"]["resultType"] == "complete"
    for number in (1, 2):
        assert by_id[number]["result"]["cacheScope"] == "private"
    assert by_id[4]["error"]["code"] == -32022
    assert by_id[4]["error"]["data"] == {"supported": ["2026-07-28"], "requested": "2031-01-01"}
    assert by_id[5]["error"]["code"] == -32602


def test_notifications_and_responses_get_no_answer():
    assert (
        served(
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}},
            {"jsonrpc": "2.0", "method": "notifications/cancelled"},
            {"jsonrpc": "2.0", "method": "of/another/time", "params": {"a": [1]}},
            {"jsonrpc": "2.0", "id": 1, "result": {}},
            {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": ""}},
            b"",
            b"\r",
        )
        == []
    )


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{", -32700),
        (b"\xff\xfe{}", -32700),
        (b"[" * 100_000, -32700),
        (b'{"id": ' + b"1" * 5000 + b"}", -32700),
        (b'{"id": NaN}', -32700),
        (b'{"id": 1e999}', -32700),
        (b"[]", -32600),
        (b"7", -32600),
        (b'"text"', -32600),
        (b"null", -32600),
        ({"id": 1, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": 1}, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": 5}, -32600),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": True, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": [1], "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}, -32602),
        (request("resources/list"), -32601),
        (request("prompts/list"), -32601),
        (request("tools/list", cursor="2"), -32602),
        (request("initialize"), -32602),
        (request("tools/call"), -32602),
        (request("tools/call", name=["lint"]), -32602),
        (call("pairs"), -32602),
        (request("tools/call", name="lint", arguments=["a.urdf"]), -32602),
    ],
    ids=lambda value: str(value)[:40],
)
def test_errors_of_the_protocol(line, code):
    assert error_code(line) == code


def test_a_request_that_is_too_long_is_skipped_and_not_held():
    huge = b'{"jsonrpc":"2.0","id":1,"method":"' + b"a" * (3 * MOST_BYTES) + b'"}'
    too_long, good = served(huge, request("ping", 2))
    assert (too_long["error"]["code"], too_long["id"]) == (-32600, None)
    assert good == {"jsonrpc": "2.0", "id": 2, "result": {}}


def test_lines_of_windows_and_a_mark_of_the_byte_order():
    line = json.dumps(request("ping", "é")).encode()
    answers = served(b"\xef\xbb\xbf" + line + b"\r", line + b"\r")
    assert [answer["id"] for answer in answers] == ["é", "é"]


def test_a_batch_has_one_answer_with_all(no_process):
    (answers,) = served(
        [
            request("ping", 1),
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            call("explain", 2, text="no-mass"),
            {},
        ]
    )
    assert [answer["id"] for answer in answers] == [1, 2, None]
    assert answers[1]["result"]["structuredContent"] == {"format": 1}


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inside: (
        st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=9), inside, max_size=3)
    ),
    max_leaves=6,
)
NAMES = st.sampled_from(
    ("initialize", "ping", "tools/list", "tools/call", "server/discover", "notifications/cancelled")
)
PARAMS = JSON_VALUES | st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from([*TOOLS, "view"]) | JSON_VALUES,
        "arguments": JSON_VALUES
        | st.dictionaries(
            st.sampled_from(["files", "a", "b", "text", "robot", "targets", "package", "lock"]),
            JSON_VALUES,
        ),
        "protocolVersion": JSON_VALUES,
        "requestId": JSON_VALUES,
        "_meta": JSON_VALUES | st.fixed_dictionaries({VERSION_KEY: JSON_VALUES}),
    },
)
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0"),
        "id": JSON_VALUES,
        "method": NAMES | JSON_VALUES,
        "params": PARAMS,
    },
)
LINES = (
    st.binary(max_size=40).map(lambda data: data.replace(b"\n", b""))
    | MESSAGES.map(lambda message: json.dumps(message).encode())
    | st.lists(MESSAGES, max_size=3).map(lambda messages: json.dumps(messages).encode())
)


def may_be_silent(line):
    """Return True for a line that asks nothing: a blank one, a notification, or a response."""
    try:
        found = json.loads(line)
    except ValueError:
        return not line.strip()
    messages = found if isinstance(found, list) else [found]
    return all(
        isinstance(message, dict) and ("id" not in message or {"result", "error"} & message.keys())
        for message in messages
    )


@examples(40, fuzzed=3000)
@given(LINES)
@example(
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lint","arguments":{"files":["\\u0000"]}}}'
)
@example(b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}')
@example(
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lint","arguments":{"files":["\\ud800"]}}}'
)
def test_any_line_is_answered_and_the_next_request_works(line):
    with mock.patch.object(CallProcess, "run", lambda *_, **__: DONE):
        answers = served(line, request("ping", "next"))
    last = {"jsonrpc": "2.0", "id": "next", "result": {}}
    assert last in answers
    others = [answer for answer in answers if answer != last]
    assert len(others) <= 1
    assert others or may_be_silent(line)
    for answer in others:
        for each in answer if isinstance(answer, list) else [answer]:
            assert ("result" in each) != ("error" in each)
            assert "fault" not in str(each.get("error"))


def test_a_fault_of_the_program_is_an_answer(monkeypatch):
    def fails(*_, **__):
        raise ZeroDivisionError("so")

    monkeypatch.setattr(CallProcess, "run", fails)
    first, second = served(call("explain", text="a"), call("explain", 2, text="a"))
    assert first["error"]["code"] == second["error"]["code"] == -32603
    assert "ZeroDivisionError: so" in first["error"]["message"]


SLEEPS = [sys.executable, "-c", "import sys, time; sys.stdin.read(); time.sleep(60)"]


def test_a_call_that_hangs_is_ended(monkeypatch):
    monkeypatch.setattr(call_processes, "_command", lambda: SLEEPS)
    (answer,) = served(call("explain", text="a"), seconds=0.3)
    assert answer["result"]["isError"] is True
    assert answer["result"]["content"][0]["text"].startswith("the call was ended after 0.3 s")


class Pipe(io.RawIOBase):
    """A stream whose lines come while the server works: functions are called in the place of a line."""

    def __init__(self, *steps):
        super().__init__()
        self.steps = list(steps)

    def readline(self, size=-1):
        while self.steps:
            step = self.steps.pop(0)
            if not callable(step):
                return json.dumps(step).encode() + b"\n"
            step()
        return b""


def test_a_call_is_cancelled_while_others_are_answered(monkeypatch):
    monkeypatch.setattr(call_processes, "_command", lambda: SLEEPS)
    started = threading.Event()
    real = CallProcess._started

    def start(self, *folders):
        process = real(self, *folders)
        started.set()
        return process

    monkeypatch.setattr(CallProcess, "_started", start)
    wire = io.BytesIO()
    begun = time.monotonic()
    McpServer(".", wire, writes=False).serve(
        Pipe(
            call("explain", "slow", text="a"),
            lambda: started.wait(20),
            request("ping", 2),
            {
                "jsonrpc": "2.0",
                "method": "notifications/cancelled",
                "params": {"requestId": "slow"},
            },
        )
    )
    assert [json.loads(line)["id"] for line in wire.getvalue().splitlines()] == [2]
    assert time.monotonic() - begun < 30


def test_a_client_that_is_gone_ends_the_server(monkeypatch):
    monkeypatch.setattr(call_processes, "_command", lambda: SLEEPS)

    class Closed(io.BytesIO):
        def write(self, data):
            raise BrokenPipeError

    begun = time.monotonic()
    steps = [call("explain", 1, text="a"), request("ping", 2), request("ping", 3)]
    McpServer(".", Closed(), writes=False).serve(Pipe(*steps))
    assert time.monotonic() - begun < 30


def test_a_tool_has_the_options_of_its_command_and_no_others():
    for name, tool in TOOLS.items():
        shown = tool_json(tool, writes=True)["inputSchema"]["properties"]
        own = {argument.name for argument in tool.arguments}
        known = {row.name for row in rows_of(name, TABLE)}
        assert own <= shown.keys() and shown.keys() - own <= known
    # Of commands that write, all options of the function in Python.
    for name in ("simplify", "edit", "export"):
        shown = tool_json(TOOLS[name], writes=True)["inputSchema"]["properties"]
        assert {row.name for row in rows_of_call(name, TABLE)} <= shown.keys()


def test_without_write_no_tool_has_an_option_that_writes():
    for tool in TOOLS.values():
        shown = tool_json(tool, writes=False)
        assert shown["annotations"]["readOnlyHint"] is True
        for row in rows_of_tool(tool.verb, writes=False):
            assert not row.is_output and row.name not in ("force", "yes", "dry_run", "report")
    writing = [name for name, tool in TOOLS.items() if not _is_read_only(tool)]
    assert writing == ["simplify", "edit", "export"]


def _is_read_only(tool):
    return tool_json(tool, writes=True)["annotations"]["readOnlyHint"]


@pytest.mark.parametrize(
    ("verb", "option", "schema"),
    [
        ("simplify", "keep_frames", {"type": "boolean", "default": False}),
        ("simplify", "merge", {"type": "boolean", "default": True}),
        ("simplify", "split", {"type": "string", "enum": ["color", "material"]}),
        ("simplify", "snap", {"type": "number", "default": 0.0001}),
        ("simplify", "srdf", {"type": "string"}),
        ("export", "visual_error", {"type": ["number", "string"], "default": 0.0}),
        (
            "simplify",
            "keep",
            {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
        ),
        (
            "edit",
            "lock",
            {
                "anyOf": [
                    {"type": "string"},
                    {"type": "object", "additionalProperties": {"type": ["number", "string"]}},
                    {"type": "array", "items": {"type": "string"}},
                ]
            },
        ),
        (
            "edit",
            "set",
            {
                "anyOf": [
                    {"type": "string"},
                    {"type": "object", "additionalProperties": {}},
                    {"type": "array", "items": {"type": "string"}},
                ]
            },
        ),
    ],
)
def test_the_schema_of_an_option_is_its_type_in_python(verb, option, schema):
    shown = dict(tool_json(TOOLS[verb], writes=False)["inputSchema"]["properties"][option])
    row = next(row for row in rows_of(verb, TABLE) if row.name == option)
    assert row.help in shown.pop("description")
    assert shown == schema, type_of(row)
