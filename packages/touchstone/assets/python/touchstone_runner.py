"""Runs one function of a Python file for Touchstone: one JSON document a line, in and out.

Started as: python touchstone_runner.py <file> <export>. Standard library only, Python 3.9 or later.
The first line that it writes says whether the file could be imported. Then each line that it reads is a request of
touchstone.agent/1, and each line that it writes is the answer to one: tool calls, an output, or an error.
"""
import asyncio
import importlib
import inspect
import json
import os
import sys
import traceback

LONGEST_MESSAGE = 8192


def take_over_pipes():
    """Keeps the pipes of the protocol. What the program prints goes to stderr, and it reads nothing."""
    requests = os.fdopen(os.dup(0), "r", encoding="utf-8", newline="\n")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return requests, answers


class ToolError(Exception):
    """Raised by `ctx.tools.call` when there is no outcome. `status` is "error" or "forbidden"."""

    def __init__(self, tool_id, status, message):
        super().__init__(message or f'Tool {tool_id} answered "{status}".')
        self.tool_id = tool_id
        self.status = status


class Tools:
    """The tools that the agent may use."""

    def __init__(self, context):
        self._context = context
        self.offered = context._request.get("tools", [])

    def call(self, tool_id, inputs=None):
        """Gives back the tool's outcome; raises ToolError when there is none."""
        context = self._context
        call = {"callId": "1", "toolId": str(tool_id), "inputs": inputs}
        context._write({"toolCalls": [call], **context._reports()})
        result = context._read()["toolResults"][0]
        if result["status"] != "ok":
            raise ToolError(tool_id, result["status"], result.get("error"))
        return result.get("outcome")


# How Python writes the members of a usage report, beside the names of the protocol.
SNAKE = {
    "input_tokens": "inputTokens",
    "output_tokens": "outputTokens",
    "cost_usd": "costUsd",
    "cache_hit": "cacheHit",
}


class Context:
    """What an agent is given besides its input."""

    def __init__(self, request, read, write):
        self._request = request
        self._read = read
        self._write = write
        self._usage = []
        self._reasoning = []
        self._confidence = None
        self._refused = False
        self._refusal = None
        self.run_id = request.get("runId")
        self.invocation_id = request.get("invocationId")
        self.memory = request.get("memory", [])
        self.tools = Tools(self)

    def usage(self, report=None, **members):
        """Reports one model call: provider, model, inputTokens, outputTokens, and costUsd when it is known."""
        entry = {SNAKE.get(name, name): value for name, value in {**(report or {}), **members}.items()}
        json.dumps(entry, allow_nan=False)
        self._usage.append(entry)

    def reason(self, text):
        """Adds to the reasoning that is shown for this invocation."""
        self._reasoning.append(str(text))

    def confidence(self, value):
        """How sure the agent is of its answer, from 0 to 1."""
        if not 0 <= value <= 1:
            raise ValueError("Confidence is a number from 0 to 1.")
        self._confidence = value

    def refuse(self, output=None):
        """Makes the answer a refusal, and hands its argument back."""
        self._refused = True
        self._refusal = output
        return output

    def _reports(self):
        """What was reported since the last turn."""
        reports = {}
        if self._usage:
            reports["usage"] = self._usage
        if self._reasoning:
            reports["reasoning"] = "\n".join(self._reasoning)
        self._usage, self._reasoning = [], []
        return reports

    def _answer(self, output):
        answer = {"output": self._refusal if output is None else output, **self._reports()}
        if self._refused:
            answer["refused"] = True
        if self._confidence is not None:
            answer["confidence"] = self._confidence
        return answer


def import_file(path):
    """Imports a file by its name; one in a package by its full name, so that relative imports work."""
    folder, file = os.path.split(path)
    name = os.path.splitext(file)[0]
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, package = os.path.split(folder)
        name = f"{package}.{name}"
    sys.path.insert(0, folder)
    return importlib.import_module(name)


def choose(module, name):
    chosen = getattr(module, name, None)
    if callable(chosen):
        return chosen
    names = [key for key, value in vars(module).items() if inspect.isfunction(value)]
    raise AttributeError(f'The file has no function "{name}". It has: {", ".join(names) or "none"}.')


def takes_context(function):
    """Whether it has room for a second argument."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return True
    places = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    return len(places) > 1 or any(one.kind is one.VAR_POSITIONAL for one in parameters)


def describe(error, folder):
    """Type, message, and the last place in the author's own files."""
    told = {"type": type(error).__name__, "message": str(error)[:LONGEST_MESSAGE].replace(folder + os.sep, "")}
    at = place_of(error, folder)
    return {**told, "at": at} if at else told


def place_of(error, folder):
    if isinstance(error, SyntaxError) and error.filename:
        return own_place(error.filename, error.lineno, folder)
    frames = traceback.extract_tb(error.__traceback__)
    places = (own_place(frame.filename, frame.lineno, folder) for frame in reversed(frames))
    return next((place for place in places if place), None)


def own_place(file, line, folder):
    inside = os.path.relpath(os.path.realpath(file), os.path.realpath(folder))
    if inside.startswith(os.pardir) or "site-packages" in inside.split(os.sep):
        return None
    return f"{inside}:{line}"


def main():
    path, export = os.path.abspath(sys.argv[1]), sys.argv[2]
    folder = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else os.path.dirname(path)
    requests, answers = take_over_pipes()
    # A cache beside the file would be one more file of the agent.
    sys.dont_write_bytecode = True

    def write(document):
        text = json.dumps(document, ensure_ascii=False, allow_nan=False)
        sys.stderr.flush()
        answers.write(text + "\n")
        answers.flush()

    def read():
        line = requests.readline()
        if line == "":
            sys.exit(0)
        return json.loads(line)

    try:
        function = choose(import_file(path), export)
    except BaseException as error:
        write({"error": describe(error, folder)})
        return
    write({"ready": True})
    loop = None
    with_context = takes_context(function)
    while True:
        request = read()
        context = Context(request, read, write)
        try:
            output = function(request.get("input"), context) if with_context else function(request.get("input"))
            if inspect.isawaitable(output):
                loop = loop or asyncio.new_event_loop()
                asyncio.set_event_loop(loop)
                output = loop.run_until_complete(output)
            write(context._answer(output))
        except Exception as error:
            write({"error": describe(error, folder), **context._reports()})


main()
