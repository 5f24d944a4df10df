"""The official Python client against `gemicro mcp`: over stdio in both lifecycles, and over streamable HTTP.

Arguments: the program, a folder whose agent waits for the file `go`, the address of an HTTP server, its token.
"""

import asyncio
import json
import os
import sys

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

PROGRAM, FOLDER, URL, TOKEN = sys.argv[1:5]
GO = os.path.join(FOLDER, "go")

SUCCESS = {"success", "tool", "SESSION_ID", "result", "duration"}
FAILURE = {"success", "tool", "error", "error_kind", "error_detail", "duration"}
DETAIL = {"message", "exit_code", "last_lines", "idle_timeout_s", "max_duration_s", "retries"}
BATCH = {"success", "tool", "response_id", "status", "results", "next_poll_interval_seconds", "counts"}
PARAMETERS = {
    "PROMPT": ("string", None),
    "cd": ("string", None),
    "sandbox": ("string", "workspace-write"),
    "yolo": ("boolean", True),
    "SESSION_ID": ("string", None),
    "model": ("string", "gemini-3-pro-preview"),
    "return_all_messages": ("boolean", False),
    "return_metrics": ("boolean", False),
    "timeout": ("integer", 300),
    "max_duration": ("integer", 1800),
    "max_retries": ("integer", 1),
    "log_metrics": ("boolean", False),
}


def stdio(*more):
    server = StdioServerParameters(command=PROGRAM, args=["mcp", *more], env=dict(os.environ))
    return stdio_client(server)


def answer(result):
    """The JSON object of a tool; text and structured content are the same."""
    assert len(result.content) == 1 and result.content[0].type == "text", result
    value = json.loads(result.content[0].text)
    assert value == result.structured_content, result
    assert result.is_error == (not value["success"]), result
    return value


def wait_for_go(is_open):
    if is_open:
        open(GO, "w").close()
    elif os.path.exists(GO):
        os.remove(GO)


async def check_lists(client):
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    names = ["gemini", "claude", "codex", "research", "run_status", "run_result", "run_cancel"]
    names += ["batch_submit", "batch_poll", "pipeline_start", "run_pause", "run_resume", "inbox"]
    assert list(tools) == names, list(tools)
    schema = tools["gemini"].input_schema
    assert schema["additionalProperties"] is False and schema["required"] == ["PROMPT", "cd"], schema
    found = {name: (it["type"], it.get("default")) for name, it in schema["properties"].items()}
    assert found == PARAMETERS, found
    prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
    assert prompts == ["consult", "review", "execute"], prompts
    prompt = await client.get_prompt("review", {"tasks": "One\nTwo", "language": "zh"})
    assert "1. One\n2. Two" in prompt.messages[0].content.text, prompt


async def check_calls(client):
    wait_for_go(True)
    told = []

    async def progress(value, total, message):
        told.append(value)

    arguments = {"PROMPT": "Do it", "cd": FOLDER}
    value = answer(await client.call_tool("gemini", arguments, progress_callback=progress))
    assert set(value) == SUCCESS, value
    assert told and told == sorted(set(told)), told
    more = {"return_metrics": True, "return_all_messages": True}
    value = answer(await client.call_tool("gemini", arguments | more))
    assert set(value) == SUCCESS | {"metrics", "all_messages"}, value
    value = answer(await client.call_tool("gemini", {"PROMPT": "Do it", "cd": "relative"}))
    assert set(value) == FAILURE and set(value["error_detail"]) == DETAIL, value
    assert value["error_kind"] == "invalid_input", value
    value = answer(await client.call_tool("gemini", arguments | {"max_retries": -1}))
    assert value["error_kind"] == "invalid_input" and "`max_retries`" in value["error"], value
    try:
        await client.call_tool("nobody", {})
    except MCPError as error:
        assert error.error.code == -32602, error.error
    else:
        raise AssertionError("an unknown tool answered")


async def check_still_running(client):
    wait_for_go(False)
    value = answer(await client.call_tool("gemini", {"PROMPT": "Do it", "cd": FOLDER}))
    assert value["error_kind"] == "still_running", value
    assert set(value["error_detail"]) == DETAIL | {"run_id"}, value
    run = {"run_id": value["error_detail"]["run_id"]}
    status = answer(await client.call_tool("run_status", run))
    assert status["status"] == "running", status
    wait_for_go(True)
    while True:
        value = answer(await client.call_tool("run_result", run))
        if value.get("error_kind") != "still_running":
            break
    assert set(value) == SUCCESS, value


async def check_batches(client):
    def shell(name, command):
        return {"task_id": name, "type": "execute_shell_command", "parameters": {"command": command}}

    tasks = [shell("b", "echo got ${a.output.stdout}"), shell("a", "echo hello"), {**shell("c", "x"), "type": "nothing"}]
    value = answer(await client.call_tool("batch_submit", {"tasks": tasks, "cd": FOLDER, "on_failure": "continue"}))
    assert set(value) == BATCH, value
    batch = {"response_id": value["response_id"]}
    while value["status"] == "pending":
        value = answer(await client.call_tool("batch_poll", batch | {"wait_seconds": 40}))
        assert set(value) == BATCH, value
    states = [(item["task_id"], item["state"]) for item in value["results"]]
    assert states == [("b", "completed"), ("a", "completed"), ("c", "rejected")], value
    assert value["results"][0]["output"]["stdout"] == "got hello\n", value
    assert answer(await client.call_tool("batch_poll", batch)) == value
    for tool, arguments in [
        ("batch_submit", {"tasks": tasks, "cd": "relative"}),
        ("batch_submit", {"tasks": [tasks[0]], "cd": FOLDER}),
        ("batch_poll", batch | {"wait_seconds": 41}),
    ]:
        value = answer(await client.call_tool(tool, arguments))
        assert set(value) == FAILURE and value["error_kind"] == "invalid_input", value
    value = answer(await client.call_tool("batch_poll", {"response_id": "zzzzzzzz"}))
    assert value["error_kind"] == "not_found", value


async def check(name, connect, mode):
    async with Client(connect, mode=mode) as client:
        await check_lists(client)
        await check_calls(client)
        await check_still_running(client)
        await check_batches(client)
        print(name, mode, client.session.protocol_version)


async def main():
    for mode in ["legacy", "auto"]:
        await check("stdio", stdio("--answer-within", "2"), mode)
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
            await check("http", streamable_http_client(URL, http_client=http), mode)
    async with httpx2.AsyncClient() as http:
        refused = await http.post(URL, json={})
        assert refused.status_code == 401, refused
    print("all passed")


asyncio.run(main())
