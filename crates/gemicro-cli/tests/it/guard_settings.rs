//! The policy of `gemicro guard`: the user may loosen it, a repository may not.

use std::fs;

use crate::golden;
use crate::guard::{ask, ask_as, assert_fault, decision, neutral, parsed, world};
use crate::program::World;

fn write_settings(world: &World, text: &str) {
    fs::create_dir_all(world.path("user/.config/gemicro")).unwrap();
    fs::write(world.path("user/.config/gemicro/config.toml"), text).unwrap();
}

#[test]
fn settings_that_cannot_be_used_deny_everything() {
    let world = world();
    let fine = neutral(&world, "ls").to_string();
    for text in [
        "[guard",
        "guard = 1",
        "[guard]\nallow_ammend = true",
        "[guard]\ntools = \"x\"",
        "[guard]\ntools = [\"\"]",
        "[guard]\nwritable = [\"cache\"]",
        "[guard]\nsettings_file = \"/x\"",
        "[research]\napi_key = \"x\"",
    ] {
        write_settings(&world, text);
        assert_fault(&ask(&world, &[], fine.as_bytes()), text);
        let lines = ask(&world, &["--jsonl"], format!("{fine}\n{fine}").as_bytes());
        assert_eq!((lines.code, lines.stdout.lines().count()), (2, 2), "{text}");
        assert_eq!(world.call(&["guard", "explain", "ls"]).code, 2, "{text}");
    }
    fs::remove_file(world.path("user/.config/gemicro/config.toml")).unwrap();
    fs::create_dir(world.path("user/.config/gemicro/config.toml")).unwrap();
    assert_fault(&ask(&world, &[], fine.as_bytes()), "a folder in its place");
}

#[test]
fn the_user_may_loosen_the_rules() {
    let world = world();
    let writes = format!(
        "[guard]\ngit_subcommands = [\"revert\"]\nallow_amend = true\ntools = [\"mcp__docs\"]\nplain_programs = [\"mytool\"]\nwritable = [{:?}]\n",
        world.path("cache")
    );
    let lines = [
        "git revert HEAD",
        "git commit --amend",
        "mytool git",
        &format!("echo x > {}", world.path("cache/x").display()),
    ];
    for line in lines {
        assert_eq!(decision(&world, &[], line), "deny", "{line}");
    }
    write_settings(&world, &writes);
    for line in lines {
        assert_eq!(decision(&world, &[], line), "allow", "{line}");
    }
    assert_eq!(decision(&world, &[], "git push"), "deny");
    // Another file in place of the user's.
    fs::write(world.path("strict.toml"), "[guard]\nallow_amend = true\n").unwrap();
    let strict = world.path("strict.toml").display().to_string();
    let arguments = ["--settings", strict.as_str()];
    assert_eq!(decision(&world, &arguments, "git revert HEAD"), "deny");
    assert_eq!(decision(&world, &arguments, "git commit --amend"), "allow");
}

#[test]
fn the_repository_may_not() {
    let world = world();
    let loose = "[guard]\ngit_subcommands = [\"push\"]\nallow_amend = true\n";
    for folder in [".gemicro", ".config/gemicro"] {
        fs::create_dir_all(world.path("task/wt").join(folder)).unwrap();
    }
    for name in [
        "gemicro.toml",
        ".gemicro.toml",
        "config.toml",
        ".gemicro/config.toml",
        ".config/gemicro/config.toml",
    ] {
        fs::write(world.path("task/wt").join(name), loose).unwrap();
    }
    let push = neutral(&world, "git push").to_string();
    let with_variables = ask_as(&world, &[], push.as_bytes(), |command| {
        command
            .env("GEMICRO_GUARD_GIT_SUBCOMMANDS", "push")
            .env("GEMICRO_GIT_SUBCOMMANDS", "push")
            .env("GEMICRO_CONFIG", world.path("task/wt/gemicro.toml"))
    });
    assert_eq!(parsed(&with_variables.stdout)["rule"], "git_subcommand");
    assert_eq!((with_variables.code, with_variables.stderr.as_str()), (0, ""));
    // A file of the user's that the agent could change is nobody's.
    for variable in ["HOME", "XDG_CONFIG_HOME"] {
        let folder = if variable == "HOME" {
            "task/wt"
        } else {
            "task/wt/.config"
        };
        let called = ask_as(&world, &[], push.as_bytes(), |command| {
            command.env(variable, world.path(folder))
        });
        assert_fault(&called, variable);
    }
    let relative = ask_as(&world, &[], push.as_bytes(), |command| {
        command.env("XDG_CONFIG_HOME", ".config")
    });
    assert_eq!(parsed(&relative.stdout)["rule"], "git_subcommand");
    let show = world
        .command(&["config", "show"])
        .current_dir(world.path("task/wt"))
        .output()
        .unwrap();
    golden!("guard_in_project", world.screen(&world.finish(show)));
}
