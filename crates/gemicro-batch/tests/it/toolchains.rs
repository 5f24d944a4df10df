//! Programs of version managers run in the sandbox in the version that the user has, and secrets beside them stay hidden.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

use gemicro_batch::workshop::{Toolchains, is_toolchain_variable};
use tokio_util::sync::CancellationToken;

use crate::workshop::World;

/// What is in the home: a path, and a script, a text or the target of a link.
enum Entry {
    Script(&'static str, &'static str),
    Text(&'static str, &'static str),
    Link(&'static str, &'static str),
}
use Entry::{Link, Script, Text};

struct Case {
    name: &'static str,
    entries: &'static [Entry],
    /// Folders of the search path; `~` is the home, `%` the folder around it.
    path: &'static [&'static str],
    variables: &'static [(&'static str, &'static str)],
    command: &'static str,
    printed: &'static str,
}

const CASES: &[Case] = &[
    Case {
        name: "pyenv",
        entries: &[
            Script(
                ".pyenv/shims/python3",
                r#"exec "$PYENV_ROOT/versions/$(cat "$PYENV_ROOT/version")/bin/python3""#,
            ),
            Text(".pyenv/version", "3.99"),
            Script(".pyenv/versions/3.99/bin/python3", "echo python 3.99"),
        ],
        path: &["~/.pyenv/shims"],
        variables: &[],
        command: "python3",
        printed: "python 3.99\n",
    },
    Case {
        name: "rbenv in another place",
        entries: &[
            Script("tools/rb/shims/ruby", r#"exec "$RBENV_ROOT/versions/9/bin/ruby""#),
            Script("tools/rb/versions/9/bin/ruby", "echo ruby 9"),
        ],
        path: &["~/tools/rb/shims"],
        variables: &[("RBENV_ROOT", "~/tools/rb")],
        command: "ruby",
        printed: "ruby 9\n",
    },
    Case {
        name: "nvm",
        entries: &[
            Script(
                ".nvm/versions/node/v99/lib/node_modules/npm/bin/npm-cli.js",
                "echo npm 99",
            ),
            Link(
                ".nvm/versions/node/v99/bin/npm",
                "../lib/node_modules/npm/bin/npm-cli.js",
            ),
        ],
        path: &["~/.nvm/versions/node/v99/bin"],
        variables: &[],
        command: "npm",
        printed: "npm 99\n",
    },
    Case {
        name: "asdf with the choice of versions in the home",
        entries: &[
            Script(
                ".asdf/shims/node",
                r#"exec "$ASDF_DATA_DIR/installs/node/$(sed -n 's/node //p' ~/.tool-versions)/bin/node""#,
            ),
            Text(".tool-versions", "direnv 1\nnode 98\n"),
            Script(".asdf/installs/node/98/bin/node", "echo node 98"),
        ],
        path: &["~/.asdf/shims"],
        variables: &[],
        command: "node",
        printed: "node 98\n",
    },
    Case {
        name: "mise",
        entries: &[
            Script(
                ".local/share/mise/shims/go",
                r#"exec "$MISE_DATA_DIR/installs/go/$(sed -n 's/^go = "\(.*\)"/\1/p' ~/.config/mise/config.toml)/bin/go""#,
            ),
            Text(".config/mise/config.toml", "[tools]\ngo = \"97\"\n"),
            Script(".local/share/mise/installs/go/97/bin/go", "echo go 97"),
        ],
        path: &["~/.local/share/mise/shims"],
        variables: &[],
        command: "go",
        printed: "go 97\n",
    },
    Case {
        name: "sdkman with a link to the version",
        entries: &[
            Script(
                ".sdkman/candidates/java/96/bin/java",
                r#"echo java 96; test -x "$JAVA_HOME/bin/java" && echo found"#,
            ),
            Link(".sdkman/candidates/java/current", "96"),
        ],
        path: &["~/.sdkman/candidates/java/current/bin"],
        variables: &[("JAVA_HOME", "~/.sdkman/candidates/java/current")],
        command: "java",
        printed: "java 96\nfound\n",
    },
    Case {
        name: "a Nix profile, which is a link in the home",
        entries: &[
            Script("../store/abc/bin/tool", "echo store tool"),
            Link(".nix-profile", "../store/abc"),
        ],
        path: &["~/.nix-profile/bin"],
        variables: &[],
        command: "tool",
        printed: "store tool\n",
    },
    Case {
        name: "Homebrew",
        entries: &[
            Script(
                "../brew/Cellar/jq/9/bin/jq",
                "cat $(dirname $(readlink -f $0))/../share/x",
            ),
            Text("../brew/Cellar/jq/9/share/x", "jq 9\n"),
            Link("../brew/bin/jq", "../Cellar/jq/9/bin/jq"),
        ],
        path: &["%/brew/bin"],
        variables: &[("HOMEBREW_PREFIX", "%/brew")],
        command: "jq",
        printed: "jq 9\n",
    },
    Case {
        name: "conda, which needs what is beside its programs",
        entries: &[
            Script("miniconda3/bin/python3", "cat $(dirname $0)/../lib/python"),
            Text("miniconda3/lib/python", "conda\n"),
        ],
        path: &["~/miniconda3/bin"],
        variables: &[],
        command: "python3",
        printed: "conda\n",
    },
    Case {
        name: "a link into an installation",
        entries: &[
            Script(
                ".local/share/pipx/venvs/black/bin/black",
                "cat $(dirname $(readlink -f $0))/../lib/black",
            ),
            Text(".local/share/pipx/venvs/black/lib/black", "black\n"),
            Link(".local/bin/black", "../share/pipx/venvs/black/bin/black"),
        ],
        path: &["~/.local/bin"],
        variables: &[],
        command: "black",
        printed: "black\n",
    },
    Case {
        name: "links through links",
        entries: &[
            Script("apps/tool/1.0/bin/tool", "echo tool 1.0"),
            Link("apps/tool/current", "1.0"),
            Link("links/tool", "../apps/tool/current/bin/tool"),
            Link(".local/bin/tool", "../../links/tool"),
        ],
        path: &["~/.local/bin"],
        variables: &[],
        command: "tool",
        printed: "tool 1.0\n",
    },
];

fn place(home: &Path, entry: &Entry) {
    let (Script(path, _) | Text(path, _) | Link(path, _)) = entry;
    let file = home.join(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    match entry {
        Script(_, text) => {
            std::fs::write(&file, format!("#!/bin/sh\n{text}\n")).unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        Text(_, text) => std::fs::write(&file, text).unwrap(),
        Link(_, target) => symlink(target, &file).unwrap(),
    }
}

async fn printed(world: &World, toolchains: &Toolchains, path: &str, command: &str) -> (Option<i32>, String) {
    let mut workshop = world.workshop(toolchains);
    workshop.profile.environment.retain(|(name, _)| name != "PATH");
    workshop
        .profile
        .environment
        .push(("PATH".to_owned(), path.to_owned()));
    let cancel = CancellationToken::new();
    let ran = workshop.run(command, Duration::from_secs(60), &cancel);
    let ran = ran.await.unwrap();
    (ran.exit_code, ran.output)
}

#[tokio::test]
async fn programs_of_version_managers_run_in_their_version() {
    for case in CASES {
        let Some(world) = World::new() else { return };
        let home = world.path("user");
        case.entries.iter().for_each(|entry| place(&home, entry));
        let root = home.parent().unwrap().display().to_string();
        let real = |text: &str| text.replace('~', &home.display().to_string()).replace('%', &root);
        let mut folders: Vec<String> = case.path.iter().map(|folder| real(folder)).collect();
        folders.push("/usr/bin".to_owned());
        let path = folders.join(":");
        let variable = |name: &str| {
            assert!(is_toolchain_variable(name), "{name} is not passed on");
            let found = case.variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| real(value))
        };
        let toolchains = Toolchains::of(&home, &path, variable);
        let result = printed(&world, &toolchains, &path, case.command).await;
        assert_eq!(result, (Some(0), case.printed.to_owned()), "{}", case.name);
        // Still read-only, and nothing else of the home is there.
        let command =
            "for f in ~/key */../../user/key; do cat $f; done 2> /dev/null; echo x > $(command -v COMMAND)"
                .replace("COMMAND", case.command);
        let (code, output) = printed(&world, &toolchains, &path, &command).await;
        assert!(
            code != Some(0) && !output.contains("private"),
            "{}: {output}",
            case.name
        );
    }
}

#[tokio::test]
async fn what_is_beside_programs_stays_hidden_where_it_may_be_secret() {
    let Some(world) = World::new() else { return };
    let home = world.path("user");
    for entry in [
        Script("project/bin/tool", "echo tool"),
        Text("project/lib/code", "code"),
        Text("project/.env", "TOKEN=secret"),
        Script(".ssh/helper", "echo helper"),
        Text(".ssh/id", "secret"),
        Link(".local/bin/helper", "../../.ssh/helper"),
        Text(".local/share/keyrings/login", "secret"),
        Text(".local/lib/x", "x"),
        Text(".config/mise/config.toml", "[env]\nTOKEN = \"secret\"\n"),
        Text(".cargo/credentials.toml", "secret"),
        Script(".cargo/bin/cargo-x", "echo x"),
        Text(".cargo/lib/x", "x"),
        Text("notes", "secret"),
        Link(".local/bin/home", "../.."),
    ] {
        place(&home, &entry);
    }
    let path = ["project/bin", ".local/bin", ".cargo/bin", "", ".."]
        .map(|folder| home.join(folder).display().to_string())
        .join(":");
    let path = format!("{path}:/usr/bin");
    let toolchains = Toolchains::of(&home, &path, |_| None);
    let command = format!("grep -rs secret {} ~ ..; tool", home.display());
    assert_eq!(
        printed(&world, &toolchains, &path, &command).await,
        (Some(0), "tool\n".to_owned())
    );
}

#[tokio::test]
async fn further_folders_are_named_by_the_user() {
    let Some(world) = World::new() else { return };
    world.write("user/specs/a", "a spec\n");
    let folders = [world.path("user/specs"), world.path("user/none")];
    let command = format!("cat {}", world.path("user/specs/a").display());
    let toolchains = Toolchains::default().with(&folders);
    world
        .check_with(&toolchains, &command, (Some(0), "a spec\n"))
        .await;
}
