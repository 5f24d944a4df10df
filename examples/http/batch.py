"""Submits a batch, polls it to its end and follows its events, with only the standard library of Python.

Needs GEMICRO_SERVER (such as http://127.0.0.1:8737) and GEMICRO_TOKEN.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

SERVER = os.environ["GEMICRO_SERVER"]
TOKEN = os.environ["GEMICRO_TOKEN"]


def call(path, body=None, **headers):
    """One request; an error of the server is raised with its kind and message."""
    headers = {"Authorization": f"Bearer {TOKEN}", **headers}
    if body is not None:
        headers["Content-Type"] = "application/json"
    request = urllib.request.Request(SERVER + path, data=body, headers=headers)
    try:
        return urllib.request.urlopen(request)
    except urllib.error.HTTPError as answer:
        error = json.load(answer)["error"]
        raise SystemExit(f"{answer.code} {error['kind']}: {error['message']}")


def submit(tasks, key):
    with call("/v1/batches", tasks, **{"Idempotency-Key": key}) as answer:
        return json.load(answer)


def poll(batch_id):
    with call(f"/v1/batches/{batch_id}") as answer:
        return json.load(answer)


def events(run_id, after=0):
    """The events of a run, from the one after `after` on; a connection that breaks is made again."""
    while True:
        headers = {"Accept": "text/event-stream", "Last-Event-ID": str(after)}
        with call(f"/v1/runs/{run_id}/events", **headers) as stream:
            if stream.status == 204:
                return
            for line in stream:
                if line.startswith(b"data: "):
                    event = json.loads(line[len(b"data: "):])
                    after = event["seq"]
                    yield event


batch = submit((Path(__file__).parent / "tasks.json").read_bytes(), sys.argv[1] if len(sys.argv) > 1 else "example")
print("batch", batch["response_id"])
while batch["status"] == "pending":
    time.sleep(batch["next_poll_interval_seconds"])
    batch = poll(batch["response_id"])
for result in batch["results"]:
    print(result["task_id"], result["status"], json.dumps(result["output"]), result["error"] or "")
for event in events(batch["response_id"]):
    print(event["seq"], event["event_type"], event["message"])
