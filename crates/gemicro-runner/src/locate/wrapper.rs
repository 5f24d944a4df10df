//! Explains failures of wrapper scripts whose actual program is hidden by the sandbox.

use std::io::Read;
use std::path::{Path, PathBuf};

use gemicro_guard::sandbox::{Profile, show_program_hint};

/// Maximum number of bytes to read from a script.
const SCRIPT_BYTES: u64 = 1 << 16;

/// Returns a message if a program failed because the sandbox hides the program that it starts. The hidden program is
/// looked up in stderr and, for a script, in its text. `None` if that is not the reason.
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

/// Returns the text of a script; `None` for other programs.
fn script_text(program: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(program).ok()?;
    file.take(SCRIPT_BYTES).read_to_end(&mut bytes).ok()?;
    let is_script = bytes.starts_with(b"#!");
    is_script.then(|| String::from_utf8_lossy(&bytes).into_owned())
}
