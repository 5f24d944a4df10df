//! `gemicro serve`: the real program as a server, from its first line to SIGTERM.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::agent_world::running_in;
use crate::program::World;
use crate::serving::{Serving, command};
use crate::simulated::until;

fn shell(task_id: &str, command: &str) -> Value {
    json!({ "task_id": task_id, "type": "execute_shell_command", "parameters": { "command": command } })
}

/// Numbers and types of server-sent events.
fn sent(text: &str) -> Vec<(u64, String)> {
    let field = |block: &str, name: &str| {
        block
            .lines()
            .find_map(|line| line.strip_prefix(name).map(str::to_owned))
    };
    text.split("\n\n")
        .filter_map(|block| Some((field(block, "id: ")?.parse().ok()?, field(block, "event: ")?)))
        .collect()
}

#[test]
fn a_batch_from_submit_to_its_last_event() {
    let world = World::new();
    let serving = Serving::start(&world, command(&world, &["--no-resident"]));
    let place = world.path("home/http-token");
    assert!(serving.said.contains(place.to_str().unwrap()), "{}", serving.said);
    assert!(serving.said.contains("/openapi.json"), "{}", serving.said);
    assert!(!serving.said.contains(&serving.token), "{}", serving.said);
    assert_eq!(place.metadata().unwrap().permissions().mode() & 0o777, 0o600);

    // One task of each of the first four types of the contract; what is not known is rejected, the others proceed.
    let tasks = json!([
        { "task_id": "task_1", "type": "query_coverage", "parameters": { "scope": "all", "format": "json" } },
        { "task_id": "task_2", "type": "no_such_type", "parameters": {} },
        { "task_id": "task_3", "type": "get_memory_summary", "parameters": { "keywords": ["ferry"] } },
        shell("task_4", "ls"),
    ]);
    let first = serving.post("/v1/batches", &tasks.to_string());
    assert_eq!(first.status, 202, "{first:?}");
    let first = first.json();
    let id = first["response_id"].as_str().unwrap();
    let done = until("the end of the batch", || {
        let answer = serving.get(&format!("/v1/batches/{id}?wait=30"), &[]).json();
        (answer["status"] != "pending").then_some(answer)
    });
    assert_eq!(
        (&done["status"], &done["next_poll_interval_seconds"]),
        (&json!("completed"), &json!(0))
    );
    let ids: Vec<&Value> = done["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| &item["task_id"])
        .collect();
    assert_eq!(ids, ["task_1", "task_2", "task_3", "task_4"]);
    assert_eq!(done["results"][1]["state"], "rejected");
    let listing = &done["results"][3];
    assert_eq!(listing["output"]["exit_code"], 0, "{listing}");
    assert!(
        listing["output"]["stdout"]
            .as_str()
            .unwrap()
            .contains("lighthouse.md"),
        "{listing}"
    );
    assert_eq!(listing["error"], Value::Null);

    // The same as events, in two connections.
    let events = format!("/v1/runs/{id}/events");
    let stream = "Accept: text/event-stream";
    let all = serving.get(&events, &[stream]);
    assert!(
        all.head
            .to_lowercase()
            .contains("content-type: text/event-stream"),
        "{}",
        all.head
    );
    let all = sent(&all.body);
    assert_eq!(all.first().map(|(_, kind)| kind.as_str()), Some("run_started"));
    assert_eq!(all.last().map(|(_, kind)| kind.as_str()), Some("final_result"));
    let rest = serving.get(&events, &[stream, "Last-Event-ID: 2"]);
    assert_eq!(sent(&rest.body), all[2..]);
    // And the command line knows it too.
    let shown = world.must(&["events", id]).stdout;
    assert_eq!(shown.lines().count(), all.len());
    let (code, _) = serving.stop();
    assert_eq!(code, Some(0));
}

#[test]
fn strangers_and_web_pages_are_refused() {
    let world = World::new();
    let serving = Serving::start(&world, command(&world, &["--no-resident"]));
    let [host, token, json] = serving.fields();
    let cases: &[(&str, &[&str], u16)] = &[
        ("GET /health", &[&host], 200),
        ("GET /v1/runs", &[&host, &token], 200),
        ("GET /v1/conversations", &[&host, &token], 200),
        ("GET /v1/runs", &[&host], 401),
        (
            "GET /v1/runs",
            &[&host, "Authorization: Bearer 0123456789abcdef0123456789abcdef"],
            401,
        ),
        ("GET /v1/runs", &["Host: evil.example", &token], 403),
        (
            "GET /v1/runs",
            &[&host, &token, "Origin: https://evil.example"],
            403,
        ),
        (
            "GET /v1/runs",
            &[&host, &token, "Sec-Fetch-Site: cross-site"],
            403,
        ),
        (
            "POST /v1/batches",
            &[&host, &token, "Content-Type: text/plain"],
            415,
        ),
        ("POST /v1/batches", &[&host, &token, &json], 400),
        ("GET /v1/runs/..%2f..%2fhttp-token", &[&host, &token], 400),
        ("GET /v1/runs/unknown-run", &[&host, &token], 404),
    ];
    for (line, fields, status) in cases {
        let answer = serving.send(line, fields, "");
        assert_eq!(answer.status, *status, "{line} {fields:?}\n{answer:?}");
        assert!(!answer.body.contains(&serving.token), "{answer:?}");
    }
    assert_eq!(serving.stop().0, Some(0));
}

#[test]
fn addresses_that_cannot_be_had_say_so() {
    let world = World::new();
    let serving = Serving::start(&world, command(&world, &["--no-resident"]));
    let taken = world.call(&["serve", "--listen", &serving.address]);
    assert_eq!(taken.code, 2, "{}", taken.stderr);
    let message = format!("{} is in use by another program", serving.address);
    assert!(taken.stderr.contains(&message), "{}", taken.stderr);
    assert!(taken.stderr.contains("--listen"), "{}", taken.stderr);
    let open = world.call(&["serve", "--listen", "0.0.0.0:0"]);
    assert_eq!(open.code, 2);
    assert!(open.stderr.contains("--allow-remote"), "{}", open.stderr);
    assert_eq!(world.call(&["serve", "--listen", "nowhere"]).code, 2);
    let weak = world
        .command(&["serve", "--listen", "127.0.0.1:0"])
        .env("GEMICRO_TOKEN", "short")
        .output()
        .unwrap();
    assert_eq!(world.finish(weak).code, 2);
}

#[test]
fn sigterm_stops_runs_of_this_process_and_they_can_be_resumed() {
    let world = World::new();
    let serving = Serving::start(&world, command(&world, &["--no-resident"]));
    let tasks = json!([shell("slow", "touch began; sleep 600"), {
        "task_id": "after", "type": "execute_shell_command", "parameters": { "command": "true" }, "depends_on": ["slow"],
    }]);
    let first = serving.post("/v1/batches", &tasks.to_string());
    assert_eq!(first.status, 202, "{first:?}");
    let id = first.json()["response_id"].as_str().unwrap().to_owned();
    until("the command", || world.path("docs/began").exists().then_some(()));
    let (code, rest) = serving.stop();
    assert_eq!(code, Some(0), "{rest}");
    assert!(rest.contains(&format!("gemicro resume {id}")), "{rest}");
    let runs: Value = serde_json::from_str(&world.must(&["runs", "--format", "json"]).stdout).unwrap();
    assert_eq!(runs[0]["status"], "suspended", "{runs}");
    let place = world.path("");
    let running = running_in(place.to_str().unwrap().trim_end_matches('/'));
    assert!(running.is_empty(), "{running:?}");
}

/// A world whose worker leaves with it.
struct House(World);

impl House {
    fn resident(&self, mut command: Command) -> Command {
        command.env("GEMICRO_RESIDENT", "on").env("GEMICRO_LINGER", "2");
        command
    }
}

impl Drop for House {
    fn drop(&mut self) {
        let stop = self.0.command(&["worker", "stop", "--now"]);
        let _ = self.resident(stop).output();
    }
}

#[test]
fn a_killed_server_loses_nothing() {
    let house = House(World::new());
    let world = &house.0;
    let serving = Serving::start(world, house.resident(command(world, &[])));
    let tasks = json!([shell(
        "gated",
        "touch began; while [ ! -e go ]; do sleep 0.02; done; echo through"
    )]);
    let first = serving.post("/v1/batches", &tasks.to_string());
    assert_eq!(first.status, 202, "{first:?}");
    let id = first.json()["response_id"].as_str().unwrap().to_owned();
    until("the command", || world.path("docs/began").exists().then_some(()));
    serving.signal(Signal::KILL);
    drop(serving);
    let serving = Serving::start(world, house.resident(command(world, &[])));
    assert_eq!(
        serving.get(&format!("/v1/batches/{id}"), &[]).json()["status"],
        "pending"
    );
    std::fs::write(world.path("docs/go"), "").unwrap();
    let done = until("the end of the batch", || {
        let answer = serving.get(&format!("/v1/batches/{id}?wait=30"), &[]).json();
        (answer["status"] != "pending").then_some(answer)
    });
    assert_eq!(done["results"][0]["output"]["stdout"], "through\n", "{done}");
    assert_eq!(serving.stop().0, Some(0));
}

/// A caller of the API has no command line.
#[test]
fn errors_name_no_flags_and_no_commands() {
    let world = World::new();
    let serving = Serving::start(&world, command(&world, &["--no-resident"]));
    let docs = world.path("docs");
    let research = |more: Value| {
        let mut body = json!({ "kind": "research", "question": "How high?" });
        for (name, value) in more.as_object().unwrap() {
            body[name] = value.clone();
        }
        ("/v1/runs".to_owned(), body, 400)
    };
    let suspended = serving.post("/v1/batches", &json!([shell("slow", "sleep 600")]).to_string());
    let id = suspended.json()["response_id"].as_str().unwrap().to_owned();
    let mut requests = vec![
        research(json!({ "offline": true })),
        research(json!({ "offline": true, "sources": ["https://example.org/"] })),
        research(json!({ "backend": "openai" })),
        (
            "/v1/runs".to_owned(),
            json!({ "kind": "ask", "prompt": "x", "directory": docs, "branch": "x" }),
            400,
        ),
        (
            "/v1/runs".to_owned(),
            json!({ "kind": "pipeline", "task": "x", "directory": docs, "branch": "x" }),
            400,
        ),
        (
            format!("/v1/runs/{id}/commands"),
            json!({ "command_type": "answer", "data": { "answer": "yes" } }),
            400,
        ),
    ];
    requests.push(("/v1/runs".to_owned(), json!({ "question": "How high?" }), 424));
    for (path, body, status) in requests {
        let refused = serving.post(&path, &body.to_string());
        assert_eq!(refused.status, status, "{body} {refused:?}");
        let message = refused.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(
            !message.contains("--") && !message.contains("gemicro "),
            "{body}: {message}"
        );
    }
    assert_eq!(serving.stop().0, Some(0));
}
