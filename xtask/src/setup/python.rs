//! The Python of the tests: a virtual environment in `.tools/python` with the official SDKs of Google, OpenAI and
//! Anthropic, the official MCP client, schemathesis, standardwebhooks, gcovr and coverage.py, pinned.
//!
//! The package lists are beside the tests that use them. A copy of all lists beside the packages records what is
//! installed, so a second run does nothing.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::installed_programs::InstalledPrograms;
use crate::process;

/// The name in the list of tools.
pub(super) const NAME: &str = "official SDKs";

const REQUIREMENTS: [&str; 5] = [
    "crates/gemicro-sim/tests/sdk/requirements.txt",
    "crates/gemicro-cli/tests/mcp/requirements.txt",
    "crates/gemicro-cli/tests/http/requirements.txt",
    "crates/gemicro-cli/tests/notify/requirements.txt",
    "crates/gemicro-batch/tests/it/coverage/requirements.txt",
];

/// Installs the packages unless they are installed already.
pub(super) fn install(root: &Path) -> Result<InstalledPrograms> {
    let mut wanted_text = String::new();
    for list in REQUIREMENTS {
        let text = std::fs::read_to_string(root.join(list)).with_context(|| format!("cannot read {list}"))?;
        wanted_text += &text;
    }
    let folder = root.join(".tools").join("python");
    let interpreter = folder.join("bin").join("python");
    let stamp = folder.join("requirements.txt");
    let is_current = std::fs::read_to_string(&stamp).is_ok_and(|text| text == wanted_text);
    if is_current && answers(&interpreter) {
        return Ok(InstalledPrograms::Before);
    }
    process::run(
        Command::new("python3")
            .args(["-m", "venv"])
            .arg(&folder)
            .current_dir(root),
    )?;
    process::run(
        Command::new(&interpreter)
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
            .args(REQUIREMENTS.map(|list| format!("--requirement={list}")))
            .current_dir(root),
    )?;
    std::fs::write(&stamp, wanted_text).with_context(|| format!("cannot write {}", stamp.display()))?;
    Ok(InstalledPrograms::Now)
}

fn answers(interpreter: &Path) -> bool {
    let mut command = Command::new(interpreter);
    command
        .args([
            "-c",
            "import google.genai, openai, anthropic, mcp, schemathesis, standardwebhooks, gcovr, coverage",
        ])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
