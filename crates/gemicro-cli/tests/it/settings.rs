//! Help, settings, doctor and the small commands.

use std::fmt::Write as _;
use std::fs;

use serde_json::{Map, Value};

use crate::golden;
use crate::program::World;

#[test]
fn the_version_touches_nothing() {
    let world = World::new();
    let called = world.must(&["--version"]);
    assert_eq!(
        called.stdout,
        concat!("gemicro ", env!("CARGO_PKG_VERSION"), "\n")
    );
    assert!(!world.path("home").exists());
}

#[test]
fn help_shows_defaults_examples_and_exit_codes() {
    let world = World::new();
    golden!("help", world.screen(&world.must(&["--help"])));
}

#[test]
fn usage_errors_exit_with_2() {
    let world = World::new();
    for arguments in [
        &["runs", "--no-such"][..],
        &["show"],
        &["research", "--max-queries", "0", "x"],
        &["research", "--budget", "much", "x"],
        &["rnus"],
    ] {
        let called = world.call(arguments);
        assert_eq!((called.code, called.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(
            called.stderr.starts_with("error: "),
            "{arguments:?}: {}",
            called.stderr
        );
    }
    let none = world.call(&[]);
    assert_eq!(none.code, 2);
    assert!(none.stderr.contains("Usage:"), "{}", none.stderr);
}

#[test]
fn no_key_names_both_ways_on() {
    let world = World::new();
    golden!("no_key", world.screen(&world.call(&["Why is the sky blue?"])));
    let json = world.call(&["Why is the sky blue?", "--format", "json"]);
    let object: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(object["error_kind"], "auth_failed");
    assert_eq!(object["run"], Value::Null);
}

#[test]
fn a_key_alone_is_not_enough_yet_and_is_never_printed() {
    let world = World::new();
    let mut command = world.command(&["Why is the sky blue?"]);
    let called = world.finish(
        command
            .env("GOOGLE_API_KEY", "very-secret-key-0123456789")
            .output()
            .unwrap(),
    );
    golden!("key_but_no_backend", world.screen(&called));
    for arguments in [&["doctor"][..], &["config", "show"]] {
        let mut command = world.command(arguments);
        let called = world.finish(
            command
                .env("GEMINI_API_KEY", "very-secret-key-0123456789")
                .output()
                .unwrap(),
        );
        assert!(called.stdout.contains("GEMINI_API_KEY"), "{}", called.stdout);
        assert!(!format!("{}{}", called.stdout, called.stderr).contains("very-secret"));
    }
}

#[test]
fn config_show_names_every_origin() {
    let world = World::new();
    fs::create_dir_all(world.path("user/.config/gemicro")).unwrap();
    fs::write(
        world.path("user/.config/gemicro/config.toml"),
        "[research]\nmodel = \"other-model\"\n",
    )
    .unwrap();
    fs::write(
        world.path("gemicro.toml"),
        "[research]\nsources = [\"docs\"]\nmax_querys = 3\n",
    )
    .unwrap();
    let mut command = world.command(&["config", "show"]);
    let called = world.finish(command.env("GEMICRO_TIMEOUT", "30").output().unwrap());
    golden!("config_show", world.screen(&called));
    let json: Value =
        serde_json::from_str(&world.must(&["config", "show", "--format", "json"]).stdout).unwrap();
    assert_eq!(json[0]["key"], "state.home");
}

#[test]
fn project_settings_are_found_from_a_folder_below_up_to_git() {
    let world = World::new();
    fs::write(
        world.path("gemicro.toml"),
        "[research]\noffline = true\nsources = [\"docs\"]\n",
    )
    .unwrap();
    fs::create_dir_all(world.path("below/deep")).unwrap();
    let ask = |folder: &str| {
        let mut command = world.command(&["How high is the Port Amsel lighthouse?", "--format", "markdown"]);
        world.finish(command.current_dir(world.path(folder)).output().unwrap())
    };
    assert!(ask("below/deep").stdout.contains("31 metres"));
    fs::create_dir(world.path("below/.git")).unwrap();
    assert_eq!(ask("below/deep").code, 3);
}

#[test]
fn a_secret_in_a_file_is_refused() {
    let world = World::new();
    fs::write(
        world.path("gemicro.toml"),
        "[research]\napi_key = \"very-secret-key-0123456789\"\n",
    )
    .unwrap();
    let called = world.call(&["config", "show"]);
    golden!("secret_in_file", world.screen(&called));
}

/// Event types, their fields and the names of the types in them. Flags are in the golden help pages, config keys in
/// `config_show`, exit codes in `messages`.
#[test]
fn event_types_and_their_fields_stay() {
    let world = World::new();
    let schemas: Map<String, Value> = serde_json::from_str(&world.must(&["schema"]).stdout).unwrap();
    let mut page = String::new();
    for (event_type, schema) in &schemas {
        writeln!(page, "{event_type}: {}", fields(schema)).unwrap();
        for (name, part) in schema["$defs"].as_object().into_iter().flatten() {
            writeln!(page, "  {name}: {}", fields(part)).unwrap();
        }
    }
    golden!("event_fields", page);
}

/// Names of fields and of values, in the order of the schema.
fn fields(schema: &Value) -> String {
    let mut names: Vec<String> = Vec::new();
    let properties = schema["properties"].as_object();
    names.extend(properties.into_iter().flat_map(|all| all.keys().cloned()));
    let values = schema["enum"]
        .as_array()
        .into_iter()
        .flatten()
        .chain(schema.get("const"));
    names.extend(values.map(Value::to_string));
    for variants in ["oneOf", "anyOf"] {
        let variants = schema[variants].as_array().into_iter().flatten();
        names.extend(variants.map(|variant| format!("[{}]", fields(variant))));
    }
    names.join(", ")
}

#[test]
fn small_commands_print_something_useful() {
    let world = World::new();
    let schemas: Value = serde_json::from_str(&world.must(&["schema"]).stdout).unwrap();
    assert!(schemas["final_result"]["properties"]["answer"].is_object());
    for shell in ["bash", "zsh", "fish"] {
        assert!(world.must(&["completions", shell]).stdout.contains("gemicro"));
    }
    assert!(world.must(&["man"]).stdout.contains(".TH gemicro"));
    assert!(world.must(&["man", "research"]).stdout.contains("max\\-queries"));
    assert_eq!(world.call(&["man", "nothing"]).code, 2);
}

#[test]
fn a_projects_source_is_not_followed_out_of_the_project() {
    let world = World::new();
    fs::create_dir_all(world.path("outside/deep")).unwrap();
    fs::write(world.path("outside/deep/notes.md"), "The vault code is 4711.\n").unwrap();
    let project = world.path("project");
    fs::create_dir_all(project.join("docs")).unwrap();
    fs::write(project.join("docs/notes.md"), "The gate code is 1234.\n").unwrap();
    std::os::unix::fs::symlink("docs", project.join("inside")).unwrap();
    std::os::unix::fs::symlink("../outside", project.join("folder")).unwrap();
    std::os::unix::fs::symlink("../outside/deep/notes.md", project.join("file.md")).unwrap();
    std::os::unix::fs::symlink("../not-yet", project.join("dangling")).unwrap();
    let research = |source: &str, arguments: &[&str]| {
        let settings = format!("[research]\noffline = true\nsources = [\"{source}\"]\n");
        fs::write(project.join("gemicro.toml"), settings).unwrap();
        let all = [&["research"], arguments, &["What is the code?"]].concat();
        let output = world.command(&all).current_dir(&project).output().unwrap();
        world.finish(output)
    };
    for source in ["folder", "folder/deep", "file.md", "dangling"] {
        let called = research(source, &[]);
        assert_eq!((called.code, called.stdout.as_str()), (2, ""), "{source}");
        let expected = format!("`{source}` is outside the project; use --source instead");
        assert!(called.stderr.contains(&expected), "{}", called.stderr);
    }
    assert!(research("inside", &[]).stdout.contains("1234"));
    let named = research("docs", &["--source", "folder"]);
    assert!(named.stdout.contains("4711"), "{}{}", named.stdout, named.stderr);
}
