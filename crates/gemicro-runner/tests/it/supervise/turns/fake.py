#!/usr/bin/env python3
"""Speaks Claude Code's protocol. The first word of a prompt says what it does."""
import json, os, subprocess, sys, time, urllib.request

SESSION = "11111111-2222-3333-4444-555555555555"
n_turns = 0
is_hanging = False


def put(**message):
    print(json.dumps(message), flush=True)


def say(text):
    put(type="assistant", message={"role": "assistant", "content": [{"type": "text", "text": text}]}, session_id=SESSION)


def end(text, **more):
    usage = {"input_tokens": 10 * n_turns, "output_tokens": 1}
    facts = dict(subtype="success", is_error=False, num_turns=1, result=text, total_cost_usd=n_turns * 0.5, usage=usage)
    put(type="result", session_id=SESSION, **(facts | more))


def answer(text):
    say(text)
    end(text)


def wait_for_go():
    while not os.path.exists("go"):
        time.sleep(0.01)


def done():
    open("done", "w").close()


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "control_request" and message["request"]["subtype"] == "interrupt" and is_hanging:
        is_hanging = False
        end(None, subtype="error_during_execution", is_error=True, terminal_reason="aborted_streaming")
    if message["type"] != "user":
        continue
    n_turns += 1
    what, _, rest = message["message"]["content"][0]["text"].partition(" ")
    put(type="system", subtype="init", session_id=SESSION, model="m", tools=[])
    if what == "say":
        answer(rest)
    elif what == "use":
        tool = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "true"}}
        put(type="assistant", message={"role": "assistant", "content": [tool]}, session_id=SESSION)
        answer(rest)
    elif what == "get":
        answer(urllib.request.urlopen(os.environ["ANTHROPIC_BASE_URL"]).read().decode())
    elif what == "fail":
        end("Rate limited", is_error=True, api_error_status=429)
    elif what == "empty":
        end("")
    elif what == "hang":
        is_hanging = True
    elif what == "deaf":
        time.sleep(1000)
    elif what == "die":
        sys.exit(3)
    elif what == "break":
        say(rest)
        sys.exit(3)
    elif what == "leave":
        answer(rest)
        wait_for_go()
        sys.exit(4)
    elif what == "babble":
        answer(rest)
        wait_for_go()
        say("and another thing")
    elif what == "mutter":
        answer(rest)
        wait_for_go()
        for _ in range(2000):
            print("no message at all", flush=True)
    elif what == "blurt":
        result = {"type": "result", "subtype": "success", "is_error": False, "result": rest, "session_id": SESSION}
        print(json.dumps(result) + "\nand another thing", flush=True)
    elif what == "flood":
        answer(rest)
        for _ in range(2000):
            print("x" * 1000, file=sys.stderr)
            put(type="hum", tune="y" * 1000)
        done()
    elif what == "sleeper":
        subprocess.Popen(["setsid", "sleep", rest])
        answer("it sleeps")
