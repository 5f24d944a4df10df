//! A plan as it is read back. Its parts are read as they were written: parameters of a task are JSON whose text must
//! stay, and would be lost in a tagged enum, which reads its parts into values first.

use gemicro_core::budget::Limits;
use gemicro_event::Json;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::Plan;

/// The fields of every plan.
#[derive(Deserialize)]
pub(crate) struct WrittenPlan {
    flow: String,
    plan: Json,
    limits: Limits,
}

impl TryFrom<WrittenPlan> for Plan {
    type Error = String;

    fn try_from(written: WrittenPlan) -> Result<Self, String> {
        let WrittenPlan { flow, plan, limits } = written;
        Ok(match flow.as_str() {
            "research" => Self::Research {
                plan: read(&plan)?,
                limits,
            },
            "ask" => Self::Ask {
                plan: read(&plan)?,
                limits,
            },
            "prompt" => Self::Prompt {
                plan: read(&plan)?,
                limits,
            },
            "batch" => Self::Batch {
                plan: read(&plan)?,
                limits,
            },
            "test_proposal" => Self::TestProposal {
                plan: read(&plan)?,
                limits,
            },
            "strategy" => Self::Strategy {
                plan: read(&plan)?,
                limits,
            },
            "ooda" => Self::Ooda {
                plan: read(&plan)?,
                limits,
            },
            "pipeline" => Self::Pipeline {
                plan: read(&plan)?,
                limits,
            },
            other => return Err(format!("there is no flow `{other}`")),
        })
    }
}

fn read<P: DeserializeOwned>(plan: &Json) -> Result<Box<P>, String> {
    plan.parse().map(Box::new).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use gemicro_batch::contract::read_batch;
    use gemicro_batch::flow::plan;
    use gemicro_batch::types::BatchSettings;
    use gemicro_core::llm::LlmConfig;

    use super::*;

    #[test]
    fn a_plan_of_a_batch_is_read_back_as_it_was_written() {
        let tasks = br#"[{"task_id": "a", "type": "prompt", "parameters": {"prompt": "Why?", "x":  1.0}}]"#;
        let settings = BatchSettings {
            llm: LlmConfig::default(),
            directory: "/tmp".to_owned(),
            agent_idle_ms: 1,
            agent_total_ms: 1,
            coverage_reports: Vec::new(),
        };
        let written = Plan::Batch {
            plan: Box::new(plan(read_batch(tasks).expect("a batch"), settings)),
            limits: Limits::NONE,
        };
        let text = serde_json::to_string(&written).expect("JSON");
        assert!(text.contains(r#"{"prompt": "Why?", "x":  1.0}"#), "{text}");
        assert_eq!(serde_json::from_str::<Plan>(&text).expect("a plan"), written);
        let unknown = text.replace(r#""flow":"batch""#, r#""flow":"tomorrow""#);
        let refused = serde_json::from_str::<Plan>(&unknown).expect_err("an unknown flow");
        assert!(refused.to_string().contains("tomorrow"), "{refused}");
    }
}
