//! Three ways in which Gemini CLI loses a conversation or hangs, each gone around.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use gemicro_event::{ErrorKind, Failure, Timestamp};
use gemicro_runner::{
    AgentCli, AgentEnd, AgentItem, AgentRequest, CliKind, CliSandboxMode, Dialogue, GeminiAcp,
    GeminiHeadless, Invocation, ProcessEnd, ResumeWay, Session, ToolApproval, Version,
};

use super::desk::{Desk, REMEMBERS, Real, gemini, said};
use crate::supervise::world::{Run, Seen, failure};

const OURS: &str = "aaaaaaaa-1111-4222-8333-444455556666";
const OTHER: &str = "bbbbbbbb-1111-4222-8333-444455556666";
const THIRD: &str = "cccccccc-1111-4222-8333-444455556666";

/// One call of a process of its own.
async fn call(desk: &Desk, cli: &dyn AgentCli, session: Session, prompt: &str) -> Result<AgentEnd, Failure> {
    let run = Run {
        session,
        ..desk.run(&gemini(), prompt)
    };
    let (outcome, _) = desk.world.run_with(cli, run, desk.watcher(), None).await;
    outcome.result
}

/// Makes the files of all sessions as old as if they had been made hours ago.
fn age_sessions(desk: &Desk) {
    let mut files = session_files(desk);
    assert!(!files.is_empty());
    files.sort_unstable_by(|one, other| other.cmp(one));
    for (file, n_hours) in files.into_iter().zip(1..) {
        let name = file.file_name().unwrap().to_str().unwrap();
        let letters = name.rsplit_once('-').unwrap().1;
        let made_at = Timestamp::from_millis(Timestamp::now().as_millis() - n_hours * 3_600_000).to_string();
        let minute = made_at[..16].replace(':', "-");
        std::fs::rename(&file, file.with_file_name(format!("session-{minute}-{letters}"))).unwrap();
    }
}

fn session_files(desk: &Desk) -> Vec<PathBuf> {
    let projects = std::fs::read_dir(desk.world.path("home/.gemini/tmp")).unwrap();
    projects
        .flatten()
        .filter_map(|project| std::fs::read_dir(project.path().join("chats")).ok())
        .flat_map(|chats| chats.flatten().map(|chat| chat.path()))
        .collect()
}

/// Gemini CLI as it cleans up when nobody tells it not to.
#[derive(Debug)]
struct CleansUp(GeminiHeadless);

impl AgentCli for CleansUp {
    fn kind(&self) -> CliKind {
        self.0.kind()
    }

    fn program(&self) -> &'static str {
        self.0.program()
    }

    fn minimum_version(&self) -> Version {
        self.0.minimum_version()
    }

    fn install_command(&self) -> &'static str {
        self.0.install_command()
    }

    fn invocation(&self, request: &AgentRequest) -> Result<Invocation, Failure> {
        let mut invocation = self.0.invocation(request)?;
        let ours = r#""sessionRetention":{"enabled":false}"#;
        let settings = invocation
            .files
            .iter_mut()
            .filter(|file| file.path.ends_with("settings.json"));
        for file in settings {
            assert!(file.text.contains(ours), "{}", file.text);
            file.text = file.text.replace(ours, r#""sessionRetention":{"enabled":true}"#);
        }
        Ok(invocation)
    }

    fn dialogue(&self, request: &AgentRequest) -> Result<Dialogue, Failure> {
        self.0.dialogue(request)
    }

    fn judge(&self, ended: &ProcessEnd<'_>) -> Result<AgentEnd, Failure> {
        self.0.judge(ended)
    }
}

/// A session is made, taken up again a minute or more later, another one is made, and the first is taken up again.
#[tokio::test]
async fn no_session_is_cleaned_up() {
    let desk = Desk::new(REMEMBERS).await;
    let named = |name: &str| name.parse().unwrap();
    let cli = GeminiHeadless;
    let new = call(&desk, &cli, Session::NewNamed(named(OURS)), "Remember WALRUS.").await;
    new.unwrap();
    age_sessions(&desk);
    let resume = || Session::Resume(named(OURS));
    call(&desk, &cli, resume(), "Remember OTTER.").await.unwrap();
    let other = call(&desk, &cli, Session::NewNamed(named(OTHER)), "Hello.").await;
    other.unwrap();
    let ended = call(&desk, &cli, resume(), "Tell me which words.").await;
    assert_eq!(ended.unwrap().text, "WALRUS and OTTER.");

    // The trap is still there: without our setting the last two calls lose the session. When this fails, the CLI was
    // mended.
    let cleans_up = CleansUp(cli);
    let third = call(&desk, &cleans_up, Session::NewNamed(named(THIRD)), "Hello.").await;
    third.unwrap();
    let ended = call(&desk, &cleans_up, resume(), "Tell me which words.").await;
    assert_eq!(ended.unwrap_err().kind, ErrorKind::SessionNotFound);
}

/// Taken up again by the rule, within its first minute and later, a session keeps what was said.
#[tokio::test]
async fn a_session_keeps_its_history() {
    let desk = Desk::new(REMEMBERS).await;
    let agent = desk.warm(&gemini(), "Remember WALRUS.").await;
    let session = agent.session().unwrap().clone();
    assert_eq!(agent.close().await, Some(0));
    let find_way = || GeminiAcp::way_to_resume(&desk.world.path("home"), &session, Timestamp::now());
    let way = find_way();
    let cli: &dyn AgentCli = match way {
        ResumeWay::Headless => &GeminiHeadless,
        // The minute was over just then.
        ResumeWay::Acp => &GeminiAcp,
    };
    let run = Run {
        session: Session::Resume(session.clone()),
        ..desk.run(&gemini(), "Tell me which words.")
    };
    let (outcome, _) = desk.world.run_with(cli, run, desk.watcher(), None).await;
    assert_eq!(said(&outcome), "WALRUS.", "{way:?} {outcome:#?}");
    assert_eq!(outcome.record.session.as_ref(), Some(&session));
    assert!(desk.last_request().body.to_string().contains("Remember WALRUS."));

    age_sessions(&desk);
    assert_eq!(find_way(), ResumeWay::Acp);
    let run = Run {
        session: Session::Resume(session.clone()),
        ..desk.run(&gemini(), "Remember OTTER.")
    };
    let (_, agent) = desk.world.warm(&GeminiAcp, run, &mut desk.watcher()).await;
    let (outcome, _) = agent
        .unwrap()
        .turn(desk.turn("Tell me which words."), &mut ())
        .await;
    assert_eq!(said(&outcome), "WALRUS and OTTER.", "{outcome:#?}");
}

const ASKS: &str = "  - { name: runs, when: { prompt_contains: run the command, tool_offered: run_shell_command }, \
     reply: { calls: [{ name: run_shell_command, arguments: { command: 'touch made' } }] } }\n  \
     - { name: answers, reply: { text: 'An honest answer.' } }\n";

/// A question that nobody answers does not hold a cancel back, and the process goes on.
#[tokio::test]
async fn an_open_question_does_not_hold_a_cancel_back() {
    let desk = Desk::new(ASKS).await;
    let real: Real = gemini();
    let run = Run {
        mode: CliSandboxMode::ReadOnly,
        approval: ToolApproval::Ask,
        ..desk.run(&real, "Hello.")
    };
    let (outcome, agent) = desk.world.warm(real.cli.as_ref(), run, &mut desk.watcher()).await;
    assert_eq!(said(&outcome), "An honest answer.", "{outcome:#?}");
    let turn = desk.turn("Please run the command.");
    let (cancel, (sender, mut at)) = (turn.cancel.clone(), tokio::sync::mpsc::unbounded_channel());
    let mut seen = Seen {
        hesitates: true,
        on_item: Some(Box::new(move |item| {
            if matches!(item, AgentItem::Permission(_)) {
                sender.send(Instant::now()).unwrap();
                cancel.cancel();
            }
        })),
        ..Seen::default()
    };
    let (outcome, agent) = agent.unwrap().turn(turn, &mut seen).await;
    let took = at.recv().await.unwrap().elapsed();
    assert_eq!(failure(&outcome).kind, ErrorKind::Cancelled, "{outcome:#?}");
    assert!(took < Duration::from_secs(2), "{took:?}");
    assert_eq!((seen.asked.len(), outcome.record.untouched), (1, false));
    let (outcome, agent) = agent
        .expect("it is still there")
        .turn(desk.turn("And now?"), &mut ())
        .await;
    assert_eq!(said(&outcome), "An honest answer.", "{outcome:#?}");
    assert!(!desk.world.path("wt/made").exists());
    assert_eq!(agent.unwrap().close().await, Some(0));
}
