//! Finds where the symbolic links of a tree lead, from the tree alone.

use std::collections::BTreeMap;

use crate::git_folder::is_git_folder;

/// Maximum number of links that a kernel follows.
const MAX_LINKS: usize = 40;

/// The links of a tree: path and target, as bytes, because different names can look the same as text.
pub(super) type Links = BTreeMap<Vec<u8>, Vec<u8>>;

/// Remaining steps. Links that lead through each other could need billions.
pub(super) struct Budget(u64);

impl Default for Budget {
    fn default() -> Self {
        Self(10_000_000)
    }
}

/// The links of a tree that lead out of it or into `.git`, directly or through other links. When the budget is used up,
/// a link counts as one of them.
pub(super) fn escaping_links(links: &Links, budget: &mut Budget) -> Links {
    let escapes = |(path, _): &(&Vec<u8>, &Vec<u8>)| !stays(links, path, budget);
    let found = links.iter().filter(escapes);
    found
        .map(|(path, target)| (path.clone(), target.clone()))
        .collect()
}

/// Resolves a path as the kernel would: each link is replaced by its target. A missing part counts as a folder, because
/// it may be created later. A chain of links without end counts as leaving the tree.
fn stays(links: &Links, path: &[u8], budget: &mut Budget) -> bool {
    let mut at: Vec<&[u8]> = Vec::new();
    let mut left = parts(path);
    let mut n_followed = 0;
    while let Some(part) = left.pop() {
        let Some(rest) = budget.0.checked_sub(1) else {
            return false;
        };
        budget.0 = rest;
        match part {
            b"" | b"." => continue,
            b".." => {
                if at.pop().is_none() {
                    return false;
                }
                continue;
            }
            _ if is_git_folder(&String::from_utf8_lossy(part)) => return false,
            _ => at.push(part),
        }
        if let Some(target) = links.get(&at.join(&b'/')) {
            n_followed += 1;
            if target.starts_with(b"/") || n_followed > MAX_LINKS {
                return false;
            }
            at.pop();
            left.extend(parts(target));
        }
    }
    true
}

/// The parts of a path in reverse order.
fn parts(path: &[u8]) -> Vec<&[u8]> {
    path.split(|byte| *byte == b'/').rev().collect()
}
