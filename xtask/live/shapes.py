"""Makes a few small calls to a real backend and the same to the simulator, and compares the shapes of the answers.

Usage: shapes.py SIMULATOR_URL. Reads GEMINI_API_KEY (else GOOGLE_API_KEY), GOOGLE_GEMINI_BASE_URL, GEMICRO_MODEL,
OPENAI_BASE_URL and OPENAI_API_KEY. Prints what the real backend says and the simulator does not, and the other way
round; neither is a failure by itself. Costs a few hundred tokens. The key goes into a header and nowhere else.
"""

import json
import os
import sys
import urllib.error
import urllib.request

GOOGLE = "https://generativelanguage.googleapis.com"
MODEL = os.environ.get("GEMICRO_MODEL", "gemini-3.5-flash-lite")
PROMPT = "Answer with one word: what colour is a clear sky at noon?"


def send(base, path, headers, body=None):
    """One request; the HTTP status, and the JSON values of the answer (several where it is a stream)."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base.rstrip("/") + path, data=data, headers=headers)
    request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, values(answer.read().decode())
    except urllib.error.HTTPError as error:
        return error.code, values(error.read().decode())


def values(text):
    if text.lstrip().startswith(("event:", "data:", ":")):
        lines = [line[5:].strip() for line in text.splitlines() if line.startswith("data:")]
        return [json.loads(line) for line in lines if line and line != "[DONE]"]
    return [json.loads(text)] if text.strip() else []


def shape(value, path=""):
    """Every path of a JSON value with the kind of what stands there; lists are seen as one item."""
    if isinstance(value, dict):
        name = value.get("event_type") or value.get("type")
        here = f"{path}<{name}>" if isinstance(name, str) and path in ("", ".steps[]", ".delta", ".step") else path
        found = set()
        for key, item in value.items():
            found |= shape(item, f"{here}.{key}")
        return found or {f"{here}: object"}
    if isinstance(value, list):
        return set().union(*(shape(item, f"{path}[]") for item in value)) if value else {f"{path}: list"}
    kind = {str: "text", bool: "switch", int: "number", float: "number", type(None): "null"}[type(value)]
    return {f"{path}: {kind}"}


def compare(name, real, simulated):
    """Prints one comparison; whether the statuses agree."""
    (real_status, real_values), (sim_status, sim_values) = real, simulated
    theirs = set().union(*(shape(value) for value in real_values)) if real_values else set()
    ours = set().union(*(shape(value) for value in sim_values)) if sim_values else set()
    print(f"  {name}: HTTP {real_status} there, {sim_status} in the simulator; {len(theirs & ours)} fields alike")
    for field in sorted(theirs - ours):
        print(f"    only there      {field}")
    for field in sorted(ours - theirs):
        print(f"    only simulated  {field}")
    return real_status == sim_status


def gemini(simulator):
    key = os.environ.get("GEMINI_API_KEY") or os.environ.get("GOOGLE_API_KEY")
    if not key:
        print("gemini: no key (GEMINI_API_KEY), nothing was called")
        return None
    base = os.environ.get("GOOGLE_GEMINI_BASE_URL", GOOGLE)
    print(f"gemini: {MODEL} at {base}")
    there, here = {"x-goog-api-key": key}, {"x-goog-api-key": "simulated"}
    limits = {"max_output_tokens": 256, "thinking_level": "low"}
    schema = {"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]}
    asked = {"model": MODEL, "input": PROMPT, "generation_config": limits}
    calls = [
        ("models", f"/v1beta/models/{MODEL}", None),
        ("countTokens", f"/v1beta/models/{MODEL}:countTokens", {"contents": [{"parts": [{"text": PROMPT}]}]}),
        ("interaction", "/v1beta/interactions", asked),
        ("interaction, streamed", "/v1beta/interactions", {**asked, "stream": True}),
        ("interaction, JSON", "/v1beta/interactions",
         {**asked, "response_format": {"type": "text", "mime_type": "application/json", "schema": schema}}),
        ("unknown model", "/v1beta/interactions", {**asked, "model": "gemini-there-is-none"}),
        ("unknown field", "/v1beta/interactions", {**asked, "no_such_field": 1}),
    ]
    results = [compare(name, send(base, path, there, body), send(simulator, path, here, body))
               for name, path, body in calls]
    bad = {"x-goog-api-key": "invalid"}
    results.append(compare("bad key", send(base, calls[2][1], bad, asked), send(simulator, calls[2][1], bad, asked)))
    return all(results)


def openai(simulator):
    base = os.environ.get("OPENAI_BASE_URL")
    if not base:
        print("openai: no server (OPENAI_BASE_URL), nothing was called")
        return None
    headers = {"Authorization": "Bearer " + os.environ.get("OPENAI_API_KEY", "none")}
    _, listed = send(base, "/models", headers)
    model = os.environ.get("GEMICRO_MODEL") or listed[0]["data"][0]["id"]
    print(f"openai: {model} at {base}")
    asked = {"model": model, "messages": [{"role": "user", "content": PROMPT}], "max_tokens": 64}
    streamed = {**asked, "stream": True, "stream_options": {"include_usage": True}}
    calls = [("models", "/models", None), ("chat", "/chat/completions", asked), ("chat, streamed", "/chat/completions", streamed)]
    results = [compare(name, send(base, path, headers, body), send(simulator + "/v1", path, {}, body))
               for name, path, body in calls]
    return all(results)


def main():
    results = [ask(sys.argv[1]) for ask in (gemini, openai)]
    if all(result is None for result in results):
        sys.exit("no backend is set up: export GEMINI_API_KEY=… or OPENAI_BASE_URL=…")
    if False in results:
        sys.exit("a status differs: look above")


if __name__ == "__main__":
    main()
