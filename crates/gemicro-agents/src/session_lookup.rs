//! Finds sessions by id, prefix of an id, or `last`.

use std::fs;
use std::path::Path;

use gemicro_core::ask::{AgentName, SandboxMode};
use gemicro_event::{ErrorKind, Failure};

use super::session_metadata::SessionMetadata;

/// Minimum length of a prefix.
const MIN_PREFIX: usize = 4;

/// A session, and the settings of its last turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownSession {
    /// The id that the agent CLI gave it.
    pub session: String,
    /// The agent CLI that the session belongs to.
    pub agent: AgentName,
    /// The folder it belongs to, if known.
    pub directory: Option<String>,
    /// The model of its last turn.
    pub model: Option<String>,
    /// What its last turn was allowed to write.
    pub sandbox: Option<SandboxMode>,
    /// Whether tools needed no approval in its last turn.
    pub yolo: Option<bool>,
    /// The branch it works on.
    pub branch: Option<String>,
}

/// Finds a session by its id, a unique prefix of it, or `last`.
///
/// # Errors
/// `session_not_found` if there is none, `invalid_input` if there are several.
pub fn find_session(state: &Path, named: &str) -> Result<KnownSession, Failure> {
    if named == "last" {
        return newest(state).ok_or_else(|| {
            let message = "there is no session in this state folder yet";
            Failure::new(ErrorKind::SessionNotFound, message)
        });
    }
    let mut found: Vec<KnownSession> = Vec::new();
    for agent in AgentName::ALL {
        for session in names(&state.join("agents").join("sessions").join(agent.as_str())) {
            if session == named {
                return Ok(lookup_session(state, agent, session));
            }
            if named.len() >= MIN_PREFIX && session.starts_with(named) {
                found.push(lookup_session(state, agent, session));
            }
        }
    }
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => {
            let shown: String = named.chars().take(80).collect();
            let message =
                format!("there is no session {shown} in this state folder: leave it out to begin a new one");
            Err(Failure::new(ErrorKind::SessionNotFound, message))
        }
        n_found => {
            let message = format!("{n_found} sessions begin with {named}: give more of the one you mean");
            Err(Failure::new(ErrorKind::InvalidInput, message))
        }
    }
}

fn lookup_session(state: &Path, agent: AgentName, session: String) -> KnownSession {
    let root = state.join("agents");
    let name =
        fs::read_to_string(root.join("sessions").join(agent.as_str()).join(&session)).unwrap_or_default();
    let about = SessionMetadata::read(&root.join("homes").join(name))
        .ok()
        .flatten();
    KnownSession {
        session,
        agent,
        directory: about.as_ref().map(|about| about.directory.clone()),
        model: about.as_ref().and_then(|about| about.model.clone()),
        sandbox: about.as_ref().and_then(|about| about.sandbox),
        yolo: about.as_ref().and_then(|about| about.yolo),
        branch: about.and_then(|about| about.branch),
    }
}

/// The session with the latest turn that a person asked for; sessions of pipeline phases are resumed by their run.
fn newest(state: &Path) -> Option<KnownSession> {
    let homes = state.join("agents").join("homes");
    let newest = names(&homes).into_iter().filter_map(|name| {
        let folder = homes.join(&name);
        let changed = SessionMetadata::changed_at(&folder)?;
        let about = SessionMetadata::read(&folder).ok()??;
        was_asked(&name, &about).then_some((changed, about))
    });
    let (_, about) = newest.max_by_key(|(changed, _)| *changed)?;
    Some(lookup_session(state, about.agent, about.session))
}

/// Whether a person asked for the session. Where an earlier program did not say it: whether it began with the only step of
/// its run, after which its home is named.
fn was_asked(home: &str, about: &SessionMetadata) -> bool {
    if let Some(of_pipeline) = about.of_pipeline {
        return !of_pipeline;
    }
    let Some(run) = about.turns.first() else {
        return true;
    };
    let step = home.strip_prefix(run.as_str()).unwrap_or(home);
    let attempt = step.strip_prefix("-agent-");
    attempt.is_some_and(|attempt| !attempt.contains('-'))
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use gemicro_event::StreamId;

    use super::*;

    #[test]
    fn the_last_session_is_never_one_of_a_pipeline() {
        let mut about = SessionMetadata {
            agent: AgentName::Claude,
            directory: "/work".to_owned(),
            session: "s".to_owned(),
            model: None,
            sandbox: None,
            yolo: None,
            branch: None,
            of_pipeline: None,
            turns: vec![StreamId::new("run-1").expect("an id")],
        };
        assert!(was_asked("run-1-agent-1", &about));
        assert!(was_asked("run-1-agent-2", &about));
        assert!(!was_asked("run-1-implementation-1-agent-1-1", &about));
        assert!(!was_asked("run-1-audit-2-agent-1", &about));
        for home in ["run-1-agent-1", "run-1-audit-2-agent-1"] {
            for of_pipeline in [true, false] {
                about.of_pipeline = Some(of_pipeline);
                assert_eq!(was_asked(home, &about), !of_pipeline, "{home}");
            }
        }
    }
}
