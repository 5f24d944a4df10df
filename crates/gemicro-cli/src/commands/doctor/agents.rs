//! Checks which coding agents can work here: the program and its version, the key or the login, the sandbox.
//!
//! Research needs none of them, so missing ones are warnings, not errors.

use std::collections::BTreeSet;
use std::path::Path;

use gemicro_core::ask::AgentName;
use gemicro_engine::pipeline::Forges;
use gemicro_engine::{AgentAccess, AgentSetup};
use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::sandbox::Tier;
use gemicro_runner::{AgentCli, ClaudeCode, Codex, GeminiHeadless, Version, locate};

use super::ask_version::{self, VersionProbe};
use super::finding::{DoctorFinding, attention, good};
use super::sandbox::{self, Scratch};
use crate::agents;
use crate::command_error::{CommandError, ErrorReport};
use crate::config::{Endpoints, Layers, StateFolder};
use crate::environment::{CLAUDE_LOGIN, Environment};
use crate::screen::text;
use crate::session::Context;

/// The default search path; the runner uses the same.
const SEARCH_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Checks the sandbox and every agent.
pub(super) fn look(ctx: &Context, store_works: bool) -> Vec<DoctorFinding> {
    let known = Layers::load(&ctx.environment).and_then(|layers| {
        let setup = agents::setup(&ctx.environment, &Endpoints::resolve(&layers)?, Forges::default())?;
        let home = store_works.then(|| StateFolder::resolve(&layers)).transpose()?;
        Ok((setup, home.map(|state| state.home.value)))
    });
    let (setup, home) = match known {
        Ok(known) => known,
        Err(CommandError::Report(report)) => {
            return vec![attention("agents", report.failure.message.clone(), report.hint())];
        }
        Err(_) => return Vec::new(),
    };
    // The sandbox does not depend on the store.
    let elsewhere = std::env::temp_dir();
    let scratch = match home {
        Some(home) => Scratch::new(&home.join("agents")).or_else(|_| Scratch::new(&elsewhere)),
        None => Scratch::new(&elsewhere),
    };
    match &scratch {
        Ok(scratch) => {
            let (tier, finding) = sandbox::look(&setup.launcher, scratch);
            let mut findings = programs(&ctx.environment, &setup, Some((tier, &scratch.path)));
            findings.push(finding);
            findings
        }
        Err(why) => {
            let mut findings = programs(&ctx.environment, &setup, None);
            let found = format!("it could not be tested: {why}");
            findings.push(attention(
                "sandbox",
                found,
                "make sure the temporary folder is writable",
            ));
            findings
        }
    }
}

/// The reasons why agents cannot work in a pipeline here: no sandbox, missing programs, keys or logins.
///
/// # Errors
/// When the settings cannot be read, or nothing can be tried.
pub(crate) fn obstacles(
    ctx: &Context,
    wanted: &BTreeSet<AgentName>,
) -> Result<Vec<ErrorReport>, CommandError> {
    let layers = Layers::load(&ctx.environment)?;
    let setup = agents::setup(&ctx.environment, &Endpoints::resolve(&layers)?, Forges::default())?;
    // For a dry run there may be no state folder yet.
    let scratch = Scratch::new(&std::env::temp_dir())?;
    let (tier, sandbox) = sandbox::look(&setup.launcher, &scratch);
    let mut obstacles = Vec::new();
    let mut add = |kind, message: String, fix: Option<String>| {
        obstacles.push(ErrorReport {
            failure: Failure::new(kind, message),
            hint: fix,
            run: None,
        });
    };
    if tier == Tier::None {
        let message = format!("a pipeline needs a sandbox; {}", sandbox.found);
        add(ErrorKind::SandboxUnavailable, message, sandbox.fix);
    }
    for agent in wanted {
        let program = program(*agent, &setup, Some((tier, &scratch.path)));
        if program.fix.is_some() {
            add(ErrorKind::CommandNotFound, program.words, program.fix);
        }
        let access = access(*agent, &ctx.environment, &setup);
        if access.fix.is_some() {
            let message = format!("{agent}: {}", access.words);
            add(ErrorKind::AuthFailed, message, access.fix);
        }
    }
    Ok(obstacles)
}

/// Refuses an agent whose program, key or login is missing; nothing is started.
///
/// # Errors
/// Names what is missing, and how to get it.
pub(crate) fn can_answer(
    agent: AgentName,
    environment: &Environment,
    endpoints: &Endpoints,
) -> Result<(), CommandError> {
    let setup = agents::setup(environment, endpoints, Forges::default())?;
    let refuse = |kind, aspect: AgentAspect, what: &str| match aspect.fix {
        None => Ok(()),
        Some(fix) => {
            let message = format!("backend {} is not ready: {}", agent.backend(), aspect.words);
            Err(CommandError::new_failure(kind, message, format!("{what}{fix}")))
        }
    };
    refuse(
        ErrorKind::CommandNotFound,
        program(agent, &setup, None),
        "install it: ",
    )?;
    refuse(ErrorKind::AuthFailed, access(agent, environment, &setup), "")
}

/// The agents whose program was found and that have a key or a login; nothing is started.
///
/// # Errors
/// When the path of this program cannot be found.
pub(crate) fn ready_agents(
    environment: &Environment,
    endpoints: &Endpoints,
) -> Result<Vec<AgentName>, CommandError> {
    let setup = agents::setup(environment, endpoints, Forges::default())?;
    let is_ready = |agent: &AgentName| {
        program(*agent, &setup, None).fix.is_none() && access(*agent, environment, &setup).fix.is_none()
    };
    Ok(AgentName::ALL.into_iter().filter(is_ready).collect())
}

/// One finding per agent. All programs are asked at the same time, in the given sandbox; without a folder for them
/// nothing is started.
pub(super) fn programs(
    environment: &Environment,
    setup: &AgentSetup,
    walls: Option<(Tier, &Path)>,
) -> Vec<DoctorFinding> {
    let asked = std::thread::scope(|scope| {
        let asking = AgentName::ALL.map(|agent| scope.spawn(move || program(agent, setup, walls)));
        asking.map(|asking| asking.join().expect("a thread that only asks does not panic"))
    });
    let found = AgentName::ALL.into_iter().zip(asked);
    found
        .map(|(agent, program)| {
            let access = access(agent, environment, setup);
            let words = format!("{}; {}", program.words, access.words);
            let fixes: Vec<String> = [program.fix, access.fix].into_iter().flatten().collect();
            if fixes.is_empty() {
                good(name(agent), words)
            } else {
                attention(name(agent), words, fixes.join("; "))
            }
        })
        .collect()
}

/// One aspect of an agent, and how to fix it.
struct AgentAspect {
    words: String,
    fix: Option<String>,
}

impl AgentAspect {
    fn right(words: String) -> Self {
        Self { words, fix: None }
    }

    fn wrong(words: String, fix: String) -> Self {
        Self {
            words,
            fix: Some(fix),
        }
    }
}

fn program(agent: AgentName, setup: &AgentSetup, walls: Option<(Tier, &Path)>) -> AgentAspect {
    let cli = cli(agent);
    let install = cli.install_command().to_owned();
    let search_path = setup.environment.get("PATH").map_or(SEARCH_PATH, String::as_str);
    let located = match locate(Path::new(cli.program()), search_path) {
        Ok(located) => located,
        Err(failure) => return AgentAspect::wrong(failure.message, install),
    };
    let place = located.program.display().to_string();
    let Some((tier, folder)) = walls else {
        return AgentAspect::right(format!("{place}, version not checked"));
    };
    let room = VersionProbe {
        setup,
        tier,
        folder: folder.join(agent.as_str()),
        search_path,
    };
    let said = match ask_version::version(&room, &located) {
        Ok(said) => said,
        Err(why) => return AgentAspect::wrong(format!("{place}: {why}"), format!("reinstall it: {install}")),
    };
    let minimum = cli.minimum_version();
    match Version::find(&said.stdout) {
        Some(version) if version >= minimum => AgentAspect::right(format!("{place}, version {version}")),
        Some(version) => AgentAspect::wrong(
            format!("{place} is too old: version {version}, and {minimum} or newer is needed"),
            install,
        ),
        None if said.hidden.is_some() => AgentAspect::wrong(
            said.hidden.unwrap_or_default(),
            "docs/guard.md describes the setting".to_owned(),
        ),
        None => {
            let complaint = said.stderr.lines().map(str::trim).find(|line| !line.is_empty());
            let complaint = complaint.map_or_else(String::new, |line| format!(": {}", text::cut(line, 120)));
            AgentAspect::wrong(
                format!("`{place} --version` printed no version{complaint}"),
                format!("reinstall it: {install}"),
            )
        }
    }
}

fn access(agent: AgentName, environment: &Environment, setup: &AgentSetup) -> AgentAspect {
    match setup.access.get(&agent) {
        Some(Err(failure)) => AgentAspect::wrong(
            failure.message.clone(),
            "fix the address of its model (see docs/keys.md)".to_owned(),
        ),
        Some(Ok(AgentAccess::Key { key, .. })) => {
            let variable = match agent {
                AgentName::Gemini => environment.key_variable(),
                AgentName::Claude if key.is_login() => Some(CLAUDE_LOGIN),
                AgentName::Claude | AgentName::Codex => None,
            };
            AgentAspect::right(format!(
                "{} is set",
                variable.unwrap_or(agents::key_variable(agent))
            ))
        }
        Some(Ok(AgentAccess::Login(login))) => match login.check() {
            Ok(()) if login.upstream.is_some() => AgentAspect::right("a login".to_owned()),
            Ok(()) => {
                AgentAspect::right("a login; turns and time are limited, tokens are only reported".to_owned())
            }
            Err(failure) => {
                AgentAspect::wrong(failure.message, format!("log in again with `{}`", log_in(agent)))
            }
        },
        None => AgentAspect::wrong(
            "no key and no login".to_owned(),
            format!(
                "export {}=…, or log in with `{}`",
                agents::key_variable(agent),
                log_in(agent)
            ),
        ),
    }
}

fn name(agent: AgentName) -> &'static str {
    match agent {
        AgentName::Gemini => "agent gemini",
        AgentName::Claude => "agent claude",
        AgentName::Codex => "agent codex",
    }
}

fn log_in(agent: AgentName) -> &'static str {
    match agent {
        AgentName::Gemini => "gemini",
        AgentName::Claude => "claude",
        AgentName::Codex => "codex login",
    }
}

fn cli(agent: AgentName) -> &'static dyn AgentCli {
    match agent {
        AgentName::Gemini => &GeminiHeadless,
        AgentName::Claude => &ClaudeCode,
        AgentName::Codex => &Codex,
    }
}
