//! What happens in a run, and when.

use std::time::Duration;

use gemicro_core::ask::{AgentAnswer, AgentAnswered, AgentName, AgentTrouble};
use gemicro_core::run::events::{RunFailed, RunParked, RunSuspended, StepRetrying};
use gemicro_event::{AgentUpdate, Charge, ErrorKind, Failure, Json, Payload, StepKey, Timestamp, Usage};
use serde_json::json;

/// Something that happens in a run.
#[derive(Debug, Clone)]
pub(crate) enum Happens {
    Event(AgentUpdate),
    Text(&'static str),
}

/// When it happens after what came before, and what.
pub(crate) type Script = Vec<(Duration, Happens)>;

pub(crate) fn at(seconds: u64, happens: Happens) -> (Duration, Happens) {
    (Duration::from_secs(seconds), happens)
}

pub(crate) fn event<P: Payload>(payload: &P) -> Happens {
    Happens::Event(AgentUpdate::new(payload, Timestamp::now()))
}

/// An answer after a while.
pub(crate) fn answers_after(seconds: u64) -> Script {
    vec![at(seconds, answered()), at(0, finished())]
}

pub(crate) fn answered() -> Happens {
    let answer = AgentAnswer {
        retold: false,
        text: "Done.".to_owned(),
        session: Some("s-1".to_owned()),
        tier: "full".to_owned(),
        access: "gateway".to_owned(),
        n_tool_calls: 3,
        n_refused: 1,
        n_requests: 2,
        usage: Some(Usage {
            input_tokens: 100,
            output_tokens: 20,
            cached_tokens: 40,
            ..Usage::default()
        }),
        worst_case: false,
        messages: Some(vec![Json::from(json!({ "type": "init" }))]),
        denials: Vec::new(),
        branch: None,
        submitted: Vec::new(),
    };
    event(&AgentAnswered {
        agent: AgentName::Gemini,
        answer,
    })
}

pub(crate) fn finished() -> Happens {
    raw("final_result", json!({ "answer": "Done.", "metadata": {} }))
}

pub(crate) fn raw(event_type: &str, data: serde_json::Value) -> Happens {
    Happens::Event(AgentUpdate {
        event_type: event_type.to_owned(),
        message: event_type.to_owned(),
        timestamp: Timestamp::now(),
        data: Json::from(data),
    })
}

fn failure() -> Failure {
    let trouble = AgentTrouble {
        exit_code: Some(3),
        last_lines: (1..=30).map(|n| format!("line {n}")).collect(),
        tier: Some("landlock".to_owned()),
        ..AgentTrouble::default()
    };
    Failure {
        detail: Some(trouble.into_detail()),
        ..Failure::new(ErrorKind::UpstreamError, "it went wrong")
    }
}

/// A failure after one retry.
pub(crate) fn fails() -> Script {
    let retrying = StepRetrying {
        step: StepKey::new("agent"),
        attempt: 1,
        error: failure(),
        charge: Charge {
            tokens: 7,
            micro_usd: 0,
            turns: 1,
            ..Charge::ZERO
        },
        retry_at: Timestamp::now(),
    };
    let failed = RunFailed {
        error: failure(),
        spent: Charge::ZERO,
    };
    vec![at(0, event(&retrying)), at(0, event(&failed))]
}

pub(crate) fn parked(until: Timestamp) -> Happens {
    event(&RunParked {
        until,
        kind: "agent_cli".to_owned(),
        reason: "quota".to_owned(),
    })
}

pub(crate) fn suspended() -> Happens {
    event(&RunSuspended {
        reason: "stopped".to_owned(),
        stopped_at: Timestamp::now(),
        cut_off: false,
    })
}
