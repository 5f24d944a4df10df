//! Stands in for `gemicro __launch` in the tests of supervision.

use std::process::ExitCode;

fn main() -> ExitCode {
    let error = gemicro_guard::sandbox::launcher::run(std::env::args_os().skip(2));
    let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{error}\n").as_bytes());
    ExitCode::from(126)
}
