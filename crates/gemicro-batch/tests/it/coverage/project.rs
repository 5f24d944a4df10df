//! A project in a folder of its own, and the programs that tests need.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use gemicro_batch::coverage::{CoverageError, CoverageRequest, FileScope, GatheredCoverage, gather};

/// A folder that is removed in the end.
pub(super) struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    pub(super) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// The folder, without links.
    pub(super) fn root(&self) -> PathBuf {
        std::fs::canonicalize(self.folder.path()).unwrap()
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// Writes a file; those written later are newer.
    pub(super) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Says when a file was written, in seconds from now.
    pub(super) fn written(&self, name: &str, seconds_ago: u64) {
        let at = SystemTime::now() - Duration::from_secs(seconds_ago);
        let file = std::fs::File::options()
            .write(true)
            .open(self.path(name))
            .unwrap();
        file.set_modified(at).unwrap();
    }

    pub(super) fn gather(
        &self,
        reports: &[&str],
        scope: FileScope,
    ) -> Result<GatheredCoverage, CoverageError> {
        gather(&CoverageRequest {
            root: self.root(),
            reports: reports.iter().map(|report| (*report).to_owned()).collect(),
            scope,
        })
    }

    pub(super) fn all(&self) -> GatheredCoverage {
        self.gather(&[], FileScope::All).unwrap()
    }
}

/// A record of LCOV for a file with these lines.
pub(super) fn lcov(path: &str, lines: &[(u32, u64)]) -> String {
    let lines: String = lines
        .iter()
        .map(|(line, count)| format!("DA:{line},{count}\n"))
        .collect();
    format!("SF:{path}\n{lines}end_of_record\n")
}

/// Asserts that all programs answer.
pub(super) fn assert_there(programs: &[&[&str]]) {
    let answers = |words: &[&str]| {
        let mut command = Command::new(words[0]);
        command
            .args(&words[1..])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    for words in programs {
        assert!(
            answers(words),
            "`{}` does not answer: run `cargo xtask setup`",
            words.join(" ")
        );
    }
}

/// Runs a program in a folder to its good end and gives back what it printed.
pub(super) fn run(folder: &std::path::Path, words: &[&str]) -> String {
    let output = Command::new(words[0])
        .args(&words[1..])
        .current_dir(folder)
        .env("LLVM_PROFILE_FILE", "shapes.profraw")
        .env("LANG", "C.UTF-8")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {printed}\n{errors}");
    printed
}
