//! The official Python SDKs of Google, OpenAI and Anthropic against the simulator, unchanged.

use std::path::Path;
use std::process::Command;

use crate::client::start;

const SCENARIO: &str = include_str!("../sdk/scenario.yaml");

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_official_sdks_understand_everything() {
    println!("{}", understood("test_sdk.py").await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_official_sdks_understand_messages_and_responses() {
    println!("{}", understood("test_messages_and_responses.py").await);
}

/// What the script says when it is content with the simulator.
async fn understood(script: &str) -> String {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let interpreter = crate_folder.join("../../.tools/python/bin/python");
    assert!(
        interpreter.exists(),
        "{} is missing: run `cargo xtask setup`",
        interpreter.display()
    );
    let simulator = start(SCENARIO).await;
    let url = simulator.url();
    let script = crate_folder.join("tests/sdk").join(script);
    let output = tokio::task::spawn_blocking(move || {
        let mut command = Command::new(interpreter);
        command.arg(script).arg(url).env("NO_PROXY", "127.0.0.1");
        for name in [
            "HTTP_PROXY",
            "http_proxy",
            "GOOGLE_API_KEY",
            "GEMINI_API_KEY",
            "OPENAI_API_KEY",
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
        ] {
            command.env_remove(name);
        }
        command.output()
    });
    let output = output
        .await
        .expect("it does not panic")
        .expect("the interpreter starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{said}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(said.trim_end().ends_with("all passed"), "{said}");
    simulator.shutdown().await;
    said
}
