//! Stopping and going on: Ctrl-C, resume, cancel, conflicts, readers that go away.
//!
//! A run that waits for its plan to be approved stands still for as long as a test needs. The plan is asked
//! for on a terminal only, so the program gets a pseudo-terminal as stdin.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::golden;
use crate::program::{Called, World};

const HIGH: &str = "How high is the Port Amsel lighthouse?";

/// A run that waits for approval.
struct Waiting {
    child: Child,
    keyboard: File,
    stderr: String,
}

impl Waiting {
    fn start(world: &World, more: &[&str]) -> Self {
        Self::start_after(world, "", more)
    }

    /// The keys were pressed before there was a question.
    fn start_after(world: &World, keys: &str, more: &[&str]) -> Self {
        let (mut keyboard, stdin) = pseudo_terminal();
        keyboard.write_all(keys.as_bytes()).unwrap();
        let mut arguments = vec!["research", "--offline", "--source", "docs", "--plan", HIGH];
        arguments.extend(more);
        let mut command = world.command(&arguments);
        let child = command
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut waiting = Self {
            child,
            keyboard,
            stderr: String::new(),
        };
        waiting.read_until("[n]o: ");
        waiting
    }

    fn read_until(&mut self, end: &str) {
        let stderr = self.child.stderr.as_mut().unwrap();
        let mut bytes = self.stderr.clone().into_bytes();
        let mut byte = [0];
        while !bytes.ends_with(end.as_bytes()) {
            assert_eq!(
                stderr.read(&mut byte).unwrap(),
                1,
                "{}",
                String::from_utf8_lossy(&bytes)
            );
            bytes.push(byte[0]);
        }
        self.stderr = String::from_utf8(bytes).unwrap();
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    fn type_in(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    fn wait(mut self, world: &World) -> Called {
        let mut called = world.finish(self.child.wait_with_output().unwrap());
        called.stderr = std::mem::take(&mut self.stderr) + &called.stderr;
        called
    }
}

/// Both ends: ours, and the one a program takes for a terminal.
pub(crate) fn pseudo_terminal() -> (File, File) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
    let noctty = i32::try_from(rustix::fs::OFlags::NOCTTY.bits()).unwrap();
    let theirs = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(noctty)
        .open(name)
        .unwrap();
    (File::from(ours), theirs)
}

#[test]
fn a_terminal_gets_a_frame_and_colours_unless_they_are_unwanted() {
    let world = World::new();
    let on_terminal = |no_colour: &str| {
        let (mut ours, theirs) = pseudo_terminal();
        let mut command = world.command(&["research", "--offline", "--source", "docs", HIGH]);
        command
            .stdout(theirs)
            .stderr(Stdio::null())
            .env("NO_COLOR", no_colour);
        assert!(command.status().unwrap().success());
        drop(command);
        let mut screen = Vec::new();
        // The end of a pseudo-terminal is an error.
        let _ = ours.read_to_end(&mut screen);
        String::from_utf8(screen).unwrap().replace("\r\n", "\n")
    };
    let plain = on_terminal("1");
    assert!(!plain.contains('\x1b'), "{plain}");
    golden!("framed_answer", crate::normal::normalise(&plain, &world.path("")));
    assert!(on_terminal("").contains("\x1b[1mANSWER:\x1b[0m"));
}

#[test]
fn the_first_ctrl_c_suspends_and_resume_continues() {
    let world = World::new();
    let waiting = Waiting::start(&world, &[]);
    waiting.signal(Signal::INT);
    let called = waiting.wait(&world);
    assert_eq!(called.code, 130);
    golden!("ctrl_c", world.screen(&called));
    golden!("show_suspended", world.screen(&world.must(&["show", "last"])));
    assert_eq!(
        world
            .must(&["runs", "--status", "suspended", "--format", "jsonl"])
            .stdout
            .lines()
            .count(),
        1
    );

    let unasked = world.call(&["resume", "last"]);
    assert_eq!(unasked.code, 2, "{}", unasked.stderr);
    let resumed = world.must(&["resume", "last", "--yes"]);
    golden!("resumed", world.screen(&resumed));
    let events = world.must(&["events", "last"]).stdout;
    assert_eq!(events.matches("\"event_type\":\"final_result\"").count(), 1);
    // What was done before the stop was not done again.
    assert_eq!(events.matches("\"event_type\":\"sources_read\"").count(), 1);
}

#[test]
fn sigterm_is_like_the_first_ctrl_c() {
    let world = World::new();
    let waiting = Waiting::start(&world, &["--format", "json"]);
    waiting.signal(Signal::TERM);
    let called = waiting.wait(&world);
    assert_eq!(called.code, 130);
    let object: serde_json::Value = serde_json::from_str(&called.stdout).unwrap();
    assert_eq!(object["error_kind"], "interrupted");
}

#[test]
fn a_plan_is_approved_edited_or_refused() {
    let world = World::new();
    let mut approved = Waiting::start(&world, &["--format", "markdown"]);
    approved.type_in("\n");
    assert!(approved.wait(&world).stdout.contains("31 metres"));

    let mut edited = Waiting::start(&world, &["--format", "markdown"]);
    edited.type_in("e\nHow many passengers does MV Alder Sound carry?\n\ny\n");
    let called = edited.wait(&world);
    assert!(
        called.stdout.contains("435 passengers"),
        "{}\n{}",
        called.stdout,
        called.stderr
    );

    let mut refused = Waiting::start(&world, &[]);
    refused.type_in("n\n");
    let called = refused.wait(&world);
    assert_eq!(called.code, 130);
    golden!("plan_refused", world.screen(&called));
}

#[test]
fn what_was_typed_before_the_question_does_not_answer_it() {
    let world = World::new();
    let mut waiting = Waiting::start_after(&world, "yes\n", &[]);
    waiting.type_in("n\n");
    assert_eq!(waiting.wait(&world).code, 130);
}

#[test]
fn a_plan_needs_a_terminal_or_a_yes() {
    let world = World::new();
    golden!(
        "plan_without_terminal",
        world.screen(&world.ask(HIGH, &["--plan"]))
    );
    assert_eq!(world.ask(HIGH, &["--plan", "--yes"]).code, 0);
}

#[test]
fn a_run_that_is_held_can_be_cancelled_but_not_resumed() {
    let world = World::new();
    let waiting = Waiting::start(&world, &[]);
    let conflict = world.call(&["resume", "last", "--yes"]);
    assert_eq!(conflict.code, 7, "{}", conflict.stderr);
    assert!(
        conflict.stderr.contains("is being worked on by process"),
        "{}",
        conflict.stderr
    );
    assert!(conflict.stderr.contains("gemicro cancel"), "{}", conflict.stderr);
    let cancelled = world.must(&["cancel", "last"]);
    assert!(cancelled.stderr.contains("is cancelled"), "{}", cancelled.stderr);
    let called = waiting.wait(&world);
    assert_eq!(called.code, 130, "{}", called.stderr);
    assert!(
        called.stderr.contains("the run was cancelled"),
        "{}",
        called.stderr
    );
}

#[test]
fn a_suspended_run_can_be_cancelled() {
    let world = World::new();
    let waiting = Waiting::start(&world, &[]);
    waiting.signal(Signal::INT);
    waiting.wait(&world);
    world.must(&["cancel", "last"]);
    assert_eq!(
        world
            .must(&["runs", "--status", "cancelled", "--format", "jsonl"])
            .stdout
            .lines()
            .count(),
        1
    );
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let world = World::new();
    world.ask(HIGH, &[]);
    for arguments in [
        &["events", "last"][..],
        &["show", "last"],
        &["schema"],
        &["--help"],
        &["runs"],
    ] {
        let mut child = world
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let called = world.finish(child.wait_with_output().unwrap());
        assert_eq!((called.code, called.stderr.as_str()), (0, ""), "{arguments:?}");
    }
    let mut command = world.command(&[
        "research",
        "--offline",
        "--source",
        "docs",
        "--format",
        "jsonl",
        HIGH,
    ]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let called = world.finish(child.wait_with_output().unwrap());
    assert!(!called.stderr.contains("panicked"), "{}", called.stderr);
}
