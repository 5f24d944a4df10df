//! The official Python SDKs of Google and OpenAI against the simulator, unchanged.

use std::path::Path;
use std::process::Command;

use crate::client::start;

const SCENARIO: &str = include_str!("../sdk/scenario.yaml");

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_official_sdks_understand_everything() {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let interpreter = crate_folder.join("../../.tools/python/bin/python");
    if !interpreter.exists() {
        assert!(
            std::env::var("CI").as_deref() != Ok("true"),
            "{} is missing: run `cargo xtask setup`",
            interpreter.display()
        );
        println!(
            "SKIPPED, NOT TESTED: no {}; run `cargo xtask setup`",
            interpreter.display()
        );
        return;
    }
    let simulator = start(SCENARIO).await;
    let url = simulator.url();
    let script = crate_folder.join("tests/sdk/test_sdk.py");
    let output = tokio::task::spawn_blocking(move || {
        Command::new(interpreter)
            .arg(script)
            .arg(url)
            .env_remove("HTTP_PROXY")
            .env_remove("http_proxy")
            .env("NO_PROXY", "127.0.0.1")
            .env_remove("GOOGLE_API_KEY")
            .env_remove("GEMINI_API_KEY")
            .output()
    });
    let output = output.await.unwrap().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    println!("{said}");
    assert!(
        output.status.success(),
        "{said}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(said.trim_end().ends_with("all passed"), "{said}");
    simulator.shutdown().await;
}
