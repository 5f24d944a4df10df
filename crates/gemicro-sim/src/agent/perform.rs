//! Performs a script, step by step.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Write};

use super::script_stage::ScriptStage;
use super::signals::{self, IgnoredSignals};
use super::step::{Flood, Play, ScriptStep, Standard, StepCondition};
use super::{files, http, report, spawn};
use crate::agent::{AgentIdentity, AgentScript};

/// Number of bytes of a flood to write at once.
const WAVE: usize = 1 << 16;

/// Performs a script and returns the exit code: the script's, 0 after the last step, or 1 if a step failed, with the
/// reason on stderr. `identity` is used if the script names none.
pub fn run(script: &AgentScript, identity: Option<AgentIdentity>, mut stage: ScriptStage) -> u8 {
    let identity = script.agent.or(identity);
    if let Some(identity) = identity.filter(|identity| identity.asks_for_version(&stage.arguments)) {
        let line = identity.version_line(script.version.as_deref());
        return match print(&mut *stage.stdout, &[line.as_bytes(), b"\n"]) {
            Ok(()) => 0,
            Err(_) => 1,
        };
    }
    let mut ignored = IgnoredSignals::default();
    match perform(&mut stage, &mut ignored, &script.steps) {
        Ok(code) => code.unwrap_or(0),
        Err(error) => {
            // There is no other place to report it.
            let _ = writeln!(stage.stderr, "gemicro sim agent: {error}");
            1
        }
    }
}

/// Performs steps. Returns the exit code as soon as there is one.
fn perform(
    stage: &mut ScriptStage,
    ignored: &mut IgnoredSignals,
    steps: &[ScriptStep],
) -> io::Result<Option<u8>> {
    for step in steps {
        if let Some(code) = perform_one(stage, ignored, step)? {
            return Ok(Some(code));
        }
    }
    Ok(None)
}

fn perform_one(
    stage: &mut ScriptStage,
    ignored: &mut IgnoredSignals,
    step: &ScriptStep,
) -> io::Result<Option<u8>> {
    match step {
        ScriptStep::Print(text) => {
            let text = text.fill(stage);
            print(&mut *stage.stdout, &[text.as_bytes(), b"\n"])?;
        }
        ScriptStep::Stderr(text) => {
            let text = text.fill(stage);
            print(&mut *stage.stderr, &[text.as_bytes(), b"\n"])?;
        }
        ScriptStep::Write(text) => {
            let text = text.fill(stage);
            print(&mut *stage.stdout, &[text.as_bytes()])?;
        }
        ScriptStep::Bytes(bytes) => print(&mut *stage.stdout, &[&bytes.0])?,
        ScriptStep::Play(wanted) => play(stage, wanted)?,
        ScriptStep::Flood(wanted) => flood(stage, wanted)?,
        ScriptStep::Read(wanted) => files::read(stage, wanted)?,
        ScriptStep::Close(stream) => close(*stream)?,
        ScriptStep::Sleep(pause) => std::thread::sleep(pause.duration()),
        ScriptStep::Hang(true) => loop {
            std::thread::park();
        },
        ScriptStep::Hang(false) => {}
        ScriptStep::Ignore(names) => ignored.add(names)?,
        ScriptStep::Signal(name) => signals::die_of(*name)?,
        ScriptStep::Exit(code) => return Ok(Some(*code)),
        ScriptStep::Shell(command) => spawn::shell(&command.fill(stage))?,
        ScriptStep::Background(command) => spawn::background(&command.fill(stage))?,
        ScriptStep::Create(wanted) => files::create(stage, wanted)?,
        ScriptStep::Append(wanted) => files::append(stage, wanted)?,
        ScriptStep::Replace(wanted) => files::replace(stage, wanted)?,
        ScriptStep::Remove(file) => std::fs::remove_file(file.fill(stage))?,
        ScriptStep::Report(file) => report::write(stage, &file.fill(stage))?,
        ScriptStep::Http(wanted) => return http::request(stage, wanted),
        ScriptStep::Child(wanted) => spawn::child(stage, wanted)?,
        ScriptStep::Daemon(wanted) => spawn::daemon(stage, wanted)?,
        ScriptStep::Session(true) => drop(rustix::process::setsid()?),
        ScriptStep::Session(false) => {}
        ScriptStep::Fork(wanted) => drop(spawn::fork(stage, wanted)?),
        ScriptStep::Exec(steps) => return Err(spawn::exec(stage, steps)),
        ScriptStep::Repeat(wanted) => {
            let mut n_done = 0;
            while wanted.times.is_none_or(|times| n_done < times) {
                if let Some(code) = perform(stage, ignored, &wanted.steps)? {
                    return Ok(Some(code));
                }
                n_done += 1;
            }
        }
        ScriptStep::When(wanted) => {
            let steps = match holds(stage, wanted) {
                true => &wanted.steps,
                false => &wanted.otherwise,
            };
            return perform(stage, ignored, steps);
        }
    }
    Ok(None)
}

/// Prints and flushes, so that the supervisor sees it now.
fn print(stream: &mut dyn Write, pieces: &[&[u8]]) -> io::Result<()> {
    for piece in pieces {
        stream.write_all(piece)?;
    }
    stream.flush()
}

fn play(stage: &mut ScriptStage, wanted: &Play) -> io::Result<()> {
    let named = |error| io::Error::other(format!("{}: {error}", wanted.file.display()));
    let mut file = BufReader::new(File::open(&wanted.file).map_err(named)?);
    let first = wanted.first.map_or(1, |first| first.get());
    let last = wanted.last.map_or(usize::MAX, |last| last.get());
    let mut delays = wanted.delays.iter();
    let mut line = Vec::new();
    for number in 1..=last {
        line.clear();
        if file.read_until(b'\n', &mut line).map_err(named)? == 0 {
            break;
        }
        if number < first {
            continue;
        }
        std::thread::sleep(delays.next().unwrap_or(&wanted.delay).duration());
        if !wanted.replace.is_empty() {
            let mut text = String::from_utf8_lossy(&line).into_owned();
            for (old, new) in &wanted.replace {
                text = text.replace(old, &new.fill(stage));
            }
            line = text.into_bytes();
        }
        print(&mut *stage.stdout, &[&line])?;
    }
    Ok(())
}

fn flood(stage: &mut ScriptStage, wanted: &Flood) -> io::Result<()> {
    let stream: &mut dyn Write = match wanted.to {
        Standard::Stdout => &mut *stage.stdout,
        Standard::Stderr => &mut *stage.stderr,
        Standard::Stdin => return Err(io::Error::other("nothing can be printed on stdin")),
    };
    let filling = if wanted.invalid_utf8 { 0xff } else { b'x' };
    let mut n_sent = 0_u64;
    let mut wave = Vec::with_capacity(WAVE);
    while wanted.bytes.is_none_or(|bytes| n_sent < bytes) {
        let left = wanted.bytes.map_or(u64::MAX, |bytes| bytes - n_sent);
        wave.clear();
        while wave.len() < WAVE && (wave.len() as u64) < left {
            let place = n_sent + wave.len() as u64 + 1;
            let ends_line = wanted
                .line
                .is_some_and(|line| place.is_multiple_of(line.get() as u64));
            wave.push(if ends_line { b'\n' } else { filling });
        }
        stream.write_all(&wave)?;
        n_sent += wave.len() as u64;
    }
    stream.flush()
}

/// Replaces a stream with `/dev/null`: the other end sees it closed.
fn close(stream: Standard) -> io::Result<()> {
    let nothing = File::options().read(true).write(true).open("/dev/null")?;
    match stream {
        Standard::Stdin => rustix::stdio::dup2_stdin(&nothing)?,
        Standard::Stdout => rustix::stdio::dup2_stdout(&nothing)?,
        Standard::Stderr => rustix::stdio::dup2_stderr(&nothing)?,
    }
    Ok(())
}

fn holds(stage: &ScriptStage, when: &StepCondition) -> bool {
    let argument = when.argument.as_ref();
    let argument = argument.is_none_or(|glob| stage.arguments.iter().any(|argument| glob.matches(argument)));
    let variable = when.variable.as_ref();
    let variable = variable.is_none_or(|name| stage.environment.contains_key(name));
    let stdin = when.stdin.as_ref();
    let stdin = stdin.is_none_or(|glob| glob.matches(&stage.heard));
    let file = when.file.as_ref();
    let file = file.is_none_or(|file| std::path::Path::new(&file.fill(stage)).exists());
    argument && variable && stdin && file
}
