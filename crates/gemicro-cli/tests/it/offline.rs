//! `--offline` opens no connection, wherever a web address comes from.

use std::fs;
use std::io::ErrorKind;
use std::net::TcpListener;

use crate::program::{Called, World};

const HIGH: &str = "How high is the Port Amsel lighthouse?";

/// A server of this machine that notices every connection.
struct WatchedServer(TcpListener);

impl WatchedServer {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        Self(listener)
    }

    fn host(&self) -> String {
        self.0.local_addr().unwrap().to_string()
    }

    fn was_asked(&self) -> bool {
        match self.0.accept() {
            Ok(_) => true,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::WouldBlock, "{error}");
                false
            }
        }
    }
}

fn assert_refused(called: &Called, url: &str, server: &WatchedServer) {
    assert_eq!(called.code, 2, "{}\n{}", called.stdout, called.stderr);
    assert!(
        called.stderr.contains("offline research opens no connection"),
        "{}",
        called.stderr
    );
    assert!(called.stderr.contains(url), "{}", called.stderr);
    assert!(!server.was_asked(), "a connection was made for {url}");
}

#[test]
fn web_addresses_are_refused_before_anything_is_asked() {
    let (world, server) = (World::new(), WatchedServer::new());
    let host = server.host();
    fs::write(
        world.path("questions.jsonl"),
        format!("{{\"id\":\"1\",\"question\":\"{HIGH}\"}}\n"),
    )
    .unwrap();
    world.must(&["research", "--offline", "--source", "docs", HIGH]);
    let run = world.last_run();
    let url = format!("http://{host}/page");
    let shouted = format!("HTTP://{host}/page");
    let cases: [&[&str]; 8] = [
        &["research", "--offline", "--source", &url, HIGH],
        &["research", "--offline", "--source", &shouted, HIGH],
        &["research", "--backend", "offline", "--source", &url, HIGH],
        &[
            "research",
            "--offline",
            "--source",
            "docs",
            "--source",
            &url,
            HIGH,
        ],
        &["research", "--offline", "--source", &url, "--dry-run", HIGH],
        &[
            "research",
            "--offline",
            "--source",
            &url,
            "--questions",
            "questions.jsonl",
        ],
        &["research", "--offline", "--follow", &run, "--source", &url, HIGH],
        &["research", "--follow", &run, "--source", &url, HIGH],
    ];
    for case in cases {
        let mut arguments = case.to_vec();
        arguments.extend(["--allow-host", &host]);
        let named = if case.contains(&shouted.as_str()) {
            &shouted
        } else {
            &url
        };
        assert_refused(&world.call(&arguments), named, &server);
    }
    let named = "https://docs.example/page";
    assert_refused(
        &world.call(&["research", "--offline", "--source", named, HIGH]),
        named,
        &server,
    );
}

#[test]
fn web_addresses_of_the_settings_are_refused_too() {
    let (world, server) = (World::new(), WatchedServer::new());
    let (host, url) = (server.host(), format!("http://{}/page", server.host()));
    fs::create_dir_all(world.path("user/.config/gemicro")).unwrap();
    let settings = format!("[research]\nsources = [\"{url}\"]\nallow_hosts = [\"{host}\"]\n");
    fs::write(world.path("user/.config/gemicro/config.toml"), settings).unwrap();
    assert_refused(&world.call(&["research", "--offline", HIGH]), &url, &server);
    let called = world.call(&["research", "--offline", "--source", "docs", HIGH]);
    assert_eq!(called.code, 0, "{}", called.stderr);
}
