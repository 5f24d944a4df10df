//! Tests of the settings: which layer wins, and what is refused.

use super::{Layers, Origin, ResearchFlags, ResearchSettings, StateFolder};
use crate::environment::Environment;
use crate::trouble::Stopped;

fn message(stopped: Stopped) -> String {
    match stopped {
        Stopped::Trouble(trouble) => trouble.failure.message,
        other => panic!("{other:?}"),
    }
}

fn refused(project: &str, user: &str) -> String {
    let layers = Layers::of(Environment::default(), project, user);
    message(
        layers
            .and_then(|layers| {
                StateFolder::resolve(&layers).ok();
                ResearchSettings::resolve(&layers, ResearchFlags::default())
            })
            .unwrap_err(),
    )
}

#[test]
fn flags_beat_environment_beats_project_beats_user_beats_default() {
    let user = "[research]\nmax_queries = 2\nmodel = \"user\"\ntimeout = 20\nbudget = [\"50k\", \"$0.50\"]";
    let project = "[research]\nmax_queries = 3\nmodel = \"project\"\nsources = [\"docs\"]";
    let environment = Environment::of([("GEMICRO_MAX_QUERIES", "4"), ("HOME", "/h")]);
    let layers = Layers::of(environment, project, user).unwrap();
    let flags = ResearchFlags {
        offline: Some(true),
        ..ResearchFlags::default()
    };
    let settings = ResearchSettings::resolve(&layers, flags).unwrap();
    let rows: Vec<String> = settings
        .rows()
        .iter()
        .map(|(key, value, origin)| format!("{key} = {value} ({origin})"))
        .collect();
    assert_eq!(
        rows,
        [
            "research.sources = /project/docs (project file /project/gemicro.toml)",
            "research.offline = true (flag --offline)",
            "research.max_queries = 4 (environment GEMICRO_MAX_QUERIES)",
            "research.timeout = 20s (user file /user/config.toml)",
            "research.max_duration = unlimited (default)",
            "research.budget = 50k,$0.50 (user file /user/config.toml)",
            "research.model = project (project file /project/gemicro.toml)",
        ]
    );
    assert_eq!(
        StateFolder::resolve(&layers).unwrap().home.origin,
        Origin::Default
    );
}

#[test]
fn unknown_keys_warn_with_the_nearest_known_one() {
    let layers = Layers::of(
        Environment::default(),
        "[research]\nmax_querys = 3\nzebra = 1",
        "top = 1",
    )
    .unwrap();
    assert_eq!(
        layers.warnings(),
        [
            "/project/gemicro.toml: unknown key `research.max_querys`; did you mean `research.max_queries`?",
            "/project/gemicro.toml: unknown key `research.zebra`",
            "/user/config.toml: unknown key `top`",
        ]
    );
}

#[test]
fn secrets_in_files_are_refused_by_name_and_by_shape() {
    for project in [
        "api_key = \"x\"",
        "[research]\nGEMINI_API_KEY = \"x\"",
        "[research]\nmodel = \"AIzaSyA0123456789abcdefghijklmnopqrstuv\"",
    ] {
        let message = refused(project, "");
        assert!(message.contains("looks like a secret"), "{message}");
        assert!(!message.contains("AIza"), "{message}");
    }
}

#[test]
fn wrong_values_name_their_place() {
    assert_eq!(
        refused("[research]\nmax_queries = 0", ""),
        "project file /project/gemicro.toml, research.max_queries: `0` is not a number from 1 to 100"
    );
    assert!(refused("[research\n", "").starts_with("/project/gemicro.toml line 1: "));
    assert!(refused("[research]\nsources = [\"../..\"]", "").contains("lies outside the project"));
    assert!(refused("[research]\nsources = [\"/etc\"]", "").contains("lies outside the project"));
}

#[test]
fn a_project_cannot_move_the_state_folder() {
    let layers = Layers::of(Environment::default(), "[state]\nhome = \"x\"", "").unwrap();
    assert!(
        message(StateFolder::resolve(&layers).unwrap_err()).contains("may not say where your runs are kept")
    );
}

#[test]
fn the_state_folder_follows_the_platform() {
    for (environment, expected) in [
        (Environment::of([("GEMICRO_HOME", "/x"), ("HOME", "/h")]), "/x"),
        (
            Environment::of([("XDG_DATA_HOME", "/d"), ("HOME", "/h")]),
            "/d/gemicro",
        ),
        (
            Environment::of([("XDG_DATA_HOME", "relative"), ("HOME", "/h")]),
            "/h/.local/share/gemicro",
        ),
    ] {
        let layers = Layers::of(environment, "", "").unwrap();
        if cfg!(target_os = "linux") {
            assert_eq!(
                StateFolder::resolve(&layers)
                    .unwrap()
                    .home
                    .value
                    .display()
                    .to_string(),
                expected
            );
        }
    }
    let layers = Layers::of(Environment::default(), "", "").unwrap();
    assert!(StateFolder::resolve(&layers).is_err());
}
