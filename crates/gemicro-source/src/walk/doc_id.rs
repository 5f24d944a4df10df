//! Unique document ids for files from several sources: [`assign_doc_ids`].
//!
//! An id is the path below the source. A prefix is added only if two files would have the same id.

use std::collections::{HashMap, HashSet};

/// One id per file, in the order of `files`, given as (index of the source, path below it).
pub(super) fn assign_doc_ids<'a>(
    labels: &[String],
    files: impl Iterator<Item = (usize, &'a str)> + Clone,
) -> Vec<String> {
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for (_, relative) in files.clone() {
        *uses.entry(relative).or_default() += 1;
    }
    let mut taken: HashSet<String> = uses
        .iter()
        .filter(|(_, n)| **n == 1)
        .map(|(id, _)| (*id).to_owned())
        .collect();
    files
        .map(|(source_idx, relative)| {
            if uses.get(relative) == Some(&1) {
                return relative.to_owned();
            }
            let label = labels.get(source_idx).map_or("source", String::as_str);
            let mut id = format!("{label}/{relative}");
            let mut n_same = 2;
            while !taken.insert(id.clone()) {
                id = format!("{label}~{n_same}/{relative}");
                n_same += 1;
            }
            id
        })
        .collect()
}
