//! Builds of `gemicro`: the release build, which the benches measure, and others.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::process;

/// Builds `gemicro` in the release profile and returns its path.
pub(crate) fn release_binary(root: &Path) -> Result<PathBuf> {
    built_binary(root, &["--release"])
}

/// Builds `gemicro` with these options of cargo and returns its path.
pub(crate) fn built_binary(root: &Path, options: &[&str]) -> Result<PathBuf> {
    let mut build = process::cargo(root);
    build
        .args(["build", "-p", "gemicro-cli", "--bin", "gemicro"])
        .args(options);
    let messages = process::output(build.args(["--message-format", "json-render-diagnostics"]))?;
    executable(&messages).context("cargo built no `gemicro`")
}

/// The program named in cargo's messages, wherever the target folder is.
fn executable(messages: &str) -> Option<PathBuf> {
    let messages = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let paths: Vec<String> = messages
        .filter(|message| message["target"]["name"] == "gemicro")
        .filter_map(|message| message["executable"].as_str().map(str::to_owned))
        .collect();
    paths.last().map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_where_cargo_says() {
        let messages = concat!(
            r#"{"reason":"compiler-artifact","target":{"name":"gemicro_core"},"executable":null}"#,
            "\n",
            r#"{"reason":"compiler-artifact","target":{"name":"gemicro"},"executable":"out/gemicro"}"#,
            "\n",
            r#"{"reason":"build-finished","success":true}"#
        );
        assert_eq!(executable(messages), Some("out/gemicro".into()));
        assert_eq!(executable("{}"), None);
    }
}
