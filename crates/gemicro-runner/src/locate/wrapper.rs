//! A wrapper script whose program the sandbox hides: it is found and started, and then says nothing of use.

use std::io::Read;
use std::path::{Path, PathBuf};

use gemicro_guard::sandbox::{Profile, show_program_hint};

/// How much of a script is read.
const SCRIPT_BYTES: u64 = 1 << 16;

/// What to tell people about a program that could not run because of what it would start: the sandbox hides that. Judged by
/// what the program wrote to stderr and, where it is a script, by its text. Nothing where that is not the reason.
#[must_use]
pub fn hidden_target(profile: &Profile, program: &Path, stderr: &str) -> Option<String> {
    let named = profile.hidden_program(stderr);
    let target: PathBuf = named.or_else(|| profile.hidden_program(&script_text(program)?))?;
    let hint = show_program_hint(&target);
    Some(format!(
        "{} starts another program, but {hint}",
        program.display()
    ))
}

/// The text of a script; nothing for any other program.
fn script_text(program: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(program).ok()?;
    file.take(SCRIPT_BYTES).read_to_end(&mut bytes).ok()?;
    let is_script = bytes.starts_with(b"#!");
    is_script.then(|| String::from_utf8_lossy(&bytes).into_owned())
}
