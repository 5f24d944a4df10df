//! The environment a CLI gets: a short list of variables, never the caller's whole one.
//!
//! Commands that a model runs inherit it, so nothing in here may be worth stealing.

use std::collections::BTreeMap;

use crate::request::AgentRequest;

/// What is taken over from the caller; everything else is left behind.
pub const INHERITED: &[&str] = &[
    "PATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "USER",
    "LOGNAME",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
];

/// Settings of git that a workspace must not make: CLIs start git by themselves, and these would have it start programs.
/// They go before those of any repository. Filters have names of the workspace's own, so they cannot be listed here.
const GIT_SETTINGS: [(&str, &str); 5] = [
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("credential.helper", ""),
    // A repository hidden in a folder of the workspace has settings of its own.
    ("safe.bareRepository", "explicit"),
];

/// The variables every CLI gets: the allowed ones of the caller, its own home and temporary folder.
pub(crate) fn base(request: &AgentRequest) -> BTreeMap<String, String> {
    let mut env: BTreeMap<String, String> = INHERITED
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), request.inherited.get(*name)?.clone())))
        .collect();
    env.insert("HOME".to_owned(), request.home.display().to_string());
    env.insert("TMPDIR".to_owned(), request.temp.display().to_string());
    env.insert("NO_COLOR".to_owned(), "1".to_owned());
    // node would look for compiled code in the temporary folder, where whatever a shell runs can write.
    env.insert("NODE_DISABLE_COMPILE_CACHE".to_owned(), "1".to_owned());
    env.insert("GIT_CONFIG_COUNT".to_owned(), GIT_SETTINGS.len().to_string());
    for (idx, (key, value)) in GIT_SETTINGS.iter().enumerate() {
        env.insert(format!("GIT_CONFIG_KEY_{idx}"), (*key).to_owned());
        env.insert(format!("GIT_CONFIG_VALUE_{idx}"), (*value).to_owned());
    }
    env
}

/// Adds fixed variables.
pub(crate) fn set(env: &mut BTreeMap<String, String>, variables: &[(&str, &str)]) {
    for (name, value) in variables {
        env.insert((*name).to_owned(), (*value).to_owned());
    }
}
