//! Checks that relative links in Markdown files lead to files of the checkout.

use super::offence::Offence;
use super::text;
use crate::repository::SourceFile;

/// Checks one Markdown file against all paths of the checkout.
pub(crate) fn check(file: &SourceFile, paths: &[String]) -> Vec<Offence> {
    let mut offences = Vec::new();
    if text::is_verbatim(&file.path) {
        return offences;
    }
    let mut in_fence = false;
    for (idx, line) in file.text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
        } else if !in_fence {
            for target in targets(&without_code(line)) {
                if !resolves(&file.path, &target, paths) {
                    offences.push(Offence::new(
                        &file.path,
                        idx + 1,
                        format!("broken link: {target}"),
                    ));
                }
            }
        }
    }
    offences
}

/// The relative targets of `[text](target)` and `[name]: target`, without fragments.
fn targets(line: &str) -> Vec<String> {
    let mut found: Vec<&str> = line
        .split("](")
        .skip(1)
        .map(|rest| rest.split(')').next().unwrap_or(rest))
        .collect();
    if let Some((_, target)) = line.strip_prefix('[').and_then(|rest| rest.split_once("]: ")) {
        found.push(target);
    }
    found
        .into_iter()
        .filter_map(|target| target.split_whitespace().next())
        .map(|target| target.trim_matches(['<', '>']))
        .filter(|target| !target.contains("://") && !target.starts_with("mailto:"))
        .map(|target| target.split('#').next().unwrap_or_default().to_owned())
        .filter(|target| !target.is_empty())
        .collect()
}

/// The line with its inline code blanked out.
fn without_code(line: &str) -> String {
    let parts: Vec<&str> = line.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return line.to_owned();
    }
    parts.into_iter().step_by(2).collect::<Vec<_>>().join(" ")
}

fn resolves(from: &str, target: &str, paths: &[String]) -> bool {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return false;
                }
            }
            name => parts.push(name),
        }
    }
    let path = parts.join("/");
    let folder = format!("{path}/");
    path.is_empty()
        || paths
            .iter()
            .any(|known| *known == path || known.starts_with(&folder))
}
