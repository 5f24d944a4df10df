//! Caches what CLIs print for `--version`, so that it costs nothing per run.
//!
//! A program is identified by its path, size and modification time, so an updated one is asked again. The cache may be
//! kept in a file for the next process.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::sandbox::LaunchPlan;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::timeout;

use super::process::{Process, StartedProcess};

/// Maximum time for a CLI to print its version; some take seconds to load.
const PATIENCE: Duration = Duration::from_secs(30);
/// Maximum number of bytes read.
const MAX_BYTES: u64 = 4096;
/// Maximum number of cached programs.
const MAX_KNOWN: usize = 64;

/// A cache of `--version` output.
#[derive(Debug, Default)]
pub struct VersionCache {
    file: Option<PathBuf>,
    known: Mutex<Vec<KnownVersion>>,
}

/// The output of a program for `--version`.
#[derive(Debug)]
pub(super) struct PrintedVersion {
    pub(super) stdout: String,
    /// Empty if the answer came from the cache.
    pub(super) stderr: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct KnownVersion {
    program: ProgramKey,
    printed: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ProgramKey {
    path: PathBuf,
    size: u64,
    modified_s: i64,
    modified_ns: i64,
}

impl VersionCache {
    /// Uses this file as well. An unreadable file is ignored.
    #[must_use]
    pub fn in_file(file: PathBuf) -> Self {
        let known = fs::read(&file)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        Self {
            file: Some(file),
            known: Mutex::new(known),
        }
    }

    /// Returns the output of a program for `--version`, from the cache if possible.
    pub(super) async fn printed_version(
        &self,
        program: &Path,
        plan: impl FnOnce() -> Result<LaunchPlan, Failure>,
    ) -> Result<PrintedVersion, Failure> {
        let key = ProgramKey::of(program);
        if let Some(key) = &key
            && let Some(stdout) = self.look_up(key)
        {
            return Ok(PrintedVersion {
                stdout,
                stderr: String::new(),
            });
        }
        let printed = ask(plan()?).await?;
        // An empty answer is not cached: the machine may have been out of memory.
        if let (Some(program), false) = (key, printed.stdout.trim().is_empty()) {
            let printed = printed.stdout.clone();
            self.remember(KnownVersion { program, printed });
        }
        Ok(printed)
    }

    fn look_up(&self, key: &ProgramKey) -> Option<String> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.iter().find(|known| known.program == *key)?;
        Some(found.printed.clone())
    }

    fn remember(&self, new: KnownVersion) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|known| known.program.path != new.program.path);
        if known.len() >= MAX_KNOWN {
            known.remove(0);
        }
        known.push(new);
        if let Some(file) = &self.file {
            // Only a cache: the next process asks again.
            let _ = write(file, &known);
        }
    }
}

impl ProgramKey {
    fn of(program: &Path) -> Option<Self> {
        let path = fs::canonicalize(program).ok()?;
        let metadata = fs::metadata(&path).ok()?;
        Some(Self {
            path,
            size: metadata.size(),
            modified_s: metadata.mtime(),
            modified_ns: metadata.mtime_nsec(),
        })
    }
}

async fn ask(plan: LaunchPlan) -> Result<PrintedVersion, Failure> {
    let StartedProcess {
        mut process,
        stdin,
        stdout,
        stderr,
        ..
    } = Process::start(plan, None).await?;
    drop(stdin);
    let both = async { tokio::join!(read_beginning(stdout), read_beginning(stderr)) };
    let answer = timeout(PATIENCE, both).await;
    process.kill();
    let exited = timeout(PATIENCE, process.wait()).await;
    if let Ok(Some(failure)) = exited.map(|exited| exited.failure) {
        return Err(failure);
    }
    let Ok((stdout, stderr)) = answer else {
        let message = format!("the CLI did not print its version within {PATIENCE:?}");
        return Err(Failure::new(ErrorKind::Timeout, message));
    };
    Ok(PrintedVersion { stdout, stderr })
}

/// Reads the beginning of a stream and closes it, so that the program does not wait for a reader.
async fn read_beginning(stream: impl AsyncRead + Unpin) -> String {
    let mut bytes = Vec::new();
    // A broken stream counts as ended.
    let _ = stream.take(MAX_BYTES).read_to_end(&mut bytes).await;
    String::from_utf8_lossy(&bytes).into_owned()
}

fn write(file: &Path, known: &[KnownVersion]) -> std::io::Result<()> {
    let temporary = file.with_extension(format!("{}.tmp", std::process::id()));
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let mut out = options.open(&temporary)?;
    out.write_all(&serde_json::to_vec(known)?)?;
    fs::rename(&temporary, file)
}
