//! The environment of this process: the variables that gemicro reads, and the current folder.
//!
//! Read once at the start and passed on, so that all other code can be tested with other values.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use gemicro_engine::is_toolchain_variable;
use gemicro_engine::pipeline::forge::ForgeKind;
use gemicro_guard::repository::GitSettings;
use serde::{Deserialize, Serialize};

/// The variables for the Gemini API key, in order of precedence.
pub(crate) const KEY_VARIABLES: [&str; 2] = ["GEMINI_API_KEY", "GOOGLE_API_KEY"];

/// The variable for the key of an OpenAI-compatible server.
pub(crate) const OPENAI_KEY: &str = "OPENAI_API_KEY";

/// The variable for the key of the Anthropic API.
pub(crate) const ANTHROPIC_KEY: &str = "ANTHROPIC_API_KEY";

/// The variable for the login token of Claude Code.
pub(crate) const CLAUDE_LOGIN: &str = "CLAUDE_CODE_OAUTH_TOKEN";

/// The variable for the token of gemicro's own servers.
pub(crate) const TOKEN: &str = "GEMICRO_TOKEN";

/// The forges whose tokens are read.
pub(crate) const FORGES: [ForgeKind; 2] = [ForgeKind::GitHub, ForgeKind::GitLab];

/// Variables with folders of the user, for the user's own commands in a sandbox. Agents do not get them.
const PLACES: &[&str] = &["XDG_CONFIG_HOME"];

/// Variables of a desktop session, for the command that shows notifications.
const DESKTOP: &[&str] = &[
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XDG_RUNTIME_DIR",
];

const READ: [&str; 12] = [
    OPENAI_KEY,
    ANTHROPIC_KEY,
    CLAUDE_LOGIN,
    "ANTHROPIC_BASE_URL",
    "GOOGLE_GEMINI_BASE_URL",
    "OPENAI_BASE_URL",
    "HOME",
    "NO_COLOR",
    "TERM",
    "COLUMNS",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
];

/// Variables and current folder of a process.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Environment {
    variables: BTreeMap<String, String>,
    /// Variables that were set by a flag of this call.
    #[serde(skip)]
    by_flag: BTreeSet<String>,
    pub(crate) folder: PathBuf,
}

impl Environment {
    /// The environment of this process.
    pub(crate) fn of_process() -> Self {
        let wanted = |name: &str| {
            READ.contains(&name)
                || KEY_VARIABLES.contains(&name)
                || FORGES.iter().any(|kind| kind.token_variables().contains(&name))
                || gemicro_runner::environment::INHERITED.contains(&name)
                || PLACES.contains(&name)
                || DESKTOP.contains(&name)
                || is_toolchain_variable(name)
                || GitSettings::REMOTE_VARIABLES.contains(&name)
                || name.starts_with("GEMICRO_")
        };
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(name, _)| wanted(name))
            .collect();
        Self {
            variables,
            by_flag: BTreeSet::new(),
            folder: std::env::current_dir().unwrap_or_default(),
        }
    }

    /// Sets a variable, as if it had come from outside.
    pub(crate) fn set(&mut self, name: &str, value: String) {
        self.variables.insert(name.to_owned(), value);
    }

    /// Sets a variable to the value of a flag, for this process and those that it starts.
    pub(crate) fn set_by_flag(&mut self, name: &str, value: String) {
        self.set(name, value);
        self.by_flag.insert(name.to_owned());
    }

    /// Whether a variable has the value of a flag.
    pub(crate) fn is_by_flag(&self, name: &str) -> bool {
        self.by_flag.contains(name)
    }

    /// A variable that is set and not empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.variables
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// The user's name on this machine.
    pub(crate) fn user(&self) -> Option<String> {
        let name = self.get("USER").or_else(|| self.get("LOGNAME"));
        name.map(str::to_owned)
    }

    /// The variable that contains the key, if there is one.
    pub(crate) fn key_variable(&self) -> Option<&'static str> {
        KEY_VARIABLES
            .into_iter()
            .find(|name| self.get(name).is_some_and(|key| !key.trim().is_empty()))
    }

    /// The key of the Gemini API.
    pub(crate) fn gemini_key(&self) -> Option<&str> {
        self.get(self.key_variable()?).map(str::trim)
    }

    /// Variables that git needs to reach a remote of the user's own repository. Agents do not get them.
    pub(crate) fn for_remotes(&self) -> Vec<(String, String)> {
        let names = GitSettings::REMOTE_VARIABLES.iter();
        let given = names.filter_map(|name| Some(((*name).to_owned(), self.get(name)?.to_owned())));
        given.collect()
    }

    /// Variables that agents may be given.
    pub(crate) fn for_agents(&self) -> BTreeMap<String, String> {
        let mut variables = self.variables.clone();
        variables.retain(|name, _| {
            let name = name.as_str();
            gemicro_runner::environment::INHERITED.contains(&name)
                || PLACES.contains(&name)
                || is_toolchain_variable(name)
        });
        variables
    }

    /// Variables for the command that shows notifications; no keys.
    pub(crate) fn for_notifications(&self) -> Vec<(String, String)> {
        let names = gemicro_runner::environment::INHERITED
            .iter()
            .chain(DESKTOP)
            .chain(&["HOME"]);
        let given = names.filter_map(|name| Some(((*name).to_owned(), self.get(name)?.to_owned())));
        given.collect()
    }

    /// All variables that a process of gemicro reads.
    pub(crate) fn for_worker(&self) -> BTreeMap<String, String> {
        self.without_screen().variables
    }

    /// The same without variables that only affect the screen.
    pub(crate) fn without_screen(&self) -> Self {
        let mut environment = self.clone();
        environment
            .variables
            .retain(|name, _| !["COLUMNS", "TERM", "NO_COLOR"].contains(&name.as_str()));
        environment
    }

    pub(crate) fn home(&self) -> Option<PathBuf> {
        self.get("HOME")
            .map(PathBuf::from)
            .filter(|home| home.is_absolute())
    }

    /// The keys of all providers.
    pub(crate) fn keys(&self) -> [Option<&str>; 3] {
        [self.gemini_key(), self.get(OPENAI_KEY), self.get(ANTHROPIC_KEY)]
    }

    /// The token for a forge: from the first variable that is set.
    pub(crate) fn forge_token(&self, kind: ForgeKind) -> Option<&str> {
        let values = kind.token_variables().iter().filter_map(|name| self.get(name));
        values.map(str::trim).find(|token| !token.is_empty())
    }

    /// Values that must never be stored or printed.
    pub(crate) fn secrets(&self) -> Vec<String> {
        let forges = FORGES.iter().flat_map(|kind| kind.token_variables());
        KEY_VARIABLES
            .into_iter()
            .chain([OPENAI_KEY, ANTHROPIC_KEY, CLAUDE_LOGIN, TOKEN])
            .chain(forges.copied())
            .filter_map(|name| self.get(name))
            // White space around a token does not belong to it, and is not sent.
            .map(|value| value.trim().to_owned())
            .filter(|value| !value.is_empty())
            .collect()
    }

    /// A folder named by a variable; relative ones are ignored, as the XDG specification requires.
    pub(crate) fn folder_in(&self, name: &str) -> Option<PathBuf> {
        self.get(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    }
}

#[cfg(test)]
impl Environment {
    /// An environment for a test.
    pub(crate) fn of<const N: usize>(variables: [(&str, &str); N]) -> Self {
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self {
            variables: variables.into(),
            by_flag: BTreeSet::new(),
            folder: PathBuf::from("/"),
        }
    }
}
