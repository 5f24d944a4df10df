//! A loop in the hand: its plan, what is measured in it, and what its trials say.

use gemicro_batch::coverage::{CodeLanguage, FileScope, LineRange, Totals};
use gemicro_batch::ooda::{
    Commands, Decider, FileFigures, LandedTrial, Mutations, Observation, OodaFlow, OodaPlan, Rejection,
    RejectionKind, TimedCommand, Trial, UncoveredLines,
};
use gemicro_batch::proposal::{Excerpt, PatchedFile, ProposalMaterial, TestPrompts};
use gemicro_batch::strategy::{CoverageGap, FileChangeCounts, rank};
use gemicro_core::llm::LlmConfig;

use crate::proposals::Journal;
use crate::support::said;

pub(super) type Loop = Journal<OodaFlow>;

pub(super) fn plan() -> OodaPlan {
    let order = |command: &str| TimedCommand {
        command: command.to_owned(),
        timeout_ms: 1_000,
    };
    OodaPlan {
        directory: "/srv/project".to_owned(),
        branch: "task/tests".to_owned(),
        commands: Commands {
            test: order("make test"),
            coverage: order("make coverage"),
            reports: vec!["lcov.info".to_owned()],
            scope: FileScope::All,
            leave: Vec::new(),
            environment: Vec::new(),
        },
        target: 90.0,
        decider: Decider::Auto,
        max_rounds: 5,
        max_attempts: 2,
        patience: 2,
        mutants: 3,
        context: "it counts".to_owned(),
        llm: LlmConfig::default(),
        prompts: TestPrompts {
            system: "s".to_owned(),
            propose: "propose for {{target}}, lines {{lines}}".to_owned(),
            refine: "refine [{{patch}}] because [{{failure}}]".to_owned(),
        },
        notices: Vec::new(),
    }
}

/// A gap of three lines that begins at this one.
pub(super) fn gap(first: u32) -> CoverageGap {
    CoverageGap {
        file: "src/a.rs".to_owned(),
        language: CodeLanguage::Rust,
        function: None,
        is_never_called: false,
        lines: vec![range(first)],
        n_uncovered: 3,
    }
}

pub(super) fn range(first: u32) -> LineRange {
    LineRange {
        first,
        last: first + 2,
    }
}

/// A measurement of 20 lines with gaps at these places.
pub(super) fn observation(covered: u64, gaps: &[u32]) -> Observation {
    Observation {
        totals: Totals {
            lines: 20,
            covered,
            ..Totals::default()
        },
        files: vec![FileFigures {
            path: "src/a.rs".to_owned(),
            lines: 20,
            covered,
        }],
        uncovered: vec![UncoveredLines {
            path: "src/a.rs".to_owned(),
            ranges: gaps.iter().map(|first| range(*first)).collect(),
        }],
        n_gaps: gaps.len() as u64,
        gaps: rank(
            gaps.iter().map(|first| gap(*first)).collect(),
            &FileChangeCounts::default(),
            |_| None,
        ),
        commit: format!("commit-{covered}"),
        folder: "/srv/private".to_owned(),
        test_ms: 40,
        warnings: Vec::new(),
    }
}

fn files() -> Vec<PatchedFile> {
    vec![PatchedFile {
        path: "tests/a.rs".to_owned(),
        is_new: true,
        insertions: 3,
        deletions: 0,
    }]
}

pub(super) fn taken(after: Observation) -> Trial {
    Trial {
        patch: "good patch".to_owned(),
        files: files(),
        rejection: None,
        newly_covered: 3,
        mutations: Mutations {
            odd: None,
            tried: 1,
            noticed: 1,
            about: Vec::new(),
        },
        landed: Some(LandedTrial {
            branch: "task/tests".to_owned(),
            commit: after.commit.clone(),
            worktree: Some("/srv/tree".to_owned()),
            reports: Vec::new(),
        }),
        after: Some(after),
    }
}

pub(super) fn rejected(reason: RejectionKind, patch: &str) -> Trial {
    Trial {
        patch: patch.to_owned(),
        files: Vec::new(),
        rejection: Some(Rejection {
            reason,
            message: "it is no good".to_owned(),
            output: "printed\n".to_owned(),
        }),
        newly_covered: 0,
        mutations: Mutations::default(),
        after: None,
        landed: None,
    }
}

pub(super) fn material(first: u32) -> ProposalMaterial {
    ProposalMaterial {
        target: "src/a.rs".to_owned(),
        language: CodeLanguage::Rust,
        import: None,
        lines: vec![range(first)],
        excerpts: vec![Excerpt {
            first,
            text: "a\nb\nc".to_owned(),
        }],
        neighbours: Vec::new(),
        layout: Vec::new(),
        warnings: Vec::new(),
    }
}

/// A loop that has measured 10 of 20 lines, with gaps at these places.
pub(super) fn observed(plan: &OodaPlan, gaps: &[u32]) -> Loop {
    let mut journal = Journal::new(OodaFlow, plan);
    journal.complete("observe", &observation(10, gaps));
    journal
}

/// From material to an answer.
pub(super) fn propose(journal: &mut Loop, round: u32, first: u32) {
    journal.complete(&format!("material:{round}"), &material(first));
    journal.complete(&format!("propose:{round}.1"), &said("answer 1"));
}

/// A round whose test is taken.
pub(super) fn accepted(journal: &mut Loop, round: u32, first: u32, after: Observation) {
    propose(journal, round, first);
    journal.complete(&format!("trial:{round}.1"), &taken(after));
}

/// A round in which every attempt is rejected.
pub(super) fn in_vain(journal: &mut Loop, round: u32, first: u32) {
    propose(journal, round, first);
    let bad = rejected(RejectionKind::TestsFail, "bad patch");
    journal.complete(&format!("trial:{round}.1"), &bad);
    journal.complete(&format!("propose:{round}.2"), &said("answer 2"));
    journal.complete(&format!("trial:{round}.2"), &bad);
}

/// How a loop ended, in one word.
pub(super) fn stopped(journal: &Loop) -> String {
    journal.completed().1["stopped"].as_str().unwrap().to_owned()
}
