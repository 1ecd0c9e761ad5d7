"""PyPI's `mcp`, the client of the protocol's authors, speaks with the server in both eras of the protocol."""

import json
import sys

import golden
import pytest
from conftest import ROOT

anyio = pytest.importorskip("anyio", reason="no anyio, which mcp brings")
pytest.importorskip("mcp", reason="no mcp")
from mcp import Client, MCPError, StdioServerParameters  # noqa: E402 where it is installed
from mcp_types import jsonrpc_message_adapter  # noqa: E402

jsonschema = pytest.importorskip(
    "jsonschema", reason="no jsonschema, which check-jsonschema brings"
)

# What an assistant calls, and whether the answer is a refusal.
CALLS = [
    ("lint", {"files": ["humanoid/robot.urdf"], "level": "error"}, False),
    ("compare", {"a": "compare/reach.urdf", "b": "compare/reach_exported_again.urdf"}, False),
    ("explain", {"text": "mass and inertia of moving bodies must be larger than mjMINVAL"}, False),
    ("simplify", {"robot": "arm/robot.urdf", "keep": "tool0", "axis": {"elbow": "Y"}}, False),
    ("edit", {"robot": "arm/robot.urdf", "lock": {"elbow*": 0.1}, "flip": ["shoulder*"]}, False),
    ("export", {"robot": "arm/robot.urdf", "targets": ["a.xml", "a.sdf"], "base": "fixed"}, False),
    ("lint", {"files": ["../README.md"]}, True),
    ("simplify", {"robot": "arm/robot.urdf", "keep_frame": True}, True),
]


def server(*options):
    """Return how an assistant starts the server in the folder of the fixtures."""
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "urdf_tools", "mcp", *options],
        cwd=golden.FIXTURES,
        env={"PYTHONPATH": str(ROOT)},
    )


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
def test_a_client_lists_and_calls_all_tools(mode):
    async def session():
        async with Client(server(), mode=mode) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            for tool in tools.values():
                jsonschema.Draft202012Validator.check_schema(tool.input_schema)
            results = []
            for name, arguments, _ in CALLS:
                results.append(await client.call_tool(name, arguments))
            with pytest.raises(MCPError, match="there is no tool 'pairs'"):
                await client.call_tool("pairs", {})
            return client.protocol_version, tools, results

    version, tools, results = anyio.run(session)
    assert version == ("2025-11-25" if mode == "legacy" else "2026-07-28")
    assert set(tools) == {name for name, _, _ in CALLS}
    for (name, arguments, is_refused), result in zip(CALLS, results):
        assert result.is_error is is_refused, (name, result.content)
        assert result.content[0].text
        has_report = not is_refused and name != "explain"
        assert isinstance(result.structured_content, dict) is has_report
        # What is called rightly fits the schema, and a misspelled option does not.
        is_valid = jsonschema.Draft202012Validator(tools[name].input_schema).is_valid(arguments)
        assert is_valid is ("keep_frame" not in arguments)
    report = results[0].structured_content
    assert report["command"] == "lint" and report["counts"]["error"] > 0
    assert results[1].structured_content["verdict"] == "geometry"


def test_a_server_with_write_says_that_it_changes_files():
    async def listed():
        async with Client(server("--write")) as client:
            return (await client.list_tools()).tools

    writing = [tool.name for tool in anyio.run(listed) if tool.annotations.destructive_hint]
    assert writing == ["simplify", "edit", "export"]


def test_garbage_between_requests_harms_nothing():
    """The client reads each answer as a message of the protocol, also those to garbage."""

    async def session():
        process = await anyio.open_process(
            [sys.executable, "-m", "urdf_tools", "mcp"],
            cwd=golden.FIXTURES,
            env={"PYTHONPATH": str(ROOT)},
        )
        async with process:
            lines = [b"garbage", b"[]", b'{"id": 1}', b"\xff", b""]
            lines.append(json.dumps({"jsonrpc": "2.0", "id": 7, "method": "ping"}).encode())
            await process.stdin.send(b"\n".join(lines) + b"\n")
            await process.stdin.aclose()
            return b"".join([chunk async for chunk in process.stdout])

    messages = [
        jsonrpc_message_adapter.validate_json(line, by_name=False)
        for line in anyio.run(session).splitlines()
    ]
    assert [type(message).__name__ for message in messages] == ["JSONRPCError"] * 4 + [
        "JSONRPCResponse"
    ]
    assert messages[-1].id == 7
