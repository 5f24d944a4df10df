//! Human gates where nobody is at a terminal: told once, suspended, and never taken for a yes.

use std::io::Read;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::life::Life;
use super::scene::{ALL_WELL, Scene, TASK, outcomes};
use crate::mcp::Session;
use crate::serving::{self, Serving};
use crate::simulated::until;
use crate::stopping::pseudo_terminal;

const QUESTION: &str = "Shall it be delivered?";
const KEY: &str = "delivery.1:human";

fn scene() -> Scene {
    let mut scene = Scene::new();
    let human = format!("action: deliver\n    human: \"{QUESTION}\"");
    scene.workflow("action: deliver", &human);
    scene
}

/// The only entry of the inbox.
fn inbox(scene: &Scene) -> Value {
    let listed = scene.world.must(&["inbox", "--format", "json"]).stdout;
    let entries: Vec<Value> = serde_json::from_str(&listed).unwrap();
    assert!(entries.len() <= 1, "{listed}");
    entries.into_iter().next().unwrap_or_default()
}

fn count(events: &[Value], kind: &str) -> usize {
    events.iter().filter(|event| event["event_type"] == kind).count()
}

#[test]
fn a_gate_that_no_one_can_open_suspends_the_run() {
    let scene = scene();
    let ran = scene.run(&[]);
    assert_eq!(ran.called.code, 10, "{}", ran.called.stderr);
    let said = &ran.called.stderr;
    assert_eq!(said.matches(QUESTION).count(), 1, "{said}");
    let run = scene.world.last_run();
    let resume = format!("gemicro resume {run}");
    for words in ["gemicro answer", "--decide decision.toml", KEY, &resume] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert_eq!(count(&ran.events, "run_suspended"), 1);
    let as_json = scene
        .command(&["resume", "last", "--format", "json"])
        .output()
        .unwrap();
    assert_eq!(as_json.status.code(), Some(10));
    let object: Value = serde_json::from_slice(&as_json.stdout).unwrap();
    assert_eq!(object["error_kind"], "input_required", "{object}");

    // Going on without an answer is no answer.
    let again = scene.ran(&mut scene.command(&["resume", "last"]));
    assert_eq!(again.called.code, 10, "{}", again.called.stderr);
    for absent in ["answer_given", "pipeline_delivered"] {
        assert_eq!(count(&again.events, absent), 0, "{absent}");
    }
    let shown = scene.world.must(&["show", "last"]).stdout;
    for words in [
        QUESTION,
        "waiting for an answer: yes or no",
        &format!("gemicro answer {run} yes"),
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }

    // It is in the inbox of every edge, with the commands that continue it.
    let entry = inbox(&scene);
    let expected = json!({
        "run": run, "flow": "pipeline", "title": TASK, "question": QUESTION, "key": KEY, "since": entry["since"],
        "answers": ["yes", "no"], "command": format!("gemicro answer {run} yes"), "then": resume,
    });
    assert_eq!(entry, expected);
    let listed = scene.world.must(&["inbox"]).stdout;
    for words in [QUESTION, TASK, &format!("gemicro answer {run} yes"), &resume] {
        assert!(listed.contains(words), "{words}: {listed}");
    }
    for command in [
        &["runs"][..],
        &["runs", "--status", "input_required"],
        &["show", "last"],
    ] {
        let listed = scene.world.must(command).stdout;
        let head: String = listed.lines().take(2).collect();
        assert!(head.contains("input_required"), "{command:?}: {listed}");
    }
    assert!(scene.world.must(&["runs"]).stdout.contains(&resume));
    let mut session = Session::start(scene.command(&["mcp", "--no-resident"]));
    assert_eq!(session.call("inbox", &json!({}))["entries"], json!([expected]));
    let result = session.call("run_result", &json!({ "run_id": run }));
    assert_eq!(
        (&result["error_kind"], &result["question"]["text"]),
        (&json!("input_required"), &json!(QUESTION)),
        "{result}"
    );
    assert!(result["error"].as_str().unwrap().contains(&resume), "{result}");
    session.end();

    // Who cannot go on is told, and nothing is lost.
    let keyless = scene.ran(scene.command(&["resume", "last"]).env_remove("GEMINI_API_KEY"));
    assert!(
        keyless.called.stderr.contains("GEMINI_API_KEY"),
        "{}",
        keyless.called.stderr
    );
    assert_eq!(count(&keyless.events, "run_failed"), 0);

    // An answer that was kept is taken when it goes on.
    scene.world.must(&["answer", "last", "yes"]);
    let empty = scene.world.must(&["inbox"]);
    assert_eq!(
        (empty.stdout.as_str(), empty.stderr.as_str()),
        ("", "Nothing is waiting for you.\n")
    );
    assert_eq!(inbox(&scene), Value::Null);
    assert!(scene.world.must(&["runs"]).stdout.contains("suspended"));
    let done = scene.ran(&mut scene.command(&["resume", "last"]));
    done.assert_completed();
    assert_eq!(outcomes(&done.events), ALL_WELL);

    // A finished gate takes no answer, and says which one it got.
    let late = scene.world.call(&["answer", "last", "no"]);
    assert_eq!(late.code, 7, "{}", late.stderr);
    assert!(
        late.stderr.contains("was answered already, with \"yes\""),
        "{}",
        late.stderr
    );
}

#[test]
fn a_no_that_was_kept_ends_the_run() {
    let scene = scene();
    assert_eq!(scene.run(&[]).called.code, 10);
    scene.world.must(&["answer", "last", "no"]);
    // Nobody thinks that a second answer is taken.
    let second = scene.world.call(&["answer", "last", "yes"]);
    assert_ne!(second.code, 0);
    assert!(
        second.stderr.contains("was answered already, with \"no\""),
        "{}",
        second.stderr
    );
    let serving = Serving::start(&scene.world, serving::command(&scene.world, &["--no-resident"]));
    let path = format!("/v1/runs/{}/commands", scene.world.last_run());
    let third = json!({ "command_type": "answer", "data": { "key": KEY, "answer": { "approve": true } } });
    assert_eq!(serving.post(&path, &third.to_string()).status, 409);
    serving.stop();
    let ended = scene.ran(&mut scene.command(&["resume", "last"]));
    ended.assert_failed("gate_closed");
    let advice = format!("gemicro retry {} --from delivery", scene.world.last_run());
    assert!(ended.called.stderr.contains(&advice), "{}", ended.called.stderr);
}

#[test]
fn a_gate_is_opened_over_http() {
    let scene = scene();
    let life = Life::begin(&scene, &Scene::arguments(&["--wait"]));
    let serving = Serving::start(&scene.world, serving::command(&scene.world, &["--no-resident"]));
    let run = until("the question", || {
        (count(&scene.events(), "answer_requested") == 1).then(|| scene.world.last_run())
    });
    let path = format!("/v1/runs/{run}/commands");
    let command = |key: &str, answer: &str| {
        json!({ "command_type": "answer", "data": { "key": key, "answer": answer } }).to_string()
    };
    // What counts for nothing is refused at once; it opens nothing.
    assert_eq!(serving.post(&path, &command(KEY, "perhaps")).status, 400);
    assert_eq!(
        serving.post(&path, &command(&format!("{KEY}.2"), "yes")).status,
        409
    );
    assert_eq!(count(&scene.events(), "answer_given"), 0);
    let shown = serving.get(&format!("/v1/runs/{run}"), &[]).json();
    assert_eq!(
        (&shown["state"], &shown["question"]["text"], &shown["status"]),
        (&json!("input_required"), &json!(QUESTION), &json!("parked")),
        "{shown}"
    );
    let waiting = serving.get("/v1/runs?status=input_required", &[]).json();
    assert_eq!(waiting["runs"], json!([shown]));
    let entries = serving.get("/v1/inbox", &[]).json();
    assert_eq!(entries["entries"], json!([inbox(&scene)]));
    assert_eq!(entries["entries"][0].get("then"), None, "it is driven");
    let early = serving.get(&format!("/v1/runs/{run}/result?wait=60"), &[]);
    let error = &early.json()["error"];
    assert_eq!(early.status, 409, "{error}");
    assert_eq!(error["kind"], "input_required", "{error}");
    assert_eq!(error["detail"]["question"], shown["question"], "{error}");
    // The owner may speak meanwhile; what cannot be read is refused.
    let post_command = |kind: &str, data: Value| {
        let command = json!({ "command_type": kind, "data": data });
        let answer = serving.post(&path, &command.to_string());
        (answer.status, answer.json()["status"].clone())
    };
    assert_eq!(
        post_command("adjust_budget", json!({ "budget": "5M" })),
        (200, json!("completed"))
    );
    assert_eq!(
        post_command("instruct", json!({ "text": "Be brief." })),
        (200, json!("completed"))
    );
    assert_eq!(post_command("adjust_budget", json!({ "budget": "much" })).0, 400);
    assert_eq!(post_command("instruct", json!({ "text": " " })).0, 409);
    assert_eq!(post_command("sing", json!({})).0, 409);
    // The only question needs no name.
    let yes = json!({ "command_type": "answer", "data": { "answer": "yes" }, "command_id": "yes-1" });
    let answered = serving.post(&path, &yes.to_string());
    assert!(answered.status < 300, "{answered:?}");
    assert!(
        serving.post(&path, &yes.to_string()).status < 300,
        "it is one command"
    );
    let (code, said) = life.end();
    assert_eq!(code, 0, "{said}");
    assert_eq!(outcomes(&scene.events()), ALL_WELL);
    assert_eq!(post_command("instruct", json!({ "text": "Too late." })).0, 409);
    serving.stop();
}

/// The log goes on below a question that was answered elsewhere, not in its line.
#[test]
fn a_question_at_the_keyboard_ends_its_line_when_it_is_answered_elsewhere() {
    let scene = scene();
    let (mut ours, theirs) = pseudo_terminal();
    let mut command = scene.command(&Scene::arguments(&[]));
    command
        .stdin(theirs.try_clone().unwrap())
        .stdout(Stdio::null())
        .stderr(theirs)
        .env("NO_COLOR", "1");
    let mut child = command.spawn().unwrap();
    drop(command);
    let asked = "yes or no: ";
    let (mut screen, mut byte) = (Vec::new(), [0]);
    while !screen.ends_with(asked.as_bytes()) {
        let n_bytes = ours.read(&mut byte).unwrap_or(0);
        assert_eq!(n_bytes, 1, "{}", String::from_utf8_lossy(&screen));
        screen.push(byte[0]);
    }
    scene.world.must(&["answer", "last", "yes"]);
    // The end of a pseudo-terminal is an error.
    let _ = ours.read_to_end(&mut screen);
    assert!(child.wait().unwrap().success());
    let screen = String::from_utf8(screen).unwrap().replace("\r\n", "\n");
    let (_, after) = screen.split_once(asked).unwrap();
    assert!(after.starts_with("\n["), "{screen}");
}

/// One file does not answer two runs: it names the one that it is about.
#[test]
fn a_decision_is_about_one_run() {
    let scene = scene();
    assert_eq!(scene.run(&[]).called.code, 10);
    let run = scene.world.last_run();
    let file = scene.world.path("decision.toml");
    let name = file.to_str().unwrap();
    let form = |run: &str| format!("run = \"{run}\"\nquestion = \"{KEY}\"\ndecision = \"yes\"\n");
    let other = "aaaabbbbccccdddd";
    // What stands there before is about this run, or nothing goes on.
    for text in [
        form(other),
        form(other).replace("yes", ""),
        form("").replace("run = \"\"\n", ""),
    ] {
        std::fs::write(&file, &text).unwrap();
        for command in [
            &["resume", "last", "--decide", name][..],
            &Scene::arguments(&["--decide", name]),
        ] {
            let refused = scene.ran(&mut scene.command(command));
            assert_eq!(refused.called.code, 2, "{}", refused.called.stderr);
            let names = if text.contains(other) {
                other
            } else {
                "names no run"
            };
            assert!(refused.called.stderr.contains(names), "{}", refused.called.stderr);
            assert_eq!(count(&refused.events, "answer_given"), 0);
        }
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text, "it is left alone");
    }
    // What is no text is somebody's, too, and from a pipe nothing can be read to its end.
    std::fs::write(&file, b"\xff\x00picture").unwrap();
    let pipe = scene.world.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for (path, words) in [
        (&file, "does not contain a decision"),
        (&pipe, "not a regular file"),
    ] {
        let path = path.to_str().unwrap();
        let refused = scene.ran(&mut scene.command(&["resume", "last", "--decide", path]));
        assert_eq!(refused.called.code, 2, "{}", refused.called.stderr);
        assert!(refused.called.stderr.contains(words), "{}", refused.called.stderr);
    }
    assert_eq!(std::fs::read(&file).unwrap(), b"\xff\x00picture");
    assert_eq!(scene.world.last_run(), run, "none was begun");
    // Nor does what is put there meanwhile.
    std::fs::remove_file(&file).unwrap();
    let waiting = |text: &str| {
        let mut command = scene.command(&["resume", "last", "--decide", name]);
        let child = command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let asked = until("the question", || {
            let asked = std::fs::read_to_string(&file).ok()?;
            asked.contains(&form(&run).replace("yes", "")).then_some(asked)
        });
        std::fs::write(&file, asked.replace(&form(&run).replace("yes", ""), text)).unwrap();
        let output = child.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, said) = waiting(&form(other));
    assert_eq!(code, Some(2), "{said}");
    for words in [
        other,
        &format!("run = \"{run}\""),
        &format!("question = \"{KEY}\""),
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert_eq!(count(&scene.events(), "answer_given"), 0);
    // What was filled in while nobody waited counts.
    std::fs::write(&file, form(&run)).unwrap();
    let mut resume = scene.command(&["resume", "last", "--decide", name]);
    scene.ran(&mut resume).assert_completed();
    assert_eq!(outcomes(&scene.events()), ALL_WELL);
}
