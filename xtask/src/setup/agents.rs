//! Installs the real agent CLIs for the tests in `.tools/agents`, each at the version that the adapters were written
//! for.
//!
//! The programs are in `.tools/agents/node_modules/.bin`. Package scripts do not run while npm installs; the one that
//! is needed is run explicitly afterwards. Each program must then report the version pinned here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::installed_programs::InstalledPrograms;
use crate::process;

/// The name in the list of tools.
pub(super) const NAME: &str = "agent CLIs";

/// One CLI at one version.
struct Pin {
    package: &'static str,
    version: &'static str,
    program: &'static str,
    /// A script of the package that must run before the program works.
    finish: Option<&'static str>,
}

const PINS: [Pin; 3] = [
    Pin {
        package: "@google/gemini-cli",
        version: "0.61.0",
        program: "gemini",
        finish: None,
    },
    Pin {
        package: "@anthropic-ai/claude-code",
        version: "2.1.197",
        program: "claude",
        // Puts the program for this machine where the link points.
        finish: Some("install.cjs"),
    },
    Pin {
        package: "@openai/codex",
        version: "0.166.0",
        program: "codex",
        finish: None,
    },
];

/// Installs the CLIs unless exactly these versions are installed.
pub(super) fn install(root: &Path) -> Result<InstalledPrograms> {
    let folder = root.join(".tools").join("agents");
    let manifest = folder.join("package.json");
    let stamp = folder.join("installed.json");
    let is_current = std::fs::read_to_string(&stamp).is_ok_and(|text| text == pins_manifest());
    if is_current && PINS.iter().all(|pin| is_there(&folder, pin)) {
        return Ok(InstalledPrograms::Before);
    }
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    std::fs::write(&manifest, pins_manifest())
        .with_context(|| format!("cannot write {}", manifest.display()))?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts"])
        .args(["--loglevel", "error"]);
    process::run(npm.current_dir(&folder)).context("npm could not install them")?;
    for pin in &PINS {
        if let Some(script) = pin.finish {
            process::run(
                Command::new("node")
                    .arg(script)
                    .current_dir(package(&folder, pin)),
            )?;
        }
        check(&folder, pin)?;
    }
    // Written last, so that an interrupted installation is repeated.
    std::fs::write(&stamp, pins_manifest()).with_context(|| format!("cannot write {}", stamp.display()))?;
    Ok(InstalledPrograms::Now)
}

/// A package manifest that depends on the pinned versions.
fn pins_manifest() -> String {
    let pins: BTreeMap<&str, &str> = PINS.iter().map(|pin| (pin.package, pin.version)).collect();
    format!("{:#}\n", json!({ "private": true, "dependencies": pins }))
}

/// Whether this version of the package is unpacked and has its program.
fn is_there(folder: &Path, pin: &Pin) -> bool {
    let manifest = package(folder, pin).join("package.json");
    let found = std::fs::read(manifest)
        .ok()
        .and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    found.is_some_and(|found| found["version"] == pin.version) && program(folder, pin).exists()
}

fn package(folder: &Path, pin: &Pin) -> PathBuf {
    folder.join("node_modules").join(pin.package)
}

fn program(folder: &Path, pin: &Pin) -> PathBuf {
    folder.join("node_modules").join(".bin").join(pin.program)
}

/// Asks a program for its version, with its own home folder: some write there even then.
fn check(folder: &Path, pin: &Pin) -> Result<()> {
    let home = folder.join("home");
    std::fs::create_dir_all(&home).with_context(|| format!("cannot make {}", home.display()))?;
    let output = Command::new(program(folder, pin))
        .arg("--version")
        .env("HOME", home)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("{} does not start", pin.program))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let is_right = printed.split_whitespace().any(|word| word == pin.version);
    if !output.status.success() || !is_right {
        bail!(
            "`{} --version` ({}) printed `{}` instead of {}{}",
            pin.program,
            output.status,
            printed.trim(),
            pin.version,
            first_line(&output.stderr)
        );
    }
    Ok(())
}

fn first_line(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let line = text.lines().find(|line| !line.trim().is_empty());
    line.map_or_else(String::new, |line| format!(": {line}"))
}

#[cfg(test)]
mod tests {
    use super::{PINS, Value, pins_manifest};

    #[test]
    fn the_manifest_pins_exact_versions() {
        let manifest: Value = serde_json::from_str(&pins_manifest()).unwrap();
        for pin in PINS {
            assert_eq!(manifest["dependencies"][pin.package], pin.version);
            assert!(pin.version.split('.').all(|part| part.parse::<u32>().is_ok()));
        }
    }
}
