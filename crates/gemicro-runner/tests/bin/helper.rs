//! Stands in for `gemicro __launch` in the tests of supervision.

use std::process::ExitCode;

use gemicro_guard::sandbox::launcher;

fn main() -> ExitCode {
    let error = launcher::shell(std::env::var_os("HOME").as_deref())
        .unwrap_or_else(|| launcher::run(std::env::args_os().skip(2)));
    let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{error}\n").as_bytes());
    ExitCode::from(126)
}
