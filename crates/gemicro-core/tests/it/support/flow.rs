//! A flow made of a function, with facts beside every start and end.

use std::collections::BTreeMap;

use gemicro_core::budget::Purpose;
use gemicro_core::flow::{Decision, Flow, Outcome, RetryPolicy, Step, StepEnd};
use gemicro_core::run::RunState;
use gemicro_core::run::events::RunReaders;
use gemicro_event::{AgentUpdate, Charge, Event, Failure, Json, StepKey, Timestamp};

pub(crate) type Decide = dyn Fn(&TestState, &RunState) -> Decision + Send + Sync;

/// A flow for one test.
pub(crate) struct TestFlow {
    pub(crate) decide: Box<Decide>,
    pub(crate) version: u32,
    /// Panics when it describes the end of this step.
    pub(crate) panics_at: Option<&'static str>,
    /// Panics when it folds an event of this kind.
    pub(crate) panics_folding: Option<&'static str>,
}

/// What the flow remembers.
#[derive(Debug, Default)]
pub(crate) struct TestState {
    pub(crate) outputs: BTreeMap<StepKey, Json>,
    pub(crate) failures: BTreeMap<StepKey, Failure>,
}

impl TestFlow {
    /// A flow that decides by a function.
    pub(crate) fn new(decide: impl Fn(&TestState, &RunState) -> Decision + Send + Sync + 'static) -> Self {
        Self {
            decide: Box::new(decide),
            version: 1,
            panics_at: None,
            panics_folding: None,
        }
    }

    /// Wants these steps, all at once, and finishes when each has its end.
    pub(crate) fn all_of(steps: Vec<Step>) -> Self {
        Self::new(move |state, run| {
            if steps.iter().all(|step| run.is_done(&step.key)) {
                let outputs: Vec<&str> = state.outputs.keys().map(StepKey::as_str).collect();
                let data = Json::from(serde_json::json!({ "completed": outputs }));
                let finish = Some(Outcome::Completed {
                    message: "done".to_owned(),
                    data,
                });
                return Decision {
                    finish,
                    ..Decision::default()
                };
            }
            Decision {
                want: steps.clone(),
                ..Decision::default()
            }
        })
    }
}

/// A free step of kind `work`, tried once.
pub(crate) fn step(key: &str) -> Step {
    Step {
        key: StepKey::new(key),
        kind: "work".to_owned(),
        input: Json::empty(),
        cost: Charge::ZERO,
        purpose: Purpose::Ordinary,
        retry: RetryPolicy::NEVER,
        timeout_ms: None,
    }
}

/// A step of kind `work` that reserves tokens.
pub(crate) fn work(key: &str, tokens: u64) -> Step {
    Step {
        cost: Charge {
            tokens,
            ..Charge::ZERO
        },
        ..step(key)
    }
}

impl Flow for TestFlow {
    type State = TestState;

    fn name(&self) -> &'static str {
        "test"
    }

    fn version(&self) -> u32 {
        self.version
    }

    fn start(&self, _: &Json) -> Result<TestState, Failure> {
        Ok(TestState::default())
    }

    fn fold(&self, state: &mut TestState, event: &Event) {
        if self.panics_folding == Some(event.update.event_type.as_str()) {
            panic!("scripted panic while folding");
        }
        if let Some(completed) = event.update.as_step_completed() {
            let known = state.outputs.insert(completed.step, completed.output);
            assert_eq!(known, None, "a step completes once");
        } else if let Some(failed) = event.update.as_step_failed() {
            state.failures.insert(failed.step, failed.error);
        }
    }

    fn decide(&self, state: &TestState, run: &RunState) -> Decision {
        (self.decide)(state, run)
    }

    fn announce(&self, _: &TestState, step: &Step, at: Timestamp) -> Vec<AgentUpdate> {
        vec![fact("work_began", &step.key, at)]
    }

    fn describe(&self, _: &TestState, step: &Step, end: &StepEnd, at: Timestamp) -> Vec<AgentUpdate> {
        assert_ne!(
            self.panics_at,
            Some(step.key.as_str()),
            "scripted panic while describing"
        );
        match end {
            StepEnd::Completed(_) => vec![fact("work_done", &step.key, at)],
            StepEnd::Failed(_) => vec![fact("work_failed", &step.key, at)],
        }
    }
}

fn fact(event_type: &str, key: &StepKey, at: Timestamp) -> AgentUpdate {
    AgentUpdate {
        event_type: event_type.to_owned(),
        message: format!("{event_type} {key}"),
        timestamp: at,
        data: Json::from(serde_json::json!({ "work": key.as_str() })),
    }
}
