//! Checks the dependencies of gemicro-core: no HTTP, TLS or SQL crate, and a tokio that cannot access the system.
//!
//! Features are resolved for gemicro-core only; in the whole workspace other crates enable more.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;

use super::arrows;
use super::offence::Offence;
use crate::metadata::Metadata;
use crate::process;

const CORE: &str = "gemicro-core";
const FORBIDDEN_CRATES: &[&str] = &[
    "reqwest",
    "hyper",
    "h2",
    "rustls",
    "native-tls",
    "openssl",
    "sqlx",
    "sqlx-core",
    "rusqlite",
    "libsqlite3-sys",
    "tokio-rustls",
    "axum",
    "socket2",
    "mio",
];
const FORBIDDEN_TOKIO: &[&str] = &["process", "net", "fs", "full"];

/// Asks cargo for core's own tree: one line `name version|feature,feature` per crate, for all
/// platforms and all features but `testing`.
pub(crate) fn load(root: &Path, metadata: &Metadata) -> Result<String> {
    let features: Vec<&str> = metadata
        .members()
        .filter(|package| package.name == CORE)
        .flat_map(|package| package.features.keys())
        .map(String::as_str)
        .filter(|feature| *feature != "testing")
        .collect();
    let mut command = process::cargo(root);
    command.args([
        "tree", "-p", CORE, "-e", "normal", "--target", "all", "--prefix", "none",
    ]);
    command.args(["--no-dedupe", "-f", "{p}|{f}"]);
    if !features.is_empty() {
        command.args(["--features", &features.join(",")]);
    }
    process::output(&mut command)
}

/// Checks the tree that [`load`] returns.
pub(crate) fn check_tree(tree: &str) -> Vec<Offence> {
    let mut messages = BTreeSet::new();
    for line in tree.lines() {
        let (package, features) = line.split_once('|').unwrap_or((line, ""));
        let name = package.split(' ').next().unwrap_or_default();
        if FORBIDDEN_CRATES.contains(&name) {
            messages.insert(format!("{CORE} depends on {package}"));
        }
        if name == "tokio" {
            messages.extend(
                features
                    .split(',')
                    .filter(|feature| FORBIDDEN_TOKIO.contains(feature))
                    .map(|feature| format!("the dependencies of {CORE} enable tokio's `{feature}`")),
            );
        }
    }
    messages
        .into_iter()
        .map(|message| Offence::new(&arrows::manifest(CORE), 1, message))
        .collect()
}

/// Checks the tokio features that core's manifest requests.
pub(crate) fn check_manifest(metadata: &Metadata) -> Vec<Offence> {
    metadata
        .members()
        .filter(|package| package.name == CORE)
        .flat_map(|package| &package.dependencies)
        .filter(|dependency| dependency.name == "tokio" && !dependency.is_dev())
        .flat_map(|dependency| &dependency.features)
        .filter(|feature| FORBIDDEN_TOKIO.contains(&feature.as_str()))
        .map(|feature| {
            Offence::new(
                &arrows::manifest(CORE),
                1,
                format!("{CORE} enables tokio's `{feature}`"),
            )
        })
        .collect()
}
