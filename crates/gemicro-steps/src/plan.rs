//! [`Plan`]: what a run will do, before anything is done.

use gemicro_batch::ooda::OodaFlow;
use gemicro_core::ask::AskFlow;
use gemicro_core::budget::Limits;
use gemicro_core::flow::{FlowDefinition, read_plan};
use gemicro_core::prompt::PromptFlow;
use gemicro_core::research::ResearchFlow;
use gemicro_event::{Event, Failure, Json};
use gemicro_merge::MergeFlow;
use gemicro_pipeline::flow::PipelineFlow;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::merge_queue::merge_plan;
use crate::ooda::ooda_plan;
use crate::pipeline::{pipeline_plan, retry_plan};
use crate::plans::{Request, ask_plan, prompt_plan, research_plan};

/// A checked plan; printing it starts nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The name of the flow that decides its run.
    pub flow: String,
    /// Everything that decisions depend on, in the form of the flow.
    pub plan: Json,
    /// Limits of the run.
    pub limits: Limits,
}

impl Plan {
    /// Resolves and checks a request. Only checks whether files and folders exist.
    ///
    /// # Errors
    /// `invalid_input` or `not_found`, with what to change.
    pub fn of(request: &Request) -> Result<Self, Failure> {
        Ok(match request {
            Request::Research(it) => Self::new(&ResearchFlow, &research_plan(it)?, it.limits),
            Request::Ask(it) => Self::new(&AskFlow, &ask_plan(it)?, it.limits),
            Request::Prompt(it) => Self::new(&PromptFlow, &prompt_plan(it)?, it.limits),
            Request::Ooda(it) => Self::new(&OodaFlow, &ooda_plan(it)?, it.limits),
            Request::Pipeline(it) => Self::new(&PipelineFlow, &pipeline_plan(it)?, it.limits),
            Request::Merge(it) => Self::new(&MergeFlow, &merge_plan(it)?, Limits::NONE),
        })
    }

    /// The plan of a pipeline that enters a phase of an earlier run again, from its journal. The default is the phase
    /// that can fix the failure of that run.
    ///
    /// # Errors
    /// When the run is not a pipeline, has no branch, or has no such phase.
    pub fn retry(events: &[Event], phase: Option<&str>) -> Result<Self, Failure> {
        let (plan, limits) = retry_plan(events, phase)?;
        Ok(Self::new(&PipelineFlow, &plan, limits))
    }

    /// The plan of a run of a flow.
    #[must_use]
    pub fn new<F: FlowDefinition>(flow: &F, plan: &F::Plan, limits: Limits) -> Self {
        Self {
            flow: flow.name().to_owned(),
            plan: Json::of(plan).expect("a plan has string keys only"),
            limits,
        }
    }

    /// Parses the plan into the type of its flow.
    ///
    /// # Errors
    /// When it is a plan of another flow.
    pub fn read<P: DeserializeOwned>(&self) -> Result<P, Failure> {
        read_plan(&self.plan)
    }

    /// Changes that were made when the request became a plan, for the user.
    #[must_use]
    pub fn notices(&self) -> Vec<String> {
        let notices = self.plan.get("notices").cloned();
        let notices = notices.map(serde_json::from_value);
        notices.and_then(Result::ok).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use gemicro_batch::contract::read_batch;
    use gemicro_batch::flow::{BatchFlow, plan};
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
        let planned = plan(read_batch(tasks).expect("a batch"), settings);
        let written = Plan::new(&BatchFlow, &planned, Limits::NONE);
        let text = serde_json::to_string(&written).expect("JSON");
        assert!(text.starts_with(r#"{"flow":"batch","plan":{"#), "{text}");
        assert!(text.contains(r#"{"prompt": "Why?", "x":  1.0}"#), "{text}");
        let read: Plan = serde_json::from_str(&text).expect("a plan");
        assert_eq!(read, written);
        assert_eq!(serde_json::to_string(&read).expect("JSON"), text);
    }
}
