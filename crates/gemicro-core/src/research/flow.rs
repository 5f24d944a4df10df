//! The research flow: the state and the wiring; decisions and facts are in their own files.

use std::collections::BTreeMap;

use gemicro_event::{AgentUpdate, Event, Failure, Json, Timestamp};

use super::events::{
    FinalResult, SourceFetched, SourceNotFetched, SourcesRead, SubQueryCompleted, SubQueryFailed,
};
use super::{Grade, ResearchPlan, decide, describe, fold};
use crate::corpus::Passage;
use crate::flow::{Decision, Flow, Step, StepEnd, read_plan};
use crate::run::RunState;

/// The question a run with `approve_plan` asks: are these the right sub-queries?
pub const PLAN_QUESTION: &str = "plan";

/// The flow that decides research runs.
#[derive(Debug, Clone, Copy, Default)]
pub struct ResearchFlow;

/// What the flow remembers; a function of the plan and the events.
#[derive(Debug)]
pub struct ResearchState {
    pub(super) plan: ResearchPlan,
    /// The sources, once read.
    pub(super) sources: Option<SourcesRead>,
    /// Why the sources or the decomposition could not be had: ends the run.
    pub(super) broken: Option<Failure>,
    /// The sub-queries, once known.
    pub(super) sub_queries: Option<Vec<SubQuery>>,
    /// Pages that answers name, by the address they were asked at.
    pub(super) pages: BTreeMap<String, Result<SourceFetched, SourceNotFetched>>,
    /// Finished report of the last step.
    pub(super) report: Option<ComposedReport>,
}

/// One sub-query and how far it is.
#[derive(Debug)]
pub(super) struct SubQuery {
    pub(super) text: String,
    /// What the offline splitter knows about it.
    pub(super) parsed: Option<Json>,
    pub(super) passages: Option<Vec<Passage>>,
    pub(super) progress: QueryProgress,
}

/// How far a sub-query is.
#[derive(Debug)]
pub(super) enum QueryProgress {
    Open,
    Completed(Box<SubQueryCompleted>),
    Failed(SubQueryFailed),
}

/// The last step's result: the final answer, its figures apart.
#[derive(Debug, Clone)]
pub(super) struct ComposedReport {
    pub(super) result: FinalResult,
}

impl Flow for ResearchFlow {
    type State = ResearchState;

    fn name(&self) -> &'static str {
        "research"
    }

    fn version(&self) -> u32 {
        1
    }

    fn start(&self, plan: &Json) -> Result<ResearchState, Failure> {
        let plan = read_plan(plan)?;
        Ok(ResearchState {
            plan,
            sources: None,
            broken: None,
            sub_queries: None,
            pages: BTreeMap::new(),
            report: None,
        })
    }

    fn fold(&self, state: &mut ResearchState, event: &Event) {
        fold::fold(state, event);
    }

    fn decide(&self, state: &ResearchState, run: &RunState) -> Decision {
        decide::decide(state, run)
    }

    fn announce(&self, state: &ResearchState, step: &Step, at: Timestamp) -> Vec<AgentUpdate> {
        describe::announce(state, step, at)
    }

    fn describe(&self, state: &ResearchState, step: &Step, end: &StepEnd, at: Timestamp) -> Vec<AgentUpdate> {
        describe::describe(state, step, end, at)
    }
}

impl ResearchState {
    /// Answers so far, by id.
    pub(super) fn completed_queries(&self) -> BTreeMap<usize, &SubQueryCompleted> {
        let sub_queries = self.sub_queries.iter().flatten().enumerate();
        sub_queries
            .filter_map(|(id, sub_query)| match &sub_query.progress {
                QueryProgress::Completed(completed) => Some((id, completed.as_ref())),
                QueryProgress::Open | QueryProgress::Failed(_) => None,
            })
            .collect()
    }

    /// Whether no answer is the model's: its report would be of nothing that it found.
    pub(super) fn is_answered_without_model(&self) -> bool {
        let completed = self.completed_queries();
        !completed.is_empty() && completed.values().all(|it| it.without_model.is_some())
    }

    /// Sources that an earlier report lists, where one section of it is written anew.
    pub(super) fn n_earlier_citations(&self) -> usize {
        let result = self.plan.base.as_ref().and_then(|base| base.result.as_ref());
        result.map_or(0, |result| result.citations.len())
    }

    /// Pages that answers name and what they are named for, up to the limit of the plan.
    pub(super) fn cited_pages(&self) -> BTreeMap<&str, Vec<&str>> {
        let mut pages: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for citation in self
            .completed_queries()
            .into_values()
            .flat_map(|completed| &completed.citations)
        {
            if citation.grade != Grade::Provider {
                continue;
            }
            let is_full = pages.len() >= self.plan.config.max_pages;
            if is_full && !pages.contains_key(citation.doc.as_str()) {
                continue;
            }
            let claims = pages.entry(citation.doc.as_str()).or_default();
            let claim = citation.claim.as_deref().unwrap_or_default();
            if !claims.contains(&claim) {
                claims.push(claim);
            }
        }
        pages
    }

    /// Failures so far, with the sub-query's text.
    pub(super) fn failed_queries(&self) -> Vec<(&str, &SubQueryFailed)> {
        let sub_queries = self.sub_queries.iter().flatten();
        sub_queries
            .filter_map(|sub_query| match &sub_query.progress {
                QueryProgress::Failed(failed) => Some((sub_query.text.as_str(), failed)),
                QueryProgress::Open | QueryProgress::Completed(_) => None,
            })
            .collect()
    }
}
