//! A run of any flow in the hand: its journal is made event by event, in the order of the driver.

use gemicro_core::budget::Limits;
use gemicro_core::flow::{Decision, Flow, Outcome, RunWait, Step, StepEnd, StepOutput};
use gemicro_core::run::RunState;
use gemicro_core::run::events::{
    AnswerGiven, AnswerRequested, DeadlinePassed, RunStarted, StepCompleted, StepFailed, StepStarted,
};
use gemicro_event::{
    AgentUpdate, Charge, ErrorKind, Event, Failure, Json, Payload, SCHEMA_VERSION, StepKey, StreamId,
    Timestamp,
};
use serde::Serialize;
use serde_json::Value;

fn now() -> Timestamp {
    Timestamp::from_millis(1_000_000)
}

/// A run, and what its flow makes of it.
pub(crate) struct Journal<F: Flow> {
    flow: F,
    pub(crate) events: Vec<Event>,
    pub(crate) state: F::State,
    run: RunState,
}

impl<F: Flow + Copy> Journal<F> {
    pub(crate) fn new(flow: F, plan: &impl Serialize) -> Self {
        let first = event(1, AgentUpdate::new(&started(&flow, plan), now()), None);
        Self::of_events(flow, &[first])
    }

    /// What is remembered of a journal.
    pub(crate) fn of_events(flow: F, events: &[Event]) -> Self {
        let run = RunState::start(&events[0]).unwrap();
        let mut journal = Self {
            flow,
            events: vec![events[0].clone()],
            state: flow.start(&run.started.plan).unwrap(),
            run,
        };
        flow.fold(&mut journal.state, &events[0]);
        for event in &events[1..] {
            journal.fold(event.clone());
        }
        journal
    }

    pub(crate) fn decide(&self) -> Decision {
        self.flow.decide(&self.state, &self.run)
    }

    /// The only step that is wanted.
    pub(crate) fn step(&self, key: &str) -> Step {
        let decision = self.decide();
        let keys: Vec<&str> = decision.want.iter().map(|step| step.key.as_str()).collect();
        assert_eq!(keys, [key], "{:?}", decision.finish);
        decision.want[0].clone()
    }

    /// The only question that is open.
    pub(crate) fn asks(&self) -> String {
        let decision = self.decide();
        let [RunWait::Answer { key }] = decision.waits.as_slice() else {
            panic!("nothing is asked: {decision:?}");
        };
        key.clone()
    }

    /// How it completes: the sentence and the details, without figures that depend on the clock.
    pub(crate) fn completed(&self) -> (String, Value) {
        let Some(Outcome::Completed { message, data }) = self.decide().finish else {
            panic!("it has not completed: {:?}", self.decide());
        };
        let mut data: Value = data.parse().unwrap();
        data.as_object_mut().unwrap().remove("metadata").unwrap();
        (message, data)
    }

    pub(crate) fn failed(&self) -> Failure {
        let Some(Outcome::Failed(failure)) = self.decide().finish else {
            panic!("it has not failed: {:?}", self.decide());
        };
        failure
    }

    /// Starts the wanted step.
    pub(crate) fn start(&mut self, key: &str) -> Step {
        let step = self.step(key);
        let started = StepStarted {
            step: step.key.clone(),
            kind: step.kind.clone(),
            attempt: 1,
            input: step.input.clone(),
            reserved: step.cost,
            purpose: step.purpose,
        };
        let facts = self.flow.announce(&self.state, &step, now());
        self.push(&started, Some(&step));
        self.state_facts(facts, &step);
        step
    }

    /// Starts the wanted step and completes it.
    pub(crate) fn complete(&mut self, key: &str, output: &impl Serialize) {
        let step = self.start(key);
        let output = StepOutput {
            output: Json::of(output).unwrap(),
            charge: Charge::ZERO,
            usage: None,
        };
        let completed = StepCompleted {
            step: step.key.clone(),
            attempt: 1,
            output: output.output.clone(),
            charge: output.charge,
            usage: output.usage,
        };
        let facts = self
            .flow
            .describe(&self.state, &step, &StepEnd::Completed(output), now());
        self.push(&completed, Some(&step));
        self.state_facts(facts, &step);
    }

    /// Starts the wanted step, which fails for good.
    pub(crate) fn fail(&mut self, key: &str, kind: ErrorKind) {
        let step = self.start(key);
        self.end_badly(&step, 1, kind);
    }

    /// The wanted step is not allowed to start: there is no budget for it.
    pub(crate) fn refuse(&mut self, key: &str) {
        let step = self.step(key);
        self.end_badly(&step, 0, ErrorKind::BudgetExceeded);
    }

    /// The open question is answered.
    pub(crate) fn answer(&mut self, answer: Value) {
        let key = self.asks();
        self.push(
            &AnswerRequested {
                key: key.clone(),
                tool: None,
                what: None,
            },
            None,
        );
        let answer = Json::from(answer);
        self.push(
            &AnswerGiven {
                key,
                answer,
                by: None,
            },
            None,
        );
    }

    /// The time is nearly over.
    pub(crate) fn late(&mut self) {
        self.push(&DeadlinePassed { over: false }, None);
    }

    /// All sentences of the journal since an event, with their kinds.
    pub(crate) fn reported_since(&self, n_events: usize) -> Vec<String> {
        let line = |event: &Event| format!("{}: {}", event.update.event_type, event.update.message);
        self.events[n_events..].iter().map(line).collect()
    }

    fn end_badly(&mut self, step: &Step, attempt: u32, kind: ErrorKind) {
        let error = Failure::new(kind, "it failed");
        let failed = StepFailed {
            step: step.key.clone(),
            attempt,
            error: error.clone(),
            charge: Charge::ZERO,
        };
        let facts = self
            .flow
            .describe(&self.state, step, &StepEnd::Failed(error), now());
        self.push(&failed, Some(step));
        self.state_facts(facts, step);
    }

    fn state_facts(&mut self, facts: Vec<AgentUpdate>, step: &Step) {
        for fact in facts {
            self.push_update(fact, Some(step));
        }
    }

    fn push<P: Payload>(&mut self, payload: &P, step: Option<&Step>) {
        self.push_update(AgentUpdate::new(payload, now()), step);
    }

    fn push_update(&mut self, update: AgentUpdate, step: Option<&Step>) {
        let seq = u64::try_from(self.events.len()).unwrap() + 1;
        self.fold(event(seq, update, step.map(|step| step.key.clone())));
    }

    fn fold(&mut self, event: Event) {
        self.run.fold(&event);
        self.flow.fold(&mut self.state, &event);
        self.events.push(event);
    }
}

/// The first event of a run without limits.
pub(crate) fn started(flow: &impl Flow, plan: &impl Serialize) -> RunStarted {
    RunStarted {
        flow: flow.name().to_owned(),
        flow_version: flow.version(),
        program: "test".to_owned(),
        title: "a run".to_owned(),
        plan: Json::of(plan).unwrap(),
        limits: Limits::NONE,
        held_back: Charge::ZERO,
        held_back_ms: 0,
        resubmits: false,
        part_of_parent: false,
        day: None,
        resident: false,
        credential_fingerprint: None,
    }
}

pub(crate) fn event(seq: u64, update: AgentUpdate, step: Option<StepKey>) -> Event {
    Event {
        stream: StreamId::new("run").unwrap(),
        seq,
        schema_version: SCHEMA_VERSION,
        update,
        step,
        parent_run: None,
        trace: None,
        extra: Vec::new(),
    }
}
