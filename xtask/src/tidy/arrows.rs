//! Which of our crates may depend on which: arrows point down only.

use super::offence::Offence;
use crate::metadata::{CargoPackage, Metadata};

/// Each crate with the crates it may know. A crate that is not in here has no place yet.
const ARROWS: &[(&str, &[&str])] = &[
    ("gemicro-event", &[]),
    ("gemicro-sim", &["gemicro-event"]),
    ("gemicro-guard", &["gemicro-event"]),
    ("gemicro-core", &["gemicro-event"]),
    ("gemicro-memory", &["gemicro-core", "gemicro-event"]),
    ("gemicro-listener", &[]),
    ("gemicro-client", &[]),
    (
        "gemicro-llm",
        &[
            "gemicro-client",
            "gemicro-listener",
            "gemicro-core",
            "gemicro-event",
        ],
    ),
    (
        "gemicro-source",
        &["gemicro-client", "gemicro-core", "gemicro-event"],
    ),
    ("gemicro-store", &["gemicro-core", "gemicro-event"]),
    (
        "gemicro-notify",
        &["gemicro-client", "gemicro-store", "gemicro-core", "gemicro-event"],
    ),
    (
        "gemicro-runner",
        &["gemicro-guard", "gemicro-core", "gemicro-event"],
    ),
    (
        "gemicro-pipeline",
        &[
            "gemicro-client",
            "gemicro-runner",
            "gemicro-guard",
            "gemicro-memory",
            "gemicro-core",
            "gemicro-event",
        ],
    ),
    (
        "gemicro-merge",
        &["gemicro-pipeline", "gemicro-core", "gemicro-event"],
    ),
    (
        "gemicro-batch",
        &["gemicro-runner", "gemicro-guard", "gemicro-core", "gemicro-event"],
    ),
    (
        "gemicro-agents",
        &[
            "gemicro-llm",
            "gemicro-runner",
            "gemicro-guard",
            "gemicro-pipeline",
            "gemicro-batch",
            "gemicro-core",
            "gemicro-event",
        ],
    ),
    (
        "gemicro-steps",
        &[
            "gemicro-agents",
            "gemicro-runner",
            "gemicro-guard",
            "gemicro-merge",
            "gemicro-pipeline",
            "gemicro-batch",
            "gemicro-source",
            "gemicro-store",
            "gemicro-memory",
            "gemicro-core",
            "gemicro-event",
        ],
    ),
    (
        "gemicro-engine",
        &[
            "gemicro-agents",
            "gemicro-steps",
            "gemicro-llm",
            "gemicro-source",
            "gemicro-runner",
            "gemicro-guard",
            "gemicro-merge",
            "gemicro-pipeline",
            "gemicro-batch",
            "gemicro-notify",
            "gemicro-store",
            "gemicro-memory",
            "gemicro-core",
            "gemicro-event",
        ],
    ),
    (
        "gemicro-recording",
        &["gemicro-store", "gemicro-core", "gemicro-event"],
    ),
    (
        "gemicro-chat",
        &["gemicro-engine", "gemicro-store", "gemicro-core", "gemicro-event"],
    ),
    (
        "gemicro-http",
        &[
            "gemicro-client",
            "gemicro-listener",
            "gemicro-chat",
            "gemicro-engine",
            "gemicro-core",
            "gemicro-event",
        ],
    ),
    (
        "gemicro-mcp",
        &[
            "gemicro-listener",
            "gemicro-engine",
            "gemicro-core",
            "gemicro-event",
        ],
    ),
    (
        "gemicro-cli",
        &[
            "gemicro-client",
            "gemicro-http",
            "gemicro-mcp",
            "gemicro-sim",
            "gemicro-recording",
            "gemicro-chat",
            "gemicro-engine",
            "gemicro-llm",
            "gemicro-source",
            "gemicro-runner",
            "gemicro-guard",
            "gemicro-pipeline",
            "gemicro-batch",
            "gemicro-store",
            "gemicro-memory",
            "gemicro-core",
            "gemicro-event",
        ],
    ),
    ("xtask", &[]),
];

/// Anyone may use it in tests.
const STAND_IN: &str = "gemicro-sim";

/// Checks every dependency of one of our crates on another.
pub(crate) fn check(metadata: &Metadata) -> Vec<Offence> {
    let ours: Vec<&str> = metadata.members().map(|package| package.name.as_str()).collect();
    metadata
        .members()
        .flat_map(|package| check_package(package, &ours))
        .collect()
}

/// The manifest of one of our crates, as a path from the root.
pub(crate) fn manifest(package: &str) -> String {
    match package {
        "xtask" => "xtask/Cargo.toml".to_owned(),
        _ => format!("crates/{package}/Cargo.toml"),
    }
}

fn check_package(package: &CargoPackage, ours: &[&str]) -> Vec<Offence> {
    let path = manifest(&package.name);
    let Some((_, may_know)) = ARROWS.iter().find(|(name, _)| *name == package.name) else {
        let message = format!(
            "{} is not in the table of arrows (xtask/src/tidy/arrows.rs)",
            package.name
        );
        return vec![Offence::new(&path, 1, message)];
    };
    package
        .dependencies
        .iter()
        .filter(|dependency| ours.contains(&dependency.name.as_str()))
        .filter(|dependency| {
            let name = dependency.name.as_str();
            let in_tests = dependency.is_dev() && (name == STAND_IN || name == package.name);
            !may_know.contains(&name) && !in_tests
        })
        .map(|dependency| {
            let message = format!("{} must not depend on {}", package.name, dependency.name);
            Offence::new(&path, 1, message)
        })
        .collect()
}
