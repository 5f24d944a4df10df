//! The folder of stored runs (`$GEMICRO_HOME`, the user's file, or the platform's data folder), and its worker.

use std::path::PathBuf;
use std::time::Duration;

use gemicro_core::budget::Limits;
use gemicro_engine::default_max_agents;
use gemicro_event::ErrorKind;
use sha2::{Digest, Sha256};

use super::layers::{RawSetting, Spec, one};
use super::readers::{parse_budget, parse_seconds};
use super::{Layers, SettingOrigin, SettingValue};
use crate::command_error::CommandError;
use crate::environment::Environment;

/// The keys of this group in files.
pub(super) const KEYS: &[&str] = &[
    "state.home",
    "state.store",
    "state.resident",
    "state.linger",
    "state.day_budget",
    "state.max_agents",
];

const HOME: Spec<Option<PathBuf>> = Spec {
    key: "state.home",
    variable: "GEMICRO_HOME",
    flag: "",
    read: read_home,
};

const STORE: Spec<Option<String>> = Spec {
    key: "state.store",
    variable: STORE_VARIABLE,
    flag: "--store",
    read: read_store,
};

const RESIDENT: Spec<bool> = Spec {
    key: "state.resident",
    variable: "GEMICRO_RESIDENT",
    flag: "--no-resident",
    read: read_resident,
};

const LINGER: Spec<Duration> = Spec {
    key: "state.linger",
    variable: "GEMICRO_LINGER",
    flag: "",
    read: read_linger,
};

const DAY_BUDGET: Spec<Limits> = Spec {
    key: "state.day_budget",
    variable: DAY_BUDGET_VARIABLE,
    flag: "--day-budget",
    read: read_day_budget,
};

const MAX_AGENTS: Spec<usize> = Spec {
    key: "state.max_agents",
    variable: "GEMICRO_MAX_AGENTS",
    flag: "",
    read: read_max_agents,
};

/// The variable that holds the budget of the day.
pub(crate) const DAY_BUDGET_VARIABLE: &str = "GEMICRO_DAY_BUDGET";

/// The variable that holds the address of a shared store.
pub(crate) const STORE_VARIABLE: &str = "GEMICRO_STORE";

/// Default time that a worker started on demand stays idle before it exits.
const LINGERS: Duration = Duration::from_secs(60);

/// The state folder, and the settings of its worker.
#[derive(Debug, Clone)]
pub(crate) struct StateFolder {
    pub(crate) home: SettingValue<PathBuf>,
    /// The URL of the store, if it is not in the folder.
    pub(crate) store: SettingValue<Option<String>>,
    /// Whether work that may outlive its command is given to the background worker.
    pub(crate) resident: SettingValue<bool>,
    /// How long the background worker stays when it is idle.
    pub(crate) linger: SettingValue<Duration>,
    /// The budget for all runs of the store that start on one day.
    pub(crate) day_budget: SettingValue<Limits>,
    /// How many agents work at once, over all runs.
    pub(crate) max_agents: SettingValue<usize>,
}

impl StateFolder {
    pub(crate) fn resolve(layers: &Layers) -> Result<Self, CommandError> {
        let picked = layers.pick(&HOME, None, None)?;
        let home = match picked.value {
            Some(home) => SettingValue {
                value: home,
                origin: picked.origin,
            },
            None => {
                let home = platform_folder(&layers.environment).ok_or_else(|| {
                    let message = "no home folder is set, so there is no folder for runs";
                    CommandError::new_failure(
                        ErrorKind::InvalidInput,
                        message,
                        "set one: export GEMICRO_HOME=/some/folder",
                    )
                })?;
                SettingValue {
                    value: home,
                    origin: SettingOrigin::Default,
                }
            }
        };
        Ok(Self {
            home,
            store: layers.pick(&STORE, None, None)?,
            resident: layers.pick(&RESIDENT, None, true)?,
            linger: layers.pick(&LINGER, None, LINGERS)?,
            day_budget: layers.pick(&DAY_BUDGET, None, Limits::NONE)?,
            max_agents: layers.pick(&MAX_AGENTS, None, default_max_agents())?,
        })
    }

    /// Adds the advice that fits the store in use to an error of the store.
    pub(crate) fn about_store(&self, stopped: CommandError) -> CommandError {
        match (&self.store.value, stopped) {
            (Some(_), CommandError::Report(report)) if report.failure.kind == ErrorKind::StorageError => {
                CommandError::Report(report).with_hint(format!(
                    "start its server, or fix the address of the store ({})",
                    self.store.origin
                ))
            }
            (_, stopped) => stopped,
        }
    }

    /// The folder of the worker that serves this store; there is only one per folder.
    pub(crate) fn worker_place(&self) -> PathBuf {
        match &self.store.value {
            None => self.home.value.clone(),
            Some(address) => {
                let digest = Sha256::digest(address);
                let name: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
                self.home.value.join("stores").join(name)
            }
        }
    }

    /// Lines for `config show`.
    pub(crate) fn rows(&self) -> Vec<(&'static str, String, SettingOrigin)> {
        vec![
            (
                "state.home",
                self.home.value.display().to_string(),
                self.home.origin.clone(),
            ),
            (
                "state.store",
                match &self.store.value {
                    Some(address) => without_password(address),
                    None => "in state.home".to_owned(),
                },
                self.store.origin.clone(),
            ),
            (
                "state.resident",
                self.resident.value.to_string(),
                self.resident.origin.clone(),
            ),
            (
                "state.linger",
                format!("{}s", self.linger.value.as_secs()),
                self.linger.origin.clone(),
            ),
            (
                "state.day_budget",
                self.day_budget.value.to_string(),
                self.day_budget.origin.clone(),
            ),
            (
                "state.max_agents",
                match matches!(self.max_agents.origin, SettingOrigin::Default) {
                    true => "one per core, at least 4".to_owned(),
                    false => self.max_agents.value.to_string(),
                },
                self.max_agents.origin.clone(),
            ),
        ]
    }
}

fn read_home(written: &RawSetting) -> Result<Option<PathBuf>, String> {
    if written.by_project {
        return Err("a project cannot choose where your runs are stored".to_owned());
    }
    let path = one(written)?;
    if path.is_empty() {
        Err("the path is empty".to_owned())
    } else {
        Ok(Some(written.folder.join(path)))
    }
}

fn read_store(written: &RawSetting) -> Result<Option<String>, String> {
    if written.by_project {
        return Err("a project cannot choose where your runs are stored".to_owned());
    }
    let address = one(written)?.trim().to_owned();
    if address.starts_with("postgres://") || address.starts_with("postgresql://") {
        return Ok(Some(address));
    }
    // The text may contain a password, so it is not repeated.
    Err(
        "a store address looks like postgres://user@host/database; other databases are not supported"
            .to_owned(),
    )
}

/// The password in the URL of a store.
pub(crate) fn password(address: &str) -> Option<&str> {
    let (_, rest) = address.split_once("://")?;
    let (who, _) = rest.split(['/', '?']).next()?.rsplit_once('@')?;
    let (_, password) = who.split_once(':')?;
    Some(password).filter(|password| !password.is_empty())
}

fn without_password(address: &str) -> String {
    match password(address) {
        Some(password) => address.replacen(&format!(":{password}@"), ":***@", 1),
        None => address.to_owned(),
    }
}

fn read_resident(written: &RawSetting) -> Result<bool, String> {
    if written.by_project {
        return Err("a project cannot choose where your runs are executed".to_owned());
    }
    match one(written)?.trim() {
        "true" | "on" | "1" => Ok(true),
        "false" | "off" | "0" => Ok(false),
        other => Err(format!("`{other}` is neither true nor false")),
    }
}

fn read_linger(written: &RawSetting) -> Result<Duration, String> {
    if written.by_project {
        return Err("a project cannot choose how long your worker keeps running".to_owned());
    }
    parse_seconds(one(written)?).map(Duration::from_secs)
}

fn read_day_budget(written: &RawSetting) -> Result<Limits, String> {
    if written.by_project {
        return Err("a project's settings cannot set the day budget; set it in your own settings".to_owned());
    }
    let all = written.texts.iter().map(|text| parse_day_budget(text));
    let all = all.collect::<Result<Vec<Limits>, String>>()?;
    Limits::merge_all(all).map_err(|error| error.to_string())
}

fn read_max_agents(written: &RawSetting) -> Result<usize, String> {
    if written.by_project {
        return Err(
            "a project's settings cannot set the number of agents; set it in your own settings".to_owned(),
        );
    }
    let text = one(written)?.trim();
    let number = text.parse().ok().filter(|number| (1..=1_000).contains(number));
    number.ok_or_else(|| format!("`{text}` is not a number of agents from 1 to 1000"))
}

/// Parses `--day-budget`: tokens or money, or both separated by a comma.
pub(crate) fn parse_day_budget(text: &str) -> Result<Limits, String> {
    let limits = parse_budget(text)?;
    match (limits.wall_ms, limits.turns) {
        (None, None) => Ok(limits),
        (Some(_), _) | (_, Some(_)) => Err(format!(
            "invalid day budget `{text}`: use tokens (2M), money ('$5') or both ('2M,$5')"
        )),
    }
}

fn platform_folder(environment: &Environment) -> Option<PathBuf> {
    let home = environment.folder_in("HOME");
    if cfg!(target_os = "macos") {
        return home.map(|home| home.join("Library/Application Support/gemicro"));
    }
    let data = environment.folder_in("XDG_DATA_HOME");
    data.or_else(|| home.map(|home| home.join(".local/share")))
        .map(|data| data.join("gemicro"))
}
