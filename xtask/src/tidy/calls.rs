//! Checks calls and attributes that only some crates or files may use.
//!
//! Tests, benches, examples and build scripts are exempt, unless a rule includes them.

use super::file_place::{self, FilePlace, FilePurpose};
use super::offence::Offence;
use super::rust_code::{CodeLine, RustCode, has_word};
use crate::repository::SourceFile;

/// Outer crates that talk to the user or the network.
const EDGES: &[&str] = &["gemicro-cli", "gemicro-http", "gemicro-mcp", "xtask"];
/// The only crates that read the environment.
const ENVIRONMENT: &[&str] = &["gemicro-cli", "xtask"];
/// Crates that must not use files, processes or sockets.
const PURE: &[&str] = &["gemicro-core", "gemicro-event"];
/// The name of files that may start processes.
const SPAWNER: &str = "spawn.rs";
/// The only file that starts git: it requires a repository that no agent can write.
const GIT: &str = "crates/gemicro-guard/src/repository/git.rs";

const OUTPUT_CALLS: &[&str] = &[
    "println!",
    "eprintln!",
    "print!",
    "eprint!",
    "io::stdout",
    "io::stderr",
];
const ENVIRONMENT_CALLS: &[&str] = &[
    "env::var",
    "env::vars",
    "env::var_os",
    "env::vars_os",
    "env::home_dir",
];
const STUBS: &[&str] = &["todo!", "unimplemented!"];
const OUTSIDE: &[&str] = &["process", "fs", "env", "net"];

/// Checks one Rust file.
pub(crate) fn check(file: &SourceFile) -> Vec<Offence> {
    let place = file_place::of(&file.path);
    if place.package.is_empty() {
        return Vec::new();
    }
    let code = RustCode::new(&file.text);
    let names_processes = has_word(&code.text(), "process");
    let mut offences = Vec::new();
    for line in code.lines() {
        let mut add = |message: String| offences.push(Offence::new(&file.path, line.number, message));
        for stub in STUBS.iter().filter(|stub| has_word(&line.code, stub)) {
            add(format!("`{stub}` is not an implementation"));
        }
        if place.purpose == FilePurpose::Product && !line.in_test {
            product_line(&place, &line, names_processes && file.path != GIT)
                .into_iter()
                .for_each(add);
        }
    }
    offences.extend(bare_allows(file, &code.text()));
    if PURE.contains(&place.package) && place.purpose == FilePurpose::Product {
        offences.extend(outside_modules(file, &code));
    }
    offences
}

fn product_line(place: &FilePlace<'_>, line: &CodeLine, names_processes: bool) -> Vec<String> {
    let mut messages = Vec::new();
    if place.package != "xtask" && line.code.contains(".unwrap()") {
        messages.push("`.unwrap()`: return an error, or `expect` with the invariant".to_owned());
    }
    if !EDGES.contains(&place.package) {
        for call in OUTPUT_CALLS.iter().filter(|call| has_word(&line.code, call)) {
            messages.push(format!("`{call}`: only the edges write to stdout and stderr"));
        }
    }
    if !ENVIRONMENT.contains(&place.package) {
        for call in ENVIRONMENT_CALLS.iter().filter(|call| has_word(&line.code, call)) {
            messages.push(format!(
                "`{call}`: only gemicro-cli reads the environment; pass the value in"
            ));
        }
    }
    let starts_process =
        names_processes && has_word(&line.code, "Command::new") && !line.code.contains("clap::Command::new");
    if starts_process && place.package != "xtask" && place.file_name != SPAWNER {
        messages.push(format!(
            "`Command::new`: processes start only in `{SPAWNER}`, git only in {GIT}"
        ));
    }
    messages
}

/// `#[allow(…)]` without a reason.
fn bare_allows(file: &SourceFile, code: &str) -> Vec<Offence> {
    let mut offences = Vec::new();
    for opening in ["#[allow(", "#![allow("] {
        for (start, _) in code.match_indices(opening) {
            let attribute = code[start..].split(']').next().unwrap_or_default();
            if !has_word(attribute, "reason") {
                let line = code[..start].matches('\n').count() + 1;
                offences.push(Offence::new(
                    &file.path,
                    line,
                    "bare `allow`: use `#[expect(lint, reason = \"…\")]`",
                ));
            }
        }
    }
    offences
}

/// Uses of `std::fs` and similar modules, also inside `use std::{…}`.
fn outside_modules(file: &SourceFile, code: &RustCode) -> Vec<Offence> {
    let mut offences = Vec::new();
    // A group may span several lines; `group` contains its text so far.
    let mut group: Option<String> = None;
    for line in code.lines().filter(|line| !line.in_test) {
        let mut found: Vec<&str> = Vec::new();
        for module in OUTSIDE {
            let direct = ["std", "tokio"]
                .iter()
                .any(|root| has_word(&line.code, &format!("{root}::{module}")));
            if direct {
                found.push(module);
            }
        }
        let opened = ["std::{", "tokio::{"]
            .iter()
            .find_map(|opening| line.code.split_once(opening));
        let part = match (&group, opened) {
            (None, Some((_, rest))) => Some(rest),
            (Some(_), _) => Some(line.code.as_str()),
            (None, None) => None,
        };
        if let Some(part) = part {
            let before = group.take().unwrap_or_default();
            found.extend(group_members(&before, part));
            let text = before + part;
            group = (depth(&text) >= 0).then_some(text);
        }
        offences.extend(found.into_iter().map(|module| {
            let message = format!(
                "`{module}`: {} must not use files, processes, the environment or the network",
                file.path
            );
            Offence::new(&file.path, line.number, message)
        }));
    }
    offences
}

/// Names of [`OUTSIDE`] at the first level of a group; `before` is its earlier lines.
fn group_members(before: &str, part: &str) -> Vec<&'static str> {
    let mut level = depth(before);
    let mut first_level = String::new();
    for c in part.chars() {
        match c {
            '{' => level += 1,
            '}' => level -= 1,
            _ => {}
        }
        match level {
            0 => first_level.push(c),
            ..0 => break,
            _ => {}
        }
    }
    let starts = |module: &&&str| {
        first_level.split(',').any(|member| {
            member
                .trim()
                .split("::")
                .next()
                .is_some_and(|first| first == **module)
        })
    };
    OUTSIDE.iter().filter(starts).copied().collect()
}

/// Open minus closed braces; negative once the group itself is closed.
fn depth(text: &str) -> i32 {
    text.chars().fold(0, |depth, c| match c {
        '{' if depth >= 0 => depth + 1,
        '}' if depth >= 0 => depth - 1,
        _ => depth,
    })
}
