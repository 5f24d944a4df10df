//! What an earlier run brings into a new one: its texts, its pages, its findings, its report.

use gemicro_event::text::first_bytes;
use gemicro_event::{ErrorKind, Event, Failure, StreamId};
use serde::{Deserialize, Serialize};

use super::events::{FinalResult, ResearchReaders, SubQueryCompleted};
use super::flow::{QueryProgress, ResearchState};
use super::{ResearchFlow, ResearchPlan, sections};
use crate::blob::BlobId;
use crate::budget::Limits;
use crate::flow::Flow;
use crate::run::events::RunReaders;

/// Findings shown with a follow-up question, in bytes.
const MAX_CONTEXT: usize = 4 * 1024;

/// What an earlier run brings in; frozen in the plan of the new one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Base {
    /// The run that this one builds on.
    pub run: StreamId,
    /// Whether it is followed up, revised or retried.
    #[serde(flatten)]
    pub use_as: UseAs,
    /// The question it answered.
    pub question: String,
    /// The place of the section that is written anew among all sections of the report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<usize>,
    /// The blob with its stored texts; absent where it read none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<BlobId>,
    /// Where they come from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<BlobId>,
    /// The pages it fetched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pages: Vec<BlobId>,
    /// Its sub-queries, with their answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<BasePart>,
    /// What it might use.
    #[serde(default)]
    pub limits: Limits,
    /// The report of the earlier run, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<FinalResult>,
}

/// What an earlier run is used for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "use", rename_all = "snake_case")]
pub enum UseAs {
    /// A further question about the same.
    FollowUp,
    /// One section of its report is written anew.
    Revise {
        /// The title of the section; empty for the text at the top.
        section: String,
    },
    /// What failed is asked again; what was answered stays.
    Retry,
}

/// One sub-query of an earlier run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BasePart {
    /// The sub-query of the earlier run.
    pub query: String,
    /// Its answer, if it got one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed: Option<SubQueryCompleted>,
    /// The sources hold no answer; that was an answer too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_evidence: bool,
}

impl Base {
    /// Reads the journal of an earlier research run: its plan and what it brings in. For a revision `section`
    /// names a section of its report.
    ///
    /// # Errors
    /// When it is no research run, has not ended, or has nothing to offer for this use.
    pub fn read(events: &[Event], use_as: UseAs) -> Result<(ResearchPlan, Self), Failure> {
        let refuse = |message: String| Failure::new(ErrorKind::InvalidInput, message);
        let EndedRun { state, limits, last } = ended_run(events)?;
        let run = last.stream.clone();
        let result = last.update.as_final_result();
        let parts = state.sub_queries.iter().flatten().map(|sub_query| BasePart {
            query: sub_query.text.clone(),
            completed: match &sub_query.progress {
                QueryProgress::Completed(completed) => Some((**completed).clone()),
                QueryProgress::Open | QueryProgress::Failed(_) => None,
            },
            no_evidence: matches!(&sub_query.progress, QueryProgress::Failed(failed) if failed.error_kind == ErrorKind::NoEvidence),
        });
        let mut base = Self {
            run: run.clone(),
            use_as,
            place: None,
            question: state.plan.question.clone(),
            pack: state.sources.as_ref().and_then(|it| BlobId::parse(&it.pack)),
            ledger: state.sources.as_ref().and_then(|it| BlobId::parse(&it.ledger)),
            pages: state
                .pages
                .values()
                .filter_map(|page| Some(page.as_ref().ok()?.blob.clone()))
                .collect(),
            parts: parts.collect(),
            limits,
            result,
        };
        match &mut base.use_as {
            UseAs::FollowUp => {}
            UseAs::Revise { section } => {
                let report = base.result.as_ref().map(|it| it.answer.as_str());
                let report = report.ok_or_else(|| refuse(format!("run {run} has no report to revise")))?;
                let all = sections::sections(report);
                let found = sections::find(&all, section).ok_or_else(|| {
                    let titles = sections::titles(report).join(", ");
                    refuse(format!(
                        "the report has no section `{section}`; there are: {titles}"
                    ))
                })?;
                base.place = all.iter().position(|it| it == found);
                *section = found.title.clone();
            }
            UseAs::Retry => {
                let is_open = |part: &BasePart| part.completed.is_none() && !part.no_evidence;
                if base.result.is_some() && !base.parts.iter().any(is_open) {
                    return Err(refuse(format!(
                        "nothing failed in run {run}, so there is nothing to ask again"
                    )));
                }
            }
        }
        Ok((state.plan, base))
    }

    /// What the earlier run found, for whoever splits a follow-up question.
    pub(super) fn context(&self) -> String {
        let mut text = format!(
            "\nThe question continues an earlier one: {}\nIts answer was:\n",
            self.question.trim()
        );
        for part in &self.parts {
            if let Some(completed) = &part.completed {
                text.push_str(&format!("- {}: {}\n", part.query, completed.result));
            }
        }
        first_bytes(&text, MAX_CONTEXT).to_owned()
    }
}

/// A research run that has ended, read from its journal.
pub(super) struct EndedRun<'a> {
    pub(super) state: ResearchState,
    pub(super) limits: Limits,
    pub(super) last: &'a Event,
}

/// Reads the journal of a research run.
///
/// # Errors
/// When it is no research run, or has not ended.
pub(super) fn ended_run(events: &[Event]) -> Result<EndedRun<'_>, Failure> {
    let refuse = |message: String| Failure::new(ErrorKind::InvalidInput, message);
    let first = events
        .first()
        .and_then(|event| Some((event, event.update.as_run_started()?)));
    let (first, started) =
        first.ok_or_else(|| refuse("its journal does not begin with run_started".to_owned()))?;
    let run = first.stream.clone();
    if started.flow != ResearchFlow.name() || started.flow_version > ResearchFlow.version() {
        return Err(refuse(format!(
            "run {run} is not a research run that this program can read"
        )));
    }
    let mut state = ResearchFlow.start(&started.plan)?;
    for event in events {
        ResearchFlow.fold(&mut state, event);
    }
    let last = events.last().unwrap_or(first);
    if !gemicro_event::is_terminal(&last.update.event_type) {
        let message = format!("run {run} has not ended: continue it with `gemicro resume {run}`");
        return Err(Failure::new(ErrorKind::Conflict, message));
    }
    Ok(EndedRun {
        state,
        limits: started.limits,
        last,
    })
}
