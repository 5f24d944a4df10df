//! Stands in for `gemicro __launch` in the tests of the sandbox.

use std::process::ExitCode;

fn main() -> ExitCode {
    let error = gemicro_guard::sandbox::launcher::run(std::env::args_os().skip(1));
    let mut source: Option<&dyn std::error::Error> = Some(&error);
    while let Some(error) = source {
        let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{error}\n").as_bytes());
        source = error.source();
    }
    ExitCode::from(126)
}
