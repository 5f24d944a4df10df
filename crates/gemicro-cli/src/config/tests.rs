//! Tests of the settings: which layer wins, and what is refused.

use super::{
    CoverageSettings, Endpoints, ForgeSettings, Layers, ResearchFlags, ResearchSettings, SettingOrigin,
    StateFolder,
};
use gemicro_core::budget::Limits;
use gemicro_engine::pipeline::forge::{ForgeKind, recognise};

use crate::command_error::CommandError;
use crate::environment::Environment;

fn message(stopped: CommandError) -> String {
    match stopped {
        CommandError::Report(report) => report.failure.message,
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
        .filter(|(_, _, origin)| *origin != SettingOrigin::Default)
        .map(|(key, value, origin)| format!("{key} = {value} ({origin})"))
        .collect();
    assert_eq!(
        rows,
        [
            "research.sources = /project/docs (project file /project/gemicro.toml)",
            "research.offline = true (flag --offline)",
            "research.model = project (project file /project/gemicro.toml)",
            "research.max_queries = 4 (environment GEMICRO_MAX_QUERIES)",
            "research.timeout = 20s (user file /user/config.toml)",
            "research.budget = 50k,$0.50 (user file /user/config.toml)",
        ]
    );
    assert_eq!(settings.max_duration.value, Limits::NONE);
    assert_eq!(
        StateFolder::resolve(&layers).unwrap().home.origin,
        SettingOrigin::Default
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
    assert!(refused("[research]\nsources = [\"../..\"]", "").contains("is outside the project"));
    assert!(refused("[research]\nsources = [\"/etc\"]", "").contains("is outside the project"));
}

#[test]
fn a_project_cannot_move_the_state_folder() {
    let layers = Layers::of(Environment::default(), "[state]\nhome = \"x\"", "").unwrap();
    assert!(
        message(StateFolder::resolve(&layers).unwrap_err())
            .contains("cannot choose where your runs are stored")
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

#[test]
fn a_project_cannot_say_where_keys_go_or_open_private_addresses() {
    let environment = || Environment::of([("HOME", "/h")]);
    for project in [
        "[gemini]\nbase_url = \"https://evil.example\"",
        "[openai]\nbase_url = \"https://evil.example\"",
    ] {
        let layers = Layers::of(environment(), project, "").unwrap();
        let refused = Endpoints::resolve(&layers).expect_err("refused");
        assert!(message(refused).contains("where your key is sent"), "{project}");
        let layers = Layers::of(environment(), "", project).unwrap();
        assert!(Endpoints::resolve(&layers).is_ok(), "the user may: {project}");
    }
    for project in [
        "[research]\nallow_hosts = [\"127.0.0.1\"]",
        "[research]\nsources = [\"https://evil.example/?q=1\"]",
    ] {
        let layers = Layers::of(environment(), project, "").unwrap();
        assert!(
            ResearchSettings::resolve(&layers, ResearchFlags::default()).is_err(),
            "{project}"
        );
    }
}

#[test]
fn unknown_backends_are_refused_with_those_there_are() {
    let layers = Layers::of(Environment::of([("GEMICRO_BACKEND", "gpt")]), "", "").unwrap();
    let refused = ResearchSettings::resolve(&layers, ResearchFlags::default()).expect_err("refused");
    assert!(
        message(refused)
            .contains("use one of gemini, openai, deep-research, gemini-cli, claude, codex, offline")
    );
}

#[test]
fn reports_of_coverage_lie_inside_the_project() {
    let project = "[coverage]\nreports = [\"build/unit.info\", \"coverage.xml\"]";
    let layers = Layers::of(Environment::default(), project, "").unwrap();
    assert_eq!(layers.warnings(), Vec::<String>::new());
    let settings = CoverageSettings::resolve(&layers).unwrap();
    assert_eq!(settings.reports.value, ["build/unit.info", "coverage.xml"]);
    assert_eq!(settings.rows()[0].1, "build/unit.info, coverage.xml");
    let environment = Environment::of([("GEMICRO_COVERAGE_REPORTS", "a.info, b.info")]);
    let layers = Layers::of(environment, project, "").unwrap();
    let settings = CoverageSettings::resolve(&layers).unwrap();
    assert_eq!(settings.reports.value, ["a.info", "b.info"]);
    for (report, expected) in [
        ("../x.info", "`../x.info` is not a path inside the project"),
        ("/etc/passwd", "`/etc/passwd` is not a path inside the project"),
        ("", "the name of a report is empty"),
    ] {
        let layers = Layers::of(
            Environment::default(),
            &format!("[coverage]\nreports = [\"{report}\"]"),
            "",
        );
        let refused = CoverageSettings::resolve(&layers.unwrap()).expect_err("refused");
        assert!(message(refused).contains(expected), "{report}");
    }
}

#[test]
fn forges_are_named_by_the_user_alone() {
    let hosts =
        "[forge.hosts.\"git.example.com\"]\nkind = \"gitlab\"\napi = \"https://git.example.com/api/v4\"\n";
    let environment = Environment::of([("GH_TOKEN", " ghp_one \n"), ("GITLAB_TOKEN", "")]);
    let layers = Layers::of(environment.clone(), "", hosts).unwrap();
    let settings = ForgeSettings::resolve(&layers).unwrap();
    let (key, shown, origin) = settings.rows().remove(0);
    assert_eq!((key, shown.as_str()), ("forge.hosts", "git.example.com (GitLab)"));
    assert_eq!(origin.to_string(), "user file /user/config.toml");
    assert_eq!(layers.warnings(), Vec::<String>::new());
    let forges = settings.forges(&environment);
    assert_eq!(Vec::from_iter(forges.tokens.keys().copied()), [ForgeKind::GitHub]);
    let address = recognise("https://git.example.com/group/app.git", &forges.hosts).unwrap();
    assert_eq!(
        (address.kind(), address.project()),
        (ForgeKind::GitLab, "group/app")
    );
    let refused = |project: &str, user: &str| {
        let layers = Layers::of(Environment::default(), project, user).unwrap();
        message(ForgeSettings::resolve(&layers).unwrap_err())
    };
    assert!(refused(hosts, "").contains("a project cannot choose where your tokens are sent"));
    assert!(refused("", "[forge.hosts.\"a/b\"]\nkind = \"gitlab\"").contains("not the name of a host"));
    assert!(refused("", "[forge.hosts.x]\nkind = \"subversion\"").contains("subversion"));
    assert!(refused("", "[forge]\nhost = 1").contains("host"));
    assert!(
        refused("", "[forge.hosts.x]\nkind = \"github\"\napi = \"ftp://x\"")
            .contains("is not an http or https URL")
    );
}

#[test]
fn tokens_of_forges_are_secrets_that_no_agent_gets() {
    let environment = Environment::of([
        ("GITHUB_TOKEN", "ghp_one"),
        ("GH_TOKEN", "ghp_two"),
        ("GITLAB_TOKEN", " glpat-three\n"),
        ("PATH", "/bin"),
    ]);
    assert_eq!(environment.secrets(), ["ghp_one", "ghp_two", "glpat-three"]);
    assert_eq!(Vec::from_iter(environment.for_agents().into_keys()), ["PATH"]);
    assert_eq!(environment.forge_token(ForgeKind::GitHub), Some("ghp_one"));
    let second = Environment::of([("GITHUB_TOKEN", ""), ("GH_TOKEN", "ghp_two")]);
    assert_eq!(second.forge_token(ForgeKind::GitHub), Some("ghp_two"));
}
