//! `gemicro conversations render`: prints exactly the prompt that would be sent on stdout, and nothing else.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use gemicro_chat::{Conversation, Conversations, ModelSummariser};
use gemicro_core::history::{
    Author, HistoryConfig, HistoryManager, HistoryReport, HistoryWarning, Summariser, SummaryCache,
    compressor_named,
};
use gemicro_core::llm::{DEFAULT_MODEL, LlmConfig};
use gemicro_engine::LocalRunService;
use gemicro_event::{ErrorKind, Failure};

use super::open::{find, load, open_error};
use crate::backend;
use crate::command_error::CommandError;
use crate::commands::chat;
use crate::config::{Endpoints, ResearchFlags, ResearchSettings};
use crate::output;
use crate::screen::numbers;
use crate::session::Context;

const COMPRESSORS: [&str; 5] = [
    "summarise",
    "hierarchical",
    "retrieval",
    "deduplicate",
    "adaptive",
];

/// Arguments of `gemicro conversations render`.
#[derive(Debug, Args)]
pub(crate) struct RenderArgs {
    /// The conversation: the start of its id, or `last`
    pub(crate) id: String,
    /// Print the prompt for this next message, with what old turns say about it; nothing is stored
    #[arg(long, value_name = "TEXT")]
    pub(crate) message: Option<String>,
    /// Maximum length of the prompt, in tokens
    #[arg(long, value_name = "N", default_value_t = HistoryConfig::default().max_prompt_tokens)]
    pub(crate) max_tokens: u64,
    /// The model that summarises old turns, such as gemini-3.5-flash-lite or openai:NAME; its summaries are saved
    #[arg(long, value_name = "none|MODEL", default_value = "none")]
    pub(crate) summariser: String,
    /// Compress the whole conversation with this method
    #[arg(long, value_name = "NAME", value_parser = COMPRESSORS)]
    pub(crate) compressor: Option<String>,
    /// Write a JSON report of what was kept and what was dropped to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Also print the exact number of tokens, counted by the Gemini API for this model; needs GEMINI_API_KEY
    #[arg(long, value_name = "MODEL", num_args = 0..=1, require_equals = true, default_missing_value = DEFAULT_MODEL)]
    pub(crate) exact: Option<String>,
}

pub(super) async fn render(ctx: &Context, args: &RenderArgs) -> Result<(), CommandError> {
    if let Some(file) = &args.report {
        if file.as_os_str() == "-" {
            return Err(CommandError::usage(
                "the report cannot go to stdout, where the prompt goes",
                "choose a file with --report",
            ));
        }
        output::check_target(file)
            .map_err(|stopped| stopped.with_hint("choose a file in an existing folder with --report"))?;
    }
    let (prompt, report) = match chat::summariser(ctx, &args.summariser)? {
        None => prompt(args, &load(ctx, &args.id).await?, None)?.0,
        Some(llm) => render_summarised(ctx, args, llm).await?,
    };
    if let Some(file) = &args.report {
        let json = serde_json::to_string_pretty(&report)
            .map_err(|error| Failure::new(ErrorKind::Internal, error.to_string()))?;
        output::replace(file, format!("{json}\n").as_bytes())?;
    }
    let exact = match &args.exact {
        None => None,
        Some(model) => Some((model, count_exactly(ctx, model, &prompt).await?)),
    };
    output::print(&prompt)?;
    for warning in &report.warnings {
        if let HistoryWarning::DecisionsLost { count } = warning {
            output::say(&format!(
                "{} {} within the limit; raise --max-tokens",
                ctx.screen.on_stderr().warn("warning:"),
                match count {
                    1 => "1 rule or decision does not fit".to_owned(),
                    n_lost => format!("{n_lost} rules or decisions do not fit"),
                }
            ));
        }
    }
    let (user, assistant) = (report.statements.user, report.statements.assistant);
    output::say(&format!(
        "{} of about {} tokens, with {} of {} sentences of the user and {} of {} of the assistant; {}",
        numbers::thousands(report.tokens_after),
        numbers::thousands(report.tokens_before),
        numbers::thousands(user.total - user.left_out),
        numbers::thousands(user.total),
        numbers::thousands(assistant.total - assistant.left_out),
        numbers::thousands(assistant.total),
        match (report.lost.len(), user.left_out + assistant.left_out) {
            (0, 0) => "nothing is left out".to_owned(),
            (0, _) => "no fact is lost; --report FILE lists what is left out".to_owned(),
            (n_lost, _) => format!(
                "{} lost; --report FILE lists what is left out",
                numbers::count(n_lost, "fact")
            ),
        }
    ));
    if let Some((model, tokens)) = exact {
        output::say(&format!(
            "exactly {} tokens for {model}",
            numbers::thousands(tokens)
        ));
    }
    Ok(())
}

/// The number of tokens of a prompt as counted by the model's own service; nothing is generated or charged.
async fn count_exactly(ctx: &Context, model: &str, prompt: &str) -> Result<u64, CommandError> {
    let gemini = backend::gemini(&ctx.environment, &Endpoints::resolve(&ctx.layers()?)?)?;
    let gemini = gemini.ok_or_else(|| {
        let message = "an exact count needs the Gemini API, and GEMINI_API_KEY is not set";
        let hint = "set GEMINI_API_KEY, or remove --exact: the estimate is never too low";
        CommandError::new_failure(ErrorKind::AuthFailed, message, hint)
    })?;
    Ok(gemini.rest().count_tokens(model, prompt).await?)
}

/// The same with a model that writes summaries. They are stored with the conversation, so each is paid only once.
async fn render_summarised(
    ctx: &Context,
    args: &RenderArgs,
    llm: LlmConfig,
) -> Result<(String, HistoryReport), CommandError> {
    let layers = ctx.layers()?;
    let settings = ResearchSettings::resolve(&layers, ResearchFlags::default())?;
    let here = LocalRunService::new(ctx.engine(&layers, &settings).await?);
    let conversations = Conversations::new(here.engine().store().clone(), &ctx.environment.secrets());
    let id = find(&conversations, &args.id).await?;
    let conversation = conversations.load(&id).await.map_err(open_error)?;
    let summariser = ModelSummariser {
        desk: Arc::new(here.clone()),
        llm,
        conversation: id,
    };
    let (rendered, summaries) = prompt(args, &conversation, Some(Arc::new(summariser)))?;
    if let Err(error) = conversations.keep_summaries(&conversation, &summaries).await {
        let warning = ctx.screen.on_stderr().warn("warning:");
        output::say(&format!("{warning} the summaries could not be saved: {error}"));
    }
    here.engine().close().await;
    Ok(rendered)
}

/// The last turn ends the prompt; if it is the user's, it is the message about to be sent.
fn prompt(
    args: &RenderArgs,
    conversation: &Conversation,
    summariser: Option<Arc<dyn Summariser>>,
) -> Result<((String, HistoryReport), SummaryCache), CommandError> {
    let config = HistoryConfig {
        max_prompt_tokens: args.max_tokens,
        ..HistoryConfig::default()
    };
    if args.max_tokens > config.limit() {
        let limit = numbers::thousands(config.limit());
        output::say(&format!("note: no prompt has more than {limit} tokens"));
    }
    let mut history = HistoryManager::from_log(config, &conversation.log);
    if let Some(summariser) = summariser {
        history = history
            .with_summaries(conversation.held.summaries.clone())
            .with_summariser(summariser);
    }
    let no_room = |error| {
        CommandError::from(Failure::from(error)).with_hint("raise --max-tokens: these are never dropped")
    };
    if let Some(name) = &args.compressor {
        let compressor = compressor_named(name).ok_or_else(|| {
            CommandError::usage(format!("there is no compressor `{name}`"), COMPRESSORS.join(", "))
        })?;
        if let Some(message) = &args.message {
            history.add_message(Author::User, message);
        }
        let compressed = history.compressed_by(compressor.as_ref()).map_err(no_room)?;
        return Ok((
            (compressed.prompt.text, compressed.report),
            SummaryCache::default(),
        ));
    }
    let prompt = match &args.message {
        Some(message) => history.build_prompt(message),
        None => history.prompt(),
    };
    let prompt = prompt.map_err(no_room)?.prompt;
    let report = history
        .report()
        .ok_or_else(|| Failure::new(ErrorKind::Internal, "a prompt without a report"))?;
    Ok(((prompt, report), history.summaries().clone()))
}
