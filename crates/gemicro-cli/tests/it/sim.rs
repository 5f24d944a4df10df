//! `gemicro sim`: served, recorded, listed; and what is wrong with a scenario or a place.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::golden;
use crate::program::{Called, World};
use crate::simulated::until;

const KEY: &str = "very-secret-key-0123456789";

/// A simulator or recorder that runs until told otherwise.
struct Serving {
    child: Child,
    /// Its first line on stdout.
    line: String,
}

impl Serving {
    fn start(world: &World, arguments: &[&str]) -> Self {
        let mut child = world
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap())
            .read_line(&mut line)
            .unwrap();
        Self {
            child,
            line: line.trim_end().to_owned(),
        }
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    fn end(self, world: &World, signal: Signal) -> Called {
        self.signal(signal);
        world.finish(self.child.wait_with_output().unwrap())
    }
}

/// The body of an answer. HTTP/1.0, so that the end of the connection is its end.
fn ask(url: &str, method: &str, path: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(url.strip_prefix("http://").unwrap()).unwrap();
    let length = body.len();
    write!(
        stream,
        "{method} {path} HTTP/1.0\r\nx-goog-api-key: {KEY}\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}

#[test]
fn it_serves_without_key_and_state_until_a_signal() {
    let world = World::new();
    let serving = Serving::start(&world, &["sim", "serve"]);
    let url = serving.line.clone();
    assert!(url.starts_with("http://127.0.0.1:"), "{url}");
    let body = r#"{"model":"gemini-3.8-flash","input":"Hello"}"#;
    let answer = ask(&url, "POST", "/v1beta/interactions", body);
    assert!(answer.contains("Simulated answer to: Hello"), "{answer}");
    assert!(ask(&url, "GET", "/_sim/log", "").contains("\"scenario\":\"research\""));
    let called = serving.end(&world, Signal::INT);
    assert_eq!(called.code, 0, "{}", called.stderr);
    let port = url.rsplit(':').next().unwrap();
    golden!("sim_serve", called.stderr.replace(port, "PORT"));
    assert!(!world.path("home").exists());
}

#[test]
fn json_reports_address_and_scenario() {
    let world = World::new();
    let arguments = [
        "sim",
        "serve",
        "--scenario",
        "echo",
        "--host",
        "localhost",
        "--format",
        "json",
    ];
    let serving = Serving::start(&world, &arguments);
    let object: Value = serde_json::from_str(&serving.line).unwrap();
    assert_eq!(object["scenario"], "echo");
    assert!(object["url"].as_str().unwrap().starts_with("http://127.0.0.1:"));
    assert_eq!(serving.end(&world, Signal::TERM).code, 0);
}

#[test]
fn scenarios_are_listed() {
    let world = World::new();
    golden!("sim_scenarios", world.screen(&world.must(&["sim", "scenarios"])));
    let rows: Value =
        serde_json::from_str(&world.must(&["sim", "scenarios", "--format", "json"]).stdout).unwrap();
    assert_eq!(rows[0]["scenario"], "default");
}

#[test]
fn what_cannot_be_served_is_reported_with_a_way_on() {
    let world = World::new();
    fs::write(
        world.path("broken.yaml"),
        "scenario: broken\nrules:\n  - fault: explode\n",
    )
    .unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let mut screens = String::new();
    for arguments in [
        &["--scenario", "reserach"][..],
        &["--scenario", "nobody"],
        &["--scenario", "none.yaml"],
        &["--scenario", "broken.yaml"],
        &["--host", "0.0.0.0"],
        &["--host", "example.com"],
        &["--port", &port],
        &["--port", &port, "--format", "json"],
    ] {
        let mut all = vec!["sim", "serve"];
        all.extend(arguments);
        let called = world.call(&all);
        screens += &format!("$ gemicro {}\n{}\n", all.join(" "), world.screen(&called));
    }
    for arguments in [
        ["--upstream", "example.com", "--out", "r.yaml"],
        ["--upstream", "https://me:secret@example.com", "--out", "r.yaml"],
        ["--upstream", "https://example.com", "--out", "no/r.yaml"],
    ] {
        let mut all = vec!["sim", "record"];
        all.extend(arguments);
        let called = world.call(&all);
        assert!(!called.stderr.contains("secret@"));
        screens += &format!("$ gemicro {}\n{}\n", all.join(" "), world.screen(&called));
    }
    golden!("sim_trouble", screens.replace(&port, "PORT"));
}

#[test]
fn a_recording_is_there_after_each_exchange_and_holds_no_key() {
    let world = World::new();
    let original = Serving::start(&world, &["sim", "serve", "--scenario", "echo"]);
    let out = world.path("recorded.yaml");
    let recording = |out: &str| {
        let upstream = original.line.as_str();
        Serving::start(&world, &["sim", "record", "--upstream", upstream, "--out", out])
    };
    let recorder = recording("recorded.yaml");
    let body = format!(r#"{{"model":"gemini-3.8-flash","input":"my key is {KEY}, hello"}}"#);
    let path = format!("/v1beta/interactions?key={KEY}");
    let heard = ask(&recorder.line, "POST", &path, &body);
    assert!(heard.contains("hello"), "{heard}");
    until("the file", || out.exists().then_some(()));
    let chat = r#"{"model":"llama3.2","stream":true,"messages":[{"role":"user","content":"chat"}]}"#;
    let chatted = ask(&recorder.line, "POST", "/v1/chat/completions", chat);
    until("the second exchange", || {
        let yaml = fs::read_to_string(&out).unwrap();
        yaml.contains("exchange 2").then_some(())
    });
    recorder.end(&world, Signal::KILL);
    let yaml = fs::read_to_string(&out).unwrap();
    assert!(!yaml.contains(KEY) && yaml.contains("exchange 1"), "{yaml}");
    let left: Vec<_> = fs::read_dir(world.path("")).unwrap().collect();
    assert!(
        left.iter()
            .flatten()
            .all(|entry| !entry.file_name().to_string_lossy().starts_with(".gemicro-"))
    );

    let replayed = Serving::start(&world, &["sim", "serve", "--scenario", "recorded.yaml"]);
    assert_eq!(ask(&replayed.line, "POST", "/v1/chat/completions", chat), chatted);
    assert_eq!(replayed.end(&world, Signal::INT).code, 0);

    let idle = recording("idle.yaml");
    let called = idle.end(&world, Signal::INT);
    assert_eq!(called.code, 0);
    assert!(
        called.stderr.contains("Nothing was recorded"),
        "{}",
        called.stderr
    );
    assert!(!world.path("idle.yaml").exists());

    let again = recording("again.yaml");
    ask(&again.line, "POST", "/v1/chat/completions", chat);
    let called = again.end(&world, Signal::TERM);
    assert_eq!(called.code, 0);
    assert!(
        called.stderr.contains("Wrote 1 exchange to again.yaml"),
        "{}",
        called.stderr
    );
    original.end(&world, Signal::INT);
}

#[test]
fn an_upstream_that_is_not_there_is_a_502() {
    let world = World::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let upstream = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let arguments = ["sim", "record", "--upstream", &upstream, "--out", "r.yaml"];
    let recorder = Serving::start(&world, &arguments);
    let answer = ask(&recorder.line, "GET", &format!("/v1beta/models?key={KEY}"), "");
    assert!(
        answer.contains("502") && answer.contains("upstream: "),
        "{answer}"
    );
    assert!(!answer.contains(KEY), "{answer}");
    recorder.end(&world, Signal::INT);
}
