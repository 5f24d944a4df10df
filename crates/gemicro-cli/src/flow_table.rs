//! What the command line does with the runs of each flow, in one table: [`FlowRow`].

use std::path::Path;

use futures_util::future::LocalBoxFuture;
use gemicro_core::ask::ToolExtras;
use gemicro_core::drive::StopSignals;
use gemicro_engine::{LocalRunService, RunSightings};
use gemicro_event::{Event, Json};

use crate::answer_source::AnswerSource;
use crate::args::{DataFormat, PrintFormat};
use crate::command_error::CommandError;
use crate::commands::{ask, merge, ooda, research, run as pipeline};
use crate::follow::RESUME;
use crate::session::Context;
use crate::story::{Story, StoryKind, beginnings};

/// A flow on the command line.
pub(crate) struct FlowRow {
    name: &'static str,
    /// A person may answer what it asks: it takes --decide and --wait.
    pub(crate) takes_answers: bool,
    /// It works on a branch, phase by phase.
    pub(crate) has_phases: bool,
    /// How it is shown.
    pub(crate) story: StoryKind,
    /// Watches a run that was resumed, with the views and the asker of the flow.
    pub(crate) watch: for<'a> fn(ResumedFlow<'a>) -> LocalBoxFuture<'a, Result<(), CommandError>>,
}

/// A run that was resumed, and how it is shown.
pub(crate) struct ResumedFlow<'a> {
    pub(crate) ctx: &'a Context,
    pub(crate) here: &'a LocalRunService,
    pub(crate) watching: RunSightings,
    pub(crate) stop: &'a StopSignals,
    pub(crate) format: PrintFormat,
    pub(crate) out: Option<&'a Path>,
    pub(crate) yes: bool,
    pub(crate) deciding: AnswerSource,
}

/// The row of a flow. One without a row is shown and watched like research.
pub(crate) fn flow_row(name: &str) -> &'static FlowRow {
    ROWS.iter().find(|row| row.name == name).unwrap_or(&RESEARCH)
}

const ROWS: &[FlowRow] = &[
    RESEARCH,
    FlowRow {
        name: "ask",
        story: shown_by(beginnings::ask),
        watch: watch_ask,
        ..RESEARCH
    },
    FlowRow {
        name: "prompt",
        story: shown_by(beginnings::prompt),
        ..RESEARCH
    },
    FlowRow {
        name: "batch",
        story: StoryKind {
            has_board: true,
            ..shown_by(beginnings::batch)
        },
        ..RESEARCH
    },
    FlowRow {
        name: "test_proposal",
        story: TESTS,
        ..RESEARCH
    },
    FlowRow {
        name: "strategy",
        story: TESTS,
        ..RESEARCH
    },
    FlowRow {
        name: "ooda",
        takes_answers: true,
        story: TESTS,
        watch: watch_ooda,
        ..RESEARCH
    },
    FlowRow {
        name: "merge",
        story: shown_by(beginnings::merge),
        watch: watch_merge,
        ..RESEARCH
    },
    FlowRow {
        name: "pipeline",
        takes_answers: true,
        has_phases: true,
        story: shown_by(beginnings::pipeline),
        watch: watch_pipeline,
    },
];

const RESEARCH: FlowRow = FlowRow {
    name: "research",
    takes_answers: false,
    has_phases: false,
    story: shown_by(beginnings::research),
    watch: watch_research,
};

const TESTS: StoryKind = StoryKind {
    is_about_tests: true,
    ..shown_by(beginnings::tests)
};

const fn shown_by(begin: fn(&mut Story, &Event, &Json)) -> StoryKind {
    StoryKind {
        begin,
        has_board: false,
        is_about_tests: false,
    }
}

fn watch_research(it: ResumedFlow<'_>) -> LocalBoxFuture<'_, Result<(), CommandError>> {
    let showing = research::ResearchDisplay {
        format: it.format,
        out: it.out,
        report: None,
        yes: it.yes,
    };
    Box::pin(research::watch(it.ctx, it.here, it.watching, it.stop, showing))
}

fn watch_ask(it: ResumedFlow<'_>) -> LocalBoxFuture<'_, Result<(), CommandError>> {
    Box::pin(async move {
        let shown = ask::AskDisplay {
            format: DataFormat::from(it.format),
            out: it.out,
            extras: ToolExtras::default(),
        };
        let id = it.watching.run.clone();
        let end = ask::show(it.ctx, it.here, it.watching, it.stop, shown).await?;
        it.here.engine().close().await;
        end.outcome(&id)
    })
}

fn watch_ooda(it: ResumedFlow<'_>) -> LocalBoxFuture<'_, Result<(), CommandError>> {
    let shown = ooda::OodaDisplay {
        format: it.format.into(),
        out: it.out,
        deciding: it.deciding,
    };
    Box::pin(ooda::watch(it.ctx, it.here, it.watching, it.stop, shown))
}

fn watch_merge(it: ResumedFlow<'_>) -> LocalBoxFuture<'_, Result<(), CommandError>> {
    let shown = merge::MergeDisplay {
        format: it.format.into(),
        out: it.out,
    };
    Box::pin(merge::watch(it.ctx, it.here, it.watching, it.stop, shown))
}

fn watch_pipeline(it: ResumedFlow<'_>) -> LocalBoxFuture<'_, Result<(), CommandError>> {
    let shown = pipeline::RunDisplay {
        format: it.format,
        out: it.out,
        deciding: it.deciding,
        resume: RESUME,
        first: None,
        recorder: None,
    };
    Box::pin(pipeline::watch(it.ctx, it.here, it.watching, it.stop, shown))
}

#[cfg(test)]
mod tests {
    use gemicro_engine::FLOWS;

    use super::*;

    #[test]
    fn every_flow_of_the_engine_has_a_row() {
        let (mut rows, mut flows): (Vec<_>, Vec<_>) = (
            ROWS.iter().map(|row| row.name).collect(),
            FLOWS.iter().map(|flow| flow.name()).collect(),
        );
        rows.sort_unstable();
        flows.sort_unstable();
        assert_eq!(rows, flows);
    }
}
