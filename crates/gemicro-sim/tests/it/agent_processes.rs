//! Processes that the fake agent leaves, multiplies and becomes.

use std::io::Read as _;
use std::process::Stdio;

use crate::agent_folder::{Folder, ended, process, signal, text, until};

#[test]
fn hangs_and_ignores_signals() {
    let folder = Folder::new("hangs");
    let mut polite = folder.start("  - print: ready\n  - hang: true\n");
    let mut stubborn = folder.start(
        "  - ignore: [TERM, INT, HUP]\n  - print: ready\n  - shell: 'until [ -e go ]; do sleep 0.02; done'\n  - print: still\n  - hang: true\n",
    );
    for process in [&mut polite, &mut stubborn] {
        let mut ready = [0; 6];
        process.stdout.as_mut().unwrap().read_exact(&mut ready).unwrap();
        signal("TERM", &process.id().to_string());
    }
    signal("INT", &stubborn.id().to_string());
    assert_eq!(ended(&mut polite).code(), None, "it died of the signal");
    folder.write("go", "");
    let mut still = [0; 6];
    stubborn.stdout.as_mut().unwrap().read_exact(&mut still).unwrap();
    assert_eq!(text(&still), "still\n");
    stubborn.kill().unwrap();
    assert_eq!(stubborn.wait().unwrap().code(), None);
    let killed = folder.run("  - signal: KILL\n  - print: never\n");
    assert_eq!((killed.status.code(), killed.stdout.len()), (None, 0));
}

#[test]
fn leaves_grandchildren() {
    let folder = Folder::new("leaves");
    let output = folder.run(
        "  - daemon: { pid_file: pid.txt, steps: [{ create: { file: up.txt, text: '{{pid}}' } }, { hang: true }] }\n  - print: gone\n",
    );
    assert_eq!(text(&output.stdout), "gone\n");
    let pid = folder.read("pid.txt");
    until("the daemon works", || {
        folder.0.join("up.txt").exists() && folder.read("up.txt") == pid
    });
    let (_, parent, session) = process(&pid).expect("it outlives its agent");
    let own = process(&std::process::id().to_string()).unwrap();
    assert_ne!(session, own.2, "a session of its own");
    assert_ne!(parent, std::process::id().to_string());
    signal("KILL", &pid);
    until("it is gone", || {
        process(&pid).is_none_or(|(state, ..)| state == "Z")
    });
}

#[test]
fn background_commands_hold_the_output_open() {
    let folder = Folder::new("background");
    let steps = "  - background: 'while [ ! -e go ]; do sleep 0.02; done; echo late'\n  - print: now\n";
    let mut process = folder.start(steps);
    assert!(ended(&mut process).success(), "the agent does not wait");
    folder.write("go", "");
    let mut all = String::new();
    process.stdout.take().unwrap().read_to_string(&mut all).unwrap();
    assert_eq!(all, "now\nlate\n");
    // The other way round: closed by an agent that lives on.
    let mut closing = folder.start("  - print: last\n  - close: stdout\n  - hang: true\n");
    let mut all = String::new();
    closing.stdout.take().unwrap().read_to_string(&mut all).unwrap();
    assert_eq!((all.as_str(), closing.try_wait().unwrap()), ("last\n", None));
    closing.kill().unwrap();
    closing.wait().unwrap();
}

#[test]
fn children_multiply_within_bounds() {
    let folder = Folder::new("multiply");
    // Each child ends with the agent's group, which the test makes and ends.
    let mut command = folder
        .command("steps:\n  - fork: { most: 5, count_file: n.txt }\n  - print: enough\n  - hang: true\n");
    let mut process = std::os::unix::process::CommandExt::process_group(&mut command, 0)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut enough = [0; 7];
    process.stdout.as_mut().unwrap().read_exact(&mut enough).unwrap();
    assert_eq!(folder.read("n.txt"), "5");
    let pid = process.id().to_string();
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
    if let Ok(children) = children {
        assert_eq!(children.split_whitespace().count(), 5);
    }
    signal("KILL", &format!("-{pid}"));
    process.wait().unwrap();
}

#[test]
fn becomes_itself_again() {
    let folder = Folder::new("again");
    let mut command = folder.command(
        "steps:\n  - print: '{{pid}}'\n  - exec: [{ print: '{{pid}} {{args}}' }, { repeat: { times: 2, steps: [{ write: x }] } }, { exit: 5 }]\n",
    );
    let process = command.args(["-a", "b"]).stdout(Stdio::piped()).spawn().unwrap();
    let pid = process.id();
    let output = process.wait_with_output().unwrap();
    assert_eq!(text(&output.stdout), format!("{pid}\n{pid} -a b\nxx"));
    assert_eq!(output.status.code(), Some(5));
    let waited = folder.run("  - child: { wait: true, output: inherit, steps: [{ sleep: 50ms }, { print: child }] }\n  - print: parent\n");
    assert_eq!(text(&waited.stdout), "child\nparent\n");
}
