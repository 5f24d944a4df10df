//! Applies every rule to the checkout and lists all offences.

use std::path::Path;

use anyhow::{Result, bail};

use super::offence::Offence;
use super::{
    architecture, arrows, calls, circles, core_tree, layout, links, names, participles, text, type_names,
};
use crate::repository::SourceFile;
use crate::{metadata, repository};

/// Fails if any rule is broken, after listing every violation.
pub(crate) fn run(root: &Path) -> Result<()> {
    let paths = repository::paths(root)?;
    let files = repository::text_files(root, &paths)?;
    let mut offences = check_files(&paths, &files);
    offences.extend(architecture::check(&files));
    let metadata = metadata::load(root)?;
    offences.extend(arrows::check(&metadata));
    offences.extend(core_tree::check_manifest(&metadata));
    offences.extend(core_tree::check_tree(&core_tree::load(root, &metadata)?));
    offences.sort();
    for offence in &offences {
        println!("{offence}");
    }
    if !offences.is_empty() {
        bail!("{} offences in {} files", offences.len(), files.len());
    }
    println!("  {} files tidy", files.len());
    Ok(())
}

/// Applies the rules that only need the files.
pub(crate) fn check_files(paths: &[String], files: &[SourceFile]) -> Vec<Offence> {
    let mut offences = Vec::new();
    for file in files {
        offences.extend(text::check(file));
        if file.path.ends_with(".md") {
            offences.extend(links::check(file, paths));
        }
        if file.path.ends_with(".rs") && !text::is_verbatim(&file.path) {
            offences.extend(layout::check(file));
            offences.extend(names::check(file));
            offences.extend(participles::check(file));
            offences.extend(calls::check(file));
        }
    }
    offences.extend(circles::check(files));
    offences.extend(type_names::check(files));
    offences
}
