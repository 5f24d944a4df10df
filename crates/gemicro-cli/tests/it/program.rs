//! A place to run the program in: state folder, documents, and an environment of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::normal::normalise;

/// A temporary world for one test.
pub(crate) struct World {
    folder: TempDir,
}

/// What one call left behind.
#[derive(Debug)]
pub(crate) struct Called {
    /// Exit code; -1 after a signal.
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl World {
    /// An empty state folder beside a few documents. Its path has a fixed length, as screens depend on it.
    pub(crate) fn new() -> Self {
        let world = Self {
            folder: tempfile::tempdir_in("/tmp").unwrap(),
        };
        let docs = world.path("docs");
        fs::create_dir_all(docs.join("ferries")).unwrap();
        let write = |name: &str, text: &str| fs::write(docs.join(name), text).unwrap();
        write(
            "lighthouse.md",
            "# Port Amsel lighthouse\n\nDate: 2024-03-01\n\nThe Port Amsel lighthouse is 31 metres high. It was built in 1874 by Ida Brandt.\n",
        );
        write(
            "ferries/alder.md",
            "# MV Alder Sound\n\nMV Alder Sound carries 435 passengers. The crossing with MV Alder Sound takes 31 minutes.\n",
        );
        fs::write(
            docs.join("noise.bin"),
            [0u8, 159, 146, 150, 0, 1, 2, 3].repeat(64),
        )
        .unwrap();
        world
    }

    /// A path in this world.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program with arguments, not started yet.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gemicro"));
        command
            .args(arguments)
            .env_clear()
            .env("HOME", self.path("user"))
            .env("GEMICRO_HOME", self.path("home"))
            // Tests of the resident worker say otherwise.
            .env("GEMICRO_RESIDENT", "off")
            .env("COLUMNS", "90")
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn call(&self, arguments: &[&str]) -> Called {
        self.finish(self.command(arguments).output().unwrap())
    }

    /// Runs the program and expects success.
    pub(crate) fn must(&self, arguments: &[&str]) -> Called {
        let called = self.call(arguments);
        assert_eq!(
            called.code, 0,
            "{arguments:?}\n{}\n{}",
            called.stdout, called.stderr
        );
        called
    }

    /// Asks about the documents, without a model.
    pub(crate) fn ask(&self, question: &str, more: &[&str]) -> Called {
        let mut arguments = vec!["research", "--offline", "--source", "docs", question];
        arguments.extend(more);
        self.call(&arguments)
    }

    /// The id of the newest run.
    pub(crate) fn last_run(&self) -> String {
        let rows: serde_json::Value =
            serde_json::from_str(&self.must(&["runs", "--format", "json"]).stdout).unwrap();
        rows[0]["run"].as_str().unwrap().to_owned()
    }

    pub(crate) fn finish(&self, output: Output) -> Called {
        Called {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Everything a call left, with ids, times and paths normalised.
    pub(crate) fn screen(&self, called: &Called) -> String {
        let text = format!(
            "exit {}\n--- stdout\n{}--- stderr\n{}",
            called.code, called.stdout, called.stderr
        );
        normalise(&text, self.folder.path())
    }

    /// A file's text, normalised.
    pub(crate) fn read(&self, path: &Path) -> String {
        normalise(&fs::read_to_string(path).unwrap(), self.folder.path())
    }
}

/// Compares a screen with the stored one.
#[macro_export]
macro_rules! golden {
    ($name:expr, $text:expr) => {
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!($name, $text);
        })
    };
}
