//! A batch in the hand: its journal is made event by event, as a driver would.

use gemicro_batch::contract::{ItemState, read_batch};
use gemicro_batch::flow::{BatchFlow, BatchPlan, BatchState, plan};
use gemicro_batch::types::BatchSettings;
use gemicro_core::budget::{Limits, Purpose};
use gemicro_core::flow::{Decision, Flow, Step, StepEnd, StepOutput};
use gemicro_core::llm::LlmConfig;
use gemicro_core::run::RunState;
use gemicro_core::run::events::{
    RunParked, RunStarted, RunWoken, StepLost, StepParked, StepRetrying, StepStarted, TimerFired,
};
use gemicro_event::{AgentUpdate, Charge, ErrorKind, Event, Failure, Json, Payload, StepKey, Timestamp};
use serde_json::{Value, json};

use crate::proposals::{event, started};

/// Settings of a machine that does not exist.
pub(crate) fn settings() -> BatchSettings {
    BatchSettings {
        llm: LlmConfig::default(),
        directory: "/srv/project".to_owned(),
        agent_idle_ms: 300_000,
        agent_total_ms: 3_600_000,
        coverage_reports: Vec::new(),
    }
}

/// A plan out of JSON.
pub(crate) fn planned(batch: &Value) -> BatchPlan {
    plan(read_batch(batch.to_string().as_bytes()).unwrap(), settings())
}

/// A prompt that needs others.
pub(crate) fn prompt(task_id: &str, depends_on: &[&str]) -> Value {
    json!({ "task_id": task_id, "type": "prompt", "parameters": { "prompt": task_id }, "depends_on": depends_on })
}

/// A run of a batch.
pub(crate) struct Journal {
    pub(crate) events: Vec<Event>,
    pub(crate) state: BatchState,
    pub(crate) run: RunState,
    pub(crate) now: Timestamp,
}

impl Journal {
    pub(crate) fn new(batch: &Value) -> Self {
        Self::of_plan(&planned(batch), Limits::NONE)
    }

    pub(crate) fn of_plan(plan: &BatchPlan, limits: Limits) -> Self {
        let started = RunStarted {
            limits,
            resident: true,
            ..started(&BatchFlow, plan)
        };
        let now = Timestamp::from_millis(1_000_000);
        let first = event(1, AgentUpdate::new(&started, now), None);
        let mut journal = Self {
            state: BatchFlow.start(&started.plan).unwrap(),
            run: RunState::start(&first).unwrap(),
            events: vec![first.clone()],
            now,
        };
        BatchFlow.fold(&mut journal.state, &first);
        journal
    }

    pub(crate) fn decide(&self) -> Decision {
        BatchFlow.decide(&self.state, &self.run)
    }

    /// Keys of the wanted steps, in order.
    pub(crate) fn wanted(&self) -> Vec<String> {
        self.decide()
            .want
            .iter()
            .map(|step| step.key.to_string())
            .collect()
    }

    pub(crate) fn step(&self, key: &str) -> Step {
        let found = self
            .decide()
            .want
            .into_iter()
            .find(|step| step.key.as_str() == key);
        found.unwrap_or_else(|| panic!("{key} is not wanted: {:?}", self.wanted()))
    }

    pub(crate) fn states(&self) -> Vec<(String, ItemState)> {
        let answer = self.state.answer("x", self.now);
        answer
            .results
            .into_iter()
            .map(|it| (it.task_id, it.state))
            .collect()
    }

    pub(crate) fn error_of(&self, task_id: &str) -> (ErrorKind, String) {
        let answer = self.state.answer("x", self.now);
        let item = answer
            .results
            .into_iter()
            .find(|it| it.task_id == task_id)
            .unwrap();
        (item.error_kind.unwrap(), item.error.unwrap())
    }

    pub(crate) fn say<P: Payload>(&mut self, payload: &P) {
        self.push(AgentUpdate::new(payload, self.now), None);
    }

    /// Starts a wanted step.
    pub(crate) fn start(&mut self, key: &str) -> Step {
        let step = self.step(key);
        self.start_step(&step, 1);
        step
    }

    pub(crate) fn start_step(&mut self, step: &Step, attempt: u32) {
        let started = StepStarted {
            step: step.key.clone(),
            kind: step.kind.clone(),
            attempt,
            input: step.input.clone(),
            reserved: step.cost,
            purpose: Purpose::Ordinary,
        };
        self.push(AgentUpdate::new(&started, self.now), Some(&step.key));
        for update in BatchFlow.announce(&self.state, step, self.now) {
            self.push(update, Some(&step.key));
        }
    }

    /// Ends a step; the step's own event does not matter to the flow.
    pub(crate) fn end(&mut self, step: &Step, end: &StepEnd) {
        for update in BatchFlow.describe(&self.state, step, end, self.now) {
            self.push(update, Some(&step.key));
        }
    }

    pub(crate) fn complete(&mut self, step: &Step, output: Value) {
        let output = StepOutput {
            output: Json::from(output),
            charge: Charge::ZERO,
            usage: None,
        };
        self.end(step, &StepEnd::Completed(output));
    }

    pub(crate) fn fail(&mut self, step: &Step, kind: ErrorKind) {
        self.end(step, &StepEnd::Failed(Failure::new(kind, "it failed")));
    }

    /// Starts a wanted step and completes it.
    pub(crate) fn do_it(&mut self, key: &str, output: Value) {
        let step = self.start(key);
        self.complete(&step, output);
    }

    pub(crate) fn retrying(&mut self, step: &Step) {
        let fact = StepRetrying {
            step: step.key.clone(),
            attempt: 1,
            error: Failure::new(ErrorKind::UpstreamError, "for now"),
            charge: Charge::ZERO,
            retry_at: self.now,
        };
        self.push(AgentUpdate::new(&fact, self.now), Some(&step.key));
    }

    pub(crate) fn lost(&mut self, step: &Step) {
        let fact = StepLost {
            step: step.key.clone(),
            attempt: 1,
            charge: Charge::ZERO,
            kept: false,
        };
        self.push(AgentUpdate::new(&fact, self.now), Some(&step.key));
    }

    pub(crate) fn parked(&mut self, step: &Step, until: Timestamp) {
        let fact = StepParked {
            step: step.key.clone(),
            attempt: 1,
            error: Failure::new(ErrorKind::RateLimited, "wait"),
            charge: Charge::ZERO,
            until,
        };
        self.push(AgentUpdate::new(&fact, self.now), Some(&step.key));
        self.say(&RunParked {
            until,
            kind: step.kind.clone(),
            reason: "wait".to_owned(),
        });
    }

    pub(crate) fn woken(&mut self) {
        self.say(&RunWoken {});
    }

    pub(crate) fn fired(&mut self, key: &str) {
        self.say(&TimerFired { key: key.to_owned() });
    }

    pub(crate) fn push(&mut self, update: AgentUpdate, step: Option<&StepKey>) {
        let seq = u64::try_from(self.events.len()).unwrap() + 1;
        let event = event(seq, update, step.cloned());
        self.run.fold(&event);
        BatchFlow.fold(&mut self.state, &event);
        self.events.push(event);
    }
}

/// What a model gives back.
pub(crate) fn said(text: &str) -> Value {
    json!({ "text": text, "usage": { "input_tokens": 1, "output_tokens": 1 }, "interaction_id": null })
}
