//! What is wrong with a request or a store: a clear message, the right exit code, nothing lost.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{FileExt, PermissionsExt, symlink};
use std::process::{Command, Stdio};

use gemicro_sim::scenario::ScenarioEndpoint;

use crate::golden;
use crate::program::World;
use crate::simulated::{Simulated, research};

const HIGH: &str = "How high is the Port Amsel lighthouse?";

#[test]
fn an_empty_question_is_refused() {
    let world = World::new();
    golden!("empty_question", world.screen(&world.ask("  \n ", &[])));
    assert_eq!(world.call(&["research", "--offline", "--source", "docs"]).code, 2);
}

#[test]
fn a_huge_question_is_refused() {
    let world = World::new();
    golden!(
        "huge_question",
        world.screen(&world.ask(&"why ".repeat(10_000), &[]))
    );
}

#[test]
fn offline_needs_sources_that_exist() {
    let world = World::new();
    golden!(
        "no_sources",
        world.screen(&world.call(&["research", "--offline", HIGH]))
    );
    golden!(
        "missing_source",
        world.screen(&world.call(&["research", "--offline", "--source", "nowhere", HIGH]))
    );
}

#[test]
fn a_binary_file_alone_is_no_source() {
    let world = World::new();
    golden!(
        "binary_source",
        world.screen(&world.call(&["research", "--offline", "--source", "docs/noise.bin", HIGH]))
    );
}

#[test]
fn a_symlink_loop_ends() {
    let world = World::new();
    symlink(world.path("b"), world.path("a")).unwrap();
    symlink(world.path("a"), world.path("b")).unwrap();
    golden!(
        "symlink_loop",
        world.screen(&world.call(&["research", "--offline", "--source", "a", HIGH]))
    );
    symlink(world.path("docs"), world.path("docs/again")).unwrap();
    assert_eq!(world.ask(HIGH, &[]).code, 0);
}

/// The same command without the power to read everything, which root has.
fn powerless(command: Command) -> Command {
    if !rustix::process::geteuid().is_root() {
        return command;
    }
    let mut wrapped = Command::new("setpriv");
    wrapped
        .args(["--bounding-set=-all", "--inh-caps=-all", "--"])
        .arg(command.get_program())
        .args(command.get_args())
        .env_clear()
        .envs(command.get_envs().filter_map(|(key, value)| Some((key, value?))))
        .current_dir(command.get_current_dir().unwrap())
        .stdin(Stdio::null());
    wrapped
}

#[test]
fn an_unreadable_source_is_named() {
    let world = World::new();
    fs::set_permissions(
        world.path("docs/lighthouse.md"),
        fs::Permissions::from_mode(0o000),
    )
    .unwrap();
    let command = world.command(&["research", "--offline", "--source", "docs/lighthouse.md", HIGH]);
    let called = world.finish(powerless(command).output().unwrap());
    assert_eq!(called.code, 2, "{}", called.stderr);
    assert!(called.stderr.contains("lighthouse.md"), "{}", called.stderr);
    assert!(called.stderr.contains("permission denied"), "{}", called.stderr);
}

#[test]
fn invalid_utf_8_and_escape_sequences_do_not_reach_the_terminal() {
    let world = World::new();
    let text =
        b"# Port Amsel lighthouse\n\nThe Port Amsel lighthouse is 31 \x1b[2J\x1b]0;gotcha\x07metres high.\n";
    fs::write(world.path("docs/lighthouse.md"), text).unwrap();
    for called in [
        world.ask(HIGH, &[]),
        world.ask(HIGH, &["--format", "markdown"]),
        world.call(&["show", "last", "--raw"]),
    ] {
        assert!(!called.stdout.contains(['\x1b', '\x07']), "{}", called.stdout);
        assert!(!called.stderr.contains(['\x1b', '\x07']), "{}", called.stderr);
    }
}

#[test]
fn a_project_file_that_is_broken_names_its_line() {
    let world = World::new();
    fs::write(world.path("gemicro.toml"), "[research]\nmax_queries = = 3\n").unwrap();
    golden!("broken_config", world.screen(&world.ask(HIGH, &[])));
}

#[test]
fn a_damaged_store_is_left_as_it_is() {
    let world = World::new();
    world.ask(HIGH, &[]);
    let file = world.path("home/gemicro.db");
    fs::write(
        &file,
        b"this is not a database, and long enough to be sure of it. ".repeat(100),
    )
    .unwrap();
    let before = fs::read(&file).unwrap();
    golden!("damaged_store", world.screen(&world.call(&["show", "last"])));
    let asked = world.ask(HIGH, &[]);
    assert_eq!(asked.code, 3, "{}", asked.stderr);
    let doctor = world.call(&["doctor"]);
    assert_eq!(doctor.code, 3);
    assert!(doctor.stdout.contains("✗ store: "), "{}", doctor.stdout);
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn a_newer_store_is_left_as_it_is() {
    let world = World::new();
    world.ask(HIGH, &[]);
    let file = world.path("home/gemicro.db");
    let _ = fs::remove_file(world.path("home/gemicro.db-wal"));
    // The user version in the header of a SQLite file.
    fs::OpenOptions::new()
        .write(true)
        .open(&file)
        .unwrap()
        .write_all_at(&99u32.to_be_bytes(), 60)
        .unwrap();
    golden!("newer_store", world.screen(&world.call(&["runs"])));
    assert_eq!(world.ask(HIGH, &[]).code, 3);
}

#[test]
fn a_state_folder_of_others_is_refused() {
    let world = World::new();
    fs::create_dir(world.path("home")).unwrap();
    fs::set_permissions(world.path("home"), fs::Permissions::from_mode(0o777)).unwrap();
    golden!("open_state_folder", world.screen(&world.call(&["runs"])));
}

#[test]
fn a_deep_check_notices_a_missing_blob() {
    let world = World::new();
    world.ask(HIGH, &[]);
    assert_eq!(world.call(&["doctor", "--deep"]).code, 0);
    fs::remove_dir_all(world.path("home/blobs")).unwrap();
    let checked = world.call(&["doctor", "--deep"]);
    assert!(
        checked.stdout.contains("missing from the store")
            || checked.stderr.contains("missing from the store"),
        "{}\n{}",
        checked.stdout,
        checked.stderr
    );
}

#[test]
fn words_that_look_like_a_command_never_reach_the_model() {
    let simulated = Simulated::new(&research(1));
    for arguments in [
        &["status"][..],
        &["list"],
        &["shw", "last"],
        &["conversation", "list"],
        &["paus", "last"],
        &["adjust", "last", "--format", "json"],
        &["status", "--all"],
        &["stats", "--help"],
        &["-v", "status"],
        &["--store=x", "list", "all"],
        &["--model", "gemini-3.5-flash", "status"],
        &["--no-web", "--budget", "10k", "--", "frobnicate"],
        &["frobnicate", "8f3kq0zz1m2n4p5q"],
    ] {
        let called = simulated.call(arguments);
        assert_eq!(called.code, 2, "{arguments:?}: {}", called.stderr);
        assert!(
            called.stderr.contains("run: gemicro research "),
            "{arguments:?}: {}",
            called.stderr
        );
        assert_eq!(called.stdout, "");
    }
    assert!(simulated.requests(ScenarioEndpoint::Interactions).is_empty());
    assert!(!simulated.world.path("home").exists(), "nothing was stored");
    let asked = simulated.call(&["--no-web", "What is it?"]);
    assert_eq!(asked.code, 0, "{}", asked.stderr);
    assert_eq!(simulated.call(&["research", "--no-web", "status"]).code, 0);
}

#[test]
fn an_agent_cli_that_is_not_installed_is_named_with_its_installation() {
    let world = World::new();
    for (backend, program) in [("claude", "claude"), ("codex", "codex"), ("gemini-cli", "gemini")] {
        for dry_run in [&[][..], &["--dry-run"]] {
            let mut command =
                world.command(&["research", "--backend", backend, "--source", "docs", "How high?"]);
            let called = command
                .args(dry_run)
                .env("PATH", "/usr/bin:/bin")
                .output()
                .unwrap();
            let called = world.finish(called);
            assert_eq!(called.code, 3, "{}", called.stderr);
            let missing = format!("{program} is not in the search path");
            assert!(called.stderr.contains(&missing), "{}", called.stderr);
            assert!(
                called.stderr.contains("install it: npm install"),
                "{}",
                called.stderr
            );
            assert!(!called.stderr.contains("GEMINI_API_KEY"), "{}", called.stderr);
        }
    }
}

#[test]
fn the_web_is_not_searched_offline() {
    let world = World::new();
    let refused = world.call(&[
        "--offline",
        "--web",
        "--source",
        "docs",
        "How high is the lighthouse?",
    ]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(
        refused.stderr.contains("cannot search the web"),
        "{}",
        refused.stderr
    );
    // A setting does not hold offline.
    let mut command = world.command(&["--offline", "--source", "docs", "How high is the lighthouse?"]);
    let asked = world.finish(command.env("GEMICRO_WEB", "true").output().unwrap());
    assert_eq!(asked.code, 0, "{}", asked.stderr);
}

/// A word on stdin costs nothing either.
#[test]
fn a_word_on_stdin_is_no_question() {
    let world = World::new();
    let typed = |arguments: &[&str], words: &str| {
        let mut child = world
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(words.as_bytes()).unwrap();
        world.finish(child.wait_with_output().unwrap())
    };
    for words in ["status", "status\n", "show last\n"] {
        let refused = typed(&["-", "--offline", "--source", "docs"], words);
        assert_eq!(refused.code, 2, "{words}: {}", refused.stderr);
        assert!(
            refused.stderr.contains("gemicro research -"),
            "{}",
            refused.stderr
        );
    }
    for (arguments, words) in [
        (
            ["-", "--offline", "--source", "docs"],
            "How high is the lighthouse?\n",
        ),
        (["research", "-", "--offline", "--source=docs"], "lighthouse"),
    ] {
        let asked = typed(&arguments, words);
        assert!(!asked.stderr.contains("may be a command"), "{}", asked.stderr);
    }
}

#[test]
fn one_word_is_no_task_of_a_pipeline() {
    let world = World::new();
    for word in ["last", "status", "7f3a9c21"] {
        let called = world.call(&["run", word]);
        assert_eq!(called.code, 2, "{}", called.stderr);
        let hint = format!("gemicro run --task {word}");
        assert!(called.stderr.contains(&hint), "{}", called.stderr);
    }
}
