//! Checks documents: each phase has its own, in the right folder, and its role can write it.

use super::super::model::{PhaseWork, Workflow, Writes};
use super::super::outcomes::names_document;
use super::super::places::ProblemList;
use super::paths::is_beneath;

/// The folder of all documents.
const DOCUMENTS: &str = "docs/dev_docs/";
/// The folder of reviews.
const REVIEWS: &str = "docs/dev_docs/reviews/";
/// The archive; no new document may be written there.
const ARCHIVE: &str = "docs/dev_docs/archived/";

pub(super) fn check(workflow: &Workflow, report: &mut ProblemList) {
    let mut known: Vec<(&str, &str)> = Vec::new();
    for phase in &workflow.phases {
        let PhaseWork::Agent { role, document, .. } = &phase.work else {
            continue;
        };
        let role = workflow.roles.get(role);
        let key = format!("phases.{}.document", phase.name);
        let Some(document) = document else {
            if role.is_some_and(|role| names_document(role.shape)) {
                let message = format!(
                    "its role answers with a path: write a document such as {DOCUMENTS}reviews/{}_[feat].md",
                    phase.name
                );
                report.add(key, message);
            }
            continue;
        };
        if let Some(message) = wrong_path(document) {
            report.add(key.as_str(), message);
        }
        if role.is_some_and(|role| role.sandbox == Writes::Reviews) && !document.starts_with(REVIEWS) {
            report.add(key.as_str(), format!("its role can only write below {REVIEWS}"));
        }
        if let Some((other, _)) = known.iter().find(|(_, known)| known == document) {
            report.add(
                key,
                format!("`{other}` has the same document: give each phase its own"),
            );
        }
        known.push((&phase.name, document));
    }
}

fn wrong_path(document: &str) -> Option<String> {
    let file = document.replacen("[feat]", "feat", 1).replacen("_v[N]", "_v1", 1);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/_-.".contains(&byte);
    if !document.starts_with(DOCUMENTS) || document.starts_with(ARCHIVE) || !is_beneath(document) {
        return Some(format!(
            "documents must be below {DOCUMENTS}, but not in {ARCHIVE}"
        ));
    }
    if !document.contains("[feat]") || !file.ends_with(".md") || !file.bytes().all(is_plain) {
        return Some(
            "use `[feat]` once, `_v[N]` at most once, letters, digits, `_` and `-`, and .md at the end"
                .to_owned(),
        );
    }
    None
}
