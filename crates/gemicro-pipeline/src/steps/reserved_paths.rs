//! Paths that no agent may change.

use gemicro_guard::repository::ReservedPath;
use gemicro_memory::FILE;

/// The file with the notes of the project's owner.
pub const HUMAN_REVIEW: &str = "docs/dev_docs/HUMAN_REVIEW.md";

/// Paths that no agent may change: the next run would take them for notes of the owner, or a reader for a real review.
/// The only review that a role may write is its own document.
pub fn reserved_paths(own: Option<&String>) -> Vec<ReservedPath> {
    let rules = [
        (HUMAN_REVIEW, "only the owner of the project writes these notes"),
        (FILE, "only the owner of the project and gemicro write the memory"),
        ("docs/dev_docs/archived/", "only gemicro archives documents"),
        (
            "docs/dev_docs/reviews/",
            "a role writes only its own document there",
        ),
    ];
    let rules = rules.map(|(path, rule)| ReservedPath {
        path: path.to_owned(),
        rule: rule.to_owned(),
        except: own.cloned(),
    });
    rules.to_vec()
}
