"""`mcp`: answer the requests of an assistant, a line each, until standard input ends.

One thread reads lines. Requests of a tool take seconds and are answered by other threads, a few at once, each from a process of
its own; all other requests are answered at once, also while tools run.
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any, BinaryIO, Callable, Dict, Iterator, List, Optional

from ...base.errors import UsageError
from ...base.type_aliases import Json
from ...cli.run_command_line import NOT_DONE, WRITTEN
from .call_processes import CallOutcome, CallProcess, OF_CALL, run_here, SECONDS
from .mcp_protocol import (
    answer_of,
    as_newer,
    CACHED,
    check_request,
    discovered,
    error_of,
    has_no_handshake,
    initialized,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    is_response,
    line_of,
    message_of,
    messages_in,
    METHOD_NOT_FOUND,
    McpProtocolError,
    request_id_of,
    RequestId,
)
from .mcp_tools import call_of, tool_json, TOOLS

WRITE = "--write"
ANSWERED = (WRITTEN, NOT_DONE)  # exit statuses with an answer: 1 is a finding, or another robot
ERROR = "error: "  # in front of each sentence of a refusal at a terminal
MOST_BYTES = 4 * 2**20  # of a request; the longest options are names of links and joints
AT_ONCE = 4  # calls that run at the same time; others wait
CALL = "tools/call"
INSTRUCTIONS = (
    "Robot descriptions (URDF, xacro, MJCF, SDF, USD) below the folder {folder}; paths are relative to it. Lint a file after "
    "each edit; compare it with the file before if the motion was not to change; explain a finding or the error of a "
    "simulator. {writing}"
)
DRY = "simplify, edit and export are dry runs: they say what they would do, and write nothing."
WRITING = "simplify, edit and export write their files, unless dry_run is true: show the user a dry run first."


def run(words: List[str]) -> int:
    """Serve the folder in which the program was started, until standard input ends; return the exit status.

    Raises:
        UsageError: a word that is no option of the command.
    """
    if words == [OF_CALL]:
        return run_here()
    others = [word for word in words if word != WRITE]
    if others:
        raise UsageError(
            f"mcp takes {WRITE} alone, not '{others[0]}': it serves the folder it is started in"
        )
    if sys.stdin is None:
        raise UsageError("standard input is closed", "<stdin>")
    wire = sys.stdout.buffer
    # Whatever else is printed must not be taken for the protocol.
    sys.stdout = sys.stderr
    McpServer(os.getcwd(), wire, writes=WRITE in words).serve(sys.stdin.buffer)
    return WRITTEN


class McpServer:
    """A server of one folder and one client."""

    def __init__(
        self, folder: str, wire: BinaryIO, *, writes: bool, seconds: float = SECONDS
    ) -> None:
        """Begin without a request.

        Args:
            folder: below which files are read.
            wire: takes the lines of the answers.
            writes: whether tools may write files there.
            seconds: after which a call is ended.
        """
        self.folder = folder
        self.writes = writes
        self.seconds = seconds
        self._wire = wire
        self._lock = Lock()  # of the wire and of the running calls
        self._running: Dict[RequestId, CallProcess] = {}
        self._is_closed = False
        self._methods: Dict[str, Callable[[Json], Json]] = {
            "initialize": lambda params: initialized(params, self._instructions()),
            "server/discover": lambda params: discovered(self._instructions()),
            "ping": lambda params: {},
            "tools/list": self._listed,
        }

    def serve(self, source: BinaryIO) -> None:
        """Answer each line of a stream; return when it ended and all calls are answered, or nobody reads the answers."""
        threads = ThreadPoolExecutor(AT_ONCE)
        try:
            for line in lines_of(source):
                if self._is_closed:
                    break
                if isinstance(line, McpProtocolError):
                    self._send(error_of(None, line))
                elif line:
                    self._take(line, threads)
            if not self._is_closed:
                threads.shutdown(wait=True)
        finally:
            # Also at Ctrl-C and SIGTERM: no process outlives the server.
            self._end_all()
            threads.shutdown(wait=True)

    def _take(self, line: bytes, threads: ThreadPoolExecutor) -> None:
        """Answer a line now, or in a thread if it calls a tool."""
        try:
            message = message_of(line)
            batch = messages_in(message) if isinstance(message, list) else None
        except McpProtocolError as error:
            self._send(error_of(None, error))
            return
        messages = [message] if batch is None else batch
        calls = [each for each in messages if is_call(each)]
        for call in calls:
            request = request_id_of(call)
            if request is not None:
                with self._lock:
                    self._running[request] = CallProcess()
        if calls:
            threads.submit(self._answer, messages, is_batch=batch is not None)
        else:
            self._answer(messages, is_batch=batch is not None)

    def _answer(self, messages: List[Any], *, is_batch: bool) -> None:
        """Send the answers to messages. A batch gets one list of answers (JSON-RPC 2.0, section 6)."""
        answers = []
        for message in messages:
            answer = self.answer_to(message)
            if answer is not None:
                answers.append(answer)
            if is_call(message):
                self._forget(request_id_of(message))
        if answers:
            self._send(answers if is_batch else answers[0])

    def answer_to(self, message: Any) -> Optional[Json]:
        """Return the answer to a message, None for a notification, a response, or a request that was cancelled."""
        if is_response(message):
            return None
        request = request_id_of(message)
        try:
            check_request(message)
            if "id" not in message:
                self._hear(message)
                return None
            params = message.get("params", {})
            is_newer = has_no_handshake(params)
            result = self._result_of(message["method"], params, request)
            if result is None:
                return None
            return answer_of(request, as_newer(result) if is_newer else result)
        except McpProtocolError as error:
            return error_of(request, error)
        except Exception as error:  # a fault of this program must not end the server
            sentence = f"a fault of urdf_simplify: {type(error).__name__}: {error}"
            return error_of(request, McpProtocolError(INTERNAL_ERROR, sentence))

    def _result_of(self, method: str, params: Json, request: Optional[RequestId]) -> Optional[Json]:
        """Return the result of a request, None if it was cancelled.

        Raises:
            ProtocolError: the method or the tool does not exist, or the parameters have a wrong form.
        """
        if method == CALL:
            return self._called(params, request)
        if method not in self._methods:
            raise McpProtocolError(METHOD_NOT_FOUND, f"there is no method '{method}'")
        return self._methods[method](params)

    def _instructions(self) -> str:
        """Return what an assistant should know before it calls a tool."""
        return INSTRUCTIONS.format(folder=self.folder, writing=WRITING if self.writes else DRY)

    def _listed(self, params: Json) -> Json:
        """Return the tools.

        Raises:
            McpProtocolError: the client requests another page, and there is only one.
        """
        if params.get("cursor") is not None:
            raise McpProtocolError(INVALID_PARAMS, "all tools are on one page: there is no cursor")
        tools = [tool_json(tool, writes=self.writes) for tool in TOOLS.values()]
        return {**CACHED, "tools": tools}

    def _called(self, params: Json, request: Optional[RequestId]) -> Optional[Json]:
        """Return the result of a call of a tool, None if it was cancelled.

        Raises:
            ProtocolError: there is no such tool, or the arguments are no object.
        """
        name = params.get("name")
        tool = TOOLS.get(name) if isinstance(name, str) else None
        if tool is None:
            known = ", ".join(TOOLS)
            raise McpProtocolError(INVALID_PARAMS, f"there is no tool {name!r}; there are {known}")
        given = params.get("arguments")
        if given is None:
            given = {}
        if not isinstance(given, dict):
            raise McpProtocolError(INVALID_PARAMS, "the arguments of a tool are a JSON object")
        try:
            call = call_of(tool, given, self.folder, writes=self.writes)
        except UsageError as error:
            return refused(str(error))
        # Two requests of one id: the first that ended has taken the process.
        process = self._process_of(request) or CallProcess()
        if process.is_cancelled:
            return None
        try:
            outcome = process.run(call, self.folder, writes=self.writes, seconds=self.seconds)
        except OSError as error:
            return refused(f"{tool.verb} cannot be started: {error.strerror or error}")
        return None if process.is_cancelled else result_of(outcome)

    def _process_of(self, request: Optional[RequestId]) -> Optional[CallProcess]:
        """Return the process of a request that waits or runs, None for another."""
        with self._lock:
            return None if request is None else self._running.get(request)

    def _forget(self, request: Optional[RequestId]) -> None:
        """Forget a request that is answered: it can no longer be cancelled."""
        if request is not None:
            with self._lock:
                self._running.pop(request, None)

    def _hear(self, message: Json) -> None:
        """Act on a notification: end the call that the client cancels; nothing follows from any other."""
        if message["method"] != "notifications/cancelled":
            return
        request = request_id_of({"id": message.get("params", {}).get("requestId")})
        process = self._process_of(request)
        if process is not None:
            process.cancel()

    def _end_all(self) -> None:
        """End all calls, also those that wait."""
        with self._lock:
            running = [*self._running.values()]
        for process in running:
            process.cancel()

    def _send(self, message: Any) -> None:
        """Write a message; after the client has closed the pipe nothing is written any more."""
        data = line_of(message)
        with self._lock:
            try:
                self._wire.write(data)
                self._wire.flush()
            except (OSError, ValueError):
                self._is_closed = True


def is_call(message: Any) -> bool:
    """Return True for a request that calls a tool."""
    return isinstance(message, dict) and message.get("method") == CALL


def lines_of(source: BinaryIO) -> Iterator[Any]:
    """Yield the lines of a stream without their line ends, and an error in the place of a line that is too long."""
    while True:
        line = source.readline(MOST_BYTES + 1)
        if not line:
            return
        if len(line) > MOST_BYTES and not line.endswith(b"\n"):
            # The rest is read in parts, and never held as a whole.
            while line and not line.endswith(b"\n"):
                line = source.readline(MOST_BYTES)
            sentence = f"a request has at most {MOST_BYTES // 2**20} MiB"
            yield McpProtocolError(INVALID_REQUEST, sentence)
        else:
            yield line.strip()


def result_of(outcome: CallOutcome) -> Json:
    """Return the result of a call: the report as JSON and as text, or the sentences of a refusal."""
    if outcome.status not in ANSWERED or not (outcome.text or outcome.report):
        return refused(_sentences(outcome))
    result: Json = {
        "content": [_text("\n".join(filter(None, (outcome.text, outcome.errors))))],
        "isError": False,
    }
    if isinstance(outcome.report, dict):
        result["structuredContent"] = outcome.report
    return result


def _sentences(outcome: CallOutcome) -> str:
    """Return why a call gave no answer: the lines of its errors without their prefix, or its status."""
    lines = outcome.errors.split("\n") if outcome.errors else []
    if not lines:
        lines = [f"the call ended with status {outcome.status} and said nothing"]
    return "\n".join(line[len(ERROR) :] if line.startswith(ERROR) else line for line in lines)


def refused(sentence: str) -> Json:
    """Return the result of a call that cannot be carried out: an error that the assistant reads, not of the protocol."""
    return {"content": [_text(sentence)], "isError": True}


def _text(text: str) -> Json:
    """Return a text as a part of a result."""
    return {"type": "text", "text": text}
