//! Opens a conversation and shows it.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gemicro_chat::{AgentWays, ChatConfig, ChatLine, Conversations, open_chat};
use gemicro_core::budget::Limits;
use gemicro_core::llm::LlmConfig;
use gemicro_event::{ErrorKind, Failure};

use super::ChatArgs;
use super::speaker::{self, AvailableBackends, find};
use crate::args::DataFormat;
use crate::chat::{ChatChannel, lines, screen};
use crate::command_error::CommandError;
use crate::config::{ChatSettings, Endpoints, Layers, ResearchFlags, ResearchSettings};
use crate::default_agent::DefaultAgent;
use crate::recorder::{RunRecorder, write_recorded};
use crate::session::{CommandRunService, Context, is_gone, owner};
use crate::{runtime, signals};

/// All the time that an agent has for one turn.
const AGENT_TIME: Duration = Duration::from_secs(1_800);

/// The most that a model may write in one turn.
const MAX_OUTPUT_TOKENS: u64 = 8_192;

/// Holds a conversation until the user leaves it.
pub(crate) fn run(ctx: &Context, args: &ChatArgs) -> Result<(), CommandError> {
    let layers = ctx.layers()?;
    let settings = ChatSettings::resolve(
        &layers,
        args.model.clone(),
        args.summariser.clone(),
        args.max_tokens,
    )?;
    let is_screen = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let is_screen = is_screen && !args.plain && args.format == DataFormat::Text;
    let recorder = RunRecorder::new(args.record.as_deref())?;
    runtime::block_on(async {
        let stop = signals::listen()?;
        let (config, desk) = config(ctx, args, &layers, &settings, is_screen).await?;
        let store = config.conversations.clone();
        let line = open_chat(config, args.opening()).await.map_err(not_opened)?;
        let ChatLine { orders, news } = line;
        let (news, opened) = match &recorder {
            Some(recorder) => recorder.tap_chat(news),
            None => (news, None),
        };
        let ends = ChatChannel { orders, news };
        let held = if is_screen {
            screen::run(ends, &ctx.screen, &stop.suspend).await
        } else {
            let options = lines::LineOptions {
                format: args.format,
                verbose: ctx.verbose,
            };
            lines::run(ends, options, &ctx.screen, &stop.suspend).await
        };
        store.store().close().await;
        desk.close().await;
        match opened {
            Some(opened) => {
                let recorder = recorder.map(|it| it.with_prompts_up_to(settings.max_tokens.value));
                write_recorded(ctx, recorder.as_ref(), &opened.wait().await?, held).await
            }
            None => held,
        }
    })
}

/// What the chat is opened with, and who carries its turns out.
async fn config(
    ctx: &Context,
    args: &ChatArgs,
    layers: &Layers,
    settings: &ChatSettings,
    is_screen: bool,
) -> Result<(ChatConfig, CommandRunService), CommandError> {
    let reach = reach(ctx, layers)?;
    let limits = Limits::merge_all(args.budget.iter().copied())
        .map_err(|error| CommandError::usage(error.to_string(), "give each kind of limit once"))?;
    let speaker = match settings.model.value.as_deref() {
        Some(name) => find(name, reach)?,
        None => find(
            DefaultAgent::resolve(&ctx.environment, layers)?.agent.as_str(),
            reach,
        )?,
    };
    let summariser = speaker::summariser(settings.summariser.value.as_deref(), reach)?;
    let research = ResearchSettings::resolve(layers, ResearchFlags::default())?;
    let desk = ctx.desk(layers, &research, args.no_resident).await?;
    let timeout = Duration::from_secs(args.timeout);
    let timeout_ms = args.timeout * 1_000;
    let store = match &desk {
        CommandRunService::Here(here) => here.engine().store().clone(),
        CommandRunService::Resident(_) => Arc::new(ctx.store().await?),
    };
    let config = ChatConfig {
        desk: desk.shared(),
        survives: matches!(desk, CommandRunService::Resident(_)),
        conversations: Conversations::new(store, &ctx.environment.secrets()),
        owner: owner(),
        is_gone,
        speaker,
        speaker_is_given: settings.model.value.is_some(),
        find_speaker: Arc::new(move |name| find(name, reach)),
        history: ChatSettings::history(settings.max_tokens.value),
        agent: AgentWays {
            directory: args.directory.clone().unwrap_or_else(|| PathBuf::from(".")),
            sandbox: args.sandbox.into(),
            yolo: !args.no_yolo,
            idle: timeout,
            total: AGENT_TIME.max(timeout),
        },
        llm: LlmConfig {
            timeout_ms,
            idle_timeout_ms: timeout_ms,
            max_output_tokens: MAX_OUTPUT_TOKENS,
            max_attempts: 2,
            ..LlmConfig::default()
        },
        summariser,
        limits,
        asks: is_screen || std::io::stdin().is_terminal(),
    };
    Ok((config, desk))
}

/// Who writes summaries, by a name that the user gave; nobody for `none`.
///
/// # Errors
/// When the name is of no model that can be asked.
pub(crate) fn summariser(ctx: &Context, named: &str) -> Result<Option<LlmConfig>, CommandError> {
    let reach = reach(ctx, &ctx.layers()?)?;
    speaker::summariser(Some(named), reach).map_err(|failure| {
        CommandError::from(failure)
            .with_hint("or use --summariser none: exact facts of old turns are kept without a summary")
    })
}

/// Which models can be asked directly.
fn reach(ctx: &Context, layers: &Layers) -> Result<AvailableBackends, CommandError> {
    let endpoints = Endpoints::resolve(layers)?;
    Ok(AvailableBackends {
        gemini: ctx.environment.gemini_key().is_some(),
        openai: endpoints.openai.value.is_some(),
    })
}

/// What to do about a conversation that cannot be opened.
fn not_opened(failure: Failure) -> CommandError {
    let hint = match failure.kind {
        ErrorKind::Conflict => "close the other chat, or continue in a copy with --fork",
        ErrorKind::StorageError if failure.message.contains("newer gemicro") => {
            "update gemicro; nothing was changed"
        }
        ErrorKind::StorageError if failure.message.contains("is damaged") => {
            "run `gemicro doctor --deep` to find the damage"
        }
        ErrorKind::NotFound => "`gemicro conversations list` lists them; without an id, a new one starts",
        _ => return CommandError::from(failure),
    };
    CommandError::from(failure).with_hint(hint)
}
