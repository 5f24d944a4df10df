//! The MCP server with the official Python client.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::agent_world::AgentWorld;
use crate::mcp::gated;
use crate::simulated::KEY;

#[test]
fn the_official_client_understands_everything() {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let interpreter = crate_folder.join("../../.tools/python/bin/python");
    let has_client = Command::new(&interpreter)
        .args(["-c", "import mcp, httpx2"])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    assert!(
        has_client,
        "no `mcp` in {}: run `cargo xtask setup`",
        interpreter.display()
    );
    let stage = AgentWorld::scripted(&gated());
    let mut command = stage
        .simulated
        .command(&["mcp", "--http", "127.0.0.1:0", "--answer-within", "2"]);
    command.env("PATH", stage.search_path()).stderr(Stdio::piped());
    let mut server = command.spawn().unwrap();
    let mut said = String::new();
    let mut stderr = BufReader::new(server.stderr.take().unwrap());
    stderr.read_line(&mut said).unwrap();
    let url = said
        .split_whitespace()
        .find_map(|word| word.strip_suffix(';').filter(|word| word.starts_with("http://")))
        .unwrap_or_else(|| panic!("{said}"))
        .to_owned();
    let token = std::fs::read_to_string(stage.path("home/mcp-token")).unwrap();
    assert!(!said.contains(token.trim()), "{said}");

    let output = Command::new(&interpreter)
        .arg(crate_folder.join("tests/mcp/test_mcp.py"))
        .arg(env!("CARGO_BIN_EXE_gemicro"))
        .arg(stage.path("project"))
        .args([&url, token.trim()])
        .env("PATH", stage.search_path())
        .env("HOME", stage.path("user"))
        .env("GEMICRO_HOME", stage.path("home"))
        .env("GOOGLE_GEMINI_BASE_URL", stage.simulated.running.url())
        .env("GEMINI_API_KEY", KEY)
        .env("NO_PROXY", "127.0.0.1")
        .output()
        .unwrap();
    kill_process(Pid::from_child(&server), Signal::TERM).unwrap();
    assert!(server.wait().unwrap().success());
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{printed}\n{errors}");
    assert!(printed.trim_end().ends_with("all passed"), "{printed}\n{errors}");
    println!("{printed}");
    stage.assert_nothing_runs();
}
