//! A fake agent as a program: `sim-agent [--as NAME] (--script FILE | --steps JSON) -- ARGUMENTS`.

use std::io::BufReader;
use std::process::ExitCode;

use gemicro_sim::agent::{AgentIdentity, AgentScript, ScriptStage, run};

fn main() -> ExitCode {
    let mut script = None;
    let mut identity = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(flag) = arguments.next() {
        match flag.as_str() {
            "--" => break,
            "--as" => identity = arguments.next().as_deref().and_then(AgentIdentity::of_program),
            "--script" => script = arguments.next().map(|file| AgentScript::load(file.as_ref())),
            "--steps" => script = arguments.next().map(|text| AgentScript::parse("--steps", &text)),
            _ => return ExitCode::from(2),
        }
    }
    let Some(Ok(script)) = script else {
        return ExitCode::from(2);
    };
    let myself = std::env::current_exe().map(|path| vec![path.into_os_string()]);
    let stage = ScriptStage::new(
        myself.unwrap_or_default(),
        arguments.collect(),
        std::env::vars().collect(),
        (
            Box::new(BufReader::new(std::io::stdin())),
            Box::new(std::io::stdout()),
            Box::new(std::io::stderr()),
        ),
    );
    ExitCode::from(run(&script, identity, stage))
}
