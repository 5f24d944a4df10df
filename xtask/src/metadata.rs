//! The output of `cargo metadata`, reduced to the fields that the checks read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::process;

/// The workspace and all its dependencies.
#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    /// Every package of the build, ours and others', for all platforms.
    pub(crate) packages: Vec<CargoPackage>,
    /// Ids of our own packages.
    pub(crate) workspace_members: Vec<String>,
    /// Names of the packages that are built on any platform; `packages` also lists dependencies of features that are
    /// never enabled.
    #[serde(skip)]
    pub(crate) built: Option<BTreeSet<String>>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct CargoPackage {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    /// The SPDX expression of its manifest.
    pub(crate) license: Option<String>,
    /// Its source; `None` for a local folder.
    pub(crate) source: Option<String>,
    pub(crate) dependencies: Vec<Dependency>,
    pub(crate) features: BTreeMap<String, Vec<String>>,
}

/// One dependency as a manifest declares it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// `None` for a normal dependency, otherwise `dev` or `build`.
    pub(crate) kind: Option<String>,
    pub(crate) features: Vec<String>,
}

impl Metadata {
    pub(crate) fn members(&self) -> impl Iterator<Item = &CargoPackage> {
        self.packages
            .iter()
            .filter(|package| self.workspace_members.contains(&package.id))
    }
}

impl Dependency {
    /// Whether only tests, examples and benches use it.
    pub(crate) fn is_dev(&self) -> bool {
        self.kind.as_deref() == Some("dev")
    }
}

pub(crate) fn load(root: &Path) -> Result<Metadata> {
    let text = process::output(process::cargo(root).args(["metadata", "--format-version", "1"]))?;
    let mut metadata: Metadata =
        serde_json::from_str(&text).context("cannot read the output of cargo metadata")?;
    let tree = [
        "tree",
        "--workspace",
        "--target",
        "all",
        "--prefix",
        "none",
        "--format",
        "{p}",
    ];
    let tree = process::output(process::cargo(root).args(tree))?;
    let names = tree.lines().filter_map(|line| line.split(' ').next());
    metadata.built = Some(names.map(str::to_owned).collect());
    Ok(metadata)
}
