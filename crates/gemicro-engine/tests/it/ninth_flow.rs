//! A flow that the program does not have, registered from outside: what CONTRIBUTING.md says is all that it takes.

use gemicro_batch::types::{MEMORY_STEP, MemoryInput, MemoryOutput};
use gemicro_core::budget::{Limits, Purpose};
use gemicro_core::drive::StopSignals;
use gemicro_core::flow::{
    Decision, Flow, FlowDefinition, Outcome, PlanFacts, RetryPolicy, Step, StepEnd, read_plan, refuse_secrets,
};
use gemicro_core::run::RunState;
use gemicro_core::run::events::RunReaders;
use gemicro_engine::Plan;
use gemicro_event::redact::Redactor;
use gemicro_event::{AgentUpdate, Charge, ErrorKind, Event, Failure, Json, Registry, StepKey, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::support::{Place, journal, terminal};

/// Remembers what a folder's memory says about a word.
struct RecallFlow;

#[derive(Serialize, Deserialize)]
struct RecallPlan {
    word: String,
    directory: String,
}

struct RecallState {
    plan: RecallPlan,
    found: Option<MemoryOutput>,
}

impl Flow for RecallFlow {
    type State = RecallState;

    fn name(&self) -> &'static str {
        "recall"
    }

    fn version(&self) -> u32 {
        1
    }

    fn start(&self, plan: &Json) -> Result<RecallState, Failure> {
        Ok(RecallState {
            plan: read_plan(plan)?,
            found: None,
        })
    }

    fn fold(&self, state: &mut RecallState, event: &Event) {
        if let Some(completed) = event.update.as_step_completed() {
            state.found = completed.output.parse().ok();
        }
    }

    fn decide(&self, state: &RecallState, _run: &RunState) -> Decision {
        if let Some(found) = &state.found {
            return Decision::end(Outcome::Completed {
                message: "recalled".to_owned(),
                data: Json::from(json!({ "answer": found.memory_summary })),
            });
        }
        let input = MemoryInput {
            keywords: vec![state.plan.word.clone()],
            limit: 3,
            directory: state.plan.directory.clone(),
        };
        Decision::step(Step {
            key: StepKey::new("search"),
            kind: MEMORY_STEP.to_owned(),
            input: Json::of(&input).expect("JSON"),
            cost: Charge::ZERO,
            purpose: Purpose::Last,
            retry: RetryPolicy::NEVER,
            timeout_ms: None,
        })
    }

    fn announce(&self, _state: &RecallState, _step: &Step, _at: Timestamp) -> Vec<AgentUpdate> {
        Vec::new()
    }

    fn describe(&self, _: &RecallState, _: &Step, _: &StepEnd, _: Timestamp) -> Vec<AgentUpdate> {
        Vec::new()
    }
}

impl FlowDefinition for RecallFlow {
    type Plan = RecallPlan;

    fn register(&self, _registry: &mut Registry) {}

    fn facts(&self, plan: &RecallPlan) -> PlanFacts {
        PlanFacts {
            title: format!("what is known about {}", plan.word),
            ..PlanFacts::default()
        }
    }

    fn check_limits(&self, _plan: &RecallPlan, _limits: &Limits) -> Result<(), Failure> {
        Ok(())
    }

    fn without_secrets(&self, plan: RecallPlan, redactor: &Redactor) -> Result<RecallPlan, Failure> {
        refuse_secrets(&plan.word, redactor, "a key is no word").map(|()| plan)
    }
}

fn plan(place: &Place, word: &str) -> Plan {
    let plan = RecallPlan {
        word: word.to_owned(),
        directory: place.path().display().to_string(),
    };
    Plan::new(&RecallFlow, &plan, Limits::NONE)
}

#[tokio::test]
async fn a_ninth_flow_runs_like_the_others() {
    let place = Place::new();
    std::fs::write(
        place.path().join("AGENT_MEMORY.md"),
        "# Towers\n- the tower is high\n",
    )
    .expect("written");
    let plan = plan(&place, "tower");
    let engine = place.engine().await;
    let refused = engine
        .start(&plan, StopSignals::default())
        .await
        .expect_err("unknown");
    assert!(refused.message.contains("no flow recall"), "{refused}");

    let engine = engine.with_flow(&RecallFlow);
    let run = engine.start(&plan, StopSignals::default()).await.expect("starts");
    let id = run.id.clone();
    run.wait().await.expect("ends");
    let row = engine.store().run(&id).await.expect("a row");
    assert_eq!(
        (row.flow.as_str(), row.title.as_str()),
        ("recall", "what is known about tower")
    );
    let events = journal(&engine, &id).await;
    let answer = terminal(&events).update.data.text().to_owned();
    assert!(answer.contains("the tower is high"), "{answer}");
    engine.can_carry(&id).await.expect("nothing is missing");
    let again = engine
        .resume(&id, StopSignals::default())
        .await
        .expect_err("ended");
    assert_eq!(again.kind, ErrorKind::Conflict);
}

#[tokio::test]
async fn its_secrets_are_refused_before_anything_is_written() {
    let place = Place::new();
    let engine = place.engine().await.with_flow(&RecallFlow);
    let key = format!("AIza{}", "Sy0123456789abcdefghijklmnopqrstuvw");
    let plan = plan(&place, &key);
    let refused = engine
        .start(&plan, StopSignals::default())
        .await
        .expect_err("refused");
    assert_eq!(refused.message, "a key is no word");
}
