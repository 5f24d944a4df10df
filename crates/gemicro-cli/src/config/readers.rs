//! How settings are read: the same words for flags, variables and files.

use std::path::{Component, Path, PathBuf};

use gemicro_core::budget::{Limits, LimitsError};
use gemicro_core::models::check_model_name;
use gemicro_engine::AllowedHost;

use super::BackendName;
use super::layers::{RawSetting, one};

pub(crate) fn parse_max_queries(text: &str) -> Result<usize, String> {
    number(text, 1, 100)
}

pub(crate) fn parse_max_tokens(text: &str) -> Result<u64, String> {
    number(text, 64, 65_536)
}

/// Reads `--max-tokens` of conversations: the longest prompt.
pub(crate) fn parse_prompt_tokens(text: &str) -> Result<u64, String> {
    number(text, 500, 900_000)
}

pub(crate) fn parse_parallel(text: &str) -> Result<usize, String> {
    number(text, 1, 256)
}

pub(crate) fn parse_per_minute(text: &str) -> Result<u32, String> {
    number(text, 1, 100_000)
}

/// Reads `--timeout` and `--idle-timeout`, in seconds.
pub(crate) fn parse_seconds(text: &str) -> Result<u64, String> {
    number(text.trim().trim_end_matches('s'), 1, 86_400)
        .map_err(|_| format!("`{text}` is not a number of seconds from 1 to 86400"))
}

pub(crate) fn parse_max_duration(text: &str) -> Result<Limits, String> {
    let refuse = || format!("`{text}` is not a duration: write it as 90s, 10m or 1h30m");
    let limits: Limits = text.parse().map_err(|_| refuse())?;
    let time_only = Limits {
        wall_ms: limits.wall_ms,
        ..Limits::NONE
    };
    if limits.wall_ms.is_some() && limits == time_only {
        Ok(limits)
    } else {
        Err(refuse())
    }
}

pub(crate) fn parse_budget(text: &str) -> Result<Limits, String> {
    text.parse().map_err(|error: LimitsError| match error {
        // `$5` is nothing to a shell, and `$0.50` its own name.
        LimitsError::Unreadable { .. } => {
            format!("{error}; quote money so that the shell does not expand it: '$0.50'")
        }
        _ => error.to_string(),
    })
}

pub(crate) fn parse_host(text: &str) -> Result<AllowedHost, String> {
    text.parse()
        .map_err(|error: gemicro_engine::BadAllowedHost| error.to_string())
}

pub(super) fn sources(written: &RawSetting) -> Result<Vec<PathBuf>, String> {
    let folder = &written.folder;
    let path = |text: &String| {
        if gemicro_engine::is_url(text) {
            return if written.by_project {
                Err(format!("`{text}` is a web address; use --source instead"))
            } else {
                Ok(PathBuf::from(text))
            };
        }
        if written.by_project && leaves_folder(folder, Path::new(text)) {
            return Err(format!("`{text}` is outside the project; use --source instead"));
        }
        Ok(folder.join(text))
    };
    written.texts.iter().map(path).collect()
}

/// Whether a path names something outside `folder`, by its text or through a symbolic link. The author of a project
/// may not choose what is read from the rest of the disk.
fn leaves_folder(folder: &Path, path: &Path) -> bool {
    let is_below = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if !path.components().all(is_below) {
        return true;
    }
    let joined = folder.join(path);
    match (joined.canonicalize(), folder.canonicalize()) {
        (Ok(real), Ok(folder)) => !real.starts_with(folder),
        // A missing source is reported later; a link that leads nowhere yet may lead out when it is read.
        _ => joined.is_symlink(),
    }
}

pub(super) fn switch(written: &RawSetting) -> Result<bool, String> {
    match one(written)? {
        "1" | "true" | "yes" | "on" => Ok(true),
        "0" | "false" | "no" | "off" => Ok(false),
        other => Err(format!("`{other}` is neither true nor false")),
    }
}

pub(super) fn optional_switch(written: &RawSetting) -> Result<Option<bool>, String> {
    switch(written).map(Some)
}

pub(super) fn backend(written: &RawSetting) -> Result<BackendName, String> {
    one(written)?.parse()
}

pub(super) fn model(written: &RawSetting) -> Result<Option<String>, String> {
    let model = one(written)?.trim();
    if model.is_empty() {
        Err("the name is empty".to_owned())
    } else {
        check_model_name(model).map_err(|failure| failure.message)?;
        Ok(Some(model.to_owned()))
    }
}

pub(super) fn hosts(written: &RawSetting) -> Result<Vec<AllowedHost>, String> {
    if written.by_project {
        return Err("a project cannot allow private addresses; use --allow-host".to_owned());
    }
    let texts = written.texts.iter().flat_map(|text| text.split(','));
    texts.map(|text| parse_host(text.trim())).collect()
}

pub(super) fn max_queries(written: &RawSetting) -> Result<usize, String> {
    parse_max_queries(one(written)?)
}

pub(super) fn max_tokens(written: &RawSetting) -> Result<u64, String> {
    parse_max_tokens(one(written)?)
}

pub(super) fn timeout(written: &RawSetting) -> Result<Option<u64>, String> {
    parse_seconds(one(written)?).map(Some)
}

pub(super) fn idle_timeout(written: &RawSetting) -> Result<u64, String> {
    parse_seconds(one(written)?)
}

pub(super) fn parallel(written: &RawSetting) -> Result<Option<usize>, String> {
    parse_parallel(one(written)?).map(Some)
}

pub(super) fn per_minute(written: &RawSetting) -> Result<Option<u32>, String> {
    parse_per_minute(one(written)?).map(Some)
}

pub(super) fn max_duration(written: &RawSetting) -> Result<Limits, String> {
    parse_max_duration(one(written)?)
}

pub(super) fn budget(written: &RawSetting) -> Result<Limits, String> {
    let limits: Result<Vec<Limits>, String> = written.texts.iter().map(|text| parse_budget(text)).collect();
    Limits::merge_all(limits?).map_err(|error| error.to_string())
}

/// The address of an endpoint. A project may not name one: keys are sent there.
pub(super) fn endpoint(written: &RawSetting) -> Result<Option<String>, String> {
    let url = one(written)?.trim();
    if written.by_project {
        return Err("a project cannot choose where your key is sent; use your own settings".to_owned());
    }
    if gemicro_engine::is_url(url) {
        Ok(Some(url.to_owned()))
    } else {
        Err(format!(
            "`{url}` is not an address such as http://127.0.0.1:11434/v1"
        ))
    }
}

/// A whole number within bounds.
fn number<T: std::str::FromStr + PartialOrd + std::fmt::Display>(
    text: &str,
    least: T,
    most: T,
) -> Result<T, String> {
    match text.trim().parse::<T>() {
        Ok(number) if number >= least && number <= most => Ok(number),
        Ok(_) | Err(_) => Err(format!("`{text}` is not a number from {least} to {most}")),
    }
}
