//! Where runs are kept (`$GEMICRO_HOME`, the user's file, or the platform's data folder), and who works there.

use std::path::PathBuf;
use std::time::Duration;

use gemicro_event::ErrorKind;

use super::layers::{Spec, Written, one};
use super::readers::parse_seconds;
use super::{Layers, Origin, Setting};
use crate::environment::Environment;
use crate::trouble::Stopped;

/// The keys of this group in files.
pub(super) const KEYS: &[&str] = &["state.home", "state.resident", "state.linger"];

const HOME: Spec<Option<PathBuf>> = Spec {
    key: "state.home",
    variable: "GEMICRO_HOME",
    flag: "",
    read: read_home,
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

/// How long a worker that was started on demand stays, unless somebody says otherwise.
const LINGERS: Duration = Duration::from_secs(60);

/// The state folder, and who works over it.
#[derive(Debug, Clone)]
pub(crate) struct StateFolder {
    /// Its path.
    pub(crate) home: Setting<PathBuf>,
    /// Whether work that may outlive its command is given to the resident worker.
    pub(crate) resident: Setting<bool>,
    /// How long the resident worker stays when there is nothing to do.
    pub(crate) linger: Setting<Duration>,
}

impl StateFolder {
    /// Finds it.
    pub(crate) fn resolve(layers: &Layers) -> Result<Self, Stopped> {
        let picked = layers.pick(&HOME, None, None)?;
        let home = match picked.value {
            Some(home) => Setting {
                value: home,
                origin: picked.origin,
            },
            None => {
                let home = platform_folder(&layers.environment).ok_or_else(|| {
                    let message = "no home folder is known, so there is no place for runs";
                    Stopped::failed(
                        ErrorKind::InvalidInput,
                        message,
                        "name one: export GEMICRO_HOME=/some/folder",
                    )
                })?;
                Setting {
                    value: home,
                    origin: Origin::Default,
                }
            }
        };
        Ok(Self {
            home,
            resident: layers.pick(&RESIDENT, None, true)?,
            linger: layers.pick(&LINGER, None, LINGERS)?,
        })
    }

    /// Lines for `config show`.
    pub(crate) fn rows(&self) -> Vec<(&'static str, String, Origin)> {
        vec![
            (
                "state.home",
                self.home.value.display().to_string(),
                self.home.origin.clone(),
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
        ]
    }
}

fn read_home(written: &Written) -> Result<Option<PathBuf>, String> {
    if written.by_project {
        return Err("a project's file may not say where your runs are kept".to_owned());
    }
    let path = one(written)?;
    if path.is_empty() {
        Err("the path is empty".to_owned())
    } else {
        Ok(Some(written.folder.join(path)))
    }
}

fn read_resident(written: &Written) -> Result<bool, String> {
    if written.by_project {
        return Err("a project's file may not say who carries out your runs".to_owned());
    }
    match one(written)?.trim() {
        "true" | "on" | "1" => Ok(true),
        "false" | "off" | "0" => Ok(false),
        other => Err(format!("`{other}` is neither true nor false")),
    }
}

fn read_linger(written: &Written) -> Result<Duration, String> {
    if written.by_project {
        return Err("a project's file may not say how long your worker stays".to_owned());
    }
    parse_seconds(one(written)?).map(Duration::from_secs)
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
