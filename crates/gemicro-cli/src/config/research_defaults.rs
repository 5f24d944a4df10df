//! The settings of research: who answers, from what, and within which limits.

use std::path::{Component, Path, PathBuf};

use gemicro_core::budget::Limits;
use gemicro_core::llm::{DEFAULT_MODEL, LlmConfig};
use gemicro_core::research::ResearchConfig;

use super::layers::{Spec, Written, one};
use super::{Layers, Origin, Setting};
use crate::trouble::Stopped;

/// The keys of this group in files.
pub(super) const KEYS: &[&str] = &[
    "research.sources",
    "research.offline",
    "research.max_queries",
    "research.timeout",
    "research.max_duration",
    "research.budget",
    "research.model",
];

const SOURCES: Spec<Vec<PathBuf>> = Spec {
    key: KEYS[0],
    variable: "GEMICRO_SOURCES",
    flag: "--source",
    read: read_sources,
};
const OFFLINE: Spec<bool> = Spec {
    key: KEYS[1],
    variable: "GEMICRO_OFFLINE",
    flag: "--offline",
    read: read_switch,
};
const MAX_QUERIES: Spec<usize> = Spec {
    key: KEYS[2],
    variable: "GEMICRO_MAX_QUERIES",
    flag: "--max-queries",
    read: read_max_queries,
};
const TIMEOUT: Spec<u64> = Spec {
    key: KEYS[3],
    variable: "GEMICRO_TIMEOUT",
    flag: "--timeout",
    read: read_timeout,
};
const MAX_DURATION: Spec<Limits> = Spec {
    key: KEYS[4],
    variable: "GEMICRO_MAX_DURATION",
    flag: "--max-duration",
    read: read_max_duration,
};
const BUDGET: Spec<Limits> = Spec {
    key: KEYS[5],
    variable: "GEMICRO_BUDGET",
    flag: "--budget",
    read: read_budget,
};
const MODEL: Spec<String> = Spec {
    key: KEYS[6],
    variable: "GEMICRO_MODEL",
    flag: "--model",
    read: read_model,
};

/// What was given on the command line.
#[derive(Debug, Clone, Default)]
pub(crate) struct ResearchFlags {
    pub(crate) sources: Option<Vec<PathBuf>>,
    pub(crate) offline: Option<bool>,
    pub(crate) max_queries: Option<usize>,
    pub(crate) timeout: Option<u64>,
    pub(crate) max_duration: Option<Limits>,
    pub(crate) budget: Option<Limits>,
    pub(crate) model: Option<String>,
}

/// The settings of a research run.
#[derive(Debug, Clone)]
pub(crate) struct ResearchSettings {
    /// Folders and files to read.
    pub(crate) sources: Setting<Vec<PathBuf>>,
    /// Answer without a model.
    pub(crate) offline: Setting<bool>,
    /// Sub-queries at most.
    pub(crate) max_queries: Setting<usize>,
    /// Seconds one model call may take.
    pub(crate) timeout: Setting<u64>,
    /// Time the run may take.
    pub(crate) max_duration: Setting<Limits>,
    /// What the run may use.
    pub(crate) budget: Setting<Limits>,
    /// The model.
    pub(crate) model: Setting<String>,
}

impl ResearchSettings {
    /// Takes the strongest value of each.
    pub(crate) fn resolve(layers: &Layers, flags: ResearchFlags) -> Result<Self, Stopped> {
        let max_queries = ResearchConfig::default().max_sub_queries;
        let timeout = LlmConfig::default().timeout_ms / 1_000;
        Ok(Self {
            sources: layers.pick(&SOURCES, flags.sources, Vec::new())?,
            offline: layers.pick(&OFFLINE, flags.offline, false)?,
            max_queries: layers.pick(&MAX_QUERIES, flags.max_queries, max_queries)?,
            timeout: layers.pick(&TIMEOUT, flags.timeout, timeout)?,
            max_duration: layers.pick(&MAX_DURATION, flags.max_duration, Limits::NONE)?,
            budget: layers.pick(&BUDGET, flags.budget, Limits::NONE)?,
            model: layers.pick(&MODEL, flags.model, DEFAULT_MODEL.to_owned())?,
        })
    }

    /// Budget and time limit together.
    pub(crate) fn limits(&self) -> Result<Limits, Stopped> {
        let merged = Limits::merge_all([self.budget.value, self.max_duration.value]);
        merged.map_err(|error| {
            Stopped::usage(
                error.to_string(),
                "the time of a run is limited by --max-duration or --budget, not both",
            )
        })
    }

    /// Lines for `config show`.
    pub(crate) fn rows(&self) -> Vec<(&'static str, String, Origin)> {
        let sources: Vec<String> = self
            .sources
            .value
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        let sources = if sources.is_empty() {
            "none".to_owned()
        } else {
            sources.join(", ")
        };
        vec![
            (KEYS[0], sources, self.sources.origin.clone()),
            (
                KEYS[1],
                self.offline.value.to_string(),
                self.offline.origin.clone(),
            ),
            (
                KEYS[2],
                self.max_queries.value.to_string(),
                self.max_queries.origin.clone(),
            ),
            (
                KEYS[3],
                format!("{}s", self.timeout.value),
                self.timeout.origin.clone(),
            ),
            (
                KEYS[4],
                self.max_duration.value.to_string(),
                self.max_duration.origin.clone(),
            ),
            (KEYS[5], self.budget.value.to_string(), self.budget.origin.clone()),
            (KEYS[6], self.model.value.clone(), self.model.origin.clone()),
        ]
    }
}

/// Reads `--max-queries`.
pub(crate) fn parse_max_queries(text: &str) -> Result<usize, String> {
    let number = text.trim().parse().ok().filter(|n| (1..=100).contains(n));
    number.ok_or_else(|| format!("`{text}` is not a number from 1 to 100"))
}

/// Reads `--timeout`, in seconds.
pub(crate) fn parse_timeout(text: &str) -> Result<u64, String> {
    let number = text
        .trim()
        .trim_end_matches('s')
        .parse()
        .ok()
        .filter(|n| (1..=86_400).contains(n));
    number.ok_or_else(|| format!("`{text}` is not a number of seconds from 1 to 86400"))
}

/// Reads `--max-duration`.
pub(crate) fn parse_max_duration(text: &str) -> Result<Limits, String> {
    let refuse = || format!("`{text}` is not a duration: write it as 90s, 10m or 1h30m");
    let limits: Limits = text.parse().map_err(|_| refuse())?;
    if limits.wall_ms.is_some()
        && limits
            == (Limits {
                wall_ms: limits.wall_ms,
                ..Limits::NONE
            })
    {
        Ok(limits)
    } else {
        Err(refuse())
    }
}

/// Reads one `--budget`.
pub(crate) fn parse_budget(text: &str) -> Result<Limits, String> {
    text.parse()
        .map_err(|error: gemicro_core::budget::LimitsError| error.to_string())
}

fn read_sources(written: &Written) -> Result<Vec<PathBuf>, String> {
    let folder = &written.folder;
    let path = |text: &String| {
        if written.by_project && leaves_its_folder(Path::new(text)) {
            return Err(format!(
                "`{text}` lies outside the project; name it with --source"
            ));
        }
        Ok(folder.join(text))
    };
    written.texts.iter().map(path).collect()
}

/// A project's file is written by whoever wrote the project: it may not name the rest of the disk.
fn leaves_its_folder(path: &Path) -> bool {
    !path
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

fn read_switch(written: &Written) -> Result<bool, String> {
    match one(written)? {
        "1" | "true" | "yes" | "on" => Ok(true),
        "0" | "false" | "no" | "off" => Ok(false),
        other => Err(format!("`{other}` is neither true nor false")),
    }
}

fn read_max_queries(written: &Written) -> Result<usize, String> {
    parse_max_queries(one(written)?)
}

fn read_timeout(written: &Written) -> Result<u64, String> {
    parse_timeout(one(written)?)
}

fn read_max_duration(written: &Written) -> Result<Limits, String> {
    parse_max_duration(one(written)?)
}

fn read_budget(written: &Written) -> Result<Limits, String> {
    let limits: Result<Vec<Limits>, String> = written.texts.iter().map(|text| parse_budget(text)).collect();
    Limits::merge_all(limits?).map_err(|error| error.to_string())
}

fn read_model(written: &Written) -> Result<String, String> {
    let model = one(written)?.trim();
    if model.is_empty() {
        Err("the name is empty".to_owned())
    } else {
        Ok(model.to_owned())
    }
}
