//! Asks a program for its version, in the sandbox that agents get, so that the result applies to real runs.
//!
//! The runner caches versions for its own runs; the doctor asks each time, because it reports the current state.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, Instant};

use gemicro_engine::AgentSetup;
use gemicro_guard::sandbox::{
    Network, PinnedPath, Profile, ResourceLimits, SandboxError, Shells, Tier, WriteMode, plan,
};
use gemicro_runner::{LocatedProgram, hidden_target};

/// Maximum time for a program; some need seconds to load.
const PATIENCE: Duration = Duration::from_secs(30);
/// Interval at which we check whether it has ended.
const GLANCE: Duration = Duration::from_millis(10);
/// Maximum number of bytes read of its output.
const MAX_WORDS: u64 = 4096;

/// The environment in which a program is asked.
pub(super) struct VersionProbe<'a> {
    pub(super) setup: &'a AgentSetup,
    pub(super) tier: Tier,
    /// An empty folder for this program only.
    pub(super) folder: PathBuf,
    /// The user's search path.
    pub(super) search_path: &'a str,
}

/// The output of a program.
pub(super) struct VersionOutput {
    pub(super) stdout: String,
    pub(super) stderr: String,
    /// Why it failed, if a program that it starts is hidden by the sandbox.
    pub(super) hidden: Option<String>,
}

/// Runs `PROGRAM --version` to completion.
///
/// # Errors
/// Why it could not be asked, for people.
pub(super) fn version(room: &VersionProbe<'_>, located: &LocatedProgram) -> Result<VersionOutput, String> {
    let command: [OsString; 2] = [located.program.clone().into(), "--version".into()];
    let profile = profile(room, located).map_err(|error| error.to_string())?;
    let toolchains = room.setup.toolchains().map_err(|failure| failure.message)?;
    let profile = toolchains.open_in(profile);
    let plan =
        plan(&room.setup.launcher, room.tier, &profile, &command).map_err(|error| refusal_text(&error))?;
    // Files instead of pipes, so that a remaining child process cannot make us wait.
    let (stdout, stderr) = (room.folder.join("stdout"), room.folder.join("stderr"));
    let streams = File::create(&stdout).and_then(|out| Ok((out, File::create(&stderr)?)));
    let (out, errors) = streams.map_err(|error| error.to_string())?;
    let mut command = plan.command();
    let child = command.stdout(out).stderr(errors).spawn();
    let mut child = child.map_err(|error| format!("it does not start: {error}"))?;
    if !ends(&mut child) {
        return Err(format!(
            "it did not print its version within {} s",
            PATIENCE.as_secs()
        ));
    }
    let stderr = words(&stderr);
    Ok(VersionOutput {
        stdout: words(&stdout),
        hidden: hidden_target(&profile, &located.program, &stderr),
        stderr,
    })
}

/// Waits for the end; a program that takes too long is killed.
fn ends(child: &mut Child) -> bool {
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until {
        match child.try_wait() {
            Ok(Some(_)) => return true,
            Ok(None) => std::thread::sleep(GLANCE),
            Err(_) => break,
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    false
}

fn words(file: &Path) -> String {
    let mut bytes = Vec::new();
    // Output that cannot be read counts as empty.
    let _ = File::open(file).and_then(|file| file.take(MAX_WORDS).read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

fn refusal_text(error: &SandboxError) -> String {
    match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

fn profile(room: &VersionProbe<'_>, located: &LocatedProgram) -> std::io::Result<Profile> {
    let folder = |name: &str| {
        let path = room.folder.join(name);
        fs::create_dir_all(&path).map(|()| path)
    };
    let mut environment = room.setup.environment.clone();
    let found = located
        .search
        .iter()
        .map(|path| path.to_string_lossy().into_owned());
    let path: Vec<String> = found.chain([room.search_path.to_owned()]).collect();
    environment.insert("PATH".to_owned(), path.join(":"));
    environment.insert("NO_COLOR".to_owned(), "1".to_owned());
    Ok(Profile {
        mode: match room.tier {
            Tier::None => WriteMode::DangerFullAccess,
            Tier::Full | Tier::Landlock | Tier::Seatbelt => WriteMode::ReadOnly,
        },
        workspace: folder("work")?,
        writable: Vec::new(),
        pinned: Vec::new(),
        pinning: PinnedPath::Required,
        shells: Shells::Apart,
        readable: located.readable.clone(),
        hidden: Vec::new(),
        user_home: room.setup.user_home.clone(),
        home: folder("home")?,
        temporary: folder("tmp")?,
        network: match room.tier {
            Tier::None => Network::Open,
            Tier::Full | Tier::Landlock | Tier::Seatbelt => Network::None,
        },
        unix_sockets: false,
        limits: ResourceLimits::default(),
        environment: environment.into_iter().collect(),
    })
}
