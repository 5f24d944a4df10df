//! Notifications of the real program: to a command, and to a receiver that verifies them with the official library.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use crate::program::{Called, World};
use crate::simulated::{Simulated, research, until};

const SECRET: &str = "whsec_bmV2ZXIgdG8gYmUgc2VlbiBhbnl3aGVyZSE=";

/// A receiver of webhooks; stopped when dropped.
struct Receiver {
    child: Child,
    port: u16,
    log: PathBuf,
}

impl Receiver {
    fn start(log: PathBuf, port: u16, mode: &[&str]) -> Self {
        let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let interpreter = crate_folder.join("../../.tools/python/bin/python");
        let mut child = Command::new(&interpreter)
            .arg(crate_folder.join("tests/notify/receiver.py"))
            .arg(port.to_string())
            .arg(&log)
            .arg(SECRET)
            .args(mode)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let port = line.trim().parse();
        let hint = "no receiver: run `cargo xtask setup`";
        Self {
            child,
            port: port.expect(hint),
            log,
        }
    }

    fn received(&self) -> Vec<Value> {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The kinds of all notifications so far; each must be valid.
    fn kinds(&self) -> Vec<String> {
        let kind = |it: &Value| {
            let kind = it["event"]["data"]["kind"].as_str();
            kind.unwrap_or_else(|| panic!("{it}")).to_owned()
        };
        self.received().iter().map(kind).collect()
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/services/T0K3N", self.port)
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn configure(world: &World, text: &str) {
    let path = world.path("user/.config/gemicro/config.toml");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
}

fn webhook(url: &str) -> String {
    format!("[[webhook]]\nurl = \"{url}\"\nsecret = \"{SECRET}\"\nallow_private = true\n")
}

/// Neither the secret nor the path of the URL is in any file of the state folder.
fn assert_no_secret(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            assert_no_secret(&path);
        } else {
            let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            assert!(
                !text.contains(&SECRET[6..]) && !text.contains("T0K3N"),
                "{}",
                path.display()
            );
        }
    }
}

fn queue(world: &World) -> Value {
    let text = fs::read_to_string(world.path("home/notify/queue.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// A call during which the worker may be started.
fn with_worker(mut command: Command) -> Command {
    command.env("GEMICRO_RESIDENT", "on").env("GEMICRO_LINGER", "1");
    command
}

#[test]
fn a_command_and_a_webhook_get_the_same_event() {
    let world = World::new();
    let receiver = Receiver::start(world.path("log"), 0, &[]);
    let hook = world.path("hook");
    let command = format!(
        "cat > {0}.json; echo \\\"$GEMICRO_EVENT|$GEMICRO_RUN|$GEMICRO_TITLE|$GEMINI_API_KEY\\\" > {0}.txt",
        hook.display()
    );
    configure(
        &world,
        &format!("notify = \"{command}\"\n{}", webhook(&receiver.url())),
    );
    let question = "How high is the Port Amsel lighthouse?";
    let mut asked = world.command(&["research", "--offline", "--source", "docs", question]);
    let called = world.finish(asked.env("GEMINI_API_KEY", "key-of-the-user").output().unwrap());
    assert_eq!(called.code, 0, "{}", called.stderr);
    let received = receiver.received();
    assert_eq!(receiver.kinds(), ["finished"], "{received:?}");
    let run = world.last_run();
    let event = &received[0]["event"];
    assert_eq!(received[0]["content_type"], "application/cloudevents+json");
    assert_eq!(received[0]["id"], event["id"]);
    assert_eq!(event["subject"], run.as_str());
    assert!(event["id"].as_str().unwrap().starts_with(&format!("{run}.")));
    let hooked: Value = serde_json::from_slice(&fs::read(hook.with_extension("json")).unwrap()).unwrap();
    assert_eq!(&hooked, event);
    assert_eq!(
        fs::read_to_string(hook.with_extension("txt")).unwrap(),
        format!("finished|{run}|{question}|\n")
    );
    // Looking at runs sends nothing.
    world.must(&["show", "last"]);
    let doctor = world.call(&["doctor", "--offline"]).stdout;
    let origin = format!("http://127.0.0.1:{}", receiver.port);
    assert!(
        doctor.contains(&format!("notifications: command, webhook {origin}\n")),
        "{doctor}"
    );
    let config = world.must(&["config", "show"]).stdout;
    assert!(config.contains(&origin), "{config}");
    for shown in [&doctor, &config, &called.stdout, &called.stderr] {
        assert!(
            !shown.contains(&SECRET[6..]) && !shown.contains("T0K3N"),
            "{shown}"
        );
    }
    let tested = world.must(&["notify", "test"]).stdout;
    assert_eq!(
        tested,
        format!("command: delivered\nwebhook {origin}: delivered\n")
    );
    assert_eq!(receiver.kinds(), ["finished", "test"]);
    assert_no_secret(&world.path("home"));
}

#[test]
fn a_parked_and_a_failed_run_are_reported_when_it_happens() {
    let limit = "  - { name: limit, when: { prompt_contains: 'Findings:' }, times: 1, \
         fault: { rate_limit: { seconds: 6, announce: body, envelope: rpc } } }\n  \
         - { when: { prompt_contains: 'Findings:' }, fault: { http: { status: 400, message: 'Bad field.' } } }\n";
    let simulated = Simulated::new(&format!("{limit}{}", research(1)));
    let receiver = Receiver::start(simulated.world.path("log"), 0, &[]);
    configure(&simulated.world, &webhook(&receiver.url()));
    let mut watched = simulated.start_asking(&[]);
    watched.until_event("run_parked");
    until("the notification", || {
        (receiver.kinds() == ["parked"]).then_some(())
    });
    assert!(!watched.has_ended(), "it came while the run was parked");
    let called = watched.wait(&simulated.world);
    let kinds = receiver.kinds();
    let last = if called.code == 0 { "finished" } else { "failed" };
    assert_eq!(
        (kinds[0].as_str(), kinds.last().unwrap().as_str()),
        ("parked", last)
    );
    assert_eq!(queue(&simulated.world)["deliveries"], serde_json::json!([]));
}

#[test]
fn a_receiver_that_was_away_gets_it_later_once() {
    let world = World::new();
    let receiver = Receiver::start(world.path("log"), 0, &[]);
    let port = receiver.port;
    configure(&world, &webhook(&receiver.url()));
    drop(receiver);
    let asked = world.command(&["research", "--offline", "--source", "docs", "How high is it?"]);
    let output = with_worker(asked).output().unwrap();
    let called = world.finish(output);
    assert!([0, 6].contains(&called.code), "{}", called.stderr);
    // The worker has taken over, and stays although nothing else needs it.
    let receiver = Receiver::start(world.path("log"), port, &[]);
    until("the delivery", || (!receiver.received().is_empty()).then_some(()));
    until("the end of the worker", || {
        let status = with_worker(world.command(&["worker", "status", "--format", "json"]));
        let called = world.finish({ status }.output().unwrap());
        (called.stdout.trim() == "null").then_some(())
    });
    assert_eq!(receiver.kinds().len(), 1);
    assert_eq!(queue(&world)["deliveries"], serde_json::json!([]));
}

#[test]
fn a_killed_process_loses_no_notification() {
    let simulated = Simulated::new(&research(1));
    let receiver = Receiver::start(simulated.world.path("log"), 0, &["hang"]);
    let port = receiver.port;
    configure(&simulated.world, &webhook(&receiver.url()));
    let mut watched = simulated.start_asking(&[]);
    let end = watched.until_event("final_result");
    watched.signal(Signal::KILL);
    watched.wait(&simulated.world);
    drop(receiver);
    let world = &simulated.world;
    let receiver = Receiver::start(world.path("log2"), port, &[]);
    let mut worker = with_worker(simulated.command(&["worker"])).spawn().unwrap();
    until("the delivery", || (!receiver.received().is_empty()).then_some(()));
    worker.kill().unwrap();
    worker.wait().unwrap();
    assert_eq!(receiver.kinds(), ["finished"]);
    let id = format!("{}.{}", world.last_run(), end["seq"]);
    assert_eq!(receiver.received()[0]["id"], id.as_str());
}

/// The result is printed at once; the process then waits for a short time only.
#[test]
fn a_receiver_that_hangs_or_redirects_does_not_delay_a_run() {
    let world = World::new();
    let inside = Receiver::start(world.path("inside"), 0, &[]);
    let redirects = Receiver::start(world.path("redirects"), 0, &["redirect", &inside.url()]);
    let hangs = Receiver::start(world.path("hangs"), 0, &["hang"]);
    let hook = "notify = \"sleep 60\"\n";
    configure(
        &world,
        &format!("{hook}{}{}", webhook(&redirects.url()), webhook(&hangs.url())),
    );
    let begun = Instant::now();
    let mut asked = world.command(&["research", "--offline", "--source", "docs", "How high is it?"]);
    let mut child = asked
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    stdout.read_line(&mut first).unwrap();
    let answered = begun.elapsed();
    std::io::copy(&mut stdout, &mut std::io::sink()).unwrap();
    child.wait().unwrap();
    let waited = begun.elapsed().saturating_sub(answered);
    assert!(waited < Duration::from_secs(6), "{waited:?}");
    assert_eq!((redirects.received().len(), hangs.received().len()), (1, 1));
    assert!(inside.received().is_empty(), "a redirect was followed");
    let queue = queue(&world);
    let deliveries = queue["deliveries"].as_array().unwrap();
    assert_eq!(deliveries.len(), 3, "{queue}");
    assert!(deliveries.iter().any(|it| it["attempts"] == 1), "{queue}");
    let tested = world.call(&["notify", "test"]);
    assert_eq!(tested.code, 4, "{}", tested.stderr);
    for part in [
        "command: failed: the command did not end within 10 s",
        "failed: the server answered 307 Temporary Redirect; redirects are not followed",
        "failed: no answer within 10 s",
    ] {
        assert!(tested.stdout.contains(part), "no `{part}`: {}", tested.stdout);
    }
}

fn refused(world: &World) -> Called {
    let called = world.call(&["notify", "test"]);
    assert_eq!(called.code, 2, "{}", called.stdout);
    assert!(!called.stderr.contains(&SECRET[6..]), "{}", called.stderr);
    called
}

#[test]
fn settings_that_are_refused() {
    let world = World::new();
    assert!(
        refused(&world)
            .stderr
            .contains("no destination for notifications is set")
    );
    let valid = webhook("https://example.com/hook");
    for (text, expected) in [
        (valid.replace("https:", "ftp:"), "must begin with https://"),
        (valid.replace("whsec_", ""), "the secret must be `whsec_`"),
        (
            valid.replace("url =", "uri ="),
            "expected the keys `url`, `secret`",
        ),
        ("notify = 3\n".to_owned(), "expected a shell command"),
    ] {
        configure(&world, &text);
        let stderr = refused(&world).stderr;
        assert!(stderr.contains(expected), "{text}: {stderr}");
    }
    configure(&world, &valid);
    let path = world.path("user/.config/gemicro/config.toml");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let stderr = refused(&world).stderr;
    assert!(
        stderr.contains("other users can read the secret") && stderr.contains("chmod 600"),
        "{stderr}"
    );
    // A repository cannot choose where reports go, or start a command.
    fs::remove_file(path).unwrap();
    for text in ["notify = \"touch planted\"\n".to_owned(), valid] {
        fs::write(world.path("gemicro.toml"), text).unwrap();
        let stderr = refused(&world).stderr;
        assert!(stderr.contains("a project cannot choose"), "{stderr}");
    }
}

#[test]
fn an_address_inside_needs_permission() {
    let world = World::new();
    let receiver = Receiver::start(world.path("log"), 0, &[]);
    let text = webhook(&receiver.url().replace("http:", "https:"));
    configure(&world, &text.replace("allow_private = true\n", ""));
    let called = world.call(&["notify", "test"]);
    assert_eq!(called.code, 4);
    let expected =
        "failed: 127.0.0.1 leads to a loopback address; set `allow_private = true` if that is intended";
    assert!(called.stdout.contains(expected), "{}", called.stdout);
    assert!(receiver.received().is_empty());
}

#[test]
fn given_up_notifications_are_dead_letters() {
    let world = World::new();
    let asked = world.ask("How high is it?", &[]);
    assert!([0, 6].contains(&asked.code), "{}", asked.stderr);
    let run = world.last_run();
    fs::create_dir_all(world.path("home/notify")).unwrap();
    let state = format!(
        r#"{{"last_no":1,"runs":{{}},"deliveries":[],"given_up":[{{"run":"{run}","seq":9,
        "target":"webhook https://example.com","attempts":29,"error":"the server answered 500","at":"2026-01-01T00:00:00.000Z"}}]}}"#
    );
    fs::write(world.path("home/notify/queue.json"), state).unwrap();
    let listed = world.must(&["dead-letters", "--format", "json"]).stdout;
    let rows: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(rows[0]["step"], "notify webhook https://example.com 9");
    assert_eq!(rows[0]["attempts"], 29);
    assert_eq!(rows[0]["message"], "the server answered 500");
    let shown = world.must(&["dead-letters", &run]).stdout;
    assert!(shown.contains("the server answered 500"), "{shown}");
}
