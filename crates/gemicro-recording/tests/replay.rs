//! The driver follows any recording: parallel steps in any order, retries, failures, stops, cancels.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops where it is")]

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use gemicro_core::budget::{Limits, Purpose};
use gemicro_core::drive::{
    DriveContext, DriveEnd, DriveOptions, NewRun, RecordedRun, ReplayDifference, StopSignals, begin, drive,
    drive_new, resume,
};
use gemicro_core::execute::{Executor, Executors, StepCall};
use gemicro_core::flow::{Decision, Flow, Outcome, RetryPolicy, Step, StepEnd, StepFailure, StepOutput};
use gemicro_core::live::LiveHub;
use gemicro_core::run::RunState;
use gemicro_core::run::events::{RunReaders, RunStarted};
use gemicro_core::store::{MemoryStore, Store, StreamKind};
use gemicro_event::{AgentUpdate, Charge, ErrorKind, Event, Failure, Json, StepKey, StreamId, Timestamp};
use gemicro_recording::{
    RecordedStream, Recording, RecordingHeader, describe_difference, recorded_executors,
};
use serde_json::json;
use tokio::sync::oneshot;

const FIRST: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// Six steps at once, and one more after each that completed; `prompt` is in every input. It ends after `enough`
/// results, whatever still runs then.
struct RaceFlow {
    prompt: &'static str,
    enough: usize,
}

const GO: RaceFlow = RaceFlow {
    prompt: "go",
    enough: usize::MAX,
};
const EARLY: RaceFlow = RaceFlow {
    prompt: "go",
    enough: 5,
};

impl RaceFlow {
    fn step(&self, key: &str) -> Step {
        Step {
            key: StepKey::new(key),
            kind: "race".to_owned(),
            input: Json::from(json!({ "prompt": format!("first line\n{}\n{key}", self.prompt) })),
            cost: Charge {
                tokens: 10,
                ..Charge::ZERO
            },
            purpose: Purpose::Ordinary,
            retry: RetryPolicy {
                max_attempts: 2,
                base_ms: 2,
                cap_ms: 4,
            },
            timeout_ms: None,
        }
    }
}

impl Flow for RaceFlow {
    type State = Vec<String>;

    fn name(&self) -> &'static str {
        "race"
    }

    fn version(&self) -> u32 {
        1
    }

    fn start(&self, _: &Json) -> Result<Vec<String>, Failure> {
        Ok(Vec::new())
    }

    fn fold(&self, completed: &mut Vec<String>, event: &Event) {
        if let Some(it) = event.update.as_step_completed() {
            completed.push(it.step.as_str().to_owned());
        }
    }

    /// Depends on the order of the answers, so that a replay in another order would differ.
    fn decide(&self, completed: &Vec<String>, run: &RunState) -> Decision {
        let later = completed.iter().filter(|key| FIRST.contains(&key.as_str()));
        let want: Vec<Step> = FIRST
            .into_iter()
            .map(str::to_owned)
            .chain(later.map(|key| format!("after {key}")))
            .map(|key| self.step(&key))
            .collect();
        if completed.len() < self.enough && want.iter().any(|step| !run.is_done(&step.key)) {
            return Decision {
                want,
                ..Decision::default()
            };
        }
        Decision::end(Outcome::Completed {
            message: "done".to_owned(),
            data: Json::from(json!({ "order": completed })),
        })
    }

    fn announce(&self, _: &Vec<String>, step: &Step, at: Timestamp) -> Vec<AgentUpdate> {
        vec![fact("race_began", step, at)]
    }

    /// Depends on every answer before, even one of the same millisecond.
    fn describe(&self, completed: &Vec<String>, step: &Step, _: &StepEnd, at: Timestamp) -> Vec<AgentUpdate> {
        let mut ended = fact("race_ended", step, at);
        ended.data = Json::from(json!({ "after": completed }));
        vec![ended]
    }
}

fn fact(event_type: &str, step: &Step, timestamp: Timestamp) -> AgentUpdate {
    AgentUpdate {
        event_type: event_type.to_owned(),
        message: step.key.to_string(),
        timestamp,
        data: Json::empty(),
    }
}

/// Answers after a time that differs from run to run; `b` at its second attempt, `c` never.
struct Racer;

impl Executor for Racer {
    fn execute(&self, call: StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>> {
        Box::pin(async move {
            let salt = format!("{}{}{}", call.run, call.step.key, call.attempt);
            let n = salt
                .bytes()
                .fold(7_u64, |n, byte| n.wrapping_mul(31) + u64::from(byte));
            tokio::time::sleep(Duration::from_micros(n % 4_000)).await;
            call.reporter.handle(Json::from(json!({ "handle": n })));
            if n % 2 == 0 {
                call.reporter.alarm("odd output".to_owned());
                tokio::time::sleep(Duration::from_micros(n % 1_500)).await;
            }
            let failed = |kind| Err(StepFailure::free(Failure::new(kind, "scripted")));
            match (call.step.key.as_str(), call.attempt) {
                ("b", 1) => failed(ErrorKind::UpstreamError),
                ("c", _) => failed(ErrorKind::Blocked),
                _ => StepOutput::free(&n),
            }
        })
    }
}

fn context(store: &Arc<MemoryStore>, executors: Executors, options: DriveOptions) -> DriveContext {
    DriveContext {
        store: store.clone(),
        executors,
        live: LiveHub::new(),
        stop: StopSignals::default(),
        options,
    }
}

fn started() -> RunStarted {
    RunStarted {
        flow: "race".to_owned(),
        flow_version: 1,
        program: "gemicro test".to_owned(),
        title: "race".to_owned(),
        plan: Json::empty(),
        limits: Limits::NONE,
        held_back: Charge::ZERO,
        held_back_ms: 0,
        resubmits: false,
        resident: false,
        credential_fingerprint: None,
        part_of_parent: false,
        day: None,
    }
}

/// What becomes of a run while it is recorded.
#[derive(Debug, Clone, Copy)]
enum Fate {
    Left,
    Suspended,
    Cancelled,
}

async fn record(flow: &RaceFlow, fate: Fate, max_parallel: usize) -> Vec<Event> {
    let store = Arc::new(MemoryStore::default());
    let options = DriveOptions {
        max_parallel,
        ..DriveOptions::default()
    };
    let racers = Executors::default().with("race", Arc::new(Racer));
    let ctx = context(&store, racers.clone(), options.clone());
    let run = StreamId::random();
    let hold = begin(&ctx, &run, None, &started()).await.unwrap();
    let stop = ctx.stop.clone();
    let stopping = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(2)).await;
        match fate {
            Fate::Left => {}
            Fate::Suspended => stop.suspend.cancel(),
            Fate::Cancelled => stop.cancel.cancel(),
        }
    });
    let mut end = drive(&ctx, flow, hold).await.unwrap();
    stopping.await.unwrap();
    if end == DriveEnd::Suspended {
        let ctx = context(&store, racers, options);
        let hold = resume(&ctx, flow, &run).await.unwrap();
        end = drive(&ctx, flow, hold).await.unwrap();
    }
    assert!(matches!(end, DriveEnd::Terminal(_)));
    store.read(&run, 0, usize::MAX).await.unwrap().events
}

/// Replays events; what the replay wrote, and where it differs.
async fn replay(events: &[Event], flow: &RaceFlow) -> (Vec<Event>, Option<ReplayDifference>) {
    let run = events[0].stream.clone();
    let recording = Recording {
        header: RecordingHeader {
            recording: "gemicro".to_owned(),
            version: 1,
            program: "gemicro test".to_owned(),
            kind: "race".to_owned(),
            root: run.clone(),
            max_prompt_tokens: None,
        },
        streams: vec![RecordedStream {
            id: run.clone(),
            kind: StreamKind::Run,
            events: events.to_vec(),
        }],
        blobs: Vec::new(),
        live: Vec::new(),
    };
    let recorded = Arc::new(RecordedRun::new(events.to_vec()).unwrap());
    let store = Arc::new(MemoryStore::default());
    let options = DriveOptions {
        max_parallel: usize::MAX,
        recorded: Some(recorded.clone()),
        ..DriveOptions::default()
    };
    let ctx = context(&store, recorded_executors(&recording, false), options);
    let new = NewRun {
        run: run.clone(),
        parent_run: None,
        started: events[0].update.as_run_started().unwrap(),
    };
    let (begun, _made) = oneshot::channel();
    let driven = tokio::time::timeout(Duration::from_secs(20), drive_new(&ctx, flow, new, begun)).await;
    let driven = driven.expect("a replay ends");
    assert_eq!(driven.is_err(), recorded.difference().is_some(), "{driven:?}");
    let written = store.read(&run, 0, usize::MAX).await.unwrap().events;
    (written, recorded.difference().cloned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_race_is_replayed_event_by_event() {
    for fate in [Fate::Left, Fate::Suspended, Fate::Cancelled] {
        for max_parallel in [2, 3, 8] {
            for flow in [&GO, &EARLY].repeat(12) {
                let recorded = record(flow, fate, max_parallel).await;
                let (replayed, difference) = replay(&recorded, flow).await;
                let description = difference.as_ref().map(describe_difference);
                assert_eq!(description, None, "{fate:?}, {max_parallel} at once");
                let plain = |events: &[Event]| -> Vec<(String, String, Json)> {
                    let parts = events.iter().map(|event| event.update.clone());
                    parts.map(|it| (it.event_type, it.message, it.data)).collect()
                };
                assert_eq!(plain(&replayed), plain(&recorded), "{fate:?}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_prompt_is_the_first_difference() {
    let recorded = record(&GO, Fate::Left, 3).await;
    let (_, difference) = replay(&recorded, &RaceFlow { prompt: "stop", ..GO }).await;
    let difference = difference.expect("the prompt changed");
    assert_eq!(difference.seq(), 2);
    let told = describe_difference(&difference);
    for line in [
        "step_started of step a",
        "input.prompt:",
        "- go",
        "+ stop",
        "  first line",
    ] {
        assert!(told.contains(line), "{told}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_is_gone_and_a_run_that_continues_are_differences() {
    let recorded = record(&GO, Fate::Left, 8).await;
    let is_end = |event: &Event| event.update.event_type == "step_completed";
    let at = recorded.iter().position(is_end).unwrap();
    let (_, difference) = replay(&recorded[..at], &GO).await;
    let difference = difference.expect("the recording ends too early");
    assert_eq!(difference, ReplayDifference::Continued { last_seq: at as u64 });
}
