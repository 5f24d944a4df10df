//! Agents as the doctor finds them: programs that only know their version, keys and logins of a made-up user.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gemicro_core::ask::AgentName;
use gemicro_engine::pipeline::Forges;
use gemicro_guard::sandbox::Tier;
use tempfile::TempDir;

use super::agents::programs;
use super::finding::{DoctorFinding, FindingLevel};
use crate::agents;
use crate::config::{Endpoints, Layers};
use crate::environment::Environment;

/// A program cannot start while a file that another test is writing is open in it: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// A user's home, and a search path with nothing but what was put there.
struct Place {
    folder: TempDir,
    _alone: MutexGuard<'static, ()>,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["bin", "user"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self {
            folder,
            _alone: ALONE.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// A program with this text behind its first line.
    fn program(&self, name: &str, script: &str) {
        let path = self.path("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// The login of an agent.
    fn login(&self, file: &str, text: &str) {
        let path = self.path("user").join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// What the doctor finds, with these keys; an empty one is not set.
    fn look(&self, keys: Keys, asking: Asking) -> BTreeMap<AgentName, DoctorFinding> {
        let environment = Environment::of([
            ("PATH", self.path("bin").to_str().unwrap()),
            ("HOME", self.path("user").to_str().unwrap()),
            ("GOOGLE_API_KEY", keys.google),
            ("ANTHROPIC_API_KEY", keys.anthropic),
            ("OPENAI_API_KEY", keys.openai),
        ]);
        let endpoints = Endpoints::resolve(&Layers::load(&environment).unwrap()).unwrap();
        let setup = agents::setup(&environment, &endpoints, Forges::default()).unwrap();
        let scratch = self.path("scratch");
        let walls = match asking {
            Asking::WithoutWalls => Some((Tier::None, scratch.as_path())),
            Asking::Nowhere => None,
        };
        AgentName::ALL
            .into_iter()
            .zip(programs(&environment, &setup, walls))
            .collect()
    }
}

#[derive(Default)]
struct Keys {
    google: &'static str,
    anthropic: &'static str,
    openai: &'static str,
}

enum Asking {
    WithoutWalls,
    Nowhere,
}

#[test]
fn programs_are_found_or_too_old_or_missing() {
    let place = Place::new();
    place.program("gemini", "echo 0.61.0");
    place.program("claude", "echo '2.1.196 (Claude Code)'");
    let found = place.look(
        Keys {
            google: "k",
            anthropic: "k",
            openai: "",
        },
        Asking::WithoutWalls,
    );
    let bin = place.path("bin");

    let gemini = &found[&AgentName::Gemini];
    assert_eq!(
        (gemini.what, gemini.standing),
        ("agent gemini", FindingLevel::Good)
    );
    assert_eq!(
        gemini.found,
        format!("{}/gemini, version 0.61.0; GOOGLE_API_KEY is set", bin.display())
    );
    assert_eq!(gemini.fix, None);

    let claude = &found[&AgentName::Claude];
    assert_eq!(claude.standing, FindingLevel::Attention);
    assert_eq!(
        claude.found,
        format!(
            "{}/claude is too old: version 2.1.196, and 2.1.197 or newer is needed; ANTHROPIC_API_KEY is set",
            bin.display()
        )
    );
    assert_eq!(
        claude.fix.as_deref(),
        Some("npm install -g @anthropic-ai/claude-code")
    );

    let codex = &found[&AgentName::Codex];
    assert_eq!(codex.standing, FindingLevel::Attention);
    assert_eq!(
        codex.found,
        "codex is not in the search path; no key and no login"
    );
    assert_eq!(
        codex.fix.as_deref(),
        Some("npm install -g @openai/codex; export OPENAI_API_KEY=…, or log in with `codex login`")
    );
}

#[test]
fn a_program_that_says_no_version_is_reported_with_its_complaint() {
    let place = Place::new();
    place.program("claude", "echo 'native binary not installed' >&2; exit 1");
    place.program("codex", "exit 0");
    fs::write(place.path("bin/gemini"), "#!/no/such/interpreter\n").unwrap();
    fs::set_permissions(place.path("bin/gemini"), fs::Permissions::from_mode(0o755)).unwrap();
    let found = place.look(
        Keys {
            openai: "k",
            ..Keys::default()
        },
        Asking::WithoutWalls,
    );
    for (agent, words) in [
        (
            AgentName::Gemini,
            "cannot run: there is no program /no/such/interpreter",
        ),
        (
            AgentName::Claude,
            "printed no version: native binary not installed",
        ),
        (AgentName::Codex, "printed no version; OPENAI_API_KEY is set"),
    ] {
        let finding = &found[&agent];
        assert_eq!(finding.standing, FindingLevel::Attention, "{agent}");
        assert!(finding.found.contains(words), "{}", finding.found);
    }
}

#[test]
fn a_login_is_tested_and_said_to_be_observed() {
    let place = Place::new();
    place.program("gemini", "echo 0.61.0");
    place.program("claude", "echo 2.1.197");
    place.program("codex", "echo codex-cli 0.166.0");
    place.login(".gemini/oauth_creds.json", r#"{"access_token":"very-secret"}"#);
    place.login(".claude/.credentials.json", "very-secret, not JSON");
    place.login("elsewhere.json", "{}");
    fs::create_dir(place.path("user/.codex")).unwrap();
    symlink(
        place.path("user/elsewhere.json"),
        place.path("user/.codex/auth.json"),
    )
    .unwrap();
    let found = place.look(Keys::default(), Asking::WithoutWalls);
    let gemini = &found[&AgentName::Gemini];
    assert_eq!(gemini.standing, FindingLevel::Good);
    assert!(
        gemini
            .found
            .ends_with("; a login; turns and time are limited, tokens are only reported"),
        "{}",
        gemini.found
    );
    for (agent, words, fix) in [
        (
            AgentName::Claude,
            "is not a JSON object",
            "log in again with `claude`",
        ),
        (
            AgentName::Codex,
            "is a link, which is not followed",
            "log in again with `codex login`",
        ),
    ] {
        let finding = &found[&agent];
        assert_eq!(finding.standing, FindingLevel::Attention, "{agent}");
        assert!(finding.found.ends_with(words), "{}", finding.found);
        assert_eq!(finding.fix.as_deref(), Some(fix));
    }
    for finding in found.values() {
        assert!(!format!("{finding:?}").contains("very-secret"));
    }
    // A key goes before a login.
    let found = place.look(
        Keys {
            anthropic: "k",
            ..Keys::default()
        },
        Asking::WithoutWalls,
    );
    assert_eq!(found[&AgentName::Claude].standing, FindingLevel::Good);
}

#[test]
fn nothing_is_started_without_a_place_for_it() {
    let place = Place::new();
    let started = place.path("started");
    place.program("gemini", &format!("touch {}; echo 0.61.0", started.display()));
    let found = place.look(Keys::default(), Asking::Nowhere);
    let gemini = &found[&AgentName::Gemini].found;
    assert!(gemini.contains("gemini, version not checked; "), "{gemini}");
    assert!(!started.exists());
}
