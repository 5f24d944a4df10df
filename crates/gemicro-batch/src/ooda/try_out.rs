//! Tries one proposed test: it must apply, pass, raise coverage, and notice broken code.

use tokio_util::sync::CancellationToken;

use gemicro_event::Failure;

use super::break_lines::break_on_purpose;
use super::judge::{NewlyCovered, newly_covered};
use super::measure::{MeasuredTree, UnmeasuredTree, measure, observation};
use super::observation::Observation;
use super::trial::{Mutations, Rejection, RejectionKind, Trial, TrialInput};
use crate::coverage::LineRange;
use crate::patch::NewText;
use crate::project::Project;
use crate::proposal::{PatchedFile, ProblemKind, ReadyProposal, ready};
use crate::strategy::FileChangeCounts;
use crate::workshop::{Renewable, Workshop};

/// The result of a trial, before any commit.
#[derive(Debug)]
pub enum TrialFinding {
    /// The test is rejected; the trial has the reason.
    Rejected(Box<Trial>),
    /// The test is accepted and can be committed.
    Good(Box<AcceptedTest>),
}

/// A test that follows every rule.
#[derive(Debug)]
pub struct AcceptedTest {
    /// The change that adds the test, as a diff.
    pub patch: String,
    /// The files that the patch changes.
    pub files: Vec<PatchedFile>,
    /// The changed files, for the commit.
    pub texts: Vec<NewText>,
    /// Number of lines that only this test covers.
    pub newly_covered: u64,
    /// The file with most of them, and its range of lines.
    pub place: String,
    /// Mutants and how many it noticed.
    pub mutations: Mutations,
    measured: MeasuredTree,
}

impl AcceptedTest {
    /// The trial of a test that was committed.
    ///
    /// # Errors
    /// When the project can no longer be read.
    pub fn landed_trial(
        self,
        workshop: &Workshop,
        about: (&FileChangeCounts, &str),
        landed: super::trial::LandedTrial,
    ) -> Result<Trial, Failure> {
        let after: Observation = observation(workshop, self.measured, about)?;
        Ok(Trial {
            patch: self.patch,
            files: self.files,
            rejection: None,
            newly_covered: self.newly_covered,
            mutations: self.mutations,
            after: Some(after),
            landed: Some(landed),
        })
    }

    /// The trial of a test whose commit was refused.
    #[must_use]
    pub fn refused_trial(self, message: String) -> Trial {
        let rejection = Rejection {
            reason: RejectionKind::NotLanded,
            message,
            output: String::new(),
        };
        Trial {
            newly_covered: self.newly_covered,
            mutations: self.mutations,
            ..rejected_trial(self.patch, self.files, rejection)
        }
    }
}

/// Tries a test. The workshop still contains the test afterwards.
///
/// # Errors
/// When a problem of this machine prevents the trial.
pub async fn try_out(
    place: &dyn Renewable,
    input: &TrialInput,
    cancel: &CancellationToken,
) -> Result<TrialFinding, Failure> {
    let project = Project::open(place.workshop().folder())?;
    let ReadyProposal { patch, files, texts } =
        match ready(&project, &input.answer, &input.place.commands.leave) {
            Ok(ready) => ready,
            Err(unusable) => {
                let rejection = Rejection {
                    reason: reason_of(unusable.problem.kind),
                    message: unusable.problem.message,
                    output: String::new(),
                };
                return Ok(TrialFinding::Rejected(Box::new(rejected_trial(
                    unusable.patch,
                    unusable.files,
                    rejection,
                ))));
            }
        };
    let reject = |rejection: Rejection| {
        TrialFinding::Rejected(Box::new(rejected_trial(patch.clone(), files.clone(), rejection)))
    };
    let measured = match measure(place, &texts, &input.place.commands, cancel).await {
        Ok(measured) => measured,
        Err(UnmeasuredTree::Failed(failure)) => return Err(failure),
        Err(UnmeasuredTree::Trouble {
            reason,
            message,
            output,
        }) => {
            return Ok(reject(Rejection {
                reason,
                message: format!("{message} with this test"),
                output,
            }));
        }
    };
    let newly = newly_covered(&input.uncovered, &measured.coverage, &texts);
    let n_newly: u64 = newly.values().map(|lines| lines.len() as u64).sum();
    if n_newly == 0 {
        return Ok(reject(Rejection {
            reason: RejectionKind::CoverageNotRaised,
            message: format!(
                "coverage did not rise: none of the lines {} is run by this test, nor any other line that was not covered",
                input.gap.name()
            ),
            output: String::new(),
        }));
    }
    let covered = measured.coverage.totals().covered;
    if covered <= input.covered {
        return Ok(reject(Rejection {
            reason: RejectionKind::CoverageNotRaised,
            message: format!(
                "coverage did not rise: {n_newly} lines are newly covered, but as many are no longer covered: {covered} in all, {} before",
                input.covered
            ),
            output: String::new(),
        }));
    }
    let mut mutations = Mutations::default();
    if input.mutants > 0 {
        mutations = break_on_purpose(place, input, (&texts, &newly), cancel).await?;
        if let Some(message) = mutations.odd.clone().or_else(|| unnoticed_mutants(&mutations)) {
            let rejection = Rejection {
                reason: RejectionKind::BrokenCodeNotNoticed,
                message,
                output: mutations.about.join("\n"),
            };
            return Ok(TrialFinding::Rejected(Box::new(Trial {
                newly_covered: n_newly,
                mutations,
                ..rejected_trial(patch, files, rejection)
            })));
        }
    }
    Ok(TrialFinding::Good(Box::new(AcceptedTest {
        patch,
        files,
        texts,
        newly_covered: n_newly,
        place: place_of(&newly),
        mutations,
        measured,
    })))
}

/// Why a test does not check enough: it must notice more than half of the mutants. Fewer may be luck, because some
/// broken code crashes any test that runs it.
fn unnoticed_mutants(mutations: &Mutations) -> Option<String> {
    match (mutations.tried, mutations.noticed) {
        (0, _) => Some(
            "nothing could be broken on the lines that it covers, so nothing shows that it checks them"
                .to_owned(),
        ),
        (tried, noticed) if noticed * 2 <= tried => Some(format!(
            "the test does not check what it runs: it noticed {noticed} of {tried} versions with broken code"
        )),
        _ => None,
    }
}

/// The file with most of the lines, and their range.
fn place_of(newly: &NewlyCovered) -> String {
    let most = newly.iter().max_by_key(|(_, lines)| lines.len());
    most.map_or_else(String::new, |(path, lines)| {
        let span = LineRange {
            first: lines.first().copied().unwrap_or(1),
            last: lines.last().copied().unwrap_or(1),
        };
        format!("{path}:{span}")
    })
}

fn rejected_trial(patch: String, files: Vec<PatchedFile>, rejection: Rejection) -> Trial {
    Trial {
        patch,
        files,
        rejection: Some(rejection),
        newly_covered: 0,
        mutations: Mutations::default(),
        after: None,
        landed: None,
    }
}

fn reason_of(kind: ProblemKind) -> RejectionKind {
    match kind {
        ProblemKind::NoPatch => RejectionKind::NoPatch,
        ProblemKind::DoesNotApply => RejectionKind::DoesNotApply,
        ProblemKind::NotATest => RejectionKind::NotATest,
    }
}
