//! What the doctor says about agents: programs that only know their version, in a search path of their own.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::golden;
use crate::program::{Called, World};

/// The doctor with a search path that has only what is in `bin`, and these variables besides.
fn doctor(world: &World, arguments: &[&str], variables: &[(&str, &str)]) -> Called {
    for folder in ["bin", "user"] {
        fs::create_dir_all(world.path(folder)).unwrap();
    }
    let mut command = world.command(&["doctor", "--offline"]);
    command
        .args(arguments)
        .env("PATH", world.path("bin"))
        .envs(variables.iter().copied());
    world.finish(command.output().unwrap())
}

/// What does not depend on this machine: no disk, no store, no sandbox.
fn portable(world: &World, called: Called) -> String {
    let mut lines = called.stdout.lines().peekable();
    let mut stdout = String::new();
    while let Some(line) = lines.next() {
        let what = line.split_once(' ').map_or("", |(_, rest)| rest);
        if ["disk: ", "store: ", "sandbox: "]
            .iter()
            .any(|it| what.starts_with(it))
        {
            lines.next_if(|line| line.starts_with("  fix: "));
        } else {
            stdout += &format!("{line}\n");
        }
    }
    world.screen(&Called { stdout, ..called })
}

fn agent(world: &World, name: &str, script: &str) {
    let path = world.path("bin").join(name);
    fs::create_dir_all(world.path("bin")).unwrap();
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn without_agents_the_doctor_says_how_to_get_them_and_is_content() {
    let world = World::new();
    let called = doctor(&world, &["--deep"], &[]);
    golden!("doctor_without_agents", portable(&world, called));
}

#[test]
fn agents_are_good_or_too_old_or_missing() {
    let world = World::new();
    agent(&world, "gemini", "echo 0.61.0");
    agent(&world, "claude", "echo '2.1.196 (Claude Code)'");
    fs::create_dir_all(world.path("user/.gemini")).unwrap();
    fs::write(world.path("user/.gemini/oauth_creds.json"), "{}").unwrap();
    let keys = [("ANTHROPIC_API_KEY", "very-secret-key-0123456789")];
    let called = doctor(&world, &[], &keys);
    golden!("doctor_with_agents", portable(&world, called));
    let called = doctor(&world, &["--format", "json"], &keys);
    assert!(!called.stdout.contains("very-secret"));
    let findings: Vec<Value> = serde_json::from_str(&called.stdout).unwrap();
    let standing = |what: &str| {
        let found = findings.iter().find(|finding| finding["what"] == what);
        found.map(|finding| finding["standing"].as_str().unwrap())
    };
    assert_eq!(standing("agent gemini"), Some("good"));
    assert_eq!(standing("agent claude"), Some("attention"));
    assert_eq!(standing("agent codex"), Some("attention"));
    assert!(standing("sandbox").is_some());
    // Nothing of the doctor stays.
    assert_eq!(fs::read_dir(world.path("home/agents")).unwrap().count(), 0);
}

/// What the doctor says about the forge of a repository with this remote.
fn forge(world: &World, remote: &str, arguments: &[&str], variables: &[(&str, &str)]) -> String {
    let git = |arguments: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.args(arguments)
            .current_dir(world.path("."))
            .env("HOME", world.path("user"));
        assert!(git.output().unwrap().status.success(), "{arguments:?}");
    };
    fs::create_dir_all(world.path("user")).unwrap();
    git(&["init", "-q"]);
    let commit = [
        "-c",
        "user.name=me",
        "-c",
        "user.email=me@example.com",
        "commit",
        "-q",
    ];
    git(&[commit.as_slice(), &["--allow-empty", "-m", "first"]].concat());
    git(&["config", "remote.origin.url", remote]);
    let mut command = world.command(&["doctor"]);
    command
        .args(arguments)
        .env("PATH", "/usr/bin:/bin")
        .env("XDG_CONFIG_HOME", world.path("config"))
        .envs(variables.iter().copied());
    let called = world.finish(command.output().unwrap());
    let mut lines = called.stdout.lines();
    let found = lines.find(|line| line.contains(" forge: ")).unwrap().to_owned();
    match lines.next().filter(|line| line.starts_with("  fix: ")) {
        Some(fix) => format!("{found}\n{fix}"),
        None => found,
    }
}

#[test]
fn the_forge_of_the_folder_and_its_token_are_looked_at() {
    let world = World::new();
    let offline = |remote: &str, variables: &[(&str, &str)]| forge(&world, remote, &["--offline"], variables);
    let public = "https://me:hidden@github.com/octo/hello.git";
    let found = offline(public, &[]);
    assert!(
        found.starts_with("! forge: GitHub octo/hello, and no token"),
        "{found}"
    );
    assert!(
        found.contains("fix: export GITHUB_TOKEN=") && !found.contains("hidden"),
        "{found}"
    );
    let found = offline(public, &[("GH_TOKEN", "ghp_x")]);
    assert_eq!(found, "✓ forge: GitHub octo/hello, token set; not contacted");
    let found = offline("git@gitlab.example.com:octo/hello.git", &[("GITLAB_TOKEN", "x")]);
    assert!(
        found.contains("tokens are sent only to configured hosts"),
        "{found}"
    );
    let found = offline("/srv/git/hello.git", &[]);
    assert!(
        found.starts_with("✓ forge: the remote /srv/git/hello.git is not on a known forge"),
        "{found}"
    );

    // A forge that is asked and refuses the token.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let place = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            use std::io::{Read, Write};
            let mut stream = stream;
            let mut request = [0; 4096];
            let _ = stream.read(&mut request);
            let body = r#"{"message":"401 Unauthorized"}"#;
            let _ = write!(
                stream,
                "HTTP/1.1 401 Unauthorized\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    fs::create_dir_all(world.path("config/gemicro")).unwrap();
    let settings =
        format!("[forge.hosts.\"git.example.com\"]\nkind = \"gitlab\"\napi = \"http://{place}/api/v4\"\n");
    fs::write(world.path("config/gemicro/config.toml"), settings).unwrap();
    let remote = "https://git.example.com/octo/hello.git";
    let found = forge(&world, remote, &[], &[("GITLAB_TOKEN", "glpat-secret")]);
    assert!(found.starts_with("! forge: ") && found.contains("401"), "{found}");
    assert!(
        found.contains("GITLAB_TOKEN") && !found.contains("glpat-secret"),
        "{found}"
    );
}
