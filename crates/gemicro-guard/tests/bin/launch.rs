//! Stands in for `gemicro __launch` in the tests of the sandbox and of the shell task.

use std::process::ExitCode;

use gemicro_guard::sandbox::launcher;

fn main() -> ExitCode {
    let error = launcher::shell(std::env::var_os("HOME").as_deref())
        .unwrap_or_else(|| launcher::run(std::env::args_os().skip(1)));
    let mut source: Option<&dyn std::error::Error> = Some(&error);
    while let Some(error) = source {
        let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{error}\n").as_bytes());
        source = error.source();
    }
    ExitCode::from(126)
}
