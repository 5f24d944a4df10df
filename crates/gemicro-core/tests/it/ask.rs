//! The flow of one agent task: its journal, its budget, its retries, and the tool's answer made of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::future::BoxFuture;
use gemicro_core::ask::{
    AGENT_STEP, AgentAnswer, AgentName, AgentTask, AgentTrouble, AskFlow, AskPlan, SandboxMode, TaskGrant,
    ToolAnswer,
};
use gemicro_core::budget::Limits;
use gemicro_core::drive::{begin, drive};
use gemicro_core::execute::{Executor, Executors, StepCall};
use gemicro_core::flow::{Again, AttemptCost, Flow, StepFailure, StepOutput};
use gemicro_core::run::RunState;
use gemicro_core::run::events::{
    RunParked, RunReaders, RunResumed, RunStarted, RunSuspended, RunWoken, StepFailed,
};
use gemicro_core::store::{NewEvent, Store};
use gemicro_event::{AgentUpdate, Charge, ErrorKind, Event, Failure, Json, StepKey, StreamId, Timestamp};

use crate::support::{self, ProbeStore, context};

fn plan(max_attempts: u32) -> AskPlan {
    AskPlan {
        conversation: None,
        task: AgentTask {
            retold: None,
            asks: false,
            begins_anew: false,
            agent: AgentName::Claude,
            model: Some("claude-opus-4-8".to_owned()),
            prompt: "Make it so".to_owned(),
            directory: "/work".to_owned(),
            sandbox: SandboxMode::WorkspaceWrite,
            yolo: true,
            session: None,
            idle_ms: 300_000,
            total_ms: 1_800_000,
            grant: TaskGrant::default(),
            recalls: None,
            fails_over: false,
            keep_messages: false,
            branch: None,
        },
        fallback: None,
        max_attempts,
        notices: Vec::new(),
    }
}

fn answer(text: &str) -> AgentAnswer {
    AgentAnswer {
        retold: false,
        text: text.to_owned(),
        session: Some("s-1".to_owned()),
        tier: "full".to_owned(),
        access: "gateway".to_owned(),
        n_tool_calls: 2,
        n_refused: 0,
        n_requests: 3,
        usage: None,
        worst_case: false,
        messages: None,
        denials: Vec::new(),
        branch: None,
        submitted: Vec::new(),
    }
}

/// What each attempt does, given the task it got.
type Acts = dyn Fn(u32, AgentTask) -> Result<StepOutput, StepFailure> + Send + Sync;

struct Agent {
    acts: Arc<Acts>,
    n_calls: AtomicU32,
}

impl Executor for Agent {
    fn execute(&self, call: StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>> {
        let acts = Arc::clone(&self.acts);
        let n = self.n_calls.fetch_add(1, Ordering::SeqCst) + 1;
        Box::pin(async move { acts(n, call.step.input.parse().expect("a task")) })
    }
}

async fn run(
    plan: AskPlan,
    limits: Limits,
    acts: impl Fn(u32, AgentTask) -> Result<StepOutput, StepFailure> + Send + Sync + 'static,
) -> Vec<Event> {
    let store = ProbeStore::new();
    let agent = Agent {
        acts: Arc::new(acts),
        n_calls: AtomicU32::new(0),
    };
    let ctx = context(&store, Executors::default().with(AGENT_STEP, Arc::new(agent)));
    let id = StreamId::random();
    let hold = begin(&ctx, &id, None, &started(&plan, limits))
        .await
        .expect("begins");
    drive(&ctx, &AskFlow, hold).await.expect("ends");
    store.read(&id, 0, usize::MAX).await.expect("read").events
}

fn started(plan: &AskPlan, limits: Limits) -> RunStarted {
    RunStarted {
        title: "Make it so".to_owned(),
        plan: Json::of(plan).expect("a plan"),
        limits,
        ..support::started(&AskFlow)
    }
}

fn done(charge: u64) -> Result<StepOutput, StepFailure> {
    Ok(StepOutput {
        output: Json::of(&answer("Done.")).expect("an answer"),
        charge: tokens(charge),
        usage: None,
    })
}

fn tokens(tokens: u64) -> Charge {
    Charge {
        tokens,
        micro_usd: 0,
        turns: 1,
        ..Charge::ZERO
    }
}

fn failed(kind: ErrorKind, charge: u64, again: Again) -> Result<StepOutput, StepFailure> {
    let trouble = AgentTrouble {
        exit_code: Some(3),
        last_lines: (1..=30).map(|n| format!("line {n}")).collect(),
        partial: "half".to_owned(),
        ..AgentTrouble::default()
    };
    let failure = Failure {
        detail: Some(trouble.into_detail()),
        ..Failure::new(kind, "it went wrong")
    };
    Err(StepFailure {
        failure,
        spent: AttemptCost::Known(tokens(charge)),
        again,
    })
}

fn types(events: &[Event]) -> Vec<&str> {
    events
        .iter()
        .map(|event| event.update.event_type.as_str())
        .collect()
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_the_tools_success_to_the_letter() {
    let events = run(plan(2), Limits::default(), |_, _| done(120)).await;
    let expected = [
        "run_started",
        "step_started",
        "agent_started",
        "step_completed",
        "agent_answered",
        "final_result",
    ];
    assert_eq!(types(&events), expected);
    let last = &events.last().expect("an end").update.data;
    assert_eq!(last.get("answer").and_then(|it| it.as_str()), Some("Done."));
    let answer = serde_json::to_value(ToolAnswer::of(&events).expect("an ask run")).expect("JSON");
    let expected = serde_json::json!({
        "success": true,
        "tool": "claude",
        "SESSION_ID": "s-1",
        "result": "Done.",
        "duration": "0m0s",
    });
    assert_eq!(answer, expected);
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_the_tools_failure_to_the_letter() {
    let events = run(plan(2), Limits::default(), |_, _| {
        failed(ErrorKind::UpstreamError, 0, Again::AsUsual)
    })
    .await;
    assert_eq!(
        types(&events).iter().filter(|it| **it == "step_retrying").count(),
        1
    );
    let answer = serde_json::to_value(ToolAnswer::of(&events).expect("an ask run")).expect("JSON");
    let lines: Vec<String> = (11..=30).map(|n| format!("line {n}")).collect();
    let mut expected = serde_json::json!({
        "success": false,
        "tool": "claude",
        "error": "it went wrong",
        "error_kind": "upstream_error",
        "error_detail": {
            "message": "it went wrong",
            "exit_code": 3,
            "last_lines": lines,
            "idle_timeout_s": 300,
            "max_duration_s": 1800,
            "retries": 1,
        },
        "duration": answer["duration"],
    });
    assert_eq!(answer, expected);
    expected["success"] = serde_json::json!(true);
    assert_ne!(answer, expected);
}

#[tokio::test(start_paused = true)]
async fn what_may_have_changed_files_is_not_tried_again() {
    let events = run(plan(5), Limits::default(), |n, _| match n {
        1 => failed(ErrorKind::IdleTimeout, 10, Again::Never),
        _ => done(10),
    })
    .await;
    assert_eq!(types(&events).last(), Some(&"run_failed"));
    assert_eq!(
        types(&events).iter().filter(|it| **it == "step_started").count(),
        1
    );
}

#[tokio::test(start_paused = true)]
async fn a_second_attempt_gets_what_the_first_left() {
    let limits = Limits {
        tokens: Some(1_000),
        ..Limits::default()
    };
    let events = run(plan(3), limits, |n, task| match n {
        1 => {
            assert_eq!(task.grant.tokens, Some(1_000));
            failed(ErrorKind::UpstreamError, 700, Again::AsUsual)
        }
        _ => {
            assert_eq!(
                task.grant,
                TaskGrant {
                    tokens: Some(300),
                    ..TaskGrant::default()
                }
            );
            done(300)
        }
    })
    .await;
    assert_eq!(types(&events).last(), Some(&"final_result"));
    let events = run(plan(3), limits, |n, _| match n {
        1 => failed(ErrorKind::UpstreamError, 1_000, Again::AsUsual),
        _ => panic!("there is nothing left to spend"),
    })
    .await;
    let failure = events
        .last()
        .and_then(|it| it.update.as_run_failed())
        .expect("failed");
    assert_eq!(failure.error.kind, ErrorKind::BudgetExceeded);
    assert_eq!(failure.spent.tokens, 1_000);
}

/// The task of the step that is wanted after these events, each with its second.
fn wanted(plan: &AskPlan, events: Vec<(i64, AgentUpdate)>) -> Option<AgentTask> {
    let at = |second: i64| Timestamp::from_millis(1_790_000_000_000 + 1_000 * second);
    let first = AgentUpdate::new(&started(plan, Limits::default()), at(0));
    let all = std::iter::once((0, first)).chain(events);
    let run = StreamId::random();
    let events: Vec<Event> = all
        .zip(1..)
        .map(|((second, update), seq)| {
            let update = AgentUpdate {
                timestamp: at(second),
                ..update
            };
            NewEvent::of_run(update).at(run.clone(), seq, None)
        })
        .collect();
    let mut run = RunState::start(&events[0])?;
    let mut state = AskFlow.start(&Json::of(plan).ok()?).ok()?;
    for event in &events {
        run.fold(event);
        AskFlow.fold(&mut state, event);
    }
    let decision = AskFlow.decide(&state, &run);
    decision.want.first()?.input.parse().ok()
}

#[test]
fn time_spent_parked_is_not_the_agents() {
    let now = Timestamp::now();
    let parked = AgentUpdate::new(
        &RunParked {
            until: now,
            kind: AGENT_STEP.to_owned(),
            reason: "a limit".to_owned(),
        },
        now,
    );
    let suspended = |second: i64| {
        let stopped_at = Timestamp::from_millis(1_790_000_000_000 + 1_000 * second);
        let suspended = RunSuspended {
            reason: "stopped".to_owned(),
            stopped_at,
            cut_off: true,
        };
        AgentUpdate::new(&suspended, now)
    };
    let woken = AgentUpdate::new(&RunWoken {}, now);
    let resumed = AgentUpdate::new(
        &RunResumed {
            program: "test".to_owned(),
        },
        now,
    );
    let left = |events| wanted(&plan(1), events).map(|task| task.total_ms / 1_000);
    assert_eq!(left(vec![]), Some(1_800));
    // Ten seconds of work, three hours of waiting.
    let straight = vec![(10, parked.clone()), (10_810, woken.clone())];
    assert_eq!(left(straight), Some(1_790));
    // The same, and meanwhile its process died and another one went on.
    let died = vec![
        (10, parked.clone()),
        (5_000, suspended(4_000)),
        (5_000, resumed),
        (5_000, parked),
        (10_810, woken),
    ];
    assert_eq!(left(died), Some(1_790));
}

#[test]
fn another_agent_takes_over_only_from_a_limit_and_a_clean_folder() {
    let mut plan = plan(1);
    plan.fallback = Some(AgentTask {
        agent: AgentName::Codex,
        ..plan.task.clone()
    });
    let failed = |kind: ErrorKind, may_have_changed: bool| {
        let trouble = AgentTrouble {
            may_have_changed,
            ..AgentTrouble::default()
        };
        let failed = StepFailed {
            step: StepKey::new("agent"),
            attempt: 1,
            error: Failure {
                detail: Some(trouble.into_detail()),
                ..Failure::new(kind, "no")
            },
            charge: Charge::ZERO,
        };
        vec![(1, AgentUpdate::new(&failed, Timestamp::now()))]
    };
    let next = |events| wanted(&plan, events).map(|task| task.agent);
    assert_eq!(
        next(failed(ErrorKind::QuotaExhausted, false)),
        Some(AgentName::Codex)
    );
    assert_eq!(
        next(failed(ErrorKind::RateLimited, false)),
        Some(AgentName::Codex)
    );
    assert_eq!(next(failed(ErrorKind::RateLimited, true)), None);
    assert_eq!(next(failed(ErrorKind::UpstreamError, false)), None);
}
