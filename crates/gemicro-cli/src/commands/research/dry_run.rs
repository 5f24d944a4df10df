//! `--dry-run`: the plan as text or JSON; nothing is started or stored.

use std::fmt::Write as _;

use gemicro_core::budget::Limits;
use gemicro_core::llm::model_title;
use gemicro_core::offline;
use gemicro_core::research::{ResearchEngine, ResearchPlan};
use gemicro_engine::Plan;
use gemicro_event::Json;

use crate::args::PrintFormat;
use crate::command_error::CommandError;
use crate::output;
use crate::screen::{Screen, numbers, text};

pub(crate) fn print(plan: &Plan, format: PrintFormat, screen: &Screen) -> Result<(), CommandError> {
    let printed = match format {
        PrintFormat::Json | PrintFormat::Jsonl => {
            let json = Json::of(plan).map_err(std::io::Error::from)?;
            format!("{json}\n")
        }
        PrintFormat::Text | PrintFormat::Markdown => describe(&plan.read()?, &plan.limits, screen),
    };
    output::print(&printed)
}

fn describe(plan: &ResearchPlan, limits: &Limits, screen: &Screen) -> String {
    let mut page = format!("{} (nothing was started)\n\n", screen.on_stdout().strong("Plan"));
    let mut field = |name: &str, value: &str| {
        let _ = writeln!(page, "{}{}", text::pad(name, 13), text::one_line(value));
    };
    field("Question", &plan.question);
    match &plan.engine {
        ResearchEngine::Offline { .. } => field(
            "Answered by",
            "no model: search and sentence selection in the sources",
        ),
        ResearchEngine::Model { llm, web, .. } => {
            let model = model_title(&llm.backend, &llm.model);
            field("Answered by", &format!("{model} ({})", llm.backend));
            field("Web search", if *web { "yes, by the provider" } else { "no" });
            field(
                "One call",
                &format!("at most {}", numbers::duration(llm.timeout_ms)),
            );
        }
        ResearchEngine::Agent { llm } => {
            field("Answered by", &format!("{}, an agent of the provider", llm.model));
            field("Time", &format!("at most {}", numbers::duration(llm.timeout_ms)));
        }
    }
    if let Some(base) = &plan.base {
        field("Builds on", &format!("run {}: {}", base.run, base.question));
    }
    for notice in &plan.notices {
        field("Note", notice);
    }
    let sources = match plan.sources.as_slice() {
        [] => "none".to_owned(),
        sources => sources.join(", "),
    };
    field("Sources", &sources);
    field("Budget", &limits.to_string());
    match &plan.engine {
        ResearchEngine::Offline {} => {
            let sub_queries = offline::decompose(&plan.question, plan.config.max_sub_queries);
            field(
                "Sub-queries",
                &format!("{} (at most {})", sub_queries.len(), plan.config.max_sub_queries),
            );
            for (idx, sub_query) in sub_queries.iter().enumerate() {
                field("", &format!("{}. {}", idx + 1, sub_query.text));
            }
        }
        ResearchEngine::Agent { .. } => field("Sub-queries", "chosen by the agent"),
        ResearchEngine::Model { .. } => {
            field(
                "Sub-queries",
                &format!("at most {}, written by the model", plan.config.max_sub_queries),
            );
        }
    }
    page
}
