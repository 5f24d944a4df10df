//! Checks every package of the build against the policy.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Result, bail};

use super::policy::{BANS, BanReach, CLARIFIED, LICENCES};
use super::spdx;
use crate::metadata::{self, CargoPackage, Metadata};

/// The only allowed source of third-party crates; a mirror of it reports the same name.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Fails if a package breaks the policy; mentions duplicate versions.
pub(crate) fn run(root: &Path) -> Result<()> {
    let metadata = metadata::load(root)?;
    let offences = check(&metadata);
    for offence in &offences {
        println!("{offence}");
    }
    let duplicates = duplicates(&metadata);
    if !duplicates.is_empty() {
        println!(
            "  for information, more than one version of: {}",
            duplicates.join(", ")
        );
    }
    if !offences.is_empty() {
        bail!(
            "{} offences in {} packages",
            offences.len(),
            metadata.packages.len()
        );
    }
    println!("  {} packages allowed", metadata.packages.len());
    Ok(())
}

/// All violations of the policy, one line each.
pub(crate) fn check(metadata: &Metadata) -> Vec<String> {
    let mut offences = Vec::new();
    for package in &metadata.packages {
        let label = format!("{} {}", package.name, package.version);
        offences.extend(licence(package).map(|complaint| format!("{label}: {complaint}")));
        let is_ours = metadata.workspace_members.contains(&package.id);
        if !is_ours && package.source.as_deref() != Some(REGISTRY) {
            let source = package
                .source
                .as_deref()
                .unwrap_or("a folder outside the workspace");
            offences.push(format!("{label}: comes from {source}, not from the registry"));
        }
        let is_built = metadata
            .built
            .as_ref()
            .is_none_or(|built| built.contains(&package.name));
        for ban in BANS
            .iter()
            .filter(|ban| is_built && matches!(ban.reach, BanReach::Anywhere) && ban.name == package.name)
        {
            offences.push(format!("{label}: banned: {}", ban.reason));
        }
    }
    for package in metadata.members() {
        offences.extend(direct_bans(package));
    }
    offences
}

fn direct_bans(package: &CargoPackage) -> BTreeSet<String> {
    let mut offences = BTreeSet::new();
    for ban in BANS {
        let BanReach::OursExcept(users) = ban.reach else {
            continue;
        };
        let depends = package
            .dependencies
            .iter()
            .any(|dependency| dependency.name == ban.name);
        if depends && !users.contains(&package.name.as_str()) {
            offences.insert(format!(
                "{}: depends on {}, banned: {}",
                package.name, ban.name, ban.reason
            ));
        }
    }
    offences
}

fn licence(package: &CargoPackage) -> Option<String> {
    let clarified = CLARIFIED.iter().find(|clarified| clarified.name == package.name);
    if clarified.is_some_and(|clarified| !clarified.accepted.is_empty()) {
        return None;
    }
    let Some(expression) = clarified
        .map(|clarified| clarified.licence)
        .or(package.license.as_deref())
    else {
        return Some(
            "states no licence; read it and add it to CLARIFIED (xtask/src/deny/policy.rs)".to_owned(),
        );
    };
    match spdx::is_satisfied(expression, &|licence| LICENCES.contains(&licence)) {
        Ok(true) => None,
        Ok(false) => Some(format!("licence `{expression}` is not on our list")),
        Err(error) => Some(format!("licence `{expression}` cannot be read: {error}")),
    }
}

/// `name (version, version)` of packages that are built in several versions.
pub(crate) fn duplicates(metadata: &Metadata) -> Vec<String> {
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in &metadata.packages {
        versions
            .entry(&package.name)
            .or_default()
            .insert(&package.version);
    }
    versions
        .into_iter()
        .filter(|(_, versions)| versions.len() > 1)
        .map(|(name, versions)| format!("{name} ({})", versions.into_iter().collect::<Vec<_>>().join(", ")))
        .collect()
}
