//! Every rule, shown to fail on a bad input and to pass on a good one.

mod arrows;
mod names;

use super::command::check_files;
use super::links;
use super::offence::Offence;
use crate::repository::SourceFile;

/// All rules for files, over one file; a Rust file gets its `//!` unless the text brings one.
fn check_file(path: &str, text: &str) -> Vec<String> {
    let is_rust = path.ends_with(".rs") && !text.starts_with("//!");
    let text = if is_rust {
        format!("//! Doc.\n{text}")
    } else {
        text.to_owned()
    };
    let file = SourceFile {
        path: path.to_owned(),
        text,
    };
    let offences = check_files(&[path.to_owned()], &[file]);
    offences
        .into_iter()
        .map(|offence: Offence| format!("{}: {}", offence.line, offence.message))
        .collect()
}

/// `expected` holds the line (the `//!` is line 1) and a part of the message; empty means tidy.
#[track_caller]
fn check(path: &str, text: &str, expected: &[(usize, &str)]) {
    let found = check_file(path, text);
    assert_eq!(found.len(), expected.len(), "{path}\n{text}\n{found:#?}");
    for (found, (line, part)) in found.iter().zip(expected) {
        assert!(
            found.starts_with(&format!("{line}: ")) && found.contains(part),
            "{found} / {line}: {part}"
        );
    }
}

const CORE: &str = "crates/gemicro-core/src/flow.rs";
const SOURCE: &str = "crates/gemicro-source/src/walk.rs";
const CLI: &str = "crates/gemicro-cli/src/run.rs";

#[test]
fn length() {
    let lines = |n: usize| "//! Doc.\n".to_owned() + &"// x\n".repeat(n - 1);
    for path in [
        CORE,
        "crates/gemicro-core/src/flow/tests.rs",
        "crates/gemicro-core/src/flow_tests.rs",
        "crates/gemicro-core/tests/all.rs",
        "crates/gemicro-core/benches/all.rs",
        "crates/gemicro-core/examples/ask.rs",
    ] {
        check(path, &lines(400), &[]);
        check(path, &lines(401), &[(401, "401 lines, at most 400")]);
    }
}

#[test]
fn module_docs() {
    let bare = |path: &str| {
        let file = SourceFile {
            path: path.to_owned(),
            text: "use std::fmt;\n".to_owned(),
        };
        check_files(&[], &[file]).len()
    };
    assert_eq!(bare(CORE), 1);
    assert_eq!(bare("xtask/src/x.rs"), 1);
    assert_eq!(bare("crates/gemicro-core/tests/x.rs"), 1);
    assert_eq!(bare("fixtures/research-corpus/docs/code/limits.rs"), 0);
}

#[test]
fn maps_hold_no_logic() {
    let map = "crates/gemicro-core/src/flow/mod.rs";
    check(
        map,
        "mod a;\npub use a::B;\npub trait T {\n    fn f(&self) -> [u8; 2];\n}\n",
        &[],
    );
    check(map, "pub(crate) fn f() {}\n", &[(2, "function body")]);
    check(
        map,
        "impl B {\n    pub async fn f(&self) -> u8 {\n        1\n    }\n}\n",
        &[(3, "function body")],
    );
    check(
        "crates/gemicro-core/src/lib.rs",
        "fn f() {}\n",
        &[(2, "function body")],
    );
    check(map, "macro_rules! m {\n    () => { fn f() {} };\n}\n", &[]);
    check(map, "#[cfg(test)]\nmod tests {\n    fn f() {}\n}\n", &[]);
    check(map, "/// fn f() {}\nmod a;\n", &[]);
    check("crates/gemicro-cli/src/main.rs", "fn main() {}\n", &[]);
    check(CORE, "fn f() {}\n", &[]);
}

#[test]
fn output_only_at_the_edges() {
    for call in [
        "println!()",
        "eprintln!()",
        "print!()",
        "eprint!()",
        "std::io::stdout()",
        "io::stderr()",
    ] {
        check(
            SOURCE,
            &format!("fn f() {{ {call}; }}\n"),
            &[(2, "only the edges write")],
        );
        check(CLI, &format!("fn f() {{ {call}; }}\n"), &[]);
        check("xtask/src/x.rs", &format!("fn f() {{ {call}; }}\n"), &[]);
        check(
            "crates/gemicro-source/benches/index.rs",
            &format!("fn f() {{ {call}; }}\n"),
            &[],
        );
        check(
            "crates/gemicro-source/examples/ask.rs",
            &format!("fn f() {{ {call}; }}\n"),
            &[],
        );
        check(
            SOURCE,
            &format!("#[cfg(test)]\nmod tests {{\n    fn f() {{ {call}; }}\n}}\n"),
            &[],
        );
    }
    check(
        SOURCE,
        "fn f() { g(\"println!()\"); } // println!()\n/* eprintln!() /* x */ print!() */\n",
        &[],
    );
    check(
        SOURCE,
        "fn f() { g(r#\"a\" println!()\"#, '\"', b'\\''); println!() }\n",
        &[(2, "println!")],
    );
}

#[test]
fn environment_only_in_the_cli() {
    for call in [
        "std::env::var(k)",
        "env::var_os(k)",
        "env::vars()",
        "std::env::home_dir()",
    ] {
        check(
            SOURCE,
            &format!("fn f() {{ {call}; }}\n"),
            &[(2, "only gemicro-cli reads the environment")],
        );
        check(CLI, &format!("fn f() {{ {call}; }}\n"), &[]);
    }
    check(
        SOURCE,
        "fn f() { g(env!(\"CARGO_PKG_NAME\"), std::env::temp_dir()); }\n",
        &[],
    );
}

#[test]
fn processes_only_in_their_files() {
    let start = "use std::process::Command;\nfn f() { Command::new(x); }\n";
    check(SOURCE, start, &[(3, "processes start only in")]);
    check(CLI, start, &[(3, "processes start only in")]);
    check(
        SOURCE,
        "fn f() { tokio::process::Command::new(x); }\n",
        &[(2, "processes start only in")],
    );
    check("crates/gemicro-runner/src/spawn.rs", start, &[]);
    check("crates/gemicro-guard/src/repository/git.rs", start, &[]);
    check("crates/gemicro-guard/src/git.rs", start, &[(3, "git only in")]);
    check("crates/gemicro-engine/src/git.rs", start, &[(3, "git only in")]);
    check("crates/gemicro-cli/tests/kill.rs", start, &[]);
    check("xtask/src/x.rs", start, &[]);
    check(CLI, "use clap::Command;\nfn f() { Command::new(x); }\n", &[]);
    check(
        CLI,
        "use std::process::ExitCode;\nfn f() { clap::Command::new(x); }\n",
        &[],
    );
}

#[test]
fn core_and_event_know_no_system() {
    for path in [CORE, "crates/gemicro-event/src/id.rs"] {
        for module in ["process", "fs", "env", "net"] {
            check(path, &format!("use std::{module};\n"), &[(2, module)]);
            check(
                path,
                &format!("fn f() {{ std::{module}::g(); }}\n"),
                &[(2, module)],
            );
            check(
                path,
                &format!("use std::{{fmt, {module}::g, sync::Arc}};\n"),
                &[(2, module)],
            );
            check(
                path,
                &format!("use std::{{\n    fmt,\n    {module},\n}};\n"),
                &[(4, module)],
            );
            check(
                path,
                &format!("#[cfg(test)]\nmod tests {{\n    use std::{module};\n}}\n"),
                &[],
            );
        }
        check(
            path,
            "use std::{fmt, sync::{Arc, env}};\nuse crate::{fs, net};\n",
            &[],
        );
        check(path, "/// See `std::fs`.\nuse std::fmt;\n", &[]);
    }
    check(SOURCE, "use std::{fs, net};\n", &[]);
    check("crates/gemicro-core/tests/all.rs", "use std::fs;\n", &[]);
}

#[test]
fn stubs_unwraps_and_bare_allows() {
    check(SOURCE, "fn f() { todo!() }\n", &[(2, "todo!")]);
    check(
        "crates/gemicro-source/tests/a.rs",
        "fn f() { unimplemented!() }\n",
        &[(2, "unimplemented!")],
    );
    check(SOURCE, "fn f() { x.unwrap(); }\n", &[(2, "`.unwrap()`")]);
    check(SOURCE, "fn f() { x.unwrap_or(1); x.expect(\"is set\"); }\n", &[]);
    check(SOURCE, "#[test]\nfn f() {\n    x.unwrap();\n}\n", &[]);
    check(
        SOURCE,
        "#[cfg(not(test))]\nfn f() { x.unwrap(); }\n",
        &[(3, "`.unwrap()`")],
    );
    check(
        SOURCE,
        "#[cfg(any(test, feature = \"testing\"))]\nfn f() { x.unwrap(); }\nfn g() { x.unwrap(); }\n",
        &[(4, "`.unwrap()`")],
    );
    check(
        SOURCE,
        "#[cfg(test)]\nmod tests;\nfn f() { x.unwrap(); }\n",
        &[(4, "`.unwrap()`")],
    );
    check(SOURCE, "#[allow(dead_code)]\nfn f() {}\n", &[(2, "bare `allow`")]);
    check(
        "crates/gemicro-core/src/lib.rs",
        "#![allow(dead_code)]\n",
        &[(2, "bare `allow`")],
    );
    check(
        SOURCE,
        "#[allow(dead_code, reason = \"x\")]\nfn f<'a>(x: &'a str) {}\n",
        &[],
    );
    check(SOURCE, "#[expect(dead_code, reason = \"x\")]\nfn f() {}\n", &[]);
}

#[test]
fn machine_paths_and_registries() {
    for folder in ["work", "root", "home"] {
        check(
            "README.md",
            &format!("See `/{folder}/x`.\n"),
            &[(1, "a path of one machine")],
        );
        check(
            "a.json",
            &format!("\"path\": \"/{folder}/x\"\n"),
            &[(1, "a path of one machine")],
        );
        check(
            "README.md",
            &format!("See docs/{folder}/x and https://example.com/{folder}/x.\n"),
            &[],
        );
        check("Cargo.lock", &format!("/{folder}/x\n"), &[]);
    }
    for host in [
        "registry.+npmjs.org",
        "static.+crates.io",
        "pypi.org/+simple",
        "index = \"+https://x",
    ] {
        check("a.toml", &host.replace('+', ""), &[(1, "registries are")]);
    }
    check("README.md", "See https://crates.io/crates/gemicro.\n", &[]);
}

#[test]
fn trailing_white_space() {
    check("docs/a.md", "a \nb\n", &[(1, "white space")]);
    check(SOURCE, "fn f() {}\t\n", &[(2, "white space")]);
    check("a.toml", "a\r\n", &[(1, "white space")]);
    check("fixtures/research-corpus/docs/a.txt", "a \n", &[]);
    check("crates/gemicro-cli/tests/golden/show.txt", "a \n", &[]);
}

#[test]
fn markdown_links() {
    let paths = ["README.md", "docs/guide.md", "docs/images/a.png"].map(str::to_owned);
    let broken = |path: &str, text: &str| {
        let file = SourceFile {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        links::check(&file, &paths)
            .into_iter()
            .map(|offence| offence.to_string())
            .collect::<Vec<_>>()
    };
    let good = "[a](docs/guide.md#x) [b](https://example.com) [c](#here) [d](docs/) ![e](./docs/images/a.png \"t\")\n\
                [f]: docs/guide.md\n`[code](none.md)`\n```\n[fence](none.md)\n```\n";
    assert_eq!(broken("README.md", good), Vec::<String>::new());
    assert_eq!(
        broken("docs/guide.md", "[a](../README.md) [b](images/a.png)"),
        Vec::<String>::new()
    );
    assert_eq!(
        broken("README.md", "x\n[a](none.md)"),
        ["README.md:2: broken link: none.md"]
    );
    assert_eq!(broken("docs/guide.md", "[a](docs/guide.md)").len(), 1);
    assert_eq!(broken("README.md", "[a](../outside.md)").len(), 1);
    assert_eq!(broken("README.md", "[a]: none.md").len(), 1);
}
