//! macOS' `sandbox-exec`. Written from documentation and the practice of other tools; **never run**.

use std::ffi::OsString;
use std::path::Path;

use super::plan::{open_paths, writable_paths};
use super::profile::{Network, Profile};

/// Only this path: another program of this name could be anything.
pub(super) const PROGRAM: &str = "/usr/bin/sandbox-exec";

pub(super) fn arguments(profile: &Profile, command: &[OsString]) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = vec!["-p".into(), text(profile).into()];
    arguments.extend(command.iter().cloned());
    arguments
}

/// The profile's text. The last rule that matches wins.
fn text(profile: &Profile) -> String {
    let each = |paths: &mut dyn Iterator<Item = &Path>| {
        paths
            .map(|path| format!(" (subpath {})", quoted(path)))
            .collect::<String>()
    };
    let writable = writable_paths(profile);
    let mut lines = vec![
        "(version 1)".to_owned(),
        "(allow default)".to_owned(),
        "(deny file-write*)".to_owned(),
        format!(
            "(allow file-write*{} (literal \"/dev/null\") (regex #\"^/dev/tty\"))",
            each(&mut writable.iter().map(|path| path.as_path()))
        ),
        format!("(deny file-read* (subpath {}))", quoted(&profile.user_home)),
        format!(
            "(allow file-read*{})",
            each(&mut open_paths(profile).map(|path| path.as_path()))
        ),
        "(deny network-outbound (remote unix-socket))".to_owned(),
        "(deny signal)".to_owned(),
        "(allow signal (target same-sandbox))".to_owned(),
    ];
    // A pinned path outside the writable folders needs no rule; it would close the writable folders in it.
    let is_open = |pin: &&std::path::PathBuf| writable.iter().any(|path| pin.starts_with(path));
    for path in profile.pinned.iter().filter(is_open) {
        lines.push(format!("(deny file-write* (subpath {}))", quoted(path)));
    }
    for path in &profile.hidden {
        lines.push(format!(
            "(deny file-read* file-write* (subpath {}))",
            quoted(path)
        ));
    }
    for path in writable {
        lines.push(format!("(deny file-write-unlink (literal {}))", quoted(path)));
    }
    match profile.network {
        Network::None | Network::Gateway { .. } => lines.push("(deny network*)".to_owned()),
        Network::Open => {}
    }
    lines.join("\n")
}

fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{text}\"")
}
