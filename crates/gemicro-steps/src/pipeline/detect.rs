//! Detects the checks of a project whose workflow has none, by the files at the top of its checkout.

use std::path::Path;

use gemicro_pipeline::workflow::Check;
use serde_json::Value;

/// Time limit of a detected check, in milliseconds.
const TIMEOUT_MS: u64 = 20 * 60 * 1000;
/// Maximum size of a file that is read, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// The checks that fit the files of a folder; the first matching kind of project counts.
#[must_use]
pub fn found_checks(folder: &Path) -> Vec<Check> {
    let has = |name: &str| folder.join(name).is_file();
    let command = if has("Cargo.toml") {
        Some("cargo test")
    } else if has("go.mod") {
        Some("go test ./...")
    } else if has_npm_tests(folder) {
        Some("npm test")
    } else if has("pytest.ini") || has("tox.ini") || has("pyproject.toml") || has("conftest.py") {
        Some("python3 -m pytest")
    } else if has("Makefile") && has_target(folder, "test") {
        Some("make test")
    } else {
        None
    };
    let check = command.map(|command| Check {
        name: "tests".to_owned(),
        command: command.to_owned(),
        tests: true,
        timeout_ms: TIMEOUT_MS,
    });
    check.into_iter().collect()
}

/// Whether there is a test script other than the one that `npm init` writes.
fn has_npm_tests(folder: &Path) -> bool {
    let manifest =
        text(&folder.join("package.json")).and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let script = manifest
        .as_ref()
        .and_then(|manifest| manifest["scripts"]["test"].as_str());
    script.is_some_and(|script| !script.contains("no test specified"))
}

fn has_target(folder: &Path, target: &str) -> bool {
    let makefile = text(&folder.join("Makefile")).unwrap_or_default();
    makefile.lines().any(|line| {
        let rest = line.strip_prefix(target);
        rest.is_some_and(|rest| rest.trim_start().starts_with(':') && !rest.trim_start().starts_with(":="))
    })
}

fn text(path: &Path) -> Option<String> {
    let about = path.metadata().ok()?;
    (about.is_file() && about.len() <= MOST_BYTES)
        .then(|| std::fs::read_to_string(path).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("a file");
        }
        found_checks(folder.path())
            .into_iter()
            .map(|check| check.command)
            .collect()
    }

    #[test]
    fn files_speak_for_checks() {
        assert_eq!(found(&[("Cargo.toml", "")]), ["cargo test"]);
        assert_eq!(found(&[("go.mod", "")]), ["go test ./..."]);
        assert_eq!(
            found(&[("package.json", r#"{"scripts": {"test": "jest"}}"#)]),
            ["npm test"]
        );
        assert_eq!(found(&[("Makefile", "test: build\n\tx\n")]), ["make test"]);
        let none: [String; 0] = [];
        let usual = r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#;
        assert_eq!(found(&[("package.json", usual)]), none);
        assert_eq!(found(&[("Makefile", "test := x\ntests: y\n")]), none);
        assert_eq!(found(&[]), none);
    }
}
