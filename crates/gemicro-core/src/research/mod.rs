//! Deep research: decompose, answer in parallel, synthesize, with citations that cannot be invented.
//!
//! [`ResearchFlow`] decides; its parts are `steps` (what to run), `requests` (what models are asked), `fit` (within
//! the budget), `fold` (what happened), `describe` (the events about it), `findings` and `report` (the answer people read),
//! `full_report` (everything that an ended run found).
//! Truth is kept by `verify` (the verbatim check), `answers` (a model's quotes), `claims` and `figures`
//! (a sentence against its quotes), `web` and `support` (pages that a provider
//! names) and `markers` (citation numbers). [`Base`] is what an earlier run brings in: follow-ups, revisions,
//! retries. [`DeepResearchAgent`] is the library's face.

mod agent;
mod answers;
mod base;
mod citation;
mod claims;
mod config;
mod decide;
mod definition;
mod describe;
pub mod events;
mod executors;
mod extracted;
mod figures;
mod findings;
mod fit;
mod flow;
mod fold;
mod full_report;
mod markers;
mod plan;
mod prompts;
mod report;
mod requests;
mod sections;
mod steps;
mod support;
#[cfg(test)]
mod tests;
mod verify;
mod web;

pub use agent::DeepResearchAgent;
pub use base::{Base, BasePart, UseAs};
pub use citation::{
    AnsweredWithoutModel, Citation, CitedContradiction, ContradictionSide, Grade, RelatedPassage,
    UnansweredQuestion,
};
pub use config::ResearchConfig;
pub use executors::{ResearchExecutors, executors};
pub use flow::{PLAN_QUESTION, ResearchFlow};
pub use full_report::{QuoteContext, ReportFinding, ReportSource, ResearchReport, StoredTexts};
pub use plan::{ResearchEngine, ResearchPlan};
pub use prompts::PromptSet;
