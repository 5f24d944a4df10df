//! A store that is damaged, cannot be written or cannot be reached: every command says so, with an exit code.

use std::fs;
use std::io::Write;
use std::path::Path;

use serde_json::Value;

use crate::program::World;

const HIGH: &str = "How high is the Port Amsel lighthouse?";

/// Changes one letter of a text wherever it stands in a file.
fn change(file: &Path, text: &[u8]) -> usize {
    let mut bytes = fs::read(file).unwrap();
    let mut n_changed = 0;
    for at in 0..bytes.len() - text.len() {
        if bytes[at..].starts_with(text) {
            bytes[at] ^= 1;
            n_changed += 1;
        }
    }
    fs::write(file, bytes).unwrap();
    n_changed
}

#[test]
fn a_changed_letter_in_a_journal_is_reported_by_whatever_reads_it() {
    let world = World::new();
    world.ask(HIGH, &[]);
    let id = world.last_run();
    let checked = world.must(&["store", "check"]);
    assert!(checked.stdout.contains("No damage found."), "{}", checked.stdout);
    assert!(change(&world.path("home/gemicro.db"), b"31 metres") > 0);
    for arguments in [
        vec!["show", id.as_str()],
        vec!["events", id.as_str()],
        vec!["store", "check"],
        vec!["doctor", "--offline", "--deep"],
    ] {
        let called = world.call(&arguments);
        assert_eq!(called.code, 3, "{arguments:?}\n{}", called.stdout);
        let said = format!("{}{}", called.stdout, called.stderr);
        assert!(
            said.contains(&format!("of run {id} was changed on the disk")),
            "{arguments:?}\n{said}"
        );
    }
    let checked = world.call(&["store", "check", "--format", "json"]);
    let report: Value = serde_json::from_str(checked.stdout.lines().next().unwrap()).unwrap();
    assert_eq!(report["problems"].as_array().unwrap().len(), 1, "{report}");
    // The damaged run can be deleted; the store is whole again.
    world.must(&["prune", "--run", &id, "--yes"]);
    world.must(&["store", "check"]);
}

#[test]
fn a_truncated_database_is_not_called_good() {
    let world = World::new();
    for _ in 0..3 {
        world.ask(HIGH, &[]);
    }
    let file = world.path("home/gemicro.db");
    let whole = fs::read(&file).unwrap();
    for n_pages in 1..=3 {
        fs::write(&file, &whole[..whole.len() - n_pages * 4096]).unwrap();
        let doctor = world.call(&["doctor", "--offline"]);
        assert_eq!(doctor.code, 3, "{}", doctor.stdout);
        assert!(doctor.stdout.contains("✗ store: "), "{}", doctor.stdout);
        let is_tried = ["tier full", "Landlock only", "none ("]
            .iter()
            .any(|found| doctor.stdout.contains(&format!("sandbox: {found}")));
        assert!(is_tried, "it is tried all the same: {}", doctor.stdout);
    }
}

#[test]
fn an_older_copy_of_the_database_is_refused_until_the_loss_is_accepted() {
    let world = World::new();
    world.ask(HIGH, &[]);
    let file = world.path("home/gemicro.db");
    let older = fs::read(&file).unwrap();
    world.ask(HIGH, &[]);
    fs::write(&file, older).unwrap();
    for arguments in [
        ["runs", "--all"].as_slice(),
        &["show", "last"],
        &["doctor", "--offline"],
    ] {
        let called = world.call(if arguments[0] == "runs" {
            &["runs"]
        } else {
            arguments
        });
        let said = format!("{}{}", called.stdout, called.stderr);
        assert_eq!(called.code, 3, "{said}");
        assert!(said.contains("gemicro store accept-loss"), "{said}");
    }
    let accepted = world.must(&["store", "accept-loss"]);
    assert!(
        accepted.stderr.contains("events is accepted"),
        "{}",
        accepted.stderr
    );
    world.must(&["runs"]);
    world.must(&["store", "check"]);
    let again = world.must(&["store", "accept-loss"]);
    assert!(
        again.stderr.contains("No events are missing."),
        "{}",
        again.stderr
    );
}

#[test]
fn a_state_folder_that_cannot_be_written_is_no_defect_of_gemicro() {
    let world = World::new();
    fs::write(
        world.path("tasks.json"),
        r#"[{"task_id":"a","type":"get_memory_summary","parameters":{}}]"#,
    )
    .unwrap();
    for arguments in [
        ["batch", "submit", "tasks.json"].as_slice(),
        &["batch", "list"],
        &["runs"],
        &["ask", "hello"],
    ] {
        // Nobody can make anything there.
        let mut command = world.command(arguments);
        command
            .env("GEMICRO_HOME", "/proc/gemicro")
            .env("GEMICRO_RESIDENT", "on");
        let called = world.finish(command.output().unwrap());
        assert_eq!(called.code, 3, "{arguments:?}\n{}", called.stderr);
        assert!(
            called.stderr.contains("/proc/gemicro"),
            "{arguments:?}\n{}",
            called.stderr
        );
        assert!(
            !called.stderr.contains("report it"),
            "{arguments:?}\n{}",
            called.stderr
        );
    }
}

#[test]
fn a_file_in_place_of_the_state_folder_is_no_defect_of_gemicro() {
    let world = World::new();
    let file = world.path("file");
    fs::write(&file, "").unwrap();
    fs::write(
        world.path("tasks.json"),
        r#"[{"task_id":"a","type":"get_memory_summary","parameters":{}}]"#,
    )
    .unwrap();
    for arguments in [["batch", "submit", "tasks.json"].as_slice(), &["runs"]] {
        let mut command = world.command(arguments);
        command.env("GEMICRO_HOME", &file).env("GEMICRO_RESIDENT", "on");
        let called = world.finish(command.output().unwrap());
        assert_eq!(called.code, 3, "{arguments:?}\n{}", called.stderr);
        assert!(called.stderr.contains("is not a folder"), "{}", called.stderr);
    }
}

#[test]
fn the_address_of_a_store_is_blamed_on_where_it_came_from() {
    let world = World::new();
    let by_flag = world.call(&["--store", "mysql://me:secret@db/x", "runs"]);
    let mut command = world.command(&["runs"]);
    let by_variable = world.finish(
        command
            .env("GEMICRO_STORE", "mysql://me:secret@db/x")
            .output()
            .unwrap(),
    );
    for (called, named, other) in [
        (&by_flag, "--store: ", "GEMICRO_STORE"),
        (&by_variable, "environment GEMICRO_STORE", "--store: "),
    ] {
        assert_eq!(called.code, 2, "{}", called.stderr);
        let said = &called.stderr;
        assert!(said.contains(named) && !said.contains(other), "{said}");
        assert!(!said.contains("secret") && said.contains("postgres://"), "{said}");
    }
}

#[test]
fn a_server_that_cannot_be_reached_is_not_blamed_on_the_state_folder() {
    let world = World::new();
    fs::write(
        world.path("tasks.json"),
        r#"[{"task_id":"a","type":"get_memory_summary","parameters":{}}]"#,
    )
    .unwrap();
    // Nobody listens on this port.
    let store = "postgres://me:secret@127.0.0.1:1/x?sslmode=disable";
    for arguments in [
        ["runs"].as_slice(),
        &["doctor", "--offline"],
        &["store", "check"],
        &["batch", "submit", "tasks.json"],
    ] {
        let mut command = world.command(arguments);
        let called = world.finish(command.env("GEMICRO_STORE", store).output().unwrap());
        let said = format!("{}{}", called.stdout, called.stderr);
        assert_eq!(called.code, 3, "{arguments:?}\n{said}");
        assert!(
            said.contains("postgres://me@127.0.0.1:1/x"),
            "{arguments:?}\n{said}"
        );
        assert!(!said.contains("secret"), "{arguments:?}\n{said}");
        let about_store: Vec<&str> = said
            .lines()
            .filter(|line| line.contains("does not answer") || line.contains("hint:"))
            .collect();
        assert!(
            !about_store
                .iter()
                .any(|line| line.contains("folder") || line.contains("GEMICRO_HOME")),
            "{arguments:?}\n{said}"
        );
    }
}

#[test]
fn missing_contents_are_noticed_and_no_fix_points_back_to_the_doctor() {
    let world = World::new();
    world.ask(HIGH, &[]);
    fs::remove_dir_all(world.path("home/blobs")).unwrap();
    let missing = world.call(&["doctor", "--offline"]);
    assert_eq!(missing.code, 3, "{}", missing.stdout);
    assert!(missing.stdout.contains("are missing"), "{}", missing.stdout);
    fs::write(world.path("home/gemicro.db"), "this is no database").unwrap();
    let damaged = world.call(&["doctor", "--offline"]);
    let unreachable = world.call(&[
        "--store",
        "postgres://me@127.0.0.1:1/x?sslmode=disable",
        "doctor",
        "--offline",
    ]);
    assert!(
        unreachable.stdout.contains("(flag --store)"),
        "{}",
        unreachable.stdout
    );
    for called in [&missing, &damaged, &unreachable] {
        assert_eq!(called.code, 3, "{}", called.stdout);
        let mut fixes = called.stdout.lines().filter(|line| line.starts_with("  fix: "));
        assert!(
            !fixes.any(|fix| fix.contains("gemicro doctor")),
            "{}",
            called.stdout
        );
    }
    // The command that is named makes room for a new store.
    let (_, command) = damaged.stdout.split_once("to start fresh: ").unwrap();
    let moved = std::process::Command::new("sh")
        .args(["-c", command.lines().next().unwrap()])
        .status()
        .unwrap();
    assert!(moved.success());
    world.must(&["doctor", "--offline"]);
    world.ask(HIGH, &[]);
}

#[test]
fn a_wrong_address_of_the_store_is_one_finding_about_the_settings() {
    let world = World::new();
    let called = world.call(&["--store", "mysql://db/x", "doctor", "--offline"]);
    assert_eq!(called.code, 3, "{}", called.stdout);
    let settings: Vec<&str> = called
        .stdout
        .lines()
        .filter(|line| line.contains("settings: ") || line.contains("postgres://"))
        .collect();
    assert_eq!(settings.len(), 1, "{}", called.stdout);
    assert!(settings[0].starts_with("✗ "), "{}", called.stdout);
    assert!(
        !world.path("home").exists() && !called.stdout.contains("made now"),
        "{}",
        called.stdout
    );
}

#[test]
fn a_port_with_another_server_is_said_to_be_no_postgresql() {
    let world = World::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let store = format!("postgres://me@{}/x", listener.local_addr().unwrap());
    let served = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
    });
    let called = world.finish(
        world
            .command(&["runs"])
            .env("GEMICRO_STORE", store)
            .output()
            .unwrap(),
    );
    served.join().unwrap();
    assert_eq!(called.code, 3, "{}", called.stderr);
    assert!(
        called
            .stderr
            .contains("does not answer like a PostgreSQL server; check the host and the port"),
        "{}",
        called.stderr
    );
}
