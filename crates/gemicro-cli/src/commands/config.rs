//! `gemicro config show`: each setting and where it came from.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::args::{DataFormat, spending_options};
use crate::command_error::CommandError;
use crate::config::{
    AgentSettings, ChatSettings, CoverageSettings, Endpoints, ForgeSettings, GuardSettings, NotifyConfig,
    ResearchFlags, ResearchSettings, StateFolder,
};
use crate::environment::KEY_VARIABLES;
use crate::output;
use crate::screen::text;
use crate::session::Context;

/// Arguments of `gemicro config`.
#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) command: ConfigCommand,
}

/// What can be done with settings.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show each setting and where it comes from
    #[command(args = spending_options())]
    Show {
        /// Output format
        #[arg(long, value_enum, default_value_t)]
        format: DataFormat,
    },
}

pub(crate) fn run(ctx: &Context, args: &ConfigArgs) -> Result<(), CommandError> {
    let ConfigCommand::Show { format } = args.command;
    let layers = ctx.layers()?;
    let mut rows = StateFolder::resolve(&layers)?.rows();
    rows.extend(AgentSettings::resolve(&layers)?.rows());
    rows.extend(ResearchSettings::resolve(&layers, ResearchFlags::default())?.rows());
    rows.extend(Endpoints::resolve(&layers)?.rows());
    rows.extend(ChatSettings::resolve(&layers, None, None, None)?.rows());
    rows.extend(CoverageSettings::resolve(&layers)?.rows());
    rows.extend(GuardSettings::resolve(&layers)?.rows());
    rows.extend(ForgeSettings::resolve(&layers)?.rows());
    rows.extend(NotifyConfig::resolve(&layers)?.rows());
    let mut rows: Vec<(String, String, String)> = rows
        .into_iter()
        .map(|(key, value, origin)| (key.to_owned(), value, origin.to_string()))
        .collect();
    // Whether there is a key is shown as a setting too; its value is secret.
    let (is_set, origin) = match ctx.environment.key_variable() {
        Some(variable) => ("set", format!("environment {variable}")),
        None => ("not set", format!("environment {}", KEY_VARIABLES.join(" or "))),
    };
    rows.push(("key".to_owned(), is_set.to_owned(), origin));
    let object = |(key, value, origin): &(String, String, String)| json!({ "key": key, "value": value, "origin": origin });
    let objects: Vec<Value> = rows.iter().map(object).collect();
    output::print_rows(&objects, format, || {
        let widest = |pick: fn(&(String, String, String)) -> &str| {
            rows.iter().map(|row| text::width(pick(row))).max().unwrap_or(0)
        };
        let (keys, values) = (widest(|row| &row.0), widest(|row| &row.1).min(40));
        let lines = rows.iter().map(|(key, value, origin)| {
            format!(
                "{}  {}  {}\n",
                text::pad(key, keys),
                text::pad(&text::one_line(value), values),
                text::one_line(origin)
            )
        });
        output::print(&lines.collect::<String>())
    })
}
