//! Warns once that agents should not run as root.

use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::path::Path;

use crate::output;
use crate::screen::text;
use crate::session::Context;

/// The file in the state folder that records the warning.
const SAID: &str = "root-warning";
const LABEL: &str = "warning:";
const WARNING: &str = "gemicro and its agents are running as root; use a normal user instead. The sandbox hides root-only \
    files in /etc, but agents own root's other files (docs/agents.md)";

/// Warns if this is root at a terminal, unless it warned before.
pub(crate) fn warn(ctx: &Context, home: &Path) {
    let is_root = rustix::process::geteuid().is_root();
    if is_root && ctx.screen.stderr_is_terminal && is_first(home) {
        let wrapped = text::wrap_markdown(&format!("{LABEL} {WARNING}"), ctx.screen.stderr_width());
        output::say(&wrapped.replacen(LABEL, &ctx.screen.on_stderr().warn(LABEL), 1));
    }
}

/// Whether this is the first warning; records it.
fn is_first(home: &Path) -> bool {
    let said = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(home.join(SAID));
    // Without a state folder nothing can be recorded: better to warn twice than never.
    !said.is_err_and(|error| error.kind() == ErrorKind::AlreadyExists)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_said_once() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!([is_first(folder.path()), is_first(folder.path())], [true, false]);
        assert!(is_first(&folder.path().join("none")));
    }
}
