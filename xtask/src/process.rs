//! Starts child processes without stdin, and reports them by the command line one would type.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// `cargo` in the root of the checkout, with `.tools/bin` first in the search path.
pub(crate) fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    if let Some(path) = search_path(root) {
        command.env("PATH", path);
    }
    command
}

/// Runs a command whose output goes straight to ours; fails unless it succeeds.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = line(command);
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("cannot start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` failed ({status})");
    }
    Ok(())
}

/// Runs a command and returns its stdout; its stderr goes to ours.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let line = line(command);
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start `{line}`"))?;
    let text = String::from_utf8(output.stdout).with_context(|| format!("`{line}` did not print UTF-8"))?;
    if !output.status.success() {
        bail!("`{line}` failed ({}){}", output.status, last_lines(&text));
    }
    Ok(text)
}

/// Variables that are left out of a command as one would type it: they change where it runs, not what it does.
const SURROUNDINGS: [&str; 3] = ["PATH", "GEMICRO_HOME", "CARGO_INCREMENTAL"];

/// The command as one would type it.
pub(crate) fn line(command: &Command) -> String {
    let mut words = Vec::new();
    for (name, value) in command.get_envs() {
        let left_out = SURROUNDINGS.iter().any(|other| name == *other);
        if let (false, Some(value)) = (left_out, value) {
            words.push(format!(
                "{}={}",
                name.to_string_lossy(),
                quoted(&value.to_string_lossy())
            ));
        }
    }
    let program = Path::new(command.get_program());
    words.push(
        program
            .file_name()
            .unwrap_or(command.get_program())
            .to_string_lossy()
            .into_owned(),
    );
    words.extend(
        command
            .get_args()
            .map(|argument| quoted(&argument.to_string_lossy())),
    );
    words.join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,+@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let tail = &lines[lines.len().saturating_sub(5)..];
    tail.iter().map(|line| format!("\n    {line}")).collect()
}

fn search_path(root: &Path) -> Option<std::ffi::OsString> {
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let ours = std::iter::once(root.join(".tools").join("bin"));
    std::env::join_paths(ours.chain(std::env::split_paths(&inherited))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_can_be_typed_again() {
        let mut command = Command::new("some/where/cargo");
        command
            .args(["run", "--", "it's a question?"])
            .env("RUSTDOCFLAGS", "-D warnings");
        command.env("GEMICRO_HOME", "x");
        assert_eq!(
            line(&command),
            r"RUSTDOCFLAGS='-D warnings' cargo run -- 'it'\''s a question?'"
        );
    }

    #[test]
    fn a_failed_command_is_named() {
        let error = run(Command::new("git").arg("no-such-command").stderr(Stdio::null())).unwrap_err();
        assert!(
            error.to_string().starts_with("`git no-such-command` failed"),
            "{error}"
        );
        let error = output(Command::new("no-such-program-here").arg("x")).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("cannot start `no-such-program-here x`"),
            "{error}"
        );
    }
}
