//! `gemicro batch types`.

use clap::Args;
use gemicro_engine::{TASK_TYPES, TaskType};
use serde_json::{Value, json};

use crate::args::DataFormat;
use crate::command_error::CommandError;
use crate::output;
use crate::screen::text;
use crate::session::Context;

/// Arguments of `gemicro batch types`.
#[derive(Debug, Args)]
pub(crate) struct TypesArgs {
    /// Output format; json includes the schemas
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: DataFormat,
}

/// Lists the types of tasks.
pub(super) fn types(ctx: &Context, args: &TypesArgs) -> Result<(), CommandError> {
    let all: Vec<Value> = TASK_TYPES.iter().map(as_json).collect();
    output::print_rows(&all, args.format, || output::print(&table(ctx.screen.width())))
}

/// One type per line, with its description wrapped.
fn table(width: usize) -> String {
    let widest = TASK_TYPES
        .iter()
        .map(|it| text::width(it.name))
        .max()
        .unwrap_or(0);
    let room = width.saturating_sub(widest + 2).max(20);
    let heads = ("TYPE", "WHAT IT DOES");
    let types = TASK_TYPES.iter().map(|it| (it.name, it.description));
    let mut page = String::new();
    for (name, description) in std::iter::once(heads).chain(types) {
        for (idx, line) in text::wrap_markdown(description, room).lines().enumerate() {
            let name = if idx == 0 { name } else { "" };
            page.push_str(&format!("{}{line}\n", text::pad(name, widest + 2)));
        }
    }
    page
}

fn as_json(it: &TaskType) -> Value {
    json!({ "type": it.name, "description": it.description, "parameters": it.schema() })
}
