//! Deep research: decompose, answer in parallel, synthesize, with citations that cannot be invented.
//!
//! [`ResearchFlow`] decides; its parts are `steps` (what to run), `fit` (within the budget), `fold` (what
//! happened), `verify` (the verbatim check), `markers` (citation numbers) and `report` (the answer people read). [`DeepResearchAgent`] is the library's face.

mod agent;
mod citation;
mod config;
mod decide;
mod describe;
pub mod events;
mod executors;
mod fit;
mod flow;
mod fold;
mod markers;
mod plan;
mod prompts;
mod report;
mod steps;
#[cfg(test)]
mod tests;
mod verify;

pub use agent::DeepResearchAgent;
pub use citation::{Citation, Contradiction, Grade, Side, Unanswered};
pub use config::ResearchConfig;
pub use executors::{ResearchExecutors, executors};
pub use flow::{PLAN_QUESTION, ResearchFlow};
pub use plan::{ResearchEngine, ResearchPlan};
pub use prompts::PromptSet;
pub use verify::find_verbatim;
